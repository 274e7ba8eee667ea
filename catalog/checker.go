package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxTurnWeight and maxTurnSchemas bound what is compiled of one turn just for its warnings.
	maxTurnWeight  = 4 << 20
	maxTurnSchemas = 5_000
)

// checker checks input against one tool's parameters. The schema is compiled on first use. One that can't be compiled
// checks nothing: a tool must not be lost because its author's schema is odd.
type checker struct {
	once   sync.Once
	schema *jsonschema.Schema
	err    error // why it can't be compiled and so checks nothing

	// busy holds a value while a check is under way: the compiled schema charges one budget, so there is one check at a
	// time.
	busy   chan struct{}
	budget budget
}

// compiled is the schema, made on first use and bound to the checker's budget.
func (k *checker) compiled(raw []byte) (*jsonschema.Schema, error) {
	k.once.Do(func() {
		k.busy = make(chan struct{}, 1)
		if k.schema, k.err = compileSchema(raw); k.err == nil {
			k.budget.watch(k.schema)
		}
	})
	return k.schema, k.err
}

// check validates a value of the given depth. It ends early with errBudget, or with the context's error; any other
// error is a *jsonschema.ValidationError.
func (k *checker) check(ctx context.Context, value any, depth int) (err error) {
	select {
	case k.busy <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-k.busy }()
	k.budget.start(ctx, depth)
	defer func() {
		switch stopped := recover().(type) {
		case nil:
		case exhausted:
			err = stopped.err
		default:
			panic(stopped)
		}
	}()
	return k.schema.Validate(value)
}

// schemaURL is the made-up address of the schema under which local references resolve.
const schemaURL = "tool:///parameters.json"

func compileSchema(raw []byte) (*jsonschema.Schema, error) {
	if schemaWeight(raw) > maxSchemaWeight {
		return nil, errLargeSchema
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, errors.New("it is not JSON that can be read")
	}
	var size schemaSize
	if size.measure(doc, 0); size.tooLarge() {
		return nil, errLargeSchema
	}
	schema, err := compileDraft(doc, jsonschema.Draft2020)
	if err == nil || bytes.Contains(raw, []byte(`"$schema"`)) {
		return schema, err
	}
	// Many tools still describe themselves in draft 7 without saying so; its list-valued "items" is an error in the
	// newer draft.
	if older, e := compileDraft(doc, jsonschema.Draft7); e == nil {
		return older, nil
	}
	return nil, err
}

func schemaWeight(raw []byte) int { return len(raw) * depth(raw) }

func compileDraft(doc any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(nothingRemote{})
	c.UseRegexpEngine(lenientRegexp)
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// nothingRemote refuses every reference that leaves the schema: neither files nor hosts may be reached from what a tool
// says about itself.
type nothingRemote struct{}

func (nothingRemote) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

// lenientRegexp compiles with Go's linear-time engine. Patterns that it doesn't know, such as lookahead, match
// everything, so that the rest of the schema still counts.
func lenientRegexp(s string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(s)
	if err != nil {
		return anyText(s), nil
	}
	return sizedRegexp{re, patternSize(s)}, nil
}

// sizedRegexp is a pattern that knows what matching costs.
type sizedRegexp struct {
	*regexp.Regexp
	size int // instructions
}

type anyText string

func (anyText) MatchString(string) bool { return true }
func (a anyText) String() string        { return string(a) }

// reason words why a schema can't be compiled, in the same words as the problems of an input where it is the schema's
// own form that is wrong.
func reason(err error) string {
	var form *jsonschema.SchemaValidationError
	var wrong *jsonschema.ValidationError
	if errors.As(err, &form) && errors.As(form.Err, &wrong) {
		return strings.Join(problems(wrong), "; ")
	}
	return err.Error()
}

// compileAll says which schemas check nothing. It compiles those that are not plainly fine.
func (c *Catalog) compileAll() []string {
	var warnings []string
	weight, schemas, skipped := 0, 0, 0
	for _, e := range c.entries {
		raw := e.tool.Parameters
		if raw == nil || sureToCompile(raw) {
			continue
		}
		weight += min(schemaWeight(raw), maxSchemaWeight)
		schemas += min(bytes.Count(raw, []byte{'{'}), maxSubschemas)
		if weight > maxTurnWeight || schemas > maxTurnSchemas {
			skipped++
			continue
		}
		if _, err := e.check.compiled(raw); err != nil {
			warnings = append(warnings, "parameters of "+e.id+" check nothing: "+oneLine(clip(reason(err), maxProblemBytes)))
		}
	}
	if skipped > 0 {
		warnings = append(warnings, strconv.Itoa(skipped)+" large parameters were not looked at before they are used")
	}
	return warnings
}

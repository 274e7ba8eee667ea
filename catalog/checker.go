package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	// loose are the parts of it that check nothing, in words.
	loose []string

	// busy holds a value while a check is under way: the compiled schema charges one budget, so there is one check at a
	// time.
	busy   chan struct{}
	budget budget
}

// compiled is the schema, made on first use and bound to the checker's budget.
func (k *checker) compiled(raw []byte) (*jsonschema.Schema, error) {
	k.once.Do(func() {
		k.busy = make(chan struct{}, 1)
		if k.schema, k.loose, k.err = compileSchema(raw); k.err == nil {
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

// compileSchema also returns, in words, what of the schema is not checked.
func compileSchema(raw []byte) (*jsonschema.Schema, []string, error) {
	if schemaWeight(raw) > maxSchemaWeight {
		return nil, nil, errLargeSchema
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, nil, errors.New("it is not JSON that can be read")
	}
	var size schemaSize
	if size.measure(doc, 0); size.tooLarge() {
		return nil, nil, errLargeSchema
	}
	if bytes.Contains(raw, []byte(`"nullable"`)) {
		allowNull(doc)
	}
	// Many tools still describe themselves in older drafts without saying so: a list-valued "items" and a boolean
	// "exclusiveMinimum" are errors in the newer ones.
	var first error
	for _, draft := range []*jsonschema.Draft{jsonschema.Draft2020, jsonschema.Draft7, jsonschema.Draft4} {
		schema, loose, err := compileDraft(doc, draft)
		if err == nil {
			return schema, loose, nil
		}
		if first == nil {
			first = err
		}
		if bytes.Contains(raw, []byte(`"$schema"`)) {
			break
		}
	}
	return nil, nil, first
}

func schemaWeight(raw []byte) int { return len(raw) * depth(raw) }

func compileDraft(doc any, draft *jsonschema.Draft) (*jsonschema.Schema, []string, error) {
	var p regexps
	c := jsonschema.NewCompiler()
	c.DefaultDraft(draft)
	c.UseLoader(nothingRemote{})
	c.UseRegexpEngine(p.compile)
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, nil, err
	}
	schema, err := c.Compile(schemaURL)
	if err != nil {
		return nil, nil, err
	}
	var loose []string
	for _, keyword := range unchecked(doc, schemaDraft(doc, draft)) {
		loose = append(loose, fmt.Sprintf("keyword %q is not known and not checked", clip(keyword, maxProblemBytes)))
	}
	for _, pattern := range p.unknown[:min(len(p.unknown), maxProblems)] {
		loose = append(loose, fmt.Sprintf("pattern %q is no regular expression and not checked", clip(pattern, maxProblemBytes)))
	}
	return schema, loose, nil
}

// schemaDraft is the draft that a schema says it is of, or otherwise the given one.
func schemaDraft(doc any, otherwise *jsonschema.Draft) *jsonschema.Draft {
	m, _ := doc.(map[string]any)
	says, _ := m["$schema"].(string)
	if strings.Contains(says, "draft-0") {
		return jsonschema.Draft7
	}
	return otherwise
}

// nothingRemote refuses every reference that leaves the schema: neither files nor hosts may be reached from what a tool
// says about itself.
type nothingRemote struct{}

func (nothingRemote) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

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
		for _, what := range e.check.loose {
			warnings = append(warnings, "parameters of "+e.id+": "+oneLine(what))
		}
	}
	if skipped > 0 {
		warnings = append(warnings, strconv.Itoa(skipped)+" large parameters were not looked at before they are used")
	}
	return warnings
}

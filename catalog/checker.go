package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"
)

const (
	// maxCheckedSchema is the largest schema that is compiled, in bytes.
	maxCheckedSchema = 256 << 10
	// maxInputDepth is the deepest nesting of input that is looked at.
	maxInputDepth = 1000
)

// checker checks input against one tool's parameters. The schema is compiled
// on first use. One that can't be compiled checks nothing: a tool must not be
// lost because its author's schema is odd.
type checker struct {
	once   sync.Once
	schema *jsonschema.Schema // nil: checks nothing
	err    error              // why it can't be compiled

	mu     sync.Mutex // holds budget to one check at a time
	budget budget
}

// compiled is the schema, made on first use and bound to the checker's budget.
func (k *checker) compiled(raw []byte) (*jsonschema.Schema, error) {
	k.once.Do(func() {
		if raw == nil {
			return
		}
		k.schema, k.err = compileSchema(raw)
		if k.err == nil {
			k.budget.watch(k.schema)
		}
	})
	return k.schema, k.err
}

// schemaURL is the made-up address of the schema under which local references
// resolve.
const schemaURL = "tool:///parameters.json"

func compileSchema(raw []byte) (*jsonschema.Schema, error) {
	if len(raw) > maxCheckedSchema {
		return nil, errors.New("it is larger than 256 KiB")
	}
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return nil, errors.New("it is not JSON that can be read")
	}
	schema, err := compileDraft(doc, jsonschema.Draft2020)
	if err == nil || bytes.Contains(raw, []byte(`"$schema"`)) {
		return schema, err
	}
	// Many tools still describe themselves in draft 7 without saying so; its
	// list-valued "items" is an error in the newer draft.
	if older, e := compileDraft(doc, jsonschema.Draft7); e == nil {
		return older, nil
	}
	return nil, err
}

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

// nothingRemote refuses every reference that leaves the schema: neither files
// nor hosts may be reached from what a tool says about itself.
type nothingRemote struct{}

func (nothingRemote) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

// lenientRegexp compiles with Go's linear-time engine. Patterns that it
// doesn't know, such as lookahead, match everything, so that the rest of the
// schema still counts.
func lenientRegexp(s string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(s)
	if err != nil {
		return anyText(s), nil
	}
	return re, nil
}

type anyText string

func (anyText) MatchString(string) bool { return true }
func (a anyText) String() string        { return string(a) }

// compileAll says which schemas check nothing. It compiles those that are not
// plainly fine.
func (c *Catalog) compileAll() []string {
	var warnings []string
	for _, e := range c.entries {
		if len(e.tool.Parameters) <= maxCheckedSchema && plainSchema(gjson.ParseBytes(e.tool.Parameters)) {
			continue
		}
		if _, err := e.check.compiled(e.tool.Parameters); err != nil {
			warnings = append(warnings, "parameters of "+e.id+" check nothing: "+oneLine(clip(err.Error(), 300)))
		}
	}
	return warnings
}

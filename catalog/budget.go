package catalog

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxCheckSteps bounds one check. A step is about a tenth of a microsecond to
// one microsecond; ordinary input takes less than a hundred.
const maxCheckSteps = 1_000_000

// budget bounds the work of checking input against a schema that may refer to
// itself: two harmless branches that both recurse make the work double with
// each level of nesting, and the nesting is the guest's choice. The library
// has no limit of its own, so every subschema gets a "format", which it asks
// before anything else that could descend; once the budget is spent, each
// refuses at once and the check unwinds.
type budget struct {
	left  int
	spent bool
}

var errBudget = errors.New("too complex to check")

// start makes the budget whole for another check.
func (b *budget) start() { b.left, b.spent = maxCheckSteps, false }

// watch puts the budget in front of root and everything below it. Formats that
// the schema itself asks for are notes to people and are not asserted.
func (b *budget) watch(root *jsonschema.Schema) {
	seen := map[*jsonschema.Schema]bool{}
	todo := []*jsonschema.Schema{root}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		below := subschemas(s)
		cost := 1 + len(below)
		if s.Enum != nil {
			cost += len(s.Enum.Values)
		}
		s.Format = &jsonschema.Format{Name: "budget", Validate: func(v any) error { return b.charge(cost, v) }}
		todo = append(todo, below...)
	}
}

// charge takes what looking at v with a schema of the given fan-out may cost.
func (b *budget) charge(cost int, v any) error {
	switch v := v.(type) {
	case map[string]any:
		cost += len(v)
	case []any:
		cost += len(v)
	case string:
		cost += len(v) / 64
	}
	b.left -= cost
	if b.left < 0 {
		b.spent = true
		return errBudget
	}
	return nil
}

// subschemas are all schemas that s may pass a value, or a part of it, on to.
func subschemas(s *jsonschema.Schema) []*jsonschema.Schema {
	out := []*jsonschema.Schema{
		s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames,
		s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema,
	}
	if s.DynamicRef != nil {
		out = append(out, s.DynamicRef.Ref)
	}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		out = append(out, list...)
	}
	for _, m := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		for _, sub := range m {
			out = append(out, sub)
		}
	}
	for _, sub := range s.PatternProperties {
		out = append(out, sub)
	}
	for _, either := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		out = append(out, schemasIn(either)...)
	}
	for _, either := range s.Dependencies {
		out = append(out, schemasIn(either)...)
	}
	return out
}

// schemasIn unpacks the keywords that the library keeps as any.
func schemasIn(either any) []*jsonschema.Schema {
	switch v := either.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{v}
	case []*jsonschema.Schema:
		return v
	}
	return nil
}

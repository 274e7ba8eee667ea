package catalog

import (
	"errors"
	"maps"
	"slices"

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
	scale int // price of a step, by the depth of the input
	spent bool
}

var errBudget = errors.New("too complex to check")

// start makes the budget whole for another check, of input with the given
// depth. Steps are dearer in deep input: the library copies the way down to a
// value with every failure.
func (b *budget) start(depth int) {
	b.left, b.scale, b.spent = maxCheckSteps, 1+depth/16, false
}

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
		once, each := subschemas(s)
		todo = slices.Concat(todo, once, each)
		p := price{flat: 1 + weigh(once), each: 1 + weigh(each)}
		s.Format = &jsonschema.Format{Name: "budget", Validate: func(v any) error { return b.charge(p, v) }}
	}
}

// price is what one look at a value costs: flat, and for each of its members.
// Subschemas are paid for here and not where they are used, because there an
// enum is gone through before the budget is asked.
type price struct{ flat, each int }

// weigh is the price of asking all of the schemas about one value.
func weigh(schemas []*jsonschema.Schema) int {
	sum := 0
	for _, s := range schemas {
		if s == nil {
			continue
		}
		sum++
		if s.Enum != nil {
			sum += len(s.Enum.Values)
		}
	}
	return sum
}

// charge takes the price of looking at v.
func (b *budget) charge(p price, v any) error {
	cost := p.flat
	switch v := v.(type) {
	case map[string]any:
		cost += len(v) * p.each
	case []any:
		cost += len(v) * p.each
	case string:
		cost += len(v) / 64
	}
	b.left -= cost * b.scale
	if b.left < 0 {
		b.spent = true
		return errBudget
	}
	return nil
}

// subschemas are all schemas that s may pass a value on to, whole or one named
// part of it (once), or every member of it (each). Some are nil.
func subschemas(s *jsonschema.Schema) (once, each []*jsonschema.Schema) {
	once = []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.ContentSchema}
	if s.DynamicRef != nil {
		once = append(once, s.DynamicRef.Ref)
	}
	once = slices.Concat(once, s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems)
	once = slices.AppendSeq(once, maps.Values(s.Properties))
	once = slices.AppendSeq(once, maps.Values(s.DependentSchemas))
	for _, either := range s.Dependencies {
		once = append(once, schemasIn(either)...)
	}
	each = []*jsonschema.Schema{s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems}
	each = slices.AppendSeq(each, maps.Values(s.PatternProperties))
	for _, either := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		each = append(each, schemasIn(either)...)
	}
	return once, each
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

package catalog

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxCheckSteps bounds one check. A step takes a tenth of a microsecond to one microsecond; ordinary input takes less
// than a hundred.
const maxCheckSteps = 1_000_000

// failureSteps is the price of one failure: the library keeps all of them, with their paths, until the check is over.
const failureSteps = 4

// budget bounds the work of checking input against a schema that may refer to itself: two harmless branches that both
// recurse make the work double with each level of nesting, and the nesting is the guest's choice. The library has no
// limit of its own, so every subschema gets a guard, which charges the budget before anything is done with a value.
// When the budget is spent, or the context over, it panics with exhausted, and checker.check recovers.
type budget struct {
	chain int // see longestChain

	ctx     context.Context
	left    int
	scale   int // price of a step, by the depth of the input and the chain
	charges int
}

var errBudget = errors.New("too complex to check")

// exhausted leaves a check at once, however deep it is.
type exhausted struct{ err error }

// start makes the budget whole for another check, of input with the given depth. Steps are dearer in deep input,
// because the library copies the way down to a value with every failure, and in long chains, because it looks back
// through the chain for a circle.
func (b *budget) start(ctx context.Context, depth int) {
	*b = budget{chain: b.chain, ctx: ctx, left: maxCheckSteps, scale: 1 + depth/16 + b.chain/64}
}

// charge takes a number of steps. The context is asked now and then, because that costs about as much as a step.
func (b *budget) charge(steps int) {
	if b.left -= steps * b.scale; b.left < 0 {
		panic(exhausted{errBudget})
	}
	if b.charges++; b.charges%64 == 1 {
		if err := b.ctx.Err(); err != nil {
			panic(exhausted{err})
		}
	}
}

// watch puts a guard in front of root and everything below it.
func (b *budget) watch(root *jsonschema.Schema) {
	all := reachable(root)
	unevaluated := slices.ContainsFunc(all, func(s *jsonschema.Schema) bool {
		return s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil
	})
	b.chain = longestChain(all)
	for _, s := range all {
		newGuard(b, s, unevaluated)
	}
}

// longestChain is how many schemas may be asked about one value, each by the one before it. A circle counts once
// around: a check ends where it closes.
func longestChain(all []*jsonschema.Schema) int {
	longest := make(map[*jsonschema.Schema]int, len(all))
	var from func(s *jsonschema.Schema) int
	from = func(s *jsonschema.Schema) int {
		if n, known := longest[s]; known {
			return n
		}
		longest[s] = 0 // while it is being looked at
		n := 0
		for _, next := range inPlace(s) {
			if next != nil {
				n = max(n, 1+from(next))
			}
		}
		longest[s] = n
		return n
	}
	n := 0
	for _, s := range all {
		n = max(n, from(s))
	}
	return n
}

// reachable are root and all schemas that a value can get to from there.
func reachable(root *jsonschema.Schema) []*jsonschema.Schema {
	seen := map[*jsonschema.Schema]bool{}
	var all []*jsonschema.Schema
	todo := []*jsonschema.Schema{root}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if s == nil || seen[s] {
			continue
		}
		seen[s] = true
		all = append(all, s)
		once, each := subschemas(s)
		todo = append(append(todo, once...), each...)
	}
	return all
}

// inPlace are the schemas that s passes a whole value on to. Some are nil.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.ContentSchema}
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	list = slices.Concat(list, s.AllOf, s.AnyOf, s.OneOf)
	list = slices.AppendSeq(list, maps.Values(s.DependentSchemas))
	for _, either := range s.Dependencies {
		list = append(list, schemasIn(either)...)
	}
	return list
}

// subschemas are all schemas that s may pass a value on to, whole or one named part of it (once), or every member of it
// (each). Some are nil.
func subschemas(s *jsonschema.Schema) (once, each []*jsonschema.Schema) {
	once = append(inPlace(s), s.PrefixItems...)
	once = slices.AppendSeq(once, maps.Values(s.Properties))
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

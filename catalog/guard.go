package catalog

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// guard stands in front of one subschema: it charges for every look at a value before the library takes it. It also
// checks the keywords that the library would check before it could charge, or in more time than it must: false, type,
// const, enum and uniqueItems, which are taken out of the schema.
//
// It is a "format", which the library asks first of what is left. Formats that the schema itself asks for are notes to
// people and are not asserted.
type guard struct {
	budget *budget
	price  price

	never  bool
	types  []string // "type", nil for any
	only   *oneOf   // "const"
	enum   *oneOf
	unique bool
}

// price is what one look at a value costs, in steps: flat, for each of its members, and, in instructions of patterns
// that are matched with it, for each byte of a string and of an object's keys.
type price struct{ flat, member, text, keys int }

// stepInstructions is how many instructions of a pattern's program a step executes.
const stepInstructions = 64

// oneOf are allowed values.
type oneOf struct {
	values []any
	texts  map[string]bool // canonical
}

func newOneOf(values []any) *oneOf {
	o := &oneOf{values: values, texts: make(map[string]bool, len(values))}
	for _, v := range values {
		o.texts[string(appendCanonical(nil, v))] = true
	}
	return o
}

// newGuard moves keywords of s into a guard and sets it before s. unevaluated tells that the schema has keywords for
// which the library notes every member of a value in every subschema.
func newGuard(b *budget, s *jsonschema.Schema, unevaluated bool) {
	g := &guard{budget: b, price: priceOf(s, unevaluated), unique: s.UniqueItems}
	if s.Bool != nil && !*s.Bool {
		g.never, s.Bool = true, nil
	}
	if s.Types != nil && !s.Types.IsEmpty() {
		g.types = s.Types.ToStrings()
	}
	if s.Const != nil {
		g.only = newOneOf([]any{*s.Const})
	}
	if s.Enum != nil {
		g.enum = newOneOf(s.Enum.Values)
	}
	s.Types, s.Const, s.Enum, s.UniqueItems = nil, nil, nil, false
	s.Format = &jsonschema.Format{Name: "guard", Validate: g.check}
}

// priceOf weighs what the library does with a value by s alone. Subschemas charge for themselves; what their parent
// pays is that they are asked.
func priceOf(s *jsonschema.Schema, unevaluated bool) price {
	once, each := subschemas(s)
	p := price{flat: 1 + count(once) + len(s.Required), member: 1 + count(each)}
	for _, names := range s.DependentRequired {
		p.flat += len(names)
	}
	for _, either := range s.Dependencies {
		if names, ok := either.([]string); ok {
			p.flat += len(names)
		}
	}
	for _, bound := range []*big.Rat{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum, s.MultipleOf} {
		if bound != nil {
			p.flat += 4 + (bound.Num().BitLen()+bound.Denom().BitLen())/32
		}
	}
	if unevaluated {
		p.member += count(once)
	}
	p.text = sizeOf(s.Pattern)
	for pattern := range s.PatternProperties {
		p.keys += sizeOf(pattern)
	}
	return p
}

func count(schemas []*jsonschema.Schema) int {
	n := 0
	for _, s := range schemas {
		if s != nil {
			n++
		}
	}
	return n
}

// sizeOf is a pattern's number of instructions.
func sizeOf(pattern jsonschema.Regexp) int {
	switch p := pattern.(type) {
	case slowRegexp:
		return slowPatternSteps
	case sizedRegexp:
		return p.size
	}
	return 0
}

// of is the price of v.
func (p price) of(v any) int {
	cost := p.flat
	switch v := v.(type) {
	case map[string]any:
		cost += len(v) * p.member
		if p.keys > 0 {
			for key := range v {
				cost += len(key) * p.keys / stepInstructions
			}
		}
	case []any:
		cost += len(v) * p.member
	case string:
		cost += len(v) * (1 + p.text) / stepInstructions
	}
	return cost
}

// failed is a keyword that a guard checked.
type failed struct{ kind jsonschema.ErrorKind }

func (failed) Error() string { return "failed" }

// check charges for v and checks the guard's own keywords.
func (g *guard) check(v any) error {
	g.budget.charge(g.price.of(v))
	if failure := g.failure(v); failure != nil {
		g.budget.charge(failureSteps)
		return failed{failure}
	}
	return nil
}

func (g *guard) failure(v any) jsonschema.ErrorKind {
	if g.never {
		return &kind.FalseSchema{}
	}
	if g.types != nil && !hasType(g.types, v) {
		return &kind.Type{Got: typeName(v), Want: g.types}
	}
	if g.only != nil && !g.among(v, g.only) {
		return &kind.Const{Got: v, Want: g.only.values[0]}
	}
	if g.enum != nil && !g.among(v, g.enum) {
		return &kind.Enum{Got: v, Want: g.enum.values}
	}
	if items, ok := v.([]any); ok && g.unique {
		return g.duplicates(items)
	}
	return nil
}

// among tells whether v is one of the values, in time proportional to v.
func (g *guard) among(v any, list *oneOf) bool { return list.texts[string(g.canonical(v))] }

// duplicates finds two equal items.
func (g *guard) duplicates(items []any) jsonschema.ErrorKind {
	seen := make(map[string]int, len(items))
	for i, item := range items {
		text := string(g.canonical(item))
		if first, ok := seen[text]; ok {
			return &kind.UniqueItems{Duplicates: [2]int{first, i}}
		}
		seen[text] = i
	}
	return nil
}

// canonical is v's canonical text, charged for.
func (g *guard) canonical(v any) []byte {
	text := appendCanonical(nil, v)
	g.budget.charge(1 + len(text)/8)
	return text
}

// appendCanonical writes a decoded JSON value so that equal ones, and no others, read the same.
func appendCanonical(dst []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case float64:
		return strconv.AppendFloat(dst, v+0, 'g', -1, 64) // +0 makes 0 of -0
	case string:
		return strconv.AppendQuote(dst, v)
	case []any:
		dst = append(dst, '[')
		for _, item := range v {
			dst = append(appendCanonical(dst, item), ',')
		}
		return append(dst, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		dst = append(dst, '{')
		for _, key := range keys {
			dst = append(appendCanonical(append(strconv.AppendQuote(dst, key), ':'), v[key]), ',')
		}
		return append(dst, '}')
	}
	return dst
}

// hasType tells whether one of the words of "type" fits v.
func hasType(types []string, v any) bool {
	name := typeName(v)
	return slices.ContainsFunc(types, func(t string) bool {
		n, number := v.(float64)
		return t == name || t == "integer" && number && n == math.Trunc(n)
	})
}

// typeName is the word of "type" that fits v.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

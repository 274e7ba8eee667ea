package catalog

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of one rendered type: a schema may be huge or refer to itself.
const (
	maxTypeDepth    = 6
	maxTypeNodes    = 400
	maxLiterals     = 16
	maxUnion        = 8
	maxLiteralBytes = 200
	anything        = "unknown"
	anyObject       = "Record<string, unknown>"
)

// typer renders JSON Schemas as TypeScript types on one line. Where it can't
// say it exactly, it says unknown: a declaration may be loose, never wrong.
type typer struct {
	root  gjson.Result // resolves local $refs
	nodes int          // schemas that may still be rendered
}

func newTyper(root gjson.Result) *typer { return &typer{root: root, nodes: maxTypeNodes} }

// typeOf is the type of a whole schema; raw may be nil.
func typeOf(raw []byte) string {
	if raw == nil {
		return anything
	}
	root := gjson.ParseBytes(raw)
	return newTyper(root).of(root, 0)
}

func (t *typer) of(schema gjson.Result, level int) string {
	t.nodes--
	if t.nodes < 0 || level > maxTypeDepth || !schema.IsObject() {
		return anything
	}
	v := viewSchema(schema)
	switch {
	case v.ref != "":
		return t.of(t.resolve(v.ref), level+1)
	case v.constant.Exists():
		return literals([]gjson.Result{v.constant}, v)
	case v.enum.IsArray():
		return literals(v.enum.Array(), v)
	case v.union.IsArray():
		return t.unionOf(v.union.Array(), level)
	case v.kind.IsArray():
		return t.anyKind(v, level)
	}
	return t.kindOf(v.kind.String(), v, level)
}

// kindOf is the type for one word of "type".
func (t *typer) kindOf(kind string, v *schemaView, level int) string {
	switch kind {
	case "string", "boolean", "null":
		return kind
	case "number", "integer":
		return "number"
	case "array":
		item := anything
		if v.items.Exists() {
			item = t.of(v.items, level+1)
		}
		// Parentheses too many do no harm where the bar is inside braces.
		if strings.Contains(item, " | ") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case "object":
		return t.object(v, level)
	}
	if len(v.properties) > 0 {
		return t.object(v, level)
	}
	return anything
}

func (t *typer) object(v *schemaView, level int) string {
	if len(v.properties) == 0 {
		if v.rest.IsObject() {
			return "Record<string, " + t.of(v.rest, level+1) + ">"
		}
		return anyObject
	}
	var b strings.Builder
	b.WriteString("{ ")
	for i, p := range v.properties {
		if len(p.name) > maxNameBytes || t.nodes <= 0 {
			return anyObject
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(key(p))
		b.WriteString(": ")
		b.WriteString(t.of(p.schema, level+1))
	}
	b.WriteString(" }")
	return b.String()
}

// key is a property's name as it stands in a type, with ? if it is optional.
func key(p property) string {
	name := p.name
	if !isIdentifier(name) {
		name = quote(name)
	}
	if !p.required {
		name += "?"
	}
	return name
}

// anyKind is the union of "type": ["string", "null"].
func (t *typer) anyKind(v *schemaView, level int) string {
	words := v.kind.Array()
	if len(words) > maxUnion {
		return anything
	}
	var parts []string
	for _, w := range words {
		parts = append(parts, t.kindOf(w.String(), v, level))
	}
	return union(parts)
}

func (t *typer) unionOf(schemas []gjson.Result, level int) string {
	if len(schemas) > maxUnion {
		return anything
	}
	var parts []string
	for _, s := range schemas {
		parts = append(parts, t.of(s, level+1))
	}
	return union(parts)
}

// union joins types without repeating any; unknown swallows the others.
func union(parts []string) string {
	var kept []string
	seen := map[string]bool{}
	for _, p := range parts {
		if p == anything {
			return anything
		}
		if !seen[p] {
			seen[p] = true
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return anything
	}
	return strings.Join(kept, " | ")
}

// literals is the union of an enum's values, or the wider type if there are
// too many, or values that are no primitives.
func literals(values []gjson.Result, v *schemaView) string {
	wide := anything
	if k := v.kind.String(); k == "string" || k == "number" || k == "boolean" {
		wide = k
	}
	if len(values) == 0 || len(values) > maxLiterals {
		return wide
	}
	var parts []string
	for _, value := range values {
		switch {
		case len(value.Raw) > maxLiteralBytes, value.IsObject(), value.IsArray():
			return wide
		case value.Type == gjson.String:
			parts = append(parts, quote(value.Str))
		default:
			parts = append(parts, value.Raw)
		}
	}
	return union(parts)
}

// resolve follows a $ref within the same schema: "#", "#/$defs/x",
// "#/definitions/x/properties/y". Everything else is not there.
func (t *typer) resolve(ref string) gjson.Result {
	at := t.root
	path, local := strings.CutPrefix(ref, "#")
	if !local {
		return gjson.Result{}
	}
	for i, step := range strings.Split(path, "/") {
		if i == 0 {
			if step != "" {
				return gjson.Result{}
			}
			continue
		}
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		at = member(at, step)
	}
	return at
}

// member is obj[name], by value and not by gjson's path language.
func member(obj gjson.Result, name string) (found gjson.Result) {
	if !obj.IsObject() {
		return found
	}
	obj.ForEach(func(k, v gjson.Result) bool {
		if k.Str == name {
			found = v
		}
		return true
	})
	return found
}

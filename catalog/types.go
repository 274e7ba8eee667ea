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
	maxTypeText     = 16 << 10  // bytes of one object's or union's type
	maxTypeScan     = 256 << 10 // bytes of schema read, beside eight times the whole
	anything        = "unknown"
	anyObject       = "Record<string, unknown>"
)

// typer renders JSON Schemas as TypeScript types on one line. Where it can't say it exactly, it says unknown: a
// declaration may be loose, never wrong.
type typer struct {
	root  []byte                             // resolves local $refs
	nodes int                                // schemas that may still be rendered
	bytes int                                // of schemas that may still be read: references repeat them
	below map[string]map[string]gjson.Result // the members of the objects that references lead into, by path
}

func newTyper(root []byte) *typer {
	return &typer{root: root, nodes: maxTypeNodes, bytes: maxTypeScan + 8*len(root)}
}

// typeOf is the type of a whole schema; raw may be nil.
func typeOf(raw []byte) string {
	if raw == nil {
		return anything
	}
	return newTyper(raw).raw(gjson.ParseBytes(raw), 0)
}

// raw is the type of a schema that has not been read yet.
func (t *typer) raw(schema gjson.Result, level int) string {
	if !t.mayRead(len(schema.Raw)) {
		return anything
	}
	return t.of(viewSchema(schema, level), level)
}

// mayRead takes n bytes from what may still be read, if that is enough.
func (t *typer) mayRead(n int) bool {
	if n > t.bytes {
		return false
	}
	t.bytes -= n
	return true
}

// of is the type of a schema. The order of the cases is that of how much they say: a constant or an enum says more than
// its "type".
func (t *typer) of(v *schemaView, level int) string {
	t.nodes--
	if t.nodes < 0 || level > maxTypeDepth || !t.mayRead(len(v.enum)+len(v.union)+len(v.kind)) {
		return anything
	}
	switch {
	case v.ref != "":
		return t.raw(t.resolve(v.ref), level+1)
	case v.constant != "":
		return literals([]gjson.Result{gjson.Parse(v.constant)}, v)
	case isList(v.enum):
		return literals(gjson.Parse(v.enum).Array(), v)
	case isList(v.union):
		return t.unionOf(gjson.Parse(v.union).Array(), level)
	case isList(v.kind):
		return t.anyKind(v, level)
	}
	return t.kindOf(v.kind, v, level)
}

// isList tells whether a keyword's JSON text is an array.
func isList(raw string) bool { return raw != "" && raw[0] == '[' }

// isObject tells whether a keyword's JSON text is an object.
func isObject(raw string) bool { return raw != "" && raw[0] == '{' }

// kindOf is the type for one word of "type", quoted as in JSON.
func (t *typer) kindOf(kind string, v *schemaView, level int) string {
	switch kind {
	case `"string"`:
		return "string"
	case `"boolean"`:
		return "boolean"
	case `"null"`:
		return "null"
	case `"number"`, `"integer"`:
		return "number"
	case `"array"`:
		return t.list(v, level)
	case `"object"`:
		return t.object(v, level)
	}
	if len(v.properties) > 0 {
		return t.object(v, level)
	}
	return anything
}

// list is T[], with parentheses where T is a union.
func (t *typer) list(v *schemaView, level int) string {
	item := anything
	if v.items != "" {
		item = t.raw(gjson.Parse(v.items), level+1)
	}
	// Parentheses too many do no harm where the bar is inside braces.
	if strings.Contains(item, " | ") {
		item = "(" + item + ")"
	}
	return item + "[]"
}

// object spells the keys out, or gives the general type where they are unknown, too many, or too long to be meant for
// reading.
func (t *typer) object(v *schemaView, level int) string {
	if len(v.properties) == 0 {
		if isObject(v.rest) {
			return "Record<string, " + t.raw(gjson.Parse(v.rest), level+1) + ">"
		}
		return anyObject
	}
	var b strings.Builder
	b.WriteString("{ ")
	for i, p := range v.properties {
		if len(p.name) > maxNameBytes || t.nodes <= 0 || b.Len() > maxTypeText {
			return anyObject
		}
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(key(p))
		b.WriteString(": ")
		b.WriteString(t.of(p.view, level+1))
	}
	b.WriteString(" }")
	return b.String()
}

// key is a property's name as it stands in a type, with ? if it is optional.
func key(p property) string {
	name := p.name
	if !isIdentifier(name) {
		name = literal(name)
	}
	if !p.required {
		name += "?"
	}
	return name
}

// literal is s as a string literal in which nothing looks like the end of a comment, to a model or to a tool that cuts
// comments out.
func literal(s string) string { return strings.ReplaceAll(quote(s), "*/", `*\/`) }

// anyKind is the union of "type": ["string", "null"].
func (t *typer) anyKind(v *schemaView, level int) string {
	words := gjson.Parse(v.kind).Array()
	if len(words) > maxUnion {
		return anything
	}
	var parts []string
	for _, w := range words {
		parts = append(parts, t.kindOf(w.Raw, v, level))
	}
	return union(parts)
}

// unionOf is the union of anyOf or oneOf; types can't tell the two apart.
func (t *typer) unionOf(schemas []gjson.Result, level int) string {
	if len(schemas) > maxUnion {
		return anything
	}
	var parts []string
	for _, s := range schemas {
		parts = append(parts, t.raw(s, level+1))
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
	if text := strings.Join(kept, " | "); len(text) <= maxTypeText {
		return text
	}
	return anything
}

// literals is the union of an enum's values, or the wider type if there are too many, or values that are no primitives.
func literals(values []gjson.Result, v *schemaView) string {
	wide := anything
	switch v.kind {
	case `"string"`, `"number"`, `"boolean"`:
		wide = strings.Trim(v.kind, `"`)
	}
	if len(values) == 0 || len(values) > maxLiterals {
		return wide
	}
	var parts []string
	for _, value := range values {
		switch {
		// Long values and structures would bury the rest of the type.
		case len(value.Raw) > maxLiteralBytes, value.IsObject(), value.IsArray():
			return wide
		case value.Type == gjson.String:
			parts = append(parts, literal(value.Str))
		default:
			parts = append(parts, value.Raw)
		}
	}
	return union(parts)
}

// maxRefBytes is the longest $ref that is followed.
const maxRefBytes = 1024

// resolve follows a $ref within the same schema: "#", "#/$defs/x", "#/definitions/x/properties/y". Everything else is
// not there.
func (t *typer) resolve(ref string) gjson.Result {
	path, local := strings.CutPrefix(ref, "#")
	if !local || len(ref) > maxRefBytes {
		return gjson.Result{}
	}
	return t.at(path)
}

// at is what a JSON pointer leads to. Each object on the way is read once.
func (t *typer) at(path string) gjson.Result {
	if path == "" {
		return gjson.ParseBytes(t.root)
	}
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		return gjson.Result{}
	}
	parent, name := path[:cut], strings.NewReplacer("~1", "/", "~0", "~").Replace(path[cut+1:])
	members, read := t.below[parent]
	if !read {
		if t.below == nil {
			t.below = map[string]map[string]gjson.Result{}
		}
		members = map[string]gjson.Result{}
		t.below[parent] = members
		obj := t.at(parent)
		if obj.IsObject() && t.mayRead(len(obj.Raw)) {
			obj.ForEach(func(k, v gjson.Result) bool {
				members[k.Str] = v
				return true
			})
		}
	}
	return members[name]
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

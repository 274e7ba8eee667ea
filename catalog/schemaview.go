package catalog

import (
	"slices"

	"github.com/tidwall/gjson"
)

// schemaView is a JSON Schema read as far as declarations need it. It judges nothing: what it doesn't understand is
// simply absent. Keywords are kept as their JSON text, "" if absent.
type schemaView struct {
	kind       string // "type": a word or a list of words
	enum       string
	constant   string // "const"
	union      string // anyOf or oneOf
	items      string
	rest       string // additionalProperties
	fallback   string // "default"
	ref        string // "$ref", unquoted
	docs       string // "description", unquoted
	properties []property
	at         map[string]int // name → place in properties, once there are many
}

// property is one key of an object. Required ones stand first, in the order of "required", then the others in the
// schema's order.
type property struct {
	name     string
	view     *schemaView
	required bool
}

// noSchema stands for what is absent or no object.
var noSchema = &schemaView{}

// schema is the view of the tool's parameters, read once.
func (e *Entry) schema() *schemaView {
	e.view.Do(func() { e.input = viewSchema(gjson.ParseBytes(e.tool.Parameters), 0) })
	return e.input
}

// viewSchema reads a schema and its properties, down to the depth at which types are no longer spelled out.
func viewSchema(r gjson.Result, level int) *schemaView {
	if !r.IsObject() || level > maxTypeDepth {
		return noSchema
	}
	v := &schemaView{}
	var properties, required gjson.Result
	r.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type":
			v.kind = value.Raw
		case "enum":
			v.enum = value.Raw
		case "const":
			v.constant = value.Raw
		case "$ref":
			v.ref = value.String()
		case "anyOf", "oneOf":
			v.union = value.Raw
		case "items":
			v.items = value.Raw
		case "additionalProperties":
			v.rest = value.Raw
		case "default":
			v.fallback = value.Raw
		case "description":
			v.docs = value.String()
		case "properties":
			properties = value
		case "required":
			required = value
		}
		return true
	})
	v.readProperties(properties, required, level+1)
	return v
}

// readProperties merges both keywords. A key that stands twice in the JSON counts once, with its last schema, as every
// JSON parser has it.
func (v *schemaView) readProperties(properties, required gjson.Result, level int) {
	if required.IsArray() {
		required.ForEach(func(_, name gjson.Result) bool {
			if name.Type == gjson.String {
				v.add(property{name: name.Str, view: noSchema, required: true})
			}
			return true
		})
	}
	if properties.IsObject() {
		properties.ForEach(func(key, schema gjson.Result) bool {
			v.add(property{name: key.Str, view: viewSchema(schema, level)})
			return true
		})
	}
}

func (v *schemaView) add(p property) {
	if i, ok := v.find(p.name); ok {
		v.properties[i].view = p.view
		return
	}
	if v.at != nil {
		v.at[p.name] = len(v.properties)
	}
	v.properties = append(v.properties, p)
}

// find looks a key up: one by one while there are few, which is nearly always and saves the map.
func (v *schemaView) find(name string) (int, bool) {
	if len(v.properties) < 16 {
		i := slices.IndexFunc(v.properties, func(p property) bool { return p.name == name })
		return i, i >= 0
	}
	if v.at == nil {
		v.at = make(map[string]int, 2*len(v.properties))
		for i, p := range v.properties {
			v.at[p.name] = i
		}
	}
	i, ok := v.at[name]
	return i, ok
}

// needsInput tells whether a call without an argument would lack something.
func (v *schemaView) needsInput() bool {
	return len(v.properties) > 0 && v.properties[0].required
}

package catalog

import "github.com/tidwall/gjson"

// schemaView is a JSON Schema read as far as declarations need it. It judges
// nothing: what it doesn't understand is simply absent.
type schemaView struct {
	kind       gjson.Result // "type": a word or a list of words
	enum       gjson.Result
	constant   gjson.Result
	ref        string
	union      gjson.Result // anyOf or oneOf
	items      gjson.Result
	rest       gjson.Result // additionalProperties
	fallback   gjson.Result // "default"
	docs       string       // "description"
	properties []property   // required ones first, in their order, then the others in the schema's
}

type property struct {
	name     string
	schema   gjson.Result
	required bool
}

// schema is the view of the tool's parameters, read once.
func (e *Entry) schema() *schemaView {
	e.view.Do(func() { e.input = viewSchema(gjson.ParseBytes(e.tool.Parameters)) })
	return e.input
}

func viewSchema(r gjson.Result) *schemaView {
	v := &schemaView{}
	if !r.IsObject() {
		return v
	}
	var properties, required gjson.Result
	r.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type":
			v.kind = value
		case "enum":
			v.enum = value
		case "const":
			v.constant = value
		case "$ref":
			v.ref = value.String()
		case "anyOf", "oneOf":
			v.union = value
		case "items":
			v.items = value
		case "additionalProperties":
			v.rest = value
		case "default":
			v.fallback = value
		case "description":
			v.docs = value.String()
		case "properties":
			properties = value
		case "required":
			required = value
		}
		return true
	})
	v.readProperties(properties, required)
	return v
}

// readProperties merges both keywords. A key that stands twice in the JSON
// counts once, with its last schema, as every JSON parser has it.
func (v *schemaView) readProperties(properties, required gjson.Result) {
	at := map[string]int{}
	add := func(p property) {
		if i, ok := at[p.name]; ok {
			v.properties[i].schema = p.schema
			return
		}
		at[p.name] = len(v.properties)
		v.properties = append(v.properties, p)
	}
	if required.IsArray() {
		required.ForEach(func(_, name gjson.Result) bool {
			if name.Type == gjson.String {
				add(property{name: name.Str, required: true})
			}
			return true
		})
	}
	if properties.IsObject() {
		properties.ForEach(func(key, schema gjson.Result) bool {
			add(property{name: key.Str, schema: schema})
			return true
		})
	}
}

// needsInput tells whether a call without an argument would lack something.
func (v *schemaView) needsInput() bool {
	return len(v.properties) > 0 && v.properties[0].required
}

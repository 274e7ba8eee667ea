package catalog

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// sureToCompile tells, at a small part of a compiler's cost, whether a schema uses only the everyday keywords in their
// everyday form and is of an everyday size, and so is sure to compile. false means only that it has to be compiled to
// find out.
func sureToCompile(raw []byte) bool {
	var p plainSchemas
	return schemaWeight(raw) <= maxSchemaWeight && p.plain(gjson.ParseBytes(raw), 0) && !p.size.tooLarge()
}

// plainSchemas looks at a schema and those in it and adds up their size.
type plainSchemas struct{ size schemaSize }

// plain judges the schema at a path of that many bytes.
func (p *plainSchemas) plain(schema gjson.Result, path int) bool {
	if !schema.IsObject() {
		return false
	}
	p.size.addSchema(path)
	return !p.size.tooLarge() && each(schema, func(key, value gjson.Result) bool {
		return p.plainKeyword(key.Str, value, path+1+len(key.Raw))
	})
}

// plainKeyword judges one keyword. $ref, patterns and the like are never plain: whether they compile depends on more
// than their form.
func (p *plainSchemas) plainKeyword(keyword string, value gjson.Result, path int) bool {
	below := func(key, schema gjson.Result) bool { return p.plain(schema, path+8+len(key.Raw)) }
	switch keyword {
	case "type":
		return plainType(value)
	case "title", "description", "format":
		return value.Type == gjson.String
	case "default", "const", "example":
		return value.Type != gjson.JSON && value.Type != gjson.Number || plainNumber(value) ||
			value.Raw == "[]" || value.Raw == "{}"
	case "enum":
		return value.IsArray() && each(value, func(_, v gjson.Result) bool { return v.Type == gjson.String })
	case "required":
		return value.IsArray() && distinct(value)
	case "properties":
		return value.IsObject() && each(value, below)
	case "items":
		return p.plain(value, path)
	case "additionalProperties":
		return value.IsBool() || p.plain(value, path)
	case "anyOf", "oneOf":
		return value.IsArray() && value.Raw != "[]" && each(value, below)
	case "minimum", "maximum":
		return plainNumber(value)
	case "minLength", "maxLength", "minItems", "maxItems":
		return plainNumber(value) && value.Num >= 0 && value.Num == float64(int32(value.Num))
	}
	return false
}

// plainType holds for the words that JSON Schema knows. A list of them is left to the compiler.
func plainType(value gjson.Result) bool {
	switch value.Str {
	case "string", "number", "integer", "boolean", "object", "array", "null":
		return value.Type == gjson.String
	}
	return false
}

// plainNumber keeps clear of numbers that only exact arithmetic can hold.
func plainNumber(value gjson.Result) bool {
	return value.Type == gjson.Number && len(value.Raw) < 16 && !strings.ContainsAny(value.Raw, "eE")
}

// each holds if holds does for every member of an object or array.
func each(list gjson.Result, holds func(key, value gjson.Result) bool) bool {
	ok := true
	list.ForEach(func(key, value gjson.Result) bool {
		ok = holds(key, value)
		return ok
	})
	return ok
}

// distinct holds for a short list of different strings, as "required" must be.
func distinct(list gjson.Result) bool {
	var seen []string
	return each(list, func(_, v gjson.Result) bool {
		if slices.Contains(seen, v.Str) {
			return false
		}
		seen = append(seen, v.Str)
		return v.Type == gjson.String && len(seen) <= 64
	})
}

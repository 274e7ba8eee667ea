package catalog

import (
	"strings"

	"github.com/tidwall/gjson"
)

// plainSchema tells, at a small part of a compiler's cost, whether a schema
// uses only the everyday keywords in their everyday form and so is sure to
// compile. false means only that it has to be compiled to find out.
func plainSchema(schema gjson.Result) bool {
	if !schema.IsObject() {
		return false
	}
	plain := true
	schema.ForEach(func(key, value gjson.Result) bool {
		plain = plainKeyword(key.Str, value)
		return plain
	})
	return plain
}

// plainKeyword judges one keyword. $ref, patterns and the like are never plain:
// whether they compile depends on more than their form.
func plainKeyword(key string, value gjson.Result) bool {
	switch key {
	case "type":
		return plainType(value)
	case "title", "description", "format":
		return value.Type == gjson.String
	case "default", "const", "example":
		return value.Type != gjson.JSON && value.Type != gjson.Number || plainNumber(value) ||
			value.Raw == "[]" || value.Raw == "{}"
	case "enum":
		return value.IsArray() && all(value, func(v gjson.Result) bool { return v.Type == gjson.String })
	case "required":
		return value.IsArray() && distinct(value)
	case "properties":
		return value.IsObject() && all(value, plainSchema)
	case "items", "additionalProperties":
		return plainSchema(value) || key == "additionalProperties" && value.IsBool()
	case "anyOf", "oneOf":
		return value.IsArray() && len(value.Array()) > 0 && all(value, plainSchema)
	case "minimum", "maximum":
		return plainNumber(value)
	case "minLength", "maxLength", "minItems", "maxItems":
		return plainNumber(value) && value.Num >= 0 && value.Num == float64(int32(value.Num))
	}
	return false
}

// plainType holds for the words that JSON Schema knows. A list of them is left
// to the compiler.
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

// all holds if holds does for every member of an array or value of an object.
func all(list gjson.Result, holds func(gjson.Result) bool) bool {
	ok := true
	list.ForEach(func(_, v gjson.Result) bool {
		ok = holds(v)
		return ok
	})
	return ok
}

// distinct holds for a short list of different strings, as "required" must be.
func distinct(list gjson.Result) bool {
	var seen []string
	return all(list, func(v gjson.Result) bool {
		for _, s := range seen {
			if s == v.Str {
				return false
			}
		}
		seen = append(seen, v.Str)
		return v.Type == gjson.String && len(seen) <= 64
	})
}

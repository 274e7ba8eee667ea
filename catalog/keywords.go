package catalog

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func keywordSet(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// The keywords that are checked, whatever the draft, or say nothing about a value; and those that only some drafts check.
var (
	everyDraft = keywordSet(`type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern
		items maxItems minItems uniqueItems contains maxProperties minProperties required properties patternProperties
		additionalProperties propertyNames if then else allOf anyOf oneOf not $ref $schema $id id $anchor $defs definitions $comment
		title description default example examples deprecated readOnly writeOnly format nullable
		contentEncoding contentMediaType contentSchema $vocabulary discriminator xml externalDocs`)
	newDraft = keywordSet(`prefixItems minContains maxContains dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties
		$dynamicRef $dynamicAnchor $recursiveRef $recursiveAnchor`)
	oldDraft = keywordSet(`additionalItems dependencies`)
)

// unchecked returns the keywords of a schema, decoded, that a draft knows nothing of, at most so many as an error shows.
func unchecked(doc any, draft *jsonschema.Draft) []string {
	known := newDraft
	if draft != jsonschema.Draft2020 {
		known = oldDraft
	}
	var found []string
	var visit func(schema any)
	below := func(m map[string]any) {
		for _, s := range m {
			visit(s)
		}
	}
	visit = func(schema any) {
		switch v := schema.(type) {
		case []any:
			for _, s := range v {
				visit(s)
			}
		case map[string]any:
			for key, value := range v {
				if !everyDraft[key] && !known[key] && !strings.HasPrefix(key, "x-") && !slices.Contains(found, key) {
					found = append(found, key)
				}
				switch key {
				case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
					if m, ok := value.(map[string]any); ok {
						below(m)
					}
				case "items", "prefixItems", "additionalProperties", "propertyNames", "contains", "if", "then", "else", "allOf", "anyOf", "oneOf", "not",
					"unevaluatedItems", "unevaluatedProperties", "additionalItems":
					visit(value)
				}
			}
		}
	}
	visit(doc)
	slices.Sort(found)
	return found[:min(len(found), maxProblems)]
}

// allowNull makes OpenAPI's nullable what JSON Schema says for it: null is one of the types, and of the values.
func allowNull(doc any) {
	switch v := doc.(type) {
	case []any:
		for _, s := range v {
			allowNull(s)
		}
	case map[string]any:
		for _, s := range v {
			allowNull(s)
		}
		if v["nullable"] != true {
			return
		}
		if t, ok := v["type"].(string); ok && t != "null" {
			v["type"] = []any{t, "null"}
		}
		if e, ok := v["enum"].([]any); ok && !slices.Contains(e, nil) {
			v["enum"] = append(e, nil)
		}
	}
}

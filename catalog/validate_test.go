package catalog

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func validate(t testing.TB, schema, input string) error {
	t.Helper()
	return mustNew(t, tool("core", "t", "").with(schema)).Entries()[0].Validate([]byte(input))
}

func TestValidate(t *testing.T) {
	const ticket = `{"type":"object","properties":{"number":{"type":"integer"},"state":{"type":"string","enum":["open","closed"]},
		"tags":{"type":"array","items":{"type":"object","properties":{"n":{"type":"string","minLength":2,"pattern":"^[a-z]+$"}},"required":["n"]}},
		"when":{"anyOf":[{"type":"string"},{"type":"integer"}]},"kind":{"const":"bug"},"__proto__":{"type":"string"}},
		"required":["number"],"additionalProperties":false}`
	cases := []struct{ name, input, problem string }{
		{"right", `{"number":5,"state":"open","tags":[{"n":"ab"}],"when":1,"kind":"bug"}`, ""},
		{"a whole number may be written as one", `{"number":5.0}`, ""},
		{"missing", `{}`, "missing required property number"},
		{"type", `{"number":"five"}`, "number: expected integer, got string"},
		{"fraction", `{"number":1.5}`, "number: expected integer, got number"},
		{"not an object", `[]`, "expected object, got array"},
		{"enum", `{"number":1,"state":"lost"}`, "state: must be one of open, closed"},
		{"const", `{"number":1,"kind":"x"}`, "kind: must be bug"},
		{"unknown key", `{"number":1,"nubmer":2}`, "unknown property nubmer"},
		{"path into a list", `{"number":1,"tags":[{"n":"ab"},{"n":7}]}`, "tags[1].n: expected string, got number"},
		{"missing in a list", `{"number":1,"tags":[{}]}`, "tags[0]: missing required property n"},
		{"length", `{"number":1,"tags":[{"n":"a"}]}`, "tags[0].n: minLength: got 1, want 2"},
		{"pattern", `{"number":1,"tags":[{"n":"AB"}]}`, "tags[0].n: must match the pattern ^[a-z]+$"},
		{"forms", `{"number":1,"when":true}`, "when: fits none of its forms: when: expected integer, got boolean, or when: expected string, got boolean"},
		{"two problems, sorted", `{"state":7}`, "missing required property number; state: expected string, got number"},
		{"own __proto__", `{"number":1,"__proto__":{}}`, "__proto__: expected string, got object"},
	}
	for _, tc := range cases {
		t.Run("D5 "+tc.name, func(t *testing.T) {
			err := validate(t, ticket, tc.input)
			if tc.problem == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tc.problem)
			require.True(t, strings.HasPrefix(err.Error(), "Invalid input for openclaw:core:t: "), err)
			require.Contains(t, err.Error(), "Expected { ")
		})
	}
	t.Run("D5 several fit where one may", func(t *testing.T) {
		require.ErrorContains(t, validate(t, `{"oneOf":[{"type":"object"},{"required":["a"]}]}`, `{"a":1}`), "several of its forms fit, only one may")
	})
	t.Run("D5 many problems are counted", func(t *testing.T) {
		err := validate(t, `{"type":"object","additionalProperties":{"type":"string"}}`, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`)
		var bad *InputError
		require.ErrorAs(t, err, &bad)
		require.Len(t, bad.Problems, 6)
		require.Equal(t, "and 2 more", bad.Problems[5])
	})
	t.Run("D5 nothing in it is echoed without limit", func(t *testing.T) {
		long := strings.Repeat("k", 100_000)
		require.Less(t, len(validate(t, ticket, `{"number":1,"`+long+`":1}`).Error()), 3000)
		require.Less(t, len(validate(t, `{"properties":{"a":{"enum":["`+long+`"]}}}`, `{"a":1}`).Error()), 3000)
		require.Less(t, len(validate(t, `{"required":["`+long+`"]}`, `{}`).Error()), 3000)
	})
}

func TestValidateLenient(t *testing.T) {
	cases := []struct{ name, schema, input string }{
		{"no schema", `null`, `{"a":1}`},
		{"empty schema", `{}`, `[1]`},
		{"unknown type word", `{"type":"banana"}`, `{}`},
		{"keyword of the wrong type", `{"properties":7}`, `{}`},
		{"remote reference", `{"$ref":"https://example.com/schema.json"}`, `{}`},
		{"file reference", `{"$ref":"file:///etc/passwd"}`, `{}`},
		{"unknown dialect", `{"$schema":"https://example.com/dialect","type":"string"}`, `{}`},
		{"reference to nowhere", `{"$ref":"#/$defs/none"}`, `{}`},
		{"runs in a circle", `{"$ref":"#"}`, `{}`},
		{"runs in a longer circle", `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#"}]}}}`, `{}`},
		{"unknown pattern", `{"properties":{"a":{"pattern":"(?<y"}}}`, `{"a":"z"}`},
		{"format is a note", `{"properties":{"a":{"type":"string","format":"email"}}}`, `{"a":"no address"}`},
		{"format in draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"format":"date"}}}`, `{"a":"x"}`},
	}
	for _, tc := range cases {
		t.Run("D5 "+tc.name, func(t *testing.T) {
			require.NoError(t, validate(t, tc.schema, tc.input))
		})
	}
	t.Run("D5 what a lenient part stands beside still counts", func(t *testing.T) {
		require.ErrorContains(t, validate(t, `{"properties":{"a":{"pattern":"(?<y","maxLength":1}}}`, `{"a":"zz"}`), "a: maxLength")
	})
}

func TestValidateDrafts(t *testing.T) {
	t.Run("D5 draft 7 lists of items", func(t *testing.T) {
		schema := `{"properties":{"p":{"items":[{"type":"string"},{"type":"number"}]}}}`
		require.NoError(t, validate(t, schema, `{"p":["a",1]}`))
		require.ErrorContains(t, validate(t, schema, `{"p":[1,1]}`), "p[0]: expected string, got number")
	})
	t.Run("D5 draft 4 exclusive bounds", func(t *testing.T) {
		schema := `{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"n":{"minimum":1,"exclusiveMinimum":true}}}`
		require.Error(t, validate(t, schema, `{"n":1}`))
		require.NoError(t, validate(t, schema, `{"n":2}`))
	})
	t.Run("D5 keywords that hold schemas in other ways are on the budget too", func(t *testing.T) {
		schema := `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":{"required":["b"]},"c":["d"]},"items":[{"type":"string"}]}`
		require.ErrorContains(t, validate(t, schema, `{"a":1}`), "missing required property b")
		require.ErrorContains(t, validate(t, schema, `[1]`), "[0]: expected string, got number")
		dynamic := `{"$dynamicAnchor":"n","properties":{"next":{"$dynamicRef":"#n"}},"type":"object"}`
		require.ErrorContains(t, validate(t, dynamic, `{"next":{"next":1}}`), "next.next: expected object")
	})
	t.Run("D5 what may not be there at all", func(t *testing.T) {
		require.ErrorContains(t, validate(t, `{"properties":{"a":false,"n":{"enum":[1,null,{"k":2}]}}}`, `{"a":1}`), "a: is not allowed")
		require.ErrorContains(t, validate(t, `{"properties":{"n":{"enum":[1,null,{"k":2}]}}}`, `{"n":2}`), `n: must be one of 1, null, {"k":2}`)
	})
	t.Run("D5 a recursive schema checks every level", func(t *testing.T) {
		schema := `{"$ref":"#/definitions/n","definitions":{"n":{"type":"object","properties":{"next":{"$ref":"#/definitions/n"}}}}}`
		require.NoError(t, validate(t, schema, `{"next":{"next":{}}}`))
		require.ErrorContains(t, validate(t, schema, `{"next":{"next":7}}`), "next.next: expected object, got number")
	})
}

// doubling is a schema whose check doubles with each level of nesting.
const doubling = `{"$ref":"#/$defs/e","$defs":{"e":{"anyOf":[
	{"type":"object","properties":{"x":{"$ref":"#/$defs/e"}},"required":["a"]},
	{"type":"object","properties":{"x":{"$ref":"#/$defs/e"}},"required":["b"]}]}}}`

func TestValidateIsBounded(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"x":`, n) + "{}" + strings.Repeat("}", n) }
	var defs []string
	for i := range 40 {
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, i+1, i+1))
	}
	defs = append(defs, `"d40":{"type":"object"}`)
	var enum []string
	for i := range 20_000 {
		enum = append(enum, fmt.Sprintf(`"v%d"`, i))
	}
	cases := []struct{ name, schema, input, says string }{
		{"branches that recurse", doubling, nested(500), "too large or too deeply nested"},
		{"references that double", `{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `}}`, `{}`, "too large or too deeply nested"},
		{"a long list against a long enum", `{"type":"object","properties":{"l":{"items":{"enum":[` + strings.Join(enum, ",") + `]}}}}`, `{"l":["x"` + strings.Repeat(`,"x"`, 50_000) + `]}`, "l[0]: must be one of v0, v1"},
		{"deep input", `{"type":"object"}`, `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", "nested deeper than 1000 levels"},
		{"a number that no cell can make", `{"type":"object"}`, `{"a":1e999999999}`, "not JSON that can be read"},
		{"no JSON", `{"type":"object"}`, `{"a":`, "not JSON that can be read"},
		{"a pattern made to backtrack", `{"properties":{"s":{"pattern":"^(a+)+$"}}}`, `{"s":"` + strings.Repeat("a", 50_000) + `!"}`, "must match the pattern"},
	}
	for _, tc := range cases {
		t.Run("D5 "+tc.name, func(t *testing.T) {
			var err error
			require.Less(t, cost(func() { err = validate(t, tc.schema, tc.input) }), 5*time.Second)
			require.ErrorContains(t, err, tc.says)
		})
	}
	t.Run("D5 a spent budget is whole again for the next call", func(t *testing.T) {
		e := mustNew(t, tool("core", "t", "").with(doubling)).Entries()[0]
		require.Error(t, e.Validate([]byte(nested(500))))
		require.NoError(t, e.Validate([]byte(`{"a":1,"x":{"b":1}}`)))
		require.Error(t, e.Validate([]byte(`{"x":{"c":1}}`)))
	})
	t.Run("D5 large plain input fits the budget", func(t *testing.T) {
		schema := `{"properties":{"l":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"number"}}}}}}`
		require.NoError(t, validate(t, schema, `{"l":[{"a":"x","b":1}`+strings.Repeat(`,{"a":"x","b":1}`, 50_000)+`]}`))
	})
}

func TestWarnings(t *testing.T) {
	c := mustNew(t,
		tool("core", "fine", "").with(createIssueSchema),
		tool("core", "broken", "").with(`{"properties":{"a":{"type":"banana"}}}`),
		mcpToolOf("s", "remote", "").with(`{"$ref":"https://example.com/x"}`),
		tool("core", "huge", "").with(`{"description":"`+strings.Repeat("x", maxSchemaWeight)+`"}`),
	)
	got := c.Warnings()
	require.Len(t, got, 3)
	require.Contains(t, got[0], "parameters of openclaw:core:broken check nothing: properties.a.type: ")
	require.Contains(t, got[1], "openclaw:core:huge check nothing: it is too large or too deeply nested")
	require.Contains(t, got[2], "mcp:s:remote check nothing: ")
	require.Contains(t, got[2], "not followed")
	for _, w := range got {
		require.Less(t, len(w), 500)
		require.NotContains(t, w, "\n")
	}
	require.Empty(t, mustNew(t, tool("core", "a", "")).Warnings())
	t.Run("D5 a turn full of heavy schemas costs no more than a few", func(t *testing.T) {
		heavy := strings.Repeat(`{"allOf":[`, 90) + `{"$ref":"#"}` + strings.Repeat(`]}`, 90)
		var tools []Tool
		for i := range 500 {
			tools = append(tools, tool("p", fmt.Sprintf("t%d", i), "").with(`{"properties":{"a":`+heavy+`,"b":`+heavy+`}}`))
		}
		var got []string
		require.Less(t, cost(func() { got = mustNew(t, tools...).Warnings() }), 10*time.Second)
		require.Contains(t, got[len(got)-1], "large parameters were not looked at before they are used")
	})
	t.Run("D5 one that would compile for seconds checks nothing", func(t *testing.T) {
		heavy := strings.Repeat(`{"allOf":[`, 90) + `{}` + strings.Repeat(`]}`, 90)
		schema := `{"properties":{"a":` + heavy + strings.Repeat(`,"a":`+heavy, 100) + `}}`
		require.Less(t, cost(func() { require.NoError(t, validate(t, schema, `{}`)) }), time.Second)
	})
}

// TestPlainSchema holds the shortcut to the compiler: what it calls plain must compile.
func TestPlainSchema(t *testing.T) {
	plain := []string{
		`{}`, createIssueSchema, `{"type":"object","properties":{},"additionalProperties":false}`,
		`{"anyOf":[{"type":"string"},{"type":"null"}],"minimum":0,"maxLength":5,"const":"a"}`,
		`{"additionalProperties":{"type":"string"},"required":[]}`,
	}
	for _, s := range plain {
		require.True(t, sureToCompile([]byte(s)), s)
		_, _, err := compileSchema([]byte(s))
		require.NoError(t, err, s)
	}
	other := []string{
		`{"type":"banana"}`, `{"type":["string"]}`, `{"required":["a","a"]}`, `{"required":[1]}`, `{"enum":"a"}`,
		`{"properties":[]}`, `{"properties":{"a":1}}`, `{"items":[{}]}`, `{"anyOf":[]}`, `{"minimum":"1"}`,
		`{"maxLength":-1}`, `{"maxLength":1.5}`, `{"default":1e400}`, `{"default":{"a":1e400}}`, `{"$ref":"#"}`, `{"title":1}`, `true`, `{"pattern":"("}`,
	}
	for _, s := range other {
		require.False(t, sureToCompile([]byte(s)), s)
	}
}

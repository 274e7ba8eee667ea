package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPatterns(t *testing.T) {
	for name, tc := range map[string]struct{ pattern, good, bad string }{
		"lookahead":          {`^(?!bad).+$`, "goodcat", "badcat"},
		"lookahead of size":  {`^(?=.{1,8}$)[a-z.]+$`, "a.b", "waytoolong.example"},
		"lookbehind":         {`(?<=\\$)\\d+$`, "$5", "€5"},
		"named groups":       {`^(?<y>\\d{4})-\\d\\d$`, "2024-01", "24-01"},
		"a back reference":   {`^(a|b)\\1$`, "aa", "ab"},
		"a named reference":  {`^(?<c>a|b)\\k<c>$`, "bb", "ab"},
		"Unicode escapes":    {`^\\u00e9+$`, "éé", "e"},
		"control escapes":    {`^\\cJ$`, "\n", "J"},
		"properties":         {`^(?=.)\\p{Lu}$`, "É", "é"},
		"an escaped slash":   {`^\\/a\\/$`, "/a/", "a"},
		"a linear one":       {`^[a-c]{2,3}$`, "abc", "abcd"},
		"anywhere in a text": {`(?!x)b`, "abc", "axc"},
	} {
		t.Run("D5 "+name, func(t *testing.T) {
			schema := `{"type":"object","properties":{"s":{"type":"string","pattern":"` + tc.pattern + `"}}}`
			require.NoError(t, validate(t, schema, input(tc.good)))
			require.ErrorContains(t, validate(t, schema, input(tc.bad)), "must match the pattern")
		})
	}
	t.Run("D5 patternProperties too", func(t *testing.T) {
		schema := `{"type":"object","patternProperties":{"^(?!x-).+$":{"type":"number"}}}`
		require.NoError(t, validate(t, schema, `{"a":1,"x-b":"any"}`))
		require.Error(t, validate(t, schema, `{"a":"one"}`))
	})
	t.Run("H6 one that goes back and forth without end is an error, and soon", func(t *testing.T) {
		schema := `{"type":"object","properties":{"s":{"type":"string","pattern":"^(?=a)(a+)+$"}}}`
		require.ErrorContains(t, validate(t, schema, input(strings.Repeat("a", 40)+"!")), "could not be held against the schema's pattern in time")
	})
}

func input(s string) string {
	return string(append(appendQuoted([]byte(`{"s":`), s), '}'))
}

func TestLooseSchemas(t *testing.T) {
	for name, tc := range map[string]struct{ schema, warning string }{
		"an unknown keyword":               {`{"type":"object","requierd":["a"]}`, `keyword "requierd" is not known and not checked`},
		"one below":                        {`{"type":"object","properties":{"a":{"type":"string","maxlength":5}}}`, `keyword "maxlength"`},
		"a keyword of older drafts":        {`{"type":"object","dependencies":{"a":["b"]}}`, `keyword "dependencies"`},
		"what is no regular expression":    {`{"type":"object","properties":{"a":{"pattern":"(?<y"}}}`, `pattern "(?<y" is no regular expression`},
		"a reference to elsewhere":         {`{"type":"object","properties":{"a":{"$ref":"https://x.example/s.json"}}}`, `check nothing`},
		"a schema that is none at all":     {`{"type":"objekt"}`, `check nothing`},
		"nothing: the names of properties": {`{"type":"object","properties":{"requierd":{"type":"string"}}}`, ""},
		"nothing: notes":                   {`{"type":"object","x-order":1,"examples":[{}],"$comment":"c","properties":{"a":{"format":"date","example":1,"deprecated":true}}}`, ""},
		"nothing: data in enum":            {`{"type":"object","properties":{"a":{"enum":[{"requierd":1}]}}}`, ""},
		"nothing: an older draft's own":    {`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependencies":{"a":["b"]}}`, ""},
	} {
		t.Run("D5 "+name, func(t *testing.T) {
			warnings := strings.Join(mustNew(t, Tool{Source: SourceOpenClaw, Owner: "core", Name: "t", Parameters: []byte(tc.schema)}).Warnings(), "\n")
			if tc.warning == "" {
				require.Empty(t, warnings)
				return
			}
			require.Contains(t, warnings, tc.warning)
		})
	}
	t.Run("D5 OpenAPI's nullable allows null, and nothing else", func(t *testing.T) {
		schema := `{"type":"object","properties":{"a":{"type":"string","nullable":true,"enum":["x"]},"b":{"type":"string"}}}`
		require.NoError(t, validate(t, schema, `{"a":null}`))
		require.NoError(t, validate(t, schema, `{"a":"x"}`))
		require.Error(t, validate(t, schema, `{"a":1}`))
		require.Error(t, validate(t, schema, `{"b":null}`))
	})
	t.Run("D5 the boolean bounds of draft 4", func(t *testing.T) {
		schema := `{"type":"object","properties":{"n":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`
		require.NoError(t, validate(t, schema, `{"n":1}`))
		require.Error(t, validate(t, schema, `{"n":0}`))
	})
}

package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTypeOf(t *testing.T) {
	cases := []struct{ schema, want string }{
		{`{"type":"string"}`, "string"},
		{`{"type":"integer"}`, "number"},
		{`{"type":"boolean"}`, "boolean"},
		{`{"type":"null"}`, "null"},
		{`{}`, "unknown"},
		{`{"type":"banana"}`, "unknown"},
		{`{"type":7}`, "unknown"},
		{`{"enum":["a","b"]}`, `"a" | "b"`},
		{`{"enum":["a",1,-2.5,true,null]}`, `"a" | 1 | -2.5 | true | null`},
		{`{"enum":["a","a"]}`, `"a"`},
		{`{"enum":["say \"hi\"","*/","\u2028"]}`, `"say \"hi\"" | "*\/" | "\u2028"`},
		{`{"enum":[]}`, "unknown"},
		{`{"enum":[{}],"type":"string"}`, "string"},
		{`{"type":"string","enum":["0","1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16"]}`, "string"},
		{`{"const":"x"}`, `"x"`},
		{`{"type":["string","null"]}`, "string | null"},
		{`{"anyOf":[{"type":"string"},{"type":"integer"}]}`, "string | number"},
		{`{"oneOf":[{"type":"string"},{}]}`, "unknown"},
		{`{"anyOf":[]}`, "unknown"},
		{`{"type":"array","items":{"type":"string"}}`, "string[]"},
		{`{"type":"array","items":{"enum":["a","b"]}}`, `("a" | "b")[]`},
		{`{"type":"array","items":{"type":"array","items":{"type":"number"}}}`, "number[][]"},
		{`{"type":"array"}`, "unknown[]"},
		{`{"type":"object"}`, "Record<string, unknown>"},
		{`{"type":"object","additionalProperties":{"type":"number"}}`, "Record<string, number>"},
		{`{"properties":{"a":{"type":"number"},"b-c":{"type":"boolean"}},"required":["a"]}`, `{ a: number; "b-c"?: boolean }`},
		{`{"type":"object","properties":{"a":{}},"required":["z","a"]}`, "{ z: unknown; a: unknown }"},
		{`{"properties":{"a":{"type":"string"},"a":{"type":"number"}}}`, "{ a?: number }"},
		{`{"properties":{"__proto__":{"type":"string"},"class":{}}}`, `{ __proto__?: string; class?: unknown }`},
		{`{"$ref":"#/$defs/n","$defs":{"n":{"type":"string"}}}`, "string"},
		{`{"properties":{"x":{"$ref":"#/definitions/a~1b"}},"definitions":{"a/b":{"type":"number"}}}`, "{ x?: number }"},
		{`{"$ref":"#/nowhere"}`, "unknown"},
		{`{"$ref":"https://example.com/s.json"}`, "unknown"},
		{`{"$ref":"#"}`, "unknown"},
		{`{"$ref":"#anchor"}`, "unknown"},
		{`{"type":["string","number","integer","boolean","null","array","object","string","null"]}`, "unknown"},
		{`{"anyOf":[{},{},{},{},{},{},{},{},{}]}`, "unknown"},
	}
	for _, tc := range cases {
		require.Equal(t, tc.want, typeOf([]byte(tc.schema)), "E3 %s", tc.schema)
	}
	require.Equal(t, "unknown", typeOf(nil))
}

func TestTypeOfIsBounded(t *testing.T) {
	t.Run("E3 a schema that doubles with each reference", func(t *testing.T) {
		var defs []string
		for i := range 40 {
			defs = append(defs, fmt.Sprintf(`"d%d":{"properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`, i, i+1, i+1))
		}
		got := typeOf([]byte(`{"$ref":"#/$defs/d0","$defs":{` + strings.Join(defs, ",") + `}}`))
		require.Less(t, len(got), 20_000)
	})
	t.Run("E3 a very wide one", func(t *testing.T) {
		var props []string
		for i := range 5000 {
			props = append(props, fmt.Sprintf(`"k%d":{"type":"string"}`, i))
		}
		require.Equal(t, "Record<string, unknown>", typeOf([]byte(`{"properties":{`+strings.Join(props, ",")+`}}`)))
	})
	t.Run("E3 a key that no one would print", func(t *testing.T) {
		require.Equal(t, "Record<string, unknown>", typeOf([]byte(`{"properties":{"`+strings.Repeat("k", 300)+`":{}}}`)))
	})
	t.Run("E3 a recursive one", func(t *testing.T) {
		got := typeOf([]byte(`{"properties":{"next":{"$ref":"#"}}}`))
		require.True(t, strings.HasPrefix(got, "{ next?: { next?: "), got)
	})
}

func TestSignature(t *testing.T) {
	cases := []struct{ name, parameters, want string }{
		{"close_ticket", `{"type":"object","properties":{"number":{"type":"integer"}},"required":["number"]}`, "tools.close_ticket(input: { number: number }): Promise<unknown>"},
		{"list", `{"type":"object","properties":{"state":{"enum":["open","closed"]}}}`, `tools.list(input?: { state?: "open" | "closed" }): Promise<unknown>`},
		{"none", `{"type":"object","properties":{}}`, "tools.none(input?: Record<string, never>): Promise<unknown>"},
		{"free", `{}`, "tools.free(input?: Record<string, unknown>): Promise<unknown>"},
		{"open", `{"type":"object","additionalProperties":true}`, "tools.open(input?: Record<string, unknown>): Promise<unknown>"},
		{"ref", `{"$ref":"#/$defs/i","$defs":{"i":{"properties":{"a":{"type":"string"}},"required":["a"]}}}`, "tools.ref(input: { a: string }): Promise<unknown>"},
		{"web-search", `{"type":"object","properties":{"q":{"type":"string"}}}`, `tools.callValue("openclaw:core:web-search", input?: { q?: string }): Promise<unknown>`},
	}
	for _, tc := range cases {
		t.Run("D4 "+tc.name, func(t *testing.T) {
			got := mustNew(t, tool("core", tc.name, "").with(tc.parameters)).Entries()[0].Signature()
			require.Equal(t, tc.want, got)
			require.NotContains(t, got, "\n")
		})
	}
}

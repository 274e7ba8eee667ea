package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repeated is what f gives for 0 to n-1, between commas.
func repeated(n int, f func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, ",")
}

// TestSchemaSize holds the shapes that took the compiler from seconds to two minutes, and gigabytes, in schemas of 200
// KB.
func TestSchemaSize(t *testing.T) {
	same := func(text string) func(int) string { return func(int) string { return text } }
	numbered := func(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, i) } }
	shapes := map[string]string{
		"many subschemas":          `{"allOf":[` + repeated(30_000, same(`{}`)) + `]}`,
		"many booleans":            `{"allOf":[` + repeated(30_000, same(`true`)) + `]}`,
		"many properties":          `{"properties":{` + repeated(10_000, numbered(`"a%d":{}`)) + `}}`,
		"many references":          `{"$defs":{"x":{}},"allOf":[` + repeated(10_000, same(`{"$ref":"#/$defs/x"}`)) + `]}`,
		"long paths":               `{"properties":{"` + strings.Repeat("a", 30_000) + `":{"properties":{` + repeated(1000, numbered(`"a%d":{}`)) + `}}}}`,
		"patterns that are long":   `{"allOf":[` + repeated(100, same(`{"pattern":"(x{30}y{30}){30}"}`)) + `]}`,
		"patterns of properties":   `{"patternProperties":{` + repeated(900, numbered(`"x{%d}":true`)) + `}}`,
		"properties named pattern": `{"properties":{"pattern":{"allOf":[` + repeated(3000, same(`{}`)) + `]}}}`,
	}
	for name, schema := range shapes {
		t.Run("H6 not compiled: "+name, func(t *testing.T) {
			_, _, err := compileSchema([]byte(schema))
			require.ErrorIs(t, err, errLargeSchema)
			require.False(t, sureToCompile([]byte(schema)))
		})
	}
	t.Run("H6 long lists of data are no reason", func(t *testing.T) {
		for _, schema := range []string{
			`{"enum":[` + repeated(30_000, numbered(`{"v":%d}`)) + `]}`,
			`{"required":[` + repeated(30_000, numbered(`"v%d"`)) + `]}`,
			`{"properties":{` + repeated(1000, numbered(`"a%d":{"type":"string","pattern":"^[a-z]+$"}`)) + `}}`,
		} {
			_, _, err := compileSchema([]byte(schema))
			require.NoError(t, err)
		}
	})
}

// TestCheckGrows counts the steps of checks with n, 2n and 4n: they must not grow faster than n, or the check must end
// at the budget.
func TestCheckGrows(t *testing.T) {
	list := func(item string) func(int) string {
		return func(n int) string { return "[" + repeated(n, func(int) string { return item }) + "]" }
	}
	numbers := func(n int) string { return "[" + repeated(n, func(i int) string { return fmt.Sprint(i) }) + "]" }
	object := func(n int) string {
		return "{" + repeated(n, func(i int) string { return fmt.Sprintf(`"k%06d":%d`, i, i) }) + "}"
	}
	text := func(n int) string { return `"` + strings.Repeat("a", 50*n) + `"` }
	kinds := []struct {
		name, schema string
		input        func(n int) string
	}{
		{"items", `{"items":{"type":"string"}}`, list(`1`)},
		{"uniqueItems", `{"uniqueItems":true}`, numbers},
		{"nested uniqueItems", `{"uniqueItems":true,"items":{"uniqueItems":true}}`, list(`[1,2]`)},
		{"enum", `{"items":{"enum":[` + numbers(5000)[1:] + `}}`, numbers},
		{"const of a list", `{"const":` + numbers(1000) + `}`, numbers},
		{"anyOf", `{"items":{"anyOf":[{"type":"string"},{"type":"null"},{"type":"object"}]}}`, list(`1`)},
		{"oneOf", `{"items":{"oneOf":[{"minimum":1},{"maximum":1}]}}`, list(`1`)},
		{"required", `{"items":{"required":["a","b","c"]}}`, list(`{}`)},
		{"additionalProperties", `{"additionalProperties":false}`, object},
		{"patternProperties", `{"patternProperties":{"^k(0|1)+":{"type":"string"},"9$":{}}}`, object},
		{"propertyNames", `{"propertyNames":{"pattern":"^k[0-8]+$"}}`, object},
		{"unevaluatedProperties", `{"allOf":[{"properties":{"k000001":{}}}],"unevaluatedProperties":false}`, object},
		{"pattern", `{"pattern":"^(a?){50}b"}`, text},
		{"multipleOf", `{"items":{"multipleOf":1e-300}}`, list(`1e300`)},
		{"integer", `{"items":{"type":"integer"}}`, list(`1e-300`)},
		{"contains", `{"contains":{"const":-1}}`, numbers},
	}
	for _, k := range kinds {
		t.Run("H6 "+k.name, func(t *testing.T) {
			e := mustNew(t, tool("core", "t", "").with(k.schema)).Entries()[0]
			steps := func(n int) int {
				_ = e.Validate([]byte(k.input(n)))
				require.NoError(t, e.check.err)
				return maxCheckSteps - e.check.budget.left
			}
			one, two, four := steps(500), steps(1000), steps(2000)
			require.GreaterOrEqual(t, one, 500/64, "it is charged for")
			require.LessOrEqual(t, two, 2*one+one/4+100)
			require.LessOrEqual(t, four, 2*two+two/4+100)
		})
	}
	t.Run("H6 input with too many values is not decoded", func(t *testing.T) {
		e := mustNew(t, tool("core", "t", "").with(`{"type":"object"}`)).Entries()[0]
		require.ErrorContains(t, e.Validate([]byte(`{"a":[`+strings.Repeat("1,", maxInputValues)+`1]}`)), "pass less at once")
	})
}

func TestCheckEndsWithItsContext(t *testing.T) {
	e := mustNew(t, tool("core", "t", "").with(`{"items":{"type":"string"}}`)).Entries()[0]
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, e.ValidateContext(ctx, []byte(`["a"]`)), context.Canceled, "H6")
	t.Run("H6 also while another check is under way", func(t *testing.T) {
		e.check.busy <- struct{}{}
		require.ErrorIs(t, e.ValidateContext(ctx, []byte(`["a"]`)), context.Canceled)
		<-e.check.busy
	})
	require.NoError(t, e.Validate([]byte(`["a"]`)), "the next check starts anew")
}

// FuzzValidate checks any input against any schema: the guard's own keywords must agree with what equality and types
// mean.
func FuzzValidate(f *testing.F) {
	f.Add(createIssueSchema, `{"owner":"o"}`)
	f.Add(doubling, `{"x":{"x":{}}}`)
	f.Add(`{"uniqueItems":true,"items":{"enum":[0,null,{"a":[1]}]}}`, `[0,-0.0,{"a":[1]}]`)
	f.Add(`{"patternProperties":{"(x{30}y?){9}":false},"unevaluatedProperties":false,"not":{"const":"\u2028"}}`, `{"xxxx":1}`)
	f.Fuzz(func(t *testing.T, schema, input string) {
		raw := []byte(schema)
		if len(schema) > 1<<12 || len(input) > 1<<12 || badSchema((*json.RawMessage)(&raw)) != "" {
			return
		}
		e := mustNew(t, tool("core", "t", "").with(schema)).Entries()[0]
		first, second := e.Validate([]byte(input)), e.Validate([]byte(input))
		require.Equal(t, first == nil, second == nil, "%v %v", first, second)
		if first != nil {
			require.LessOrEqual(t, len(first.Error()), 1<<14)
		}
	})
}

func TestLongChain(t *testing.T) {
	links := repeated(1000, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1) })
	schema := `{"items":{"$ref":"#/$defs/d0"},"$defs":{` + links + `,"d1000":{"anyOf":[{"type":"string"},{"$ref":"#/$defs/d0"}]}}}`
	e := mustNew(t, tool("core", "t", "").with(schema)).Entries()[0]
	require.NoError(t, e.Validate([]byte(`["a"]`)), "H6 a chain of references is followed")
	require.GreaterOrEqual(t, e.check.budget.chain, 1000)
	require.ErrorContains(t, e.Validate([]byte("["+repeated(100, func(int) string { return `"a"` })+"]")), "pass less at once",
		"H6 and dear: a check looks back through it at every link")
}

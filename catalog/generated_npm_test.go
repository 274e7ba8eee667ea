//go:build npm

package catalog

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGeneratedSchemasCompile runs the declarations of a thousand generated schemas through the TypeScript compiler that TSC
// names (contract E3).
func TestGeneratedSchemasCompile(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var tools []Tool
	for i := range 1000 {
		schema, err := json.Marshal(generated(r, 0))
		require.NoError(t, err)
		tool := Tool{Source: SourceMCP, Owner: fmt.Sprint("server", i%20), Name: pick(r, oddNames) + fmt.Sprint(i), Description: pick(r, oddTexts), Parameters: schema}
		if i%2 == 0 {
			tool.Source, tool.Owner = SourceOpenClaw, fmt.Sprint("owner", i%10)
			tool.OutputSchema = schema
		}
		tools = append(tools, tool)
	}
	compile(t, tools)
}

// TestExtremeSchemasCompile does so with what is as large as a schema may be.
func TestExtremeSchemasCompile(t *testing.T) {
	var values []string
	for i := range 10_000 {
		values = append(values, fmt.Sprintf("%d */ `${x}`", i))
	}
	enum, err := json.Marshal(values)
	require.NoError(t, err)
	nested := func(open, shut string) string {
		levels := (maxSchemaDepth - 2) / 2
		return `{"type":"object","properties":` + strings.Repeat(open, levels) + `{}` + strings.Repeat(shut, levels) + `}`
	}
	for name, schema := range map[string]string{
		"an enum of 10,000 values": `{"type":"object","properties":{"v":{"enum":` + string(enum) + `},"w":{"type":"array","items":{"enum":` + string(enum) + `}}}}`,
		"objects 200 deep":         nested(`{"a":{"properties":`, `}}`),
		"lists 200 deep":           `{"type":"object","properties":{"a":` + strings.Repeat(`{"items":`, maxSchemaDepth-3) + `{}` + strings.Repeat(`}`, maxSchemaDepth-3) + `}}`,
		"unions 200 deep":          `{"type":"object","properties":{"a":` + strings.Repeat(`{"anyOf":[`, maxSchemaDepth/2-3) + `{}` + strings.Repeat(`]}`, maxSchemaDepth/2-3) + `}}`,
		"references in circles": `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"},"self":{"$ref":"#"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/a"}]},
			"b":{"oneOf":[{"$ref":"#/$defs/a"},{"type":"array","items":{"$ref":"#/$defs/b"}}]}}}`,
	} {
		t.Run("E3 "+name, func(t *testing.T) {
			compile(t, []Tool{
				{Source: SourceMCP, Owner: "lab", Name: "x", Parameters: json.RawMessage(schema), OutputSchema: json.RawMessage(schema)},
				{Source: SourceOpenClaw, Owner: "lab", Name: "y", Parameters: json.RawMessage(schema), OutputSchema: json.RawMessage(schema)},
			})
		})
	}
}

// compile runs the declarations of tools through the compiler.
func compile(t *testing.T, tools []Tool) {
	t.Helper()
	dir := t.TempDir()
	args := []string{"--strict", "--noEmit", "--target", "es2022"}
	for path, content := range filesOf(t, tools...) {
		full := filepath.Join(dir, filepath.FromSlash(path))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(content), 0o644))
		args = append(args, full)
	}
	out, err := exec.Command(os.Getenv("TSC"), args...).CombinedOutput()
	require.NoError(t, err, "E3 %s", out[:min(len(out), 3000)])
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

var (
	oddNames = []string{"list", "get-item", "class", "a.b", "ünïcode", "x y", "delete", "1st", "constructor", "tools"}
	oddTexts = []string{"", "Plain.", "Ends */ early", "`ticks` and ${x}", "line\nline\n\n\nline", "// not code", "\u2028\u2029", `back\slash "quote"`}
	oddKeys  = []string{"id", "a-b", "class", "0", "with space", "$ref_", "ключ", "__proto__x", `quo"te`, "new\nline", "default"}
)

// generated is a schema of the kinds that servers in the wild have, with others inside.
func generated(r *rand.Rand, depth int) map[string]any {
	s := map[string]any{"description": pick(r, oddTexts)}
	if depth == 0 {
		s["type"] = "object"
		s["properties"] = properties(r, depth)
		s["required"] = []string{"id"}
		s["$defs"] = map[string]any{"node": map[string]any{"type": "object", "properties": map[string]any{"next": map[string]any{"$ref": "#/$defs/node"}}}}
		return s
	}
	if depth > 4 {
		s["type"] = "string"
		return s
	}
	some := func() []any { return []any{generated(r, depth+1), generated(r, depth+1)} }
	switch r.IntN(12) {
	case 0:
		s["type"], s["items"] = "array", generated(r, depth+1)
	case 1:
		s["type"], s["properties"], s["additionalProperties"] = "object", properties(r, depth), r.IntN(2) == 0
	case 2:
		s[pick(r, []string{"anyOf", "oneOf", "allOf"})] = some()
	case 3:
		s["enum"] = []any{"a", 1, nil, true, `q"uote`, -0.5}
	case 4:
		s["const"] = pick(r, []any{"x", 5, nil, false, []int{1}, map[string]int{"a": 1}})
	case 5:
		s["type"] = []string{"string", "null", "integer"}
	case 6:
		s["$ref"] = "#/$defs/node"
	case 7:
		s["prefixItems"], s["type"], s["items"] = some(), "array", false
	case 8:
		s["type"], s["nullable"], s["default"] = "number", true, 5
	case 9:
		s["type"], s["additionalProperties"] = "object", generated(r, depth+1)
	case 10:
		s["type"], s["patternProperties"] = "object", map[string]any{"^x-": generated(r, depth+1)}
	default:
		s["type"] = pick(r, []string{"string", "number", "integer", "boolean", "null", "object", "array"})
	}
	return s
}

func properties(r *rand.Rand, depth int) map[string]any {
	all := map[string]any{"id": map[string]any{"type": "string"}}
	for range r.IntN(5) {
		all[pick(r, oddKeys)] = generated(r, depth+1)
	}
	return all
}

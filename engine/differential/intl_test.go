//go:build cgo

package differential

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/purego"
)

// TestIntl holds every engine to what testdata/intl.js gave in Node.
func TestIntl(t *testing.T) {
	text, err := os.ReadFile("testdata/intl.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	p := newPair(t)
	third, err := purego.New(purego.Options{})
	require.NoError(t, err)
	defer third.Close()
	for name, e := range map[string]engine.Engine{"native": p.native, "wasi": p.wasi, "purego": third} {
		t.Run("D10 "+name, func(t *testing.T) {
			for some := range slices.Chunk(lines, 40) {
				got := evaluate(t, e, some)
				for n, line := range some {
					expression, want, _ := strings.Cut(line, "\t")
					require.Equal(t, want, got[n], "%s", expression)
				}
			}
		})
	}
}

// evaluate gives the JSON of each line's expression, of errors their text.
func evaluate(t *testing.T, e engine.Engine, lines []string) []any {
	t.Helper()
	var cell strings.Builder
	cell.WriteString("const out = [], give = (f) => { let r; try { r = f() } catch (e) { r = e.name + ': ' + e.message } out.push(JSON.stringify(r) ?? 'undefined') };\n")
	for _, line := range lines {
		expression, _, _ := strings.Cut(line, "\t")
		cell.WriteString("give(() => " + expression + ");\n")
	}
	cell.WriteString("return out")
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	defer vm.Close()
	begin := engine.Begin{Source: cell.String(), MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 8 << 20, MaxRequests: 1, MaxTimers: 1}
	effects, err := vm.Step(context.Background(), begin.Append(nil), longEnough)
	require.NoError(t, err)
	require.Equal(t, engine.Fulfilled, effects.Main.State, "%s", effects.Main.Thrown.Message)
	var got []any
	require.NoError(t, json.Unmarshal(effects.Main.Value, &got))
	return got
}

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

// everyEngine is all engines, by their names. Under the race detector the pure Go engine is left out: the detector slows it
// fiftyfold, and finds nothing in computations that start no goroutines. Its own package's tests run under the detector.
func everyEngine(t *testing.T) map[string]engine.Engine {
	t.Helper()
	p := newPair(t)
	engines := map[string]engine.Engine{"native": p.native}
	for name, e := range p.portable {
		engines[name] = e
	}
	if raceDetector {
		return engines
	}
	third, err := purego.New(purego.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, third.Close()) })
	engines["purego"] = third
	return engines
}

// requireAll holds every engine to a file of expressions, a line each, with a tab and the JSON of what each gives.
func requireAll(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	for name, e := range everyEngine(t) {
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
	var got []any
	require.NoError(t, json.Unmarshal(stepOnce(t, e, cell.String()).Main.Value, &got))
	return got
}

// stepOnce gives the effects of a cell that ends in its first step.
func stepOnce(t *testing.T, e engine.Engine, source string) *engine.Effects {
	t.Helper()
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	defer vm.Close()
	begin := engine.Begin{Source: source, MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 8 << 20, MaxRequests: 1, MaxTimers: 1}
	effects, err := vm.Step(context.Background(), begin.Append(nil), longEnough)
	require.NoError(t, err)
	require.Equal(t, engine.Fulfilled, effects.Main.State, "%s", effects.Main.Thrown.Message)
	return effects
}

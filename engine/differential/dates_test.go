//go:build cgo

package differential

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/purego"
)

// TestDates holds every engine to what testdata/dates.js gave in Node.
func TestDates(t *testing.T) {
	text, err := os.ReadFile("testdata/dates.txt")
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

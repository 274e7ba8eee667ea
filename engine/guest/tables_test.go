package guest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTables(t *testing.T) {
	for n, table := range Tables() {
		t.Run("a table is lines of a name and a text", func(t *testing.T) {
			require.True(t, strings.HasPrefix(table, "\n") && strings.HasSuffix(table, "\n"))
			seen := map[string]bool{}
			for line := range strings.Lines(table[1:]) {
				name, text, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				require.True(t, ok && name != "" && !seen[name], "%q", line)
				seen[name] = true
				got, ok := Row(n, name)
				require.True(t, ok)
				require.Equal(t, text, got)
			}
		})
	}
	t.Run("what is no name of a row has none", func(t *testing.T) {
		for _, name := range []string{"", "nothing", "USD\t2", "\nUSD", "US"} {
			_, ok := Row(0, name)
			require.False(t, ok, "%q", name)
		}
		_, ok := Row(-1, "USD")
		require.False(t, ok)
		_, ok = Row(99, "USD")
		require.False(t, ok)
	})
}

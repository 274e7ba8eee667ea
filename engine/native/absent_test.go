//go:build cgo

package native

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAbsent holds README's table of what JavaScript is not there: what stands between backticks in its first column is
// undefined or throws.
func TestAbsent(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "\n| not there | instead |\n|---|---|\n")
	require.True(t, found)
	table, faults, found := strings.Cut(rest, "\n\n")
	require.True(t, found)
	e := newEngine(t, Options{})
	quoted := regexp.MustCompile("`([^`]+)`")
	names := 0
	for _, row := range strings.Split(table, "\n") {
		first := strings.Split(row, " | ")[0]
		if before, _, ok := strings.Cut(first, ", a back reference"); ok {
			first = before
		}
		for _, m := range quoted.FindAllStringSubmatch(first, -1) {
			names++
			t.Run("B2 "+m[1]+" is not there", func(t *testing.T) {
				code := `try { return typeof (0, eval)(` + strconv.Quote(m[1]) + `) } catch (e) { return "it throws" }`
				if regexp.MustCompile(`^\w+$`).MatchString(m[1]) {
					code = `return typeof ` + m[1]
				}
				require.Contains(t, []string{`"undefined"`, `"it throws"`}, value(t, e, code))
			})
		}
	}
	require.Greater(t, names, 15)
	t.Run("B2 the faults that it tells are those that there are", func(t *testing.T) {
		require.Contains(t, faults, "Two faults of the engine remain")
		require.Equal(t, `[{},false,true]`, value(t, e, `let joined = ""; for (let i = 0; i < 5000; i++) joined += "ab";
			return [{..."ab"}, joined == "ab".repeat(5000), joined === "ab".repeat(5000)]`))
	})
	t.Run("H4 what threw says what to do", func(t *testing.T) {
		require.Equal(t, `"RegExp.$1, RegExp.lastMatch and the like are not kept: use what exec() or match() returns"`,
			value(t, e, `try { /(a)/.exec("a"); return RegExp.$1 } catch (e) { return e.message }`))
	})
}

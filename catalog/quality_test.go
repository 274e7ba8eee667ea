package catalog

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// searchCase is one query of testdata/search with the tools of which one must be among the first three, or, for several
// names, all among the first eight. No tool means that nothing may be found.
type searchCase struct {
	query string
	want  []string
	all   bool
}

// readSearchCases reads a file: tools as `owner name(parameters): description`, a line ---, queries as
// `query => tool, tool`.
func readSearchCases(t testing.TB, path string) ([]Tool, []searchCase) {
	raw, err := os.ReadFile(path)
	require.NoError(t, err)
	shelf, list, ok := strings.Cut(string(raw), "---\n")
	require.True(t, ok)
	var tools []Tool
	for line := range strings.Lines(shelf) {
		head, description, _ := strings.Cut(strings.TrimSpace(line), "): ")
		owner, head, _ := strings.Cut(head, " ")
		name, keys, _ := strings.Cut(head, "(")
		properties := ""
		for key := range strings.SplitSeq(keys, ", ") {
			if key != "" {
				properties += fmt.Sprintf(",%q:{}", key)
			}
		}
		tools = append(tools, tool(owner, name, description).with(`{"type":"object","properties":{`+strings.TrimPrefix(properties, ",")+`}}`))
	}
	var cases []searchCase
	for line := range strings.Lines(list) {
		query, want, ok := strings.Cut(strings.TrimSpace(line), " => ")
		require.True(t, ok, line)
		c := searchCase{query: query, all: strings.Contains(want, " & ")}
		if want != "-" {
			c.want = strings.FieldsFunc(want, func(r rune) bool { return strings.ContainsRune(" ,&", r) })
		}
		cases = append(cases, c)
	}
	return tools, cases
}

// right tells whether a search found what it should.
func (q searchCase) right(c *Catalog) (bool, []string) {
	var names []string
	for _, e := range c.Search(q.query, 8) {
		names = append(names, e.Name())
	}
	switch {
	case len(q.want) == 0:
		return len(names) == 0, names
	case q.all:
		return !slices.ContainsFunc(q.want, func(w string) bool { return !slices.Contains(names, w) }), names
	}
	return slices.ContainsFunc(names[:min(3, len(names))], func(n string) bool { return slices.Contains(q.want, n) }), names
}

// qualityFloor is the share of queries that each half must answer.
const qualityFloor = 0.95

// TestSearchQuality searches catalogs of tools as they are in use. The thesaurus was tuned on every second query; the
// others tell how good it is. Of mixed.txt and fresh.txt all misses were looked at once, after a first try that found
// 69 of 81 and 47 of 50.
func TestSearchQuality(t *testing.T) {
	paths, err := filepath.Glob("testdata/search/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var right, total [2]int
	for _, path := range paths {
		tools, cases := readSearchCases(t, path)
		c := mustNew(t, tools...)
		for i, q := range cases {
			half := i % 2
			ok, got := q.right(c)
			total[half]++
			if ok {
				right[half]++
			} else if half == 0 {
				// Those of the other half are not shown, so that nobody tunes on them.
				t.Logf("%s: %q: want %v, got %v", filepath.Base(path), q.query, q.want, got)
			}
		}
	}
	for half, name := range []string{"the queries tuned on", "the other queries"} {
		t.Logf("%s: %d of %d", name, right[half], total[half])
		t.Run("D3 the right tool is among the first three for "+name, func(t *testing.T) {
			require.Greater(t, total[half], 200)
			require.GreaterOrEqual(t, float64(right[half])/float64(total[half]), qualityFloor)
		})
	}
}

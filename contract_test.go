package codecell_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// rule is a rule's number where docs/contract.md states it.
	rule = regexp.MustCompile(`(?m)^- \*\*([A-J]\d+a?)\*\*`)
	// citation is one or several of them after the word, as in "contract A8, H5", and number is one.
	citation = regexp.MustCompile(`[Cc]ontract (?:[A-J]\d+a?(?:, | and |–)?)+`)
	number   = regexp.MustCompile(`[A-J]\d+a?`)
	// subtest is the name of one that begins with the rules that it holds.
	subtest = regexp.MustCompile("(?:Run\\(|name: |\\{)[\"`]((?:[A-J]\\d+a? )+)")
)

func TestContract(t *testing.T) {
	text, err := os.ReadFile("docs/contract.md")
	require.NoError(t, err)
	rules := map[string]bool{}
	for _, m := range rule.FindAllSubmatch(text, -1) {
		require.False(t, rules[string(m[1])], "rule %s is stated twice", m[1])
		rules[string(m[1])] = true
	}
	t.Run("it has the rules of every section", func(t *testing.T) {
		for section, count := range map[string]int{"A": 8, "B": 10, "C": 10, "D": 11, "E": 5, "F": 3, "G": 8, "H": 7, "I": 6} {
			n := 0
			for r := range rules {
				if r[:1] == section {
					n++
				}
			}
			require.Equal(t, count, n, section)
		}
	})
	t.Run("every number that is cited is a rule of it", func(t *testing.T) {
		cited := 0
		sources(t, []string{".go", ".c", ".h", ".js", ".md", ".json"}, func(t *testing.T, path string, text []byte) {
			for _, m := range citation.FindAll(text, -1) {
				for _, r := range number.FindAllString(string(m), -1) {
					cited++
					require.True(t, rules[r], "%s cites rule %s, which docs/contract.md does not state", path, r)
				}
			}
			for _, m := range subtest.FindAllSubmatch(text, -1) {
				for _, r := range number.FindAllString(string(m[1]), -1) {
					require.True(t, rules[r], "%s has a test of rule %s, which docs/contract.md does not state", path, r)
				}
			}
		})
		require.Greater(t, cited, 100)
	})
}

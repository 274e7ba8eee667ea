package catalog

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThesaurus(t *testing.T) {
	lines := 0
	for _, name := range []string{"[acts]", "[verbs]", "[nouns]", "[services]"} {
		for _, line := range section(thesaurusText, name) {
			lines++
			list := strings.TrimPrefix(line, "! ")
			if name == "[acts]" {
				_, list, _ = strings.Cut(line, ": ")
			}
			t.Run("D3 "+line, func(t *testing.T) {
				require.LessOrEqual(t, strings.Count(list, " > "), 1)
				require.False(t, strings.Contains(list, " > ") && strings.Contains(list, "="), "one or the other")
				for _, e := range entries(strings.NewReplacer(" > ", ",", "=", ",").Replace(list), ",") {
					require.NotEmpty(t, e.terms)
					require.LessOrEqual(t, len(e.terms), maxPhrase, e.text)
					if name == "[acts]" {
						require.Len(t, e.terms, 1)
					}
				}
			})
		}
	}
	require.Greater(t, lines, 200)
	require.Equal(t, len(strings.Split(thesaurusText, "\n[")), 1+4, "no section that nobody reads")
	t.Run("D3 words stand for each other, hints go one way", func(t *testing.T) {
		has := func(word, text string) bool {
			return slices.ContainsFunc(thesaurus().synonyms[word], func(s synonym) bool { return s.text == text })
		}
		require.True(t, has("pr", "pull request") && has("pull request", "pr"))
		require.True(t, has("inbox", "mail") && !has("mail", "inbox"))
	})
}

func TestStopWords(t *testing.T) {
	for _, phrase := range section(stopWordsText, "[phrases]") {
		n := len(strings.Fields(phrase))
		require.True(t, 1 < n && n <= maxSmallTalk, phrase)
	}
	require.Equal(t, len(strings.Split(stopWordsText, "\n[")), 1+4, "no section that nobody reads")
	cases := map[string][]string{
		"How do I create an issue?":           {"create", "issue"},
		"please can you help me find a tool":  {"find"},
		"good morning, list the open tickets": {"list", "open", "tickets"},
		"hello, how are you":                  nil,
		"look something up on the internet":   {"look", "internet"},
	}
	for query, want := range cases {
		t.Run("D3 "+query, func(t *testing.T) {
			var got []string
			for _, w := range readQuery(query) {
				if w.kind == telling {
					got = append(got, w.typed)
				}
			}
			require.Equal(t, want, got)
		})
	}
}

package catalog

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSearch(t *testing.T) {
	c := mustNew(t, searchTools()...)
	first := []struct{ name, query, want string }{
		{"exact id", "openclaw:core:read", "openclaw:core:read"},
		{"exact name", "message", "openclaw:core:message"},
		{"exact name with a hyphen", "web-search", "openclaw:web:web-search"},
		{"exact name that is also a word elsewhere", "search", "openclaw:p1:search"},
		{"exact name in other case", "WEB_SEARCH", "openclaw:brave:web_search"},
		{"Japanese", "日本", "openclaw:p1:日本"},
		{"one character of Japanese", "本", "openclaw:p1:日本"},
		{"Japanese within a sentence", "日本の休日", "openclaw:p1:日本"},
		{"words of a camel-case name", "create issue", "openclaw:tracker:createIssue"},
		{"snake case for camel case", "create_issue", "openclaw:tracker:createIssue"},
		{"kebab case for camel case", "create-issue", "openclaw:tracker:createIssue"},
		{"run-together name", "createissue", "openclaw:tracker:createIssue"},
		{"plurals", "browsers pages", "openclaw:browser:browser_request"},
		{"-ing", "creating issues", "openclaw:tracker:createIssue"},
		{"-ed", "opened bug reports", "openclaw:tracker:createIssue"},
		{"description", "bug report", "openclaw:tracker:createIssue"},
		{"label", "file reader", "openclaw:core:read"},
		{"prefix", "brows", "openclaw:browser:browser_request"},
		{"part of a word", "rowser", "openclaw:browser:browser_request"},
		{"swapped letters", "mesasge", "openclaw:core:message"},
		{"missing letter", "brower", "openclaw:browser:browser_request"},
		{"two slips in a long word", "calandor", "openclaw:p1:日本"},
		{"a sentence", "how do I run a shell command?", "openclaw:core:exec"},
		{"full width", "ｍｅｓｓａｇｅ", "openclaw:core:message"},
		{"owner", "tracker", "openclaw:tracker:createIssue"},
		{"dollar name", "$dollar", "openclaw:p1:$dollar"},
		{"accents are letters", "dígits", "openclaw:p1:123abc"},
	}
	for _, tc := range first {
		t.Run("D3 "+tc.name, func(t *testing.T) {
			got := ids(c.Search(tc.query, 8))
			require.NotEmpty(t, got)
			require.Equal(t, tc.want, got[0], got)
		})
	}

	t.Run("D3 case does not matter", func(t *testing.T) {
		got := ids(c.Search("READ", 8))
		require.Subset(t, got, []string{"openclaw:core:read", "client:app:read"})
	})
	t.Run("D3 both tools of a name come first, in catalog order", func(t *testing.T) {
		require.Equal(t, []string{"openclaw:p1:dup", "openclaw:p2:dup"}, ids(c.Search("dup", 2)))
	})
	t.Run("D3 read local file", func(t *testing.T) {
		got := ids(c.Search("read local file", 8))
		require.Equal(t, "openclaw:core:read", got[0])
		require.Subset(t, got, []string{"client:app:read", "client:app:select_file", "openclaw:core:write"})
	})
	t.Run("D3 search web", func(t *testing.T) {
		got := ids(c.Search("search web", 3))
		require.ElementsMatch(t, []string{"openclaw:brave:web_search", "openclaw:web:web-search", "openclaw:p1:search"}, got)
	})
	t.Run("D3 no match is empty", func(t *testing.T) {
		require.Empty(t, c.Search("zzzqqq", 8))
		require.Empty(t, c.Search("!!! ???", 8))
		require.Empty(t, c.Search("\x00\xff", 8))
	})
	t.Run("D3 a blank query lists the catalog in order", func(t *testing.T) {
		for _, q := range []string{"", "   ", "\n\t"} {
			require.Equal(t, ids(c.visible[:8]), ids(c.Search(q, 8)))
		}
		require.Len(t, c.Search("", 1000), 23)
	})
	t.Run("D3 never MCP", func(t *testing.T) {
		for _, q := range []string{"", "github create_issue list_issues", "mcp:github:create_issue", "list_issues"} {
			for _, e := range c.Search(q, 50) {
				require.NotEqual(t, SourceMCP, e.Source())
			}
		}
	})
	t.Run("D3 a limit cuts, none gives nothing", func(t *testing.T) {
		require.Len(t, c.Search("file", 1), 1)
		require.Empty(t, c.Search("file", 0))
		require.Empty(t, c.Search("", -1))
	})
	t.Run("D3 words that say nothing do not count", func(t *testing.T) {
		require.Equal(t, ids(c.Search("web", 8)), ids(c.Search("the web for a to", 8)))
	})
	t.Run("D3 small talk finds nothing but a tool of that name", func(t *testing.T) {
		for _, q := range []string{"the", "hello", "hi, how are you?", "thanks a lot!", "who are you", "ok, good morning"} {
			require.Empty(t, c.Search(q, 8), q)
		}
		greeting := mustNew(t, tool("a", "say_hello", "Greets you"), tool("a", "wait_for", "Waits for you"), tool("a", "other", "Hello, the tool"))
		require.Equal(t, []string{"openclaw:a:say_hello"}, ids(greeting.Search("hello!", 8)))
		require.Equal(t, []string{"openclaw:a:wait_for"}, ids(greeting.Search("for", 8)))
	})
}

func TestSearchTickets(t *testing.T) {
	c := mustNew(t,
		tool("desk", "close_ticket", "Close a support ticket"), tool("desk", "create_ticket", "Create a support ticket"),
		tool("desk", "list_tickets", "List support tickets"), tool("web", "web_search", "Search the web"),
	)
	cases := map[string]string{
		"create support ticket": "openclaw:desk:create_ticket",
		"listing tickets":       "openclaw:desk:list_tickets",
		"list ticket":           "openclaw:desk:list_tickets",
		"closing":               "openclaw:desk:close_ticket",
	}
	for query, want := range cases {
		t.Run("D3 "+query, func(t *testing.T) {
			require.Equal(t, want, c.Search(query, 1)[0].ID())
		})
	}
	t.Run("D3 a whole word beats its relatives", func(t *testing.T) {
		c := mustNew(t, tool("a", "profile", "profile profile profile"), tool("a", "other", "a file"))
		require.Equal(t, []string{"openclaw:a:other", "openclaw:a:profile"}, ids(c.Search("file", 8)))
	})
}

// openClawFinds is what OpenClaw's search would return at all: a term of the query is part of the tool's name, id,
// label or description. Terms such as "the", of which it makes noise, are left out.
func openClawFinds(c *Catalog, query string) []string {
	terms := regexp.MustCompile(`[^a-z0-9_./:-]+`).Split(strings.ToLower(query), -1)
	var out []string
	for _, e := range c.visible {
		text := strings.ToLower(e.Name() + "\x00" + e.ID() + "\x00" + e.tool.Label + "\x00" + e.tool.Description)
		if slices.ContainsFunc(terms, func(term string) bool {
			return len(term) >= 3 && stopWords().kinds[term] == telling && strings.Contains(text, term)
		}) {
			out = append(out, e.ID())
		}
	}
	return out
}

func TestSearchRecall(t *testing.T) {
	c := mustNew(t, searchTools()...)
	for _, q := range []string{
		"read local file", "search web", "search the web", "READ", "browser pages", "create issue", "message",
		"file", "reader", "client", "openclaw", "core", "quick", "sear", "hand", "report", "chan", "describ",
		"github create_issue list_issues", "shell", "tool", "web_search", "web-search", "select_file",
	} {
		t.Run("D3 finds what OpenClaw finds for "+q, func(t *testing.T) {
			require.Subset(t, ids(c.Search(q, 50)), openClawFinds(c, q))
		})
	}
}

func TestSearchProperties(t *testing.T) {
	tools := append(searchTools(), manyTools(60)...)
	c, again := mustNew(t, tools...), mustNew(t, tools...)
	rapid.Check(t, func(t *rapid.T) {
		query := rapid.OneOf(
			rapid.String(),
			rapid.StringOf(rapid.SampledFrom([]rune("abceiorst_ :-日本"))),
		).Draw(t, "query")
		limit := rapid.IntRange(1, 50).Draw(t, "limit")
		got := ids(c.Search(query, limit))
		require.Equal(t, got, ids(again.Search(query, limit)), "D3 deterministic")
		require.LessOrEqual(t, len(got), limit)
		longer := ids(c.Search(query, 1000))
		require.Equal(t, got, longer[:min(limit, len(longer))], "D3 a limit only cuts")
		slices.Sort(longer)
		require.Equal(t, longer, slices.Compact(slices.Clone(longer)), "D3 each tool once")
	})
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.SampledFrom(c.visible).Draw(t, "entry")
		require.Equal(t, e, c.Search(e.ID(), 1)[0], "D3 exact id first")
		require.Equal(t, e.Name(), c.Search(e.Name(), 1)[0].Name(), "D3 exact name first")
	})
}

func TestSearchIsBounded(t *testing.T) {
	c := mustNew(t, manyTools(1000)...)
	c.Search("warm up", 1)
	for name, query := range map[string]string{
		"words":   strings.Repeat("update customer zebra ", 150_000),
		"one":     strings.Repeat("a", 3_000_000),
		"kanji":   strings.Repeat("日", 1_000_000),
		"blank":   strings.Repeat(" ", 3_000_000),
		"accents": strings.Repeat("é\u0301", 1_000_000),
	} {
		t.Run("D3 3 MB of "+name, func(t *testing.T) {
			require.Less(t, cost(func() { c.Search(query, 8) }), time.Second)
			require.Less(t, cost(func() { c.Explain(query, 50) }), time.Second)
		})
	}
}

func TestWords(t *testing.T) {
	cases := map[string][]string{
		"createIssue":          {"creat", "issu"},
		"create_issue":         {"creat", "issu"},
		"HTTPServer":           {"http", "server"},
		"getURLs":              {"get", "url"},
		"oauth2 token":         {"oauth2", "token"},
		"files, queries":       {"fil", "query"},
		"running passes":       {"run", "pass"},
		"calling string thing": {"call", "string", "thing"},
		"need status analysis": {"need", "status", "analysis"},
		"boxes matches wishes": {"box", "match", "wish"},
		"日本語":                  {"日", "日本", "本", "本語", "語"},
		"ファイルread":             {"フ", "ファ", "ァ", "ァイ", "イ", "イル", "ル", "read"},
		"Ünïcode":              {"unicod"},
		"":                     nil,
		"--":                   nil,
	}
	for text, want := range cases {
		t.Run("D3 "+text, func(t *testing.T) {
			var got []string
			words(text, func(term string) { got = append(got, term) })
			require.Equal(t, want, got)
		})
	}
}

func TestStemMeets(t *testing.T) {
	for _, family := range [][]string{
		{"create", "creates", "created", "creating"},
		{"search", "searches", "searched", "searching"},
		{"file", "files"},
		{"query", "queries"},
		{"list", "lists", "listed", "listing"},
		{"stop", "stopped", "stopping"},
		{"update", "updates", "updating"},
		{"issue", "issues"},
		{"process", "processes", "processing"},
	} {
		for _, w := range family {
			require.Equal(t, stem(family[0]), stem(w), "D3 %s and %s", family[0], w)
		}
	}
}

func TestDistance(t *testing.T) {
	cases := []struct {
		a, b string
		want int
	}{
		{"search", "search", 0},
		{"serach", "search", 1},
		{"sarch", "search", 1},
		{"searchh", "search", 1},
		{"seorch", "search", 1},
		{"calandor", "calendar", 2},
		{"", "ab", 2},
		{"日本", "日木", 1},
	}
	for _, tc := range cases {
		require.Equal(t, tc.want, distance([]rune(tc.a), []rune(tc.b), 2), "%s %s", tc.a, tc.b)
	}
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SliceOfN(rapid.SampledFrom([]rune("abc")), 0, 6)
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		ab, ba := distance(a, b, 9), distance(b, a, 9)
		require.Equal(t, ab, ba, "symmetric")
		require.Equal(t, slices.Equal(a, b), ab == 0)
		require.GreaterOrEqual(t, ab, max(cmp.Compare(len(a), len(b)), cmp.Compare(len(b), len(a))))
	})
}

package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tiktoken-go/tokenizer"
)

// maxSurfaceTokens is what exec and wait may cost a model without the index of the tools, in any of its vocabularies.
const maxSurfaceTokens = 1500

// TestSurfaceTokens measures what the model is shown for a turn of 50 tools with MCP and a namespace.
func TestSurfaceTokens(t *testing.T) {
	c := mustNew(t, append(manyTools(50), mcpTools()...)...)
	surface := c.Surface(budgets, []NamespaceHint{{GlobalName: "Tickets", Description: "Ticket helpers.", Prompt: "Tickets.open(n) opens one."}})
	var shown strings.Builder
	for _, tool := range surface {
		shown.WriteString(tool.Name + "\n" + tool.Description + "\n" + string(tool.Parameters) + "\n")
	}
	require.Contains(t, shown.String(), c.toolIndex())
	for _, vocabulary := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		t.Run("A4 "+string(vocabulary), func(t *testing.T) {
			codec, err := tokenizer.Get(vocabulary)
			require.NoError(t, err)
			count := func(text string) int {
				n, err := codec.Count(text)
				require.NoError(t, err)
				return n
			}
			all, list := count(shown.String()), count(c.toolIndex())
			t.Logf("%d tokens, of which %d are the index", all, list)
			require.LessOrEqual(t, all-list, maxSurfaceTokens)
		})
	}
}

package executor

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/catalog"
)

// FuzzStream: whatever a tool streams, there is a result that is JSON, or an error that is not too long.
func FuzzStream(f *testing.F) {
	for _, seed := range []string{
		"{\"progress\":1}\n{\"details\":1}", "data: {\"progress\":{}}\n\ndata: 1\n\n", "event: result\ndata: x\n\n", "event: error\ndata: {\"error\":{}}\n\n",
		"\x1e1\n\x1e", "data\n\ndata:\n\n", ":\n\r\n\n", "data: [DONE]\n\n", "event: progress\ndata: [", "\uFEFFdata: 1",
	} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	tool := entry(f, catalog.Tool{Source: "openclaw", Owner: "core", Name: "own"})
	f.Fuzz(func(t *testing.T, body string, events bool) {
		form := "application/jsonl"
		if events {
			form = eventsType
		}
		call := Call{Tool: tool, Progress: func(_, _ float64, message string) {
			require.LessOrEqual(t, len(message), max(maxMessage+1, len(body)))
		}}
		a := answer{call: &call, limit: 1 << 20}
		a.read(t.Context(), &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {form}}, Body: io.NopCloser(strings.NewReader(body))})
		if a.err != nil {
			require.Nil(t, a.result)
			require.Less(t, len(a.err.Error()), 1000)
			return
		}
		require.True(t, jsontext.Valid(a.result))
	})
}

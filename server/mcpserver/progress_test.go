//go:build cgo

package mcpserver

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

func TestProgress(t *testing.T) {
	w := newWorld(t)
	heard := make(chan *mcp.ProgressNotificationParams, 64)
	o := &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { heard <- r.Params }}
	here, there := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.endpoint.Run(ctx, there) }()
	clients := map[string]*mcp.ClientSession{
		"HTTP": client(t, &mcp.StreamableClientTransport{Endpoint: w.serve(t, "a")}, o), "stdio": client(t, here, o),
	}
	for name, c := range clients {
		call := func(t *testing.T, token any) {
			t.Helper()
			p := &mcp.CallToolParams{Name: "exec", Arguments: object{"code": `await MCP.lab.greet(); await MCP.lab.greet(); return 1`}}
			if token != nil {
				p.SetProgressToken(token)
			}
			r, err := c.CallTool(t.Context(), p)
			require.NoError(t, err)
			require.Contains(t, r.Content[0].(*mcp.TextContent).Text, "completed")
		}
		t.Run("E5 the client hears how far the tools of its cell have come, over "+name, func(t *testing.T) {
			call(t, "mine")
			for _, want := range []mcp.ProgressNotificationParams{
				{Progress: 1, Total: 4, Message: "mcp:lab:greet"},
				{Progress: 3, Total: 4, Message: "nearly there"},
				{Progress: 4, Total: 8, Message: "mcp:lab:greet"},
				{Progress: 6, Total: 8, Message: "nearly there"},
			} {
				got := <-heard
				require.Equal(t, "mine", got.ProgressToken)
				require.Equal(t, want, mcp.ProgressNotificationParams{Progress: got.Progress, Total: got.Total, Message: got.Message})
			}
		})
		t.Run("E5 one that does not ask hears nothing, over "+name, func(t *testing.T) {
			call(t, nil)
			require.Empty(t, heard)
		})
	}
	cancel()
	<-ended
}

func TestReporter(t *testing.T) {
	say := func(calls ...bridge.CallProgressed) (notes []mcp.ProgressNotificationParams) {
		p := newReporter("t")
		for _, c := range calls {
			p.heard(c)
		}
		close(p.notes)
		for n := range p.notes {
			n.ProgressToken = nil
			notes = append(notes, *n)
		}
		return notes
	}
	of := func(id string, done, total float64) bridge.CallProgressed {
		return bridge.CallProgressed{CallID: id, Done: done, Total: total, Message: "m"}
	}
	note := func(done, total float64) mcp.ProgressNotificationParams {
		return mcp.ProgressNotificationParams{Progress: done, Total: total, Message: "m"}
	}
	for _, c := range []struct {
		name string
		said []bridge.CallProgressed
		want []mcp.ProgressNotificationParams
	}{
		{"E5 calls at once are summed", []bridge.CallProgressed{of("a", 1, 2), of("b", 2, 8), of("a", 2, 2)}, []mcp.ProgressNotificationParams{note(1, 2), note(3, 10), note(4, 10)}},
		{"E5 progress only grows", []bridge.CallProgressed{of("a", 2, 0), of("a", 1, 0), of("a", 2, 0), of("a", 3, 0)}, []mcp.ProgressNotificationParams{note(2, 0), note(3, 0)}},
		{"E5 there is no sum if one total is not known", []bridge.CallProgressed{of("a", 1, 2), of("b", 1, 0), of("a", 2, 2)}, []mcp.ProgressNotificationParams{note(1, 2), note(2, 0), note(3, 0)}},
		{"H6 numbers that are none", []bridge.CallProgressed{of("a", math.NaN(), 1), of("a", math.Inf(1), 1), of("a", math.MaxFloat64, math.MaxFloat64), of("b", math.MaxFloat64, math.MaxFloat64), of("c", 1, math.NaN())}, []mcp.ProgressNotificationParams{note(math.MaxFloat64, math.MaxFloat64)}},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, say(c.said...)) })
	}
	t.Run("H6 what a slow client does not take is dropped", func(t *testing.T) {
		var many []bridge.CallProgressed
		for i := range 10 * maxNotes {
			many = append(many, of("a", float64(i+1), 0))
		}
		require.Len(t, say(many...), maxNotes)
	})
	t.Run("H6 a long message is cut, and one that is no text is mended", func(t *testing.T) {
		long := of("a", 1, 0)
		long.Message = strings.Repeat("é", 10_000)
		broken := of("a", 2, 0)
		broken.Message = "a\xff"
		notes := say(long, broken)
		require.Equal(t, strings.Repeat("é", maxMessageBytes/2), notes[0].Message)
		require.Equal(t, "a\uFFFD", notes[1].Message)
	})
	t.Run("H6 as many calls as a run may have at most", func(t *testing.T) {
		var many []bridge.CallProgressed
		for i := range 2 * maxReported {
			many = append(many, of(strings.Repeat("x", i), 1, 1))
		}
		p := newReporter("t")
		for c := range slices.Values(many) {
			p.heard(c)
		}
		require.Len(t, p.calls, maxReported)
	})
}

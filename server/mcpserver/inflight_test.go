//go:build cgo

package mcpserver

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCancelled(t *testing.T) {
	w := newWorld(t)
	url, other := w.serve(t, "a"), w.serve(t, "b")
	send := func(t *testing.T, url, session, message string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set(sessionHeader, session)
		}
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	mine, another := send(t, url, "", initialize).Header.Get(sessionHeader), send(t, url, "", initialize).Header.Get(sessionHeader)
	t.Run("E5 each client has a session of its own", func(t *testing.T) {
		require.NotEmpty(t, mine)
		require.NotEqual(t, mine, another)
	})
	t.Run("G7 a message cancels the cell of its own session", func(t *testing.T) {
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			send(t, url, mine, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"exec","arguments":{"code":"await MCP.lab.stall()"}}}`)
		}()
		<-w.entered
		send(t, url, another, cancelled)
		send(t, url, "", cancelled)
		send(t, other, mine, cancelled)
		require.Empty(t, w.left)
		send(t, url, mine, cancelled)
		<-w.left
		<-answered
	})
	t.Run("H5 nothing is kept of what is answered", func(t *testing.T) { require.Empty(t, w.endpoint.inFlight.requests) })
	http.DefaultClient.CloseIdleConnections()
}

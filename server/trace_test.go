package server

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/outbound"
	"github.com/codecell/codecell/engine/native"
)

const testTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestTracePassesOn(t *testing.T) {
	seen := make(chan http.Header, 1)
	tool := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header
		_, _ = io.WriteString(w, `{"details":1}`)
	}))
	defer tool.Close()
	client, err := outbound.New(outbound.Options{Hosts: []string{outbound.Loopback}})
	require.NoError(t, err)
	defer client.CloseIdle()
	engine, err := native.New(native.Options{Threads: 1, Heaps: 4, Warm: 1})
	require.NoError(t, err)
	service, err := bridge.New(bridge.Options{Engine: engine, Outbound: client})
	require.NoError(t, err)
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, service.Close(ctx))
		require.NoError(t, engine.Close())
	}()
	s := newTestServer(t, Options{Backend: FromBridge(service, func() []string { return []string{"test"} })})
	created := do(t, s, post("/v1/turns", `{"context":{"agentId":"a","sessionId":"s","sessionKey":"k","runId":"r"},"config":{"enabled":true},
		"tools":[{"source":"openclaw","owner":"lab","name":"remote","executor":{"type":"http","url":"`+tool.URL+`"}}]}`))
	require.Equal(t, http.StatusOK, created.Code, created.Body)
	turn := gjson.Get(created.Body.String(), "turnId").Str
	exec := func(t *testing.T, parent, state string) (gjson.Result, http.Header) {
		t.Helper()
		r := post("/v1/exec", `{"turnId":"`+turn+`","toolCallId":"c","code":"await tools.remote({}); await yield_control(); await tools.remote({})"}`)
		if parent != "" {
			r = r.with("traceparent", parent)
			r = r.with("tracestate", state)
		}
		result := do(t, s, r)
		require.Equal(t, "waiting", gjson.Get(result.Body.String(), "status").Str, result.Body)
		return gjson.ParseBytes(result.Body.Bytes()), <-seen
	}
	t.Run("I4 an exec's trace is that of the tools that it calls", func(t *testing.T) {
		result, h := exec(t, testTrace, "gateway=1")
		require.Equal(t, testTrace, h.Get("traceparent"))
		require.Equal(t, "gateway=1", h.Get("tracestate"))
		t.Run("and a wait's is that of those which it calls", func(t *testing.T) {
			r := post("/v1/wait", `{"turnId":"`+turn+`","toolCallId":"w","runId":"`+result.Get("runId").Str+`"}`)
			other := "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-00"
			r = r.with("traceparent", other)
			require.Equal(t, "completed", gjson.Get(do(t, s, r).Body.String(), "status").Str)
			h := <-seen
			require.Equal(t, other, h.Get("traceparent"))
			require.Empty(t, h.Values("tracestate"))
		})
	})
	t.Run("I4 without a trace, or with none that is one, none goes on", func(t *testing.T) {
		for _, parent := range []string{"", "00-0-0-00"} {
			_, h := exec(t, parent, "gateway=1")
			require.Empty(t, h.Values("traceparent"))
			require.Empty(t, h.Values("tracestate"))
		}
	})
}

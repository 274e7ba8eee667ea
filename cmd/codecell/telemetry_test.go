package main

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/codecell/codecell/server/telemetry/logs"
)

// spanCollector is a collector of spans over OTLP.
type spanCollector struct {
	mu    sync.Mutex
	spans []*otlp.Span
}

// ServeHTTP takes spans.
func (s *spanCollector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request collector.ExportTraceServiceRequest
	text, err := io.ReadAll(r.Body)
	if err != nil || proto.Unmarshal(text, &request) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range request.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			s.spans = append(s.spans, scope.Spans...)
		}
	}
}

func (s *spanCollector) named(t *testing.T, name string) *otlp.Span {
	n := slices.IndexFunc(s.spans, func(s *otlp.Span) bool { return s.Name == name })
	require.GreaterOrEqual(t, n, 0, name)
	return s.spans[n]
}

func TestTraces(t *testing.T) {
	spans := &spanCollector{}
	otlpServer := httptest.NewServer(spans)
	defer otlpServer.Close()
	seen := make(chan string, 1)
	tool := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("traceparent")
		_, _ = io.WriteString(w, `{"details":1}`)
	}))
	defer tool.Close()
	s := serveProcess(t, `{traces: {endpoint: "`+otlpServer.URL+`"}}`)
	turn := s.post(t, "/v1/turns", "", `{"context":{"agentId":"a"},"config":true,
		"tools":[{"source":"openclaw","owner":"lab","name":"remote","executor":{"type":"http","url":"`+tool.URL+`"}}]}`).Get("turnId").Str
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	result := s.post(t, "/v1/exec", parent, `{"turnId":"`+turn+`","toolCallId":"c","code":"await tools.remote({}); await yield_control(); return 1"}`)
	require.Equal(t, "waiting", result.Get("status").Str, result.Raw)
	told := <-seen
	s.post(t, "/v1/wait", "", `{"turnId":"`+turn+`","runId":"`+result.Get("runId").Str+`"}`)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM)) // which sends what is left
	require.NoError(t, s.cmd.Wait())
	t.Run("I4 request, exec, step and call arrive as one trace", func(t *testing.T) {
		request, exec, call := spans.named(t, "POST /v1/exec"), spans.named(t, "execute_tool exec"), spans.named(t, "execute_tool remote")
		n := slices.IndexFunc(spans.spans, func(s *otlp.Span) bool { return string(s.SpanId) == string(call.ParentSpanId) })
		require.GreaterOrEqual(t, n, 0)
		step := spans.spans[n]
		require.Equal(t, "step", step.Name)
		require.Equal(t, exec.SpanId, step.ParentSpanId)
		require.Equal(t, request.SpanId, exec.ParentSpanId)
		require.Equal(t, parent, traceparent(call.TraceId, request.ParentSpanId))
		require.Equal(t, told, traceparent(call.TraceId, call.SpanId), "the tool was told of its call's span")
	})
	t.Run("I4 a wait in a trace of its own is linked to the exec", func(t *testing.T) {
		wait, exec := spans.named(t, "execute_tool wait"), spans.named(t, "execute_tool exec")
		require.NotEqual(t, exec.TraceId, wait.TraceId)
		require.Equal(t, exec.SpanId, wait.Links[0].SpanId)
	})
	t.Run("I4 the service's own tests of its limits are nobody's", func(t *testing.T) {
		for _, span := range spans.spans {
			require.NotEqual(t, "execute_tool hold", span.Name)
		}
	})
}

func traceparent(trace, span []byte) string {
	return "00-" + hex.EncodeToString(trace) + "-" + hex.EncodeToString(span) + "-01"
}

// post sends a request, in a trace if one is given, and returns the answer.
func (s *service) post(t *testing.T, path, parent, body string) gjson.Result {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	if parent != "" {
		r.Header.Set("traceparent", parent)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer http.DefaultClient.CloseIdleConnections()
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, string(text))
	return gjson.ParseBytes(text)
}

func TestLogs(t *testing.T) {
	t.Run("I4 a line for each run, and what the model is shown if that is asked for", func(t *testing.T) {
		t.Setenv("CODECELL_DEBUG_PAYLOAD", "tools")
		s := serveProcess(t, `{}`)
		turn := s.post(t, "/v1/turns", "", `{"context":{"agentId":"a"},"config":true,"tools":[]}`).Get("turnId").Str
		require.Equal(t, "completed", s.post(t, "/v1/exec", "", `{"turnId":"`+turn+`","code":"return 1"}`).Get("status").Str)
		s.post(t, "/v1/payload/check", "", `{"tools":[{"name":"exec"},{"name":"wait"}]}`)
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, s.cmd.Wait())
		lines := map[string][]gjson.Result{}
		for line := range strings.Lines(s.log.String()) {
			require.True(t, gjson.Valid(line), line)
			message := gjson.Get(line, "msg").Str
			lines[message] = append(lines[message], gjson.Parse(line))
		}
		require.Len(t, lines["run"], 1, "none for the tests of limits")
		require.Equal(t, "completed", lines["run"][0].Get("outcome").Str)
		require.Equal(t, turn, lines["run"][0].Get("turn").Str)
		require.Equal(t, "turn "+turn, lines["debug: payload"][0].Get("where").Str)
		require.Equal(t, `["exec","wait"]`, lines["debug: payload"][0].Get("tools").Raw)
		require.Equal(t, "check", lines["debug: payload"][1].Get("where").Str)
		require.Empty(t, lines["debug: step"])
	})
	t.Run("I4 the variables are as on the page", func(t *testing.T) {
		from := func(pairs ...string) *logs.Debug {
			return debugFrom(func(name string) string {
				for n := 0; n < len(pairs); n += 2 {
					if pairs[n] == name {
						return pairs[n+1]
					}
				}
				return ""
			})
		}
		require.Nil(t, from())
		require.Nil(t, from("CODECELL_DEBUG_CODE_MODE", "0", "CODECELL_DEBUG_PAYLOAD", "everything"))
		require.True(t, from("CODECELL_DEBUG_CODE_MODE", "1").CodeMode)
		require.Equal(t, logs.PayloadFull, from("CODECELL_DEBUG_PAYLOAD", "full-redacted").Payloads)
	})
}

package tracecontext

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
)

const (
	traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent  = "00-" + traceID + "-00f067aa0ba902b7-01"
)

func TestFromHeader(t *testing.T) {
	for _, tc := range []struct{ name, parent, flags string }{
		{"as the standard has it", parent, "01"},
		{"not sampled", "00-" + traceID + "-00f067aa0ba902b7-00", "00"},
		{"flags that nobody knows", "00-" + traceID + "-00f067aa0ba902b7-ff", "03"},
		{"a later version", "cc-" + traceID + "-00f067aa0ba902b7-01-what the future brings", "01"},
		{"a later version without more", "01-" + traceID + "-00f067aa0ba902b7-01", "01"},
	} {
		t.Run("I4 "+tc.name, func(t *testing.T) {
			trace, ok := FromHeader(http.Header{ParentHeader: {tc.parent}})
			require.True(t, ok)
			h := http.Header{}
			Inject(With(t.Context(), trace), h)
			require.Equal(t, "00-"+traceID+"-00f067aa0ba902b7-"+tc.flags, h.Get("traceparent"))
			require.NotContains(t, h, StateHeader)
		})
	}
	for _, tc := range []struct {
		name    string
		parents []string
	}{
		{"none", nil},
		{"two", []string{parent, parent}},
		{"nothing", []string{""}},
		{"too short", []string{parent[:54]}},
		{"too long", []string{parent + "-x"}},
		{"a later version, too long", []string{"01" + parent[2:] + "x"}},
		{"version ff", []string{"ff" + parent[2:]}},
		{"no trace", []string{"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01"}},
		{"no span", []string{"00-" + traceID + "-0000000000000000-01"}},
		{"capitals", []string{strings.ToUpper(parent)}},
		{"no digits", []string{strings.Replace(parent, "4bf9", "4bg9", 1)}},
		{"other separators", []string{strings.ReplaceAll(parent, "-", "_")}},
		{"line breaks", []string{"00-" + traceID + "-00f067aa0ba902b7-\r\n"}},
	} {
		t.Run("I4 not passed on: "+tc.name, func(t *testing.T) {
			_, ok := FromHeader(http.Header{ParentHeader: tc.parents, StateHeader: {"a=1"}})
			require.False(t, ok)
		})
	}
}

func TestState(t *testing.T) {
	for _, tc := range []struct {
		name   string
		states []string
		want   string
	}{
		{"as it is", []string{"congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"}, "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"},
		{"several headers are one", []string{"a=1", "b=2"}, "a=1,b=2"},
		{"too long", []string{"a=" + strings.Repeat("x", 511)}, ""},
		{"too many", []string{strings.Repeat("a=1,", 32) + "b=2"}, ""},
		{"no text", []string{"a=\x01"}, ""},
		{"line breaks", []string{"a=1\r\nX-Codecell-Tenant: b"}, ""},
	} {
		t.Run("I4 "+tc.name, func(t *testing.T) {
			trace, ok := FromHeader(http.Header{ParentHeader: {parent}, StateHeader: tc.states})
			require.True(t, ok)
			h := http.Header{StateHeader: {"somebody=else"}}
			Inject(With(t.Context(), trace), h)
			require.Equal(t, tc.want, h.Get("tracestate"))
		})
	}
}

func TestInject(t *testing.T) {
	trace, ok := FromHeader(http.Header{ParentHeader: {parent}, StateHeader: {"a=1"}})
	require.True(t, ok)
	t.Run("I4 what came in goes on", func(t *testing.T) {
		require.Equal(t, parent, trace.Parent())
		require.Equal(t, "a=1", trace.State())
		h := http.Header{}
		Inject(With(t.Context(), trace), h)
		require.Equal(t, http.Header{ParentHeader: {parent}, StateHeader: {"a=1"}}, h)
	})
	t.Run("I4 nothing came in and nothing goes on", func(t *testing.T) {
		h := http.Header{}
		Inject(t.Context(), h)
		require.Empty(t, h)
	})
	t.Run("I4 a trace that is configured is kept, without a foreign state", func(t *testing.T) {
		h := http.Header{ParentHeader: {"mine"}}
		Inject(With(t.Context(), trace), h)
		require.Equal(t, http.Header{ParentHeader: {"mine"}}, h)
	})
}

func TestSpan(t *testing.T) {
	came, ok := FromHeader(http.Header{ParentHeader: {parent}, StateHeader: {"gateway=1"}})
	require.True(t, ok)
	t.Run("I4 a trace is a span in another process", func(t *testing.T) {
		span := came.SpanContext()
		require.True(t, span.IsValid() && span.IsRemote() && span.IsSampled())
		require.Equal(t, traceID, span.TraceID().String())
		require.Equal(t, "gateway=1", span.TraceState().String())
		require.False(t, Trace{}.SpanContext().IsValid())
	})
	t.Run("I4 the span of the context goes before what came in", func(t *testing.T) {
		span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}})
		h := http.Header{}
		Inject(trace.ContextWithSpanContext(With(t.Context(), came), span), h)
		require.Equal(t, "00-01000000000000000000000000000000-0200000000000000-00", h.Get(ParentHeader))
		require.Empty(t, h.Values(StateHeader))
	})
}

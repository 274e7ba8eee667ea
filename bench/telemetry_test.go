package bench

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/server/telemetry/metrics"
)

// telemetryRound is how many execs one side has at a time.
const telemetryRound = 200

// BenchmarkTelemetry runs a cell with one nested call on services that tell nothing, that count for Prometheus, and that record
// spans as well, in turns. What is reported is the median of the rounds.
func BenchmarkTelemetry(b *testing.B) {
	spans := sdktrace.NewTracerProvider(sdktrace.WithBatcher(discard{}))
	defer func() { require.NoError(b, spans.Shutdown(context.Background())) }()
	sides := []*toldSide{
		{name: "off"},
		{name: "metrics", options: bridge.Options{Observer: metrics.New("")}},
		{name: "traces", options: bridge.Options{Tracer: spans.Tracer("bench")}},
		{name: "off-again"},
	}
	for _, s := range sides {
		s.open(b)
		s.run(b, telemetryRound)
	}
	b.ResetTimer()
	for done := 0; done < b.N; done += telemetryRound {
		for _, s := range sides {
			s.rounds = append(s.rounds, s.run(b, min(telemetryRound, b.N-done)))
		}
	}
	b.StopTimer()
	for _, s := range sides {
		slices.Sort(s.rounds)
		s.median = s.rounds[len(s.rounds)/2]
		b.ReportMetric(s.median.Seconds()*1e6, s.name+"-µs")
	}
	row("exec with one call: telling nothing, metrics, traces", "%.1f, %.1f, %.1f µs",
		sides[0].median.Seconds()*1e6, sides[1].median.Seconds()*1e6, sides[2].median.Seconds()*1e6)
}

// toldSide is one of the services.
type toldSide struct {
	name    string
	options bridge.Options
	turn    *bridge.Turn
	rounds  []time.Duration // of an exec, each
	median  time.Duration
}

func (s *toldSide) open(b *testing.B) {
	e, err := native.New(native.Options{})
	require.NoError(b, err)
	s.options.Engine, s.options.TestExecutors = e, true
	service, err := bridge.New(s.options)
	require.NoError(b, err)
	b.Cleanup(func() {
		require.NoError(b, service.Close(context.Background()))
		require.NoError(b, e.Close())
	})
	s.turn, err = service.Prepare(b.Context(), "", turnRequest(50, `true`))
	require.NoError(b, err)
}

func (s *toldSide) run(b *testing.B, n int) time.Duration {
	start := time.Now()
	for range n {
		r, err := s.turn.Exec(b.Context(), cell(`return (await tools.tool_0({query: "a"})).found.length`))
		must(b, bridge.Completed, r, err)
	}
	return time.Since(start) / time.Duration(n)
}

// discard is a collector that keeps nothing.
type discard struct{}

// ExportSpans implements sdktrace.SpanExporter.
func (discard) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return nil }

// Shutdown implements sdktrace.SpanExporter.
func (discard) Shutdown(context.Context) error { return nil }

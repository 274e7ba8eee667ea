package main

import (
	"context"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/telemetry/metrics"
	"github.com/codecell/codecell/telemetry/traces"
)

// telemetry is what the service tells of itself (contract I4).
type telemetry struct {
	metrics  *metrics.Metrics
	exporter *traces.Exporter // nil without traces
	tracer   trace.Tracer     // the same
}

// flushSpans is how long the last spans may take to be sent when the service stops.
const flushSpans = 5 * time.Second

func openTelemetry(c traces.Config, logger *slog.Logger) (*telemetry, error) {
	t := &telemetry{metrics: metrics.New(version())}
	if !c.On() {
		return t, nil
	}
	var err error
	if t.exporter, err = traces.Open(context.Background(), c, version()); err != nil {
		return nil, err
	}
	t.tracer = t.exporter.Tracer()
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("spans were not sent", "error", err) }))
	return t, nil
}

// observer is told what happens to runs.
func (t *telemetry) observer() bridge.Observer { return t.metrics }

// watch says what to ask for its state.
func (t *telemetry) watch(a *app) {
	t.metrics.Watch(metrics.Sources{
		Service: a.service.Stats, Workers: a.engines.workers(), Parsers: a.parsers.Stats, Ready: a.service.Ready,
	})
}

// close sends the last spans.
func (t *telemetry) close() error {
	if t.exporter == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushSpans)
	defer cancel()
	return t.exporter.Close(ctx)
}

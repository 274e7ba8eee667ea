package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/server/keyring"
	"github.com/codecell/codecell/server/telemetry/logs"
	"github.com/codecell/codecell/server/telemetry/metrics"
	"github.com/codecell/codecell/server/telemetry/traces"
)

// telemetry is what the service tells of itself (contract I4).
type telemetry struct {
	metrics  *metrics.Metrics
	exporter *traces.Exporter // nil without traces
	tracer   trace.Tracer     // the same
	runs     *logs.Runs       // nil without a line for each run
	debug    *logs.Debug      // nil unless somebody looks for a fault
}

// flushSpans is how long the last spans may take to be sent when the service stops.
const flushSpans = 5 * time.Second

func openTelemetry(c *Config, keys *keyring.Ring, logger *slog.Logger) (*telemetry, error) {
	t := &telemetry{metrics: metrics.New(version()), debug: debugFrom(os.Getenv)}
	if t.debug != nil {
		t.debug.Logger, t.debug.Redactor = logger, c.redactor(keys)
	}
	if c.LogRuns == logs.All || c.LogRuns == logs.Failed {
		t.runs = logs.NewRuns(logger, c.LogRuns)
	}
	if !c.Traces.On() {
		return t, nil
	}
	var err error
	if t.exporter, err = traces.Open(context.Background(), c.Traces, version()); err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	t.tracer = t.exporter.Tracer()
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("spans were not sent", "error", err) }))
	return t, nil
}

// observer is told what happens to runs.
func (t *telemetry) observer() bridge.Observer {
	all := bridge.Observers{t.metrics}
	if t.runs != nil {
		all = append(all, t.runs)
	}
	if t.debug != nil {
		all = append(all, t.debug)
	}
	return all
}

// payload is shown what the model is shown; nil for nobody.
func (t *telemetry) payload() func(tenant, where string, payload []byte) {
	if t.debug == nil {
		return nil
	}
	return t.debug.Payload
}

// debugFrom reads the environment variables with which faults are looked for; nil without any.
func debugFrom(env func(string) string) *logs.Debug {
	d := &logs.Debug{CodeMode: env("CODECELL_DEBUG_CODE_MODE") == "1", Payloads: env("CODECELL_DEBUG_PAYLOAD")}
	if d.Payloads != logs.PayloadTools && d.Payloads != logs.PayloadFull {
		d.Payloads = ""
	}
	if !d.On() {
		return nil
	}
	return d
}

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

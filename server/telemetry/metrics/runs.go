package metrics

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/codecell/codecell/bridge"
)

// runMetrics are those of runs and their steps.
type runMetrics struct {
	started     prometheus.Counter
	ended       *prometheus.CounterVec
	guest, wall prometheus.Histogram
	service     prometheus.Histogram
	perRun      prometheus.Histogram

	suspended, resumed prometheus.Counter

	step, stepCPU, queued prometheus.Histogram
	heap                  prometheus.Histogram

	tenants     *names
	tenantRuns  *prometheus.CounterVec
	tenantGuest *prometheus.CounterVec
}

func newRunMetrics() runMetrics {
	return runMetrics{
		started: counter("runs_started_total", "Runs whose cells have passed all checks and have a guest, imported ones too."),
		ended: counters("runs_total", "Cells by what came of them: completed, failed, refused (before they had a guest), or without a result: "+
			"aborted, expired, exported, overloaded. code is that of a failed or refused one.", "outcome", "code"),
		guest:   histogram("run_guest_seconds", "Processor time that the steps of a run took.", seconds),
		service: histogram("run_service_seconds", "Processor time that the service spent on what a run asked for.", seconds),
		wall:    histogram("run_duration_seconds", "Time from a run's start to its end, suspended or not.", longSeconds),
		perRun:  histogram("run_steps", "Steps that a run took.", prometheus.ExponentialBuckets(1, 2, 13)),

		suspended: counter("run_suspensions_total", "Times that a run was suspended."),
		resumed:   counter("run_resumptions_total", "Times that a suspended run was resumed."),

		step:    histogram("step_duration_seconds", "Time that a step took, on a processor or waiting for one.", seconds),
		stepCPU: histogram("step_cpu_seconds", "Processor time that a step took.", seconds),
		queued:  histogram("step_wait_seconds", "Time that a step waited for its turn and for its transport to a worker and back.", seconds),
		heap: histogram("step_heap_bytes", "Size of the guest's heap after a step.",
			prometheus.ExponentialBuckets(256<<10, 2, 10)),

		tenants:     newNames(maxTenants, maxTenants),
		tenantRuns:  counters("tenant_runs_total", "Cells of a tenant by what came of them.", "tenant", "outcome"),
		tenantGuest: counters("tenant_guest_seconds_total", "Processor time of a tenant's steps.", "tenant"),
	}
}

func (r *runMetrics) all() []prometheus.Collector {
	return []prometheus.Collector{
		r.started, r.ended, r.guest, r.service, r.wall, r.perRun, r.suspended, r.resumed,
		r.step, r.stepCPU, r.queued, r.heap, r.tenantRuns, r.tenantGuest,
	}
}

// Observe implements bridge.Observer.
func (m *Metrics) Observe(_ context.Context, run bridge.RunInfo, e bridge.Event) {
	switch e := e.(type) {
	case bridge.StepEnded:
		m.runs.observeStep(run.Tenant, e)
	case bridge.CallEnded:
		m.calls.observeCall(run.Tenant, e)
	case bridge.HookAnswered:
		m.calls.observeHook(e)
	case bridge.RunStarted:
		m.runs.started.Inc()
	case bridge.RunSuspended:
		m.runs.suspended.Inc()
	case bridge.RunResumed:
		m.runs.resumed.Inc()
	case bridge.CellRefused:
		m.runs.count(run.Tenant, "refused", e.Code)
	case bridge.RunEnded:
		m.runs.observeEnd(run.Tenant, e)
	}
}

func (r *runMetrics) observeStep(tenant string, e bridge.StepEnded) {
	r.step.Observe(e.Wall.Seconds())
	r.stepCPU.Observe(e.CPU.Seconds())
	r.queued.Observe(e.Queued.Seconds())
	r.heap.Observe(float64(e.HeapBytes))
	r.tenantGuest.WithLabelValues(r.tenants.of("", tenant)).Add(e.CPU.Seconds())
}

func (r *runMetrics) observeEnd(tenant string, e bridge.RunEnded) {
	outcome := string(e.Status)
	if outcome == "" {
		outcome = string(e.Cause)
	}
	r.count(tenant, outcome, e.Code)
	r.guest.Observe(e.Usage.CPU.Seconds())
	r.service.Observe(e.Usage.Service.Seconds())
	r.wall.Observe(e.Wall.Seconds())
	r.perRun.Observe(float64(e.Usage.Steps))
}

func (r *runMetrics) count(tenant, outcome string, code bridge.Code) {
	r.ended.WithLabelValues(outcome, string(code)).Inc()
	r.tenantRuns.WithLabelValues(r.tenants.of("", tenant), outcome).Inc()
}

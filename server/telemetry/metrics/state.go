package metrics

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine/preparer"
	"github.com/codecell/codecell/engine/worker"
)

// Sources are asked for what they hold at each scrape. Those that are nil are left out.
type Sources struct {
	Service func() bridge.Stats
	// Workers count processes and guests of engines, by the engines' names.
	Workers map[string]func() worker.Workers
	Parsers func() preparer.Stats
	// Ready is nil while cells can be run.
	Ready func() error
}

// Watch says whom to ask from now on.
func (m *Metrics) Watch(s Sources) { m.state.sources.Store(&s) }

// state are the metrics that are read when they are asked for.
type state struct {
	version string
	sources atomic.Pointer[Sources]
}

func newState(version string) *state { return &state{version: version} }

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

// The metrics of what is held now, and of what has become of it since the start.
var (
	buildInfo = desc("build_info", "1, with the version of the service.", "version")
	ready     = desc("ready", "1 while cells can be run, else 0.")

	turns       = desc("turns", "Turns that are kept.")
	invocations = desc("invocations_running", "Execs and waits under way.")
	stepsNow    = desc("steps_running", "Steps under way.")
	stepsQueued = desc("steps_queued", "Steps that wait for their turn.")
	stepsMost   = desc("steps_limit", "Steps that may be under way at once.")
	heaps       = desc("heaps", "Heaps by state: used (they belong to a run), or free.", "state")
	suspended   = desc("suspended_runs", "Suspended runs by state: parked (in their heaps), or stored (in snapshots).", "state")
	approvals   = desc("approvals_pending", "Nested calls that wait for a person's approval.")
	held        = desc("held_bytes", "Bytes that turns and runs make the service hold beside heaps and snapshots.")
	heldMost    = desc("held_limit_bytes", "Bytes that they may make it hold.")

	snapshotBytes    = desc("snapshot_bytes", "Bytes of sealed snapshots that are kept.")
	snapshotsExpired = desc("snapshots_expired_total", "Snapshots that were dropped because nobody came for them.")
	handoffs         = desc("handoffs_total", "Guests that were to leave their heaps, by what came of it: done, diverged (a replayed step was "+
		"not the same step, and the heap was kept), kept (the guest can't leave), failed (no room).", "outcome")
	restores = desc("restores_total", "Snapshots that became guests again.")

	workers  = desc("workers", "Worker processes by engine and state: serving or spare.", "engine", "state")
	started  = desc("worker_starts_total", "Worker processes that were started.", "engine")
	lost     = desc("worker_losses_total", "Worker processes that ended without being told to.", "engine")
	rebuilt  = desc("guests_rebuilt_total", "Guests that were rebuilt in another worker.", "engine")
	replayed = desc("steps_replayed_total", "Steps that were executed again since their worker was lost.", "engine")
	poisoned = desc("guests_poisoned_total", "Guests that ended a worker that they had to themselves.", "engine")

	parsing       = desc("parsers_busy", "Texts that parser processes are at work on.")
	parsersQueued = desc("parsers_queued", "Texts that wait for one.")
)

// Describe implements prometheus.Collector.
func (s *state) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		buildInfo, ready, turns, invocations, stepsNow, stepsQueued, stepsMost, heaps, suspended, approvals, held, heldMost,
		snapshotBytes, snapshotsExpired, handoffs, restores, workers, started, lost, rebuilt, replayed, poisoned,
		parsing, parsersQueued,
	} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (s *state) Collect(out chan<- prometheus.Metric) {
	c := collector{out}
	c.gauge(buildInfo, 1, s.version)
	sources := s.sources.Load()
	if sources == nil {
		return
	}
	if sources.Ready != nil {
		up := 0
		if sources.Ready() == nil {
			up = 1
		}
		c.gauge(ready, up)
	}
	if sources.Service != nil {
		c.service(sources.Service())
	}
	for engine, count := range sources.Workers {
		c.workers(engine, count())
	}
	if sources.Parsers != nil {
		p := sources.Parsers()
		c.gauge(parsing, p.Parsing)
		c.gauge(parsersQueued, p.Waiting)
	}
}

// collector hands metrics over.
type collector struct{ out chan<- prometheus.Metric }

func (c collector) gauge(d *prometheus.Desc, value int, labels ...string) {
	c.out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), labels...)
}

func (c collector) counter(d *prometheus.Desc, value int64, labels ...string) {
	c.out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), labels...)
}

func (c collector) service(s bridge.Stats) {
	c.gauge(turns, s.Turns)
	c.gauge(invocations, s.Running)
	c.gauge(stepsNow, s.Engine.Running)
	c.gauge(stepsQueued, s.Engine.Queued)
	c.gauge(stepsMost, s.Engine.Threads)
	c.gauge(heaps, s.Engine.InUse, "used")
	c.gauge(heaps, max(s.Engine.Heaps-s.Engine.InUse, 0), "free")
	c.gauge(suspended, s.Parked, "parked")
	c.gauge(suspended, s.Snapshots.Snapshots, "stored")
	c.gauge(approvals, s.Approvals)
	c.gauge(held, int(s.HeldBytes))
	c.gauge(heldMost, int(s.MemoryBytes))
	c.gauge(snapshotBytes, int(s.Snapshots.Bytes))
	c.counter(snapshotsExpired, s.Snapshots.Expired)
	c.counter(handoffs, s.Offloads.Done, "done")
	c.counter(handoffs, s.Offloads.Diverged, "diverged")
	c.counter(handoffs, s.Offloads.Kept, "kept")
	c.counter(handoffs, s.Offloads.Failed, "failed")
	c.counter(restores, s.Offloads.Restored)
}

func (c collector) workers(engine string, w worker.Workers) {
	c.gauge(workers, w.Serving, engine, "serving")
	c.gauge(workers, w.Spare, engine, "spare")
	c.counter(started, w.Started, engine)
	c.counter(lost, w.Lost, engine)
	c.counter(rebuilt, w.Rebuilt, engine)
	c.counter(replayed, w.Replayed, engine)
	c.counter(poisoned, w.Poisoned, engine)
}

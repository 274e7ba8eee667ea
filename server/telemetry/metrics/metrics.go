package metrics

import (
	"net/http"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// namespace is what all names of the service's own metrics begin with.
const namespace = "codecell"

// How many names have a label of their own.
const (
	maxTools       = 100
	maxTenantTools = 25 // that one tenant brings
	maxTenants     = 100
	maxHooks       = 50
)

// How a scrape is bounded.
const (
	scrapeTimeout = 10 * time.Second
	maxScrapes    = 4 // at once
)

// Metrics are all metrics of a service. It is a bridge.Observer, and safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	runs     runMetrics
	calls    callMetrics
	requests requestMetrics
	state    *state
}

// New returns metrics of which nothing has been counted. version is that of the binary.
func New(version string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(), runs: newRunMetrics(), calls: newCallMetrics(), requests: newRequestMetrics(),
		state: newState(version),
	}
	m.registry.MustRegister(m.collectors()...)
	m.registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// collectors are those of the service's own metrics.
func (m *Metrics) collectors() []prometheus.Collector {
	return slices.Concat(m.runs.all(), m.calls.all(), m.requests.all(), []prometheus.Collector{m.state})
}

// Handler answers GET /metrics. It is no part of the service's own address, since it tells of all tenants.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		Registry: m.registry, MaxRequestsInFlight: maxScrapes, Timeout: scrapeTimeout, EnableOpenMetrics: true,
	})
}

// Registry has the metrics, for an embedder's own exposition.
func (m *Metrics) Registry() *prometheus.Registry { return m.registry }

// seconds are the buckets of durations that may be short: of steps, calls and waiting.
var seconds = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// longSeconds are those of runs, which may be suspended in between.
var longSeconds = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600}

func counters(name, help string, labels ...string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, labels)
}

func counter(name, help string) prometheus.Counter {
	return prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
}

func histogram(name, help string, buckets []float64) prometheus.Histogram {
	return prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets})
}

func histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: namespace, Name: name, Help: help, Buckets: buckets}, labels)
}

package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// requestMetrics are those of HTTP.
type requestMetrics struct {
	answered *prometheus.CounterVec
	took     *prometheus.HistogramVec
}

func newRequestMetrics() requestMetrics {
	return requestMetrics{
		answered: counters("http_requests_total", "Requests by route and status; route is other where there is none.", "method", "route", "status"),
		took:     histograms("http_request_duration_seconds", "Time from a request's header to its answer.", longSeconds, "route"),
	}
}

func (r *requestMetrics) all() []prometheus.Collector {
	return []prometheus.Collector{r.answered, r.took}
}

// Answered counts a request. route is its pattern, empty if there is none.
func (m *Metrics) Answered(method, route string, status int, took time.Duration) {
	switch {
	case route == "":
		method, route = other, other
	case method != http.MethodGet && method != http.MethodPost && method != http.MethodPut && method != http.MethodDelete && method != http.MethodHead:
		method = other
	}
	m.requests.answered.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.requests.took.WithLabelValues(route).Observe(took.Seconds())
}

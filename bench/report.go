package bench

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Report is what a load came to.
type Report struct {
	// Requests that were answered rightly.
	Requests int64
	// Elapsed is from the first request to the last answer.
	Elapsed time.Duration

	latency *hdrhistogram.Histogram // nanoseconds
}

// slowest is the longest latency that is told apart from longer ones.
const slowest = time.Minute

func newReport() *Report {
	return &Report{latency: hdrhistogram.New(1, int64(slowest), 3)}
}

func (r *Report) add(latency time.Duration) {
	r.Requests++
	// Values within the bounds are always taken.
	_ = r.latency.RecordValue(int64(min(max(latency, 1), slowest)))
}

// merge adds what ran beside r.
func (r *Report) merge(o *Report) {
	r.Requests += o.Requests
	r.latency.Merge(o.latency)
}

// Append adds what ran after r.
func (r *Report) Append(o *Report) {
	r.merge(o)
	r.Elapsed += o.Elapsed
}

// Rate returns requests a second.
func (r *Report) Rate() float64 {
	if r.Elapsed <= 0 {
		return 0
	}
	return float64(r.Requests) / r.Elapsed.Seconds()
}

// Quantile returns the latency that the given share of the requests, such as 0.99, stayed within.
func (r *Report) Quantile(share float64) time.Duration {
	return time.Duration(r.latency.ValueAtQuantile(share * 100))
}

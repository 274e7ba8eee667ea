package logs

import (
	"context"
	"log/slog"
	"time"

	"github.com/codecell/codecell/bridge"
)

// Which cells have a line.
const (
	All    = "all"
	Failed = "failed" // those that did not complete
	None   = "none"
)

// Runs writes a line for each cell when it is over. It is a bridge.Observer.
type Runs struct {
	logger *slog.Logger
	all    bool
}

// NewRuns returns what writes lines for cells, All or Failed of them.
func NewRuns(l *slog.Logger, which string) *Runs { return &Runs{logger: l, all: which == All} }

// Observe implements bridge.Observer.
func (r *Runs) Observe(ctx context.Context, run bridge.RunInfo, e bridge.Event) {
	switch e := e.(type) {
	case bridge.CellRefused:
		r.write(ctx, run, "refused", e.Code)
	case bridge.RunEnded:
		outcome := string(e.Status)
		if outcome == "" {
			outcome = string(e.Cause)
		}
		if !r.all && e.Status == bridge.Completed {
			return
		}
		r.write(ctx, run, outcome, e.Code,
			slog.Int("steps", e.Usage.Steps), millis("wallMs", e.Wall), millis("guestMs", e.Usage.CPU),
			millis("serviceMs", e.Usage.Service), millis("waitMs", e.Usage.Waited), slog.Int("heapBytes", e.Usage.Heap))
	}
}

func (r *Runs) write(ctx context.Context, run bridge.RunInfo, outcome string, code bridge.Code, more ...slog.Attr) {
	if !r.logger.Enabled(ctx, slog.LevelInfo) {
		return
	}
	attrs := append(make([]slog.Attr, 0, 16), slog.String("outcome", outcome))
	if code != "" {
		attrs = append(attrs, slog.String("code", string(code)))
	}
	attrs = append(attrs, whose(run)...)
	r.logger.LogAttrs(ctx, slog.LevelInfo, "run", append(attrs, more...)...)
}

// maxText is how much of a text that a client has chosen is written, in bytes.
const maxText = 200

// whose says which run a line is about.
func whose(run bridge.RunInfo) []slog.Attr {
	attrs := make([]slog.Attr, 0, 5)
	for _, a := range []struct{ key, value string }{
		{"tenant", run.Tenant}, {"turn", run.TurnID}, {"run", run.RunID}, {"agent", run.Context.AgentID}, {"session", run.Context.SessionID},
	} {
		if a.value != "" {
			attrs = append(attrs, slog.String(a.key, a.value[:min(len(a.value), maxText)]))
		}
	}
	return attrs
}

// millis is a duration in milliseconds, to the microsecond.
func millis(key string, d time.Duration) slog.Attr {
	return slog.Float64(key, float64(d.Microseconds())/1000)
}

package bridge

import (
	"strconv"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/catalog"
)

// Telemetry is on every result (contract G6).
type Telemetry struct {
	CatalogSize                       int
	Sources                           catalog.Sources
	SearchCount, DescribeCount, Calls int64
	Engine                            string
	Steps                             int
	GuestMs, CPUMs, WaitMs            float64 // in steps, of that on a processor, between steps
	ServiceMs                         float64 // processor time of the service, for what the cell asked for
	HeapBytes                         int
}

// telemetry is what a result of the turn has where no guest was started.
func (t *Turn) telemetry() Telemetry {
	return Telemetry{
		CatalogSize: t.catalog.Len(), Sources: t.catalog.Sources(),
		SearchCount: t.counts.search.Load(), DescribeCount: t.counts.describe.Load(), Calls: t.counts.call.Load(),
		Engine: t.service.EngineName(),
	}
}

// usage fills in what a run has used.
func (t *Telemetry) usage(engine string, u *Usage) {
	t.Engine, t.Steps, t.HeapBytes = engine, u.Steps, u.Heap
	t.GuestMs, t.CPUMs = u.Guest.Seconds()*1000, u.CPU.Seconds()*1000
	t.WaitMs, t.ServiceMs = u.Waited.Seconds()*1000, u.Service.Seconds()*1000
}

func (t *Telemetry) appendJSON(dst []byte) []byte {
	number := func(key string, n int64) {
		dst = strconv.AppendInt(append(append(append(dst, '"'), key...), '"', ':'), n, 10)
		dst = append(dst, ',')
	}
	millis := func(key string, ms float64) {
		dst = strconv.AppendFloat(append(append(append(dst, '"'), key...), '"', ':'), ms, 'f', 3, 64)
		dst = append(dst, ',')
	}
	dst = append(dst, '{')
	number("catalogSize", int64(t.CatalogSize))
	dst = append(dst, `"sources":{`...)
	number("openclaw", int64(t.Sources.OpenClaw))
	number("mcp", int64(t.Sources.MCP))
	number("client", int64(t.Sources.Client))
	dst[len(dst)-1] = '}'
	dst = append(dst, ',')
	number("searchCount", t.SearchCount)
	number("describeCount", t.DescribeCount)
	number("callCount", t.Calls)
	dst = append(dst, `"visibleTools":["exec","wait"],"runtime":{"engine":`...)
	dst = append(jsontext.AppendString(dst, t.Engine), ',')
	number("steps", int64(t.Steps))
	millis("guestMs", t.GuestMs)
	millis("cpuMs", t.CPUMs)
	millis("serviceMs", t.ServiceMs)
	millis("waitMs", t.WaitMs)
	number("heapBytes", int64(t.HeapBytes))
	dst[len(dst)-1] = '}'
	return append(dst, '}')
}

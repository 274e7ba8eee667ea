package server

import (
	"encoding/base64"
	"fmt"
	"math"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/bridge"
)

// growths are what a client can make larger in each kind of request. Each body has about n bytes.
var growths = []struct {
	name, path string
	body       func(n int) string
}{
	{"exec: the cell", "/v1/exec", func(n int) string { return `{"turnId":"turn-1","code":"` + strings.Repeat("x", n) + `"}` }},
	{"exec: escapes", "/v1/exec", func(n int) string { return `{"turnId":"turn-1","code":"` + strings.Repeat(`\u0000`, n/6) + `"}` }},
	{"exec: unknown keys", "/v1/exec", func(n int) string { return `{"turnId":"turn-1","code":"1"` + many(n, `,"k%d":1`) + `}` }},
	{"exec: keys of one name", "/v1/exec", func(n int) string { return `{"turnId":"turn-1"` + many(n, `,"x":[%d]`) + `}` }},
	{"exec: a long key", "/v1/exec", func(n int) string {
		return `{"turnId":"turn-1","code":"1","` + strings.Repeat("k", n) + `":1}`
	}},
	{"exec: a turn of its own", "/v1/exec", func(n int) string {
		return `{"code":"1","turn":{"context":{},"tools":[` + listed(n, `{"name":"t%d","parameters":{"type":"object"}}`) + `]}}`
	}},
	{"exec: blanks", "/v1/exec", func(n int) string { return strings.Repeat(" ", n) + `{"turnId":"turn-1","code":"1"}` }},
	{"exec: malformed at the end", "/v1/exec", func(n int) string { return `{"a":[` + listed(n, `{"k%d":"\""}`) + `]` }},
	{"exec: invalid UTF-8 at the end", "/v1/exec", func(n int) string { return `{"a":"` + strings.Repeat("é", n/2) + "\xff\"}" }},
	{"exec: nested too deep at the end", "/v1/exec", func(n int) string {
		return `{"a":"` + strings.Repeat("x", n) + `","b":` + strings.Repeat("[", maxDepth+1)
	}},
	{"exec: many deep values", "/v1/exec", func(n int) string {
		deep := strings.Repeat("[", maxDepth-3) + strings.Repeat("]", maxDepth-3)
		return `{"turnId":"turn-1","code":"1","x":[` + strings.Repeat(deep+",", n/len(deep)) + `0]}`
	}},
	{"turns: tools", "/v1/turns", func(n int) string {
		return `{"tools":[` + listed(n, `{"name":"t%d","description":"what it does"}`) + `]}`
	}},
	{"turns: a tool's schema", "/v1/turns", func(n int) string {
		return `{"tools":[{"name":"t","parameters":{"type":"object","properties":{` + listed(n, `"p%d":{"type":"string"}`) + `}}}]}`
	}},
	{"turns: the context", "/v1/turns", func(n int) string { return `{"context":{"agentId":"` + strings.Repeat("a", n) + `"}}` }},
	{"turns: unknown keys of the context", "/v1/turns", func(n int) string { return `{"context":{` + listed(n, `"k%d":1`) + `}}` }},
	{"turns: policy", "/v1/turns", func(n int) string { return `{"policy":{"allow":[` + listed(n, `"t%d"`) + `]}}` }},
	{"turns: a number", "/v1/turns", func(n int) string { return `{"config":{"x":` + strings.Repeat("9", n) + `}}` }},
	{"wait: results", "/v1/wait", func(n int) string {
		return `{"turnId":"turn-1","runId":"r","results":[` + listed(n, `{"id":"c%d","ok":true,"value":1}`) + `]}`
	}},
	{"wait: a result's value", "/v1/wait", func(n int) string {
		return `{"turnId":"turn-1","runId":"r","results":[{"id":"c","ok":true,"value":[` + listed(n, `%d`) + `]}]}`
	}},
	{"results: many", "/v1/runs/r/results", func(n int) string {
		return `{"turnId":"turn-1","results":[` + listed(n, `{"id":"c%d","ok":false,"error":"e"}`) + `]}`
	}},
	{"results: wrong at the end", "/v1/runs/r/results", func(n int) string {
		return `{"turnId":"turn-1","results":[` + listed(n, `{"id":"c%d","ok":true}`) + `,{}]}`
	}},
	{"payload: tools", "/v1/payload/check", func(n int) string {
		return `{"tools":[` + listed(n, `{"type":"function","function":{"name":"t%d"}}`) + `]}`
	}},
	{"payload: a filter", "/v1/payload/check?filter=1", func(n int) string {
		return `{"tools":[` + listed(n, `{"type":"function","name":"t%d"}`) + `]}`
	}},
	{"payload: declarations", "/v1/payload/check", func(n int) string {
		return `{"tools":[{"functionDeclarations":[` + listed(n, `{"name":"t%d"}`) + `]}]}`
	}},
	{"export: unknown keys", "/v1/runs/r/export", func(n int) string { return `{"turnId":"turn-1"` + many(n, `,"k%d":1`) + `}` }},
	{"import: the snapshot", "/v1/runs/r/import", func(n int) string {
		return `{"turnId":"turn-1","snapshot":"` + base64.StdEncoding.EncodeToString(make([]byte, n*3/4)) + `"}`
	}},
	{"import: not base64 at the end", "/v1/runs/r/import", func(n int) string {
		return `{"turnId":"turn-1","snapshot":"` + strings.Repeat("AAAA", n/4) + `!"}`
	}},
}

// many repeats a text, with numbers, to about n bytes.
func many(n int, format string) string {
	var out strings.Builder
	for i := 0; out.Len() < n; i++ {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// listed is many with commas between.
func listed(n int, format string) string { return strings.TrimPrefix(many(n, ","+format), ",") }

// maxGrowth is how much more a request that is eight times as large may cost. What is quadratic costs sixty-four times as
// much, which leaves room for caches and for who else uses the machine.
const maxGrowth = 24

func TestGrowth(t *testing.T) {
	const size = 128 << 10
	s := newTestServer(t, Options{Backend: costless(), MaxSourceBytes: maxBody})
	for _, g := range growths {
		t.Run("H6 linear in what a client sizes: "+g.name, func(t *testing.T) {
			small, large := post(g.path, g.body(size)), post(g.path, g.body(8*size))
			require.InDelta(t, 8, float64(len(large.body))/float64(len(small.body)), 0.2)
			require.LessOrEqual(t, memory(s, large)/memory(s, small), float64(maxGrowth), "bytes")
			requireGrowth(t, true, func() float64 { return processorTime(s, small) }, func() float64 { return processorTime(s, large) })
		})
	}
	t.Run("H6 what is quadratic would be seen", func(t *testing.T) {
		requireGrowth(t, false, func() float64 { return quadratic(1000) }, func() float64 { return quadratic(8000) })
	})
}

// requireGrowth holds two costs against each other. Each is the least of several, because others use the machine too; more
// are taken while they are not what they should be.
func requireGrowth(t *testing.T, linear bool, small, large func() float64) {
	t.Helper()
	least, most := math.Inf(1), math.Inf(1)
	for range 10 {
		least, most = min(least, small()), min(most, large())
		if (most/least <= maxGrowth) == linear {
			return
		}
	}
	t.Errorf("eight times as large, it took %.1f times as long", most/least)
}

// quadratic is what no request may be.
func quadratic(n int) float64 {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, sum := threadTime(), 0
	for i := range n {
		for j := range n {
			sum += i ^ j
		}
	}
	runtime.KeepAlive(sum)
	return threadTime() - start
}

// costless is a backend that does as little as it can, so that what is measured is the server.
func costless() *fakeBackend {
	f := newFake()
	f.prepare = func(req *bridge.TurnRequest) error {
		req.Tools = nil // building catalogs is not the server's
		return nil
	}
	return f
}

// processorTime is what a request takes of a processor, in seconds.
func processorTime(s *Server, c call) float64 {
	r, rec := c.request(), httptest.NewRecorder()
	runtime.GC() // not in between
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := threadTime()
	s.Handler().ServeHTTP(rec, r)
	return threadTime() - start
}

// memory is how many bytes a request allocates.
func memory(s *Server, c call) float64 {
	r, rec := c.request(), httptest.NewRecorder()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.Handler().ServeHTTP(rec, r)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// threadTime is how long this thread has had a processor, in seconds.
func threadTime() float64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now)
	return float64(now.Nano()) / 1e9
}

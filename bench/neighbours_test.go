package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

// neighbours are the cells that make guest or service work as long as their time lasts.
var neighbours = []struct{ name, code string }{
	{"loop", `for (;;);`},
	{"builtin", `return "a".repeat(2e7).indexOf("a".repeat(1e7) + "b")`},
	{"timers", `for (;;) await new Promise((r) => setTimeout(r, 0))`},
	{"cancels", `for (let i = 0; i < 150000; i++) clearTimeout(setTimeout(() => {}, 1)); return 1`},
	{"searches", `const q = "word ".repeat(400); for (;;) await Promise.all(Array.from({length: 100}, () => tools.search(q)))`},
	{"unknown", `for (;;) try { await tools.call("nope") } catch {}`},
}

const (
	// So many clients run honest cells, and as many hostile ones.
	neighbourClients = 2
	// Alone and beside the others take turns this often, so that whatever else the machine does meets both.
	neighbourRound = 500
	// The slowest of a hundred honest answers may take so many times as long beside hostile cells, and somewhat longer: what
	// is measured is a fraction of the time for which the kernel lets a thread run.
	maxNeighbourRatio = 2
	neighbourSlack    = 5 * time.Millisecond
	// Fewer requests than this tell nothing of the slowest of a hundred.
	minNeighbourRequests = 5000
)

// BenchmarkNeighboursSoak measures how long honest cells take alone, and beside clients that run hostile ones one after the
// other (contract H6). An operation is an honest cell. make neighbours runs enough of them to judge.
func BenchmarkNeighboursSoak(b *testing.B) {
	for _, isolation := range []struct {
		name string
		open func(*testing.B) *service
	}{{"process", newIsolated}, {"thread", newService}, {"wasi", newIsolatedWASI}} {
		b.Run(isolation.name, func(b *testing.B) {
			s := isolation.open(b)
			address := serve(b, s)
			for _, n := range neighbours {
				b.Run(n.name, func(b *testing.B) { besideNeighbours(b, s, address, isolation.name+", "+n.name, n.code) })
			}
			var all []string
			for _, n := range neighbours {
				all = append(all, n.code)
			}
			b.Run("all", func(b *testing.B) { besideNeighbours(b, s, address, isolation.name+", all", all...) })
		})
	}
}

func besideNeighbours(b *testing.B, s *service, address, name string, hostile ...string) {
	honest := s.turn(b, turnRequest(50, `true`))
	bad := s.turn(b, turnRequest(200, `{"enabled":true,"timeoutMs":300}`))
	body := fmt.Sprintf(`{"turnId":%q,"code":"return (await tools.tool_0({query: \"a\"})).found.length"}`, honest.ID())
	load, err := Dial(address, neighbourClients, Post(address, "/v1/exec", body), []byte(`{"status":"completed","value":3`))
	require.NoError(b, err)
	defer func() { require.NoError(b, load.Close()) }()
	_, err = load.Run(neighbourRound)
	require.NoError(b, err)
	alone, beside := newReport(), newReport()
	b.ResetTimer()
	for done := 0; done < b.N; done += neighbourRound {
		n := min(neighbourRound, b.N-done)
		r, err := load.Run(n)
		require.NoError(b, err)
		alone.Append(r)
		stop := startNeighbours(b, address, bad, hostile)
		r, err = load.Run(n)
		require.NoError(b, err)
		beside.Append(r)
		stop()
		for s.engine.Stats().Running > 0 {
			time.Sleep(time.Millisecond)
		}
	}
	b.StopTimer()
	if beside.Requests >= minNeighbourRequests {
		require.Less(b, beside.Quantile(0.99), maxNeighbourRatio*alone.Quantile(0.99)+neighbourSlack)
	}
	ratio := float64(beside.Quantile(0.99)) / float64(alone.Quantile(0.99))
	b.ReportMetric(ratio, "p99-ratio")
	show("honest cells alone, "+name, alone)
	show("beside hostile ones, "+name, beside)
	row("p50 and p99 beside to alone, "+name, "%.2f, %.2f", float64(beside.Quantile(0.5))/float64(alone.Quantile(0.5)), ratio)
}

// startNeighbours lets clients run hostile cells one after the other until the returned function is called.
func startNeighbours(b *testing.B, address string, turn *bridge.Turn, codes []string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for client := range neighbourClients {
		all.Go(func() {
			for n := client; ctx.Err() == nil; n++ {
				in, _ := json.Marshal(map[string]string{"turnId": turn.ID(), "code": codes[n%len(codes)]})
				request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1/exec", strings.NewReader(string(in)))
				if err != nil {
					b.Error(err)
					return
				}
				request.Header.Set("Content-Type", "application/json")
				answer, err := http.DefaultClient.Do(request)
				if err != nil {
					continue // it was cancelled
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		})
	}
	return func() { cancel(); all.Wait() }
}

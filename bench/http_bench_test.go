package bench

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/keyring"
)

const (
	connections = 16
	// The two sides take turns this often, so that whatever else the machine does meets both.
	round = 2000
	// completed is how the answer of every side begins.
	completed = `{"status":"completed","value":2`
)

// BenchmarkHTTP loads POST /v1/exec and, in turns with it, a handler that only binds the same request and writes the
// same answer. What is between them is the price of running the cell. The third side is exec with its guests in worker
// processes.
func BenchmarkHTTP(b *testing.B) {
	s := newService(b)
	turn := s.turn(b, turnRequest(50, `true`))
	isolated := newIsolated(b)
	post := func(turn *bridge.Turn) string {
		return `{"turnId":"` + turn.ID() + `","toolCallId":"call-1","code":"return 1+1","language":"javascript"}`
	}
	r, err := turn.Exec(b.Context(), cell("return 1+1"))
	answer := must(b, bridge.Completed, r, err).AppendJSON(nil)

	sides := []*side{
		{name: "thread", address: serve(b, s), body: post(turn)},
		{name: "no-op", address: serveNoop(b, answer), body: post(turn)},
		{name: "process", address: serve(b, isolated), body: post(isolated.turn(b, turnRequest(50, `true`)))},
	}
	for _, side := range sides {
		side.open(b)
	}
	b.ResetTimer()
	for done := 0; done < b.N; done += round {
		for _, side := range sides {
			side.run(b, min(round, b.N-done))
		}
	}
	for _, side := range sides {
		b.ReportMetric(side.total.Rate(), side.name+"-req/s")
	}
	thread, noop, process := sides[0].total, sides[1].total, sides[2].total
	b.ReportMetric(thread.Rate()/noop.Rate(), "thread/no-op")
	b.ReportMetric(process.Rate()/thread.Rate(), "process/thread")
	show("`POST /v1/exec` of `return 1+1`, 16 connections, 50 tools, thread isolation", thread)
	show("the same in process isolation", process)
	show("a no-op handler that binds and writes the same JSON", noop)
	row("thread isolation to no-op; process to thread", "%.2f; %.2f", thread.Rate()/noop.Rate(), process.Rate()/thread.Rate())
}

func show(what string, r *Report) {
	row(what, "%.0f/s; p50 %.2f, p95 %.2f, p99 %.2f ms", r.Rate(),
		r.Quantile(0.5).Seconds()*1e3, r.Quantile(0.95).Seconds()*1e3, r.Quantile(0.99).Seconds()*1e3)
}

// side is one of the services that are compared.
type side struct {
	name, address, body string
	load                *Load
	total               *Report
}

func (s *side) open(b *testing.B) {
	var err error
	s.load, err = Dial(s.address, connections, Post(s.address, "/v1/exec", s.body), []byte(completed))
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, s.load.Close()) })
	s.total = newReport()
}

func (s *side) run(b *testing.B, n int) {
	r, err := s.load.Run(n)
	require.NoError(b, err, s.name)
	s.total.Append(r)
}

// serve starts the real server on loopback and returns its address.
//
// Tenants have their names as keys; without any no key is needed.
func serve(b *testing.B, s *service, tenants ...string) string {
	var keys []keyring.Key
	for _, tenant := range tenants {
		keys = append(keys, keyring.Key{ID: tenant, SHA256: keyring.Hash(tenant)})
	}
	ring, err := keyring.New(keys, "")
	require.NoError(b, err)
	srv, err := server.New(server.Options{Backend: server.FromBridge(s.Service, nil), Keys: ring})
	require.NoError(b, err)
	l, err := srv.Listen("127.0.0.1:0")
	require.NoError(b, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, context.Background(), l, 5*time.Second) }()
	b.Cleanup(func() {
		stop()
		require.NoError(b, <-ended)
	})
	return l.Addr().String()
}

// serveNoop starts the other side.
func serveNoop(b *testing.B, answer []byte) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	srv := &http.Server{Handler: Noop(answer)}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	b.Cleanup(func() {
		require.NoError(b, srv.Close())
		require.ErrorIs(b, <-ended, http.ErrServerClosed)
	})
	return l.Addr().String()
}

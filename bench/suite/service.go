package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/codecell/codecell/bench"
	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/server"
)

// Service is the whole of Codecell, served on loopback, and beside it a handler that does nothing.
type Service struct {
	bridge  *bridge.Service
	turn    *bridge.Turn
	address string
	noop    string
	end     []func() error
}

const (
	tools = 50
	// manySuspended is how many suspended runs are held at once.
	manySuspended = 10_000
	// completed is how the answer of either side begins.
	completed = `{"status":"completed","value":2`
	// openLoopShare of what the service can do is asked of it when tail latency is measured.
	openLoopShare = 0.5
)

var concurrencies = []int{1, 4, 16, 64}

// Tools are a turn's tools of the size that real ones have. They answer at once.
func Tools(n int) []catalog.Tool {
	all := make([]catalog.Tool, n)
	for i := range all {
		all[i] = catalog.Tool{
			Source: catalog.SourceOpenClaw, Owner: "bench", Name: fmt.Sprintf("tool_%d", i),
			Description: fmt.Sprintf("Find the records of department %d that match a query, newest first", i),
			Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"Words to look for"},` +
				`"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["query"]}`),
			Executor: json.RawMessage(`{"type":"echo","result":{"details":{"found":[1,2,3]}}}`),
		}
	}
	return all
}

// GuestCatalog is what a guest sees of the tools.
func GuestCatalog() ([]byte, error) {
	c, err := catalog.New(Tools(tools), catalog.Policy{})
	if err != nil {
		return nil, err
	}
	g := c.GuestWithoutFiles()
	return engine.AppendCatalog(nil, g.Entries, g.Names, g.MCP, g.Files), nil
}

// NewService starts both. The engine stays the caller's; Close ends the rest.
func NewService(e engine.Engine) (*Service, error) {
	s := &Service{}
	limits, err := config.Default().Merge(json.RawMessage(`{"enabled":true,"maxSuspendedRuns":20000,"snapshot":{"resume":"hot"}}`))
	if err != nil {
		return nil, err
	}
	s.bridge, err = bridge.New(bridge.Options{Engine: e, Config: limits, TestExecutors: true})
	if err != nil {
		return nil, err
	}
	s.end = append(s.end, func() error { return s.bridge.Close(context.Background()) })
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Service) start() error {
	var err error
	s.turn, err = s.bridge.Prepare(context.Background(), "", &bridge.TurnRequest{
		Context: bridge.Context{AgentID: "bench", SessionID: "s", SessionKey: "k", RunID: "r"},
		Config:  json.RawMessage(`true`), Tools: Tools(tools),
	})
	if err != nil {
		return err
	}
	if err := s.serve(); err != nil {
		return err
	}
	return s.serveNoop()
}

// Close ends what NewService started, the last first.
func (s *Service) Close() error {
	var err error
	for n := len(s.end) - 1; n >= 0; n-- {
		err = errors.Join(err, s.end[n]())
	}
	s.end = nil
	return err
}

func (s *Service) serve() error {
	srv, err := server.New(server.Options{Backend: server.FromBridge(s.bridge, nil)})
	if err != nil {
		return err
	}
	l, err := srv.Listen("127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ctx, context.Background(), l, 5*time.Second) }()
	s.address = l.Addr().String()
	s.end = append(s.end, func() error {
		stop()
		return <-ended
	})
	return nil
}

// serveNoop starts a handler that only binds the same request and writes the same answer.
func (s *Service) serveNoop() error {
	r, err := s.turn.Exec(context.Background(), cell("return 1+1"))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: bench.Noop(r.AppendJSON(nil))}
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(l) }()
	s.noop = l.Addr().String()
	s.end = append(s.end, func() error {
		err := srv.Close()
		<-ended
		return err
	})
	return nil
}

func cell(code string) bridge.ExecInput {
	text, _ := json.Marshal(code) // a string always encodes
	return bridge.ExecInput{ToolCallID: "call-1", Code: text}
}

// pieces is how many pieces of work measure will do.
func (s *Service) pieces(rounds int) int { return 2*rounds*len(concurrencies) + 2 }

func (s *Service) measure(ctx context.Context, r *Report, p *progress, o Options) error {
	for _, connections := range concurrencies {
		if err := s.throughput(ctx, r, p, o, connections); err != nil {
			return err
		}
	}
	if err := s.latency(r, p, o); err != nil {
		return err
	}
	return s.manySuspended(ctx, r, p)
}

func (s *Service) request() string {
	return `{"turnId":"` + s.turn.ID() + `","toolCallId":"call-1","code":"return 1+1","language":"javascript"}`
}

// throughput loads both sides in turns, each with as many connections.
func (s *Service) throughput(ctx context.Context, r *Report, p *progress, o Options, connections int) error {
	name := fmt.Sprintf("%d connections", connections)
	if connections == 1 {
		name = "1 connection"
	}
	sides := []struct{ name, address string }{{"codecell", s.address}, {"no-op", s.noop}}
	results := make([]Result, len(sides))
	for range o.Rounds {
		for n, side := range sides {
			p.next("POST /v1/exec, " + name + ", " + side.name)
			load, err := bench.Dial(side.address, connections, bench.Post(side.address, "/v1/exec", s.request()), []byte(completed))
			if err != nil {
				return err
			}
			var total bench.Report
			err = runFor(o.Time/time.Duration(o.Rounds), load, &total)
			if err := errors.Join(err, load.Close(), ctx.Err()); err != nil {
				return err
			}
			results[n].Samples = append(results[n].Samples, total.Rate())
		}
	}
	for n, x := range results {
		r.Results = append(r.Results, Result{"rest", name, sides[n].name, "req/s", x.Samples})
	}
	return nil
}

// runFor loads for about d.
func runFor(d time.Duration, load *bench.Load, total *bench.Report) error {
	const batch = 500
	for total.Elapsed < d {
		r, err := load.Run(batch)
		if err != nil {
			return err
		}
		total.Requests += r.Requests
		total.Elapsed += r.Elapsed
	}
	return nil
}

// latency sends at a steady rate and looks at the slowest.
func (s *Service) latency(r *Report, p *progress, o Options) error {
	p.next("latency at a steady rate")
	most := r.Find("rest", "16 connections", "codecell").Median()
	load, err := bench.Dial(s.address, 32, bench.Post(s.address, "/v1/exec", s.request()), []byte(completed))
	if err != nil {
		return err
	}
	rate := most * openLoopShare
	total, err := load.RunAt(rate, max(int(rate*o.Time.Seconds()), 1))
	if err := errors.Join(err, load.Close()); err != nil {
		return err
	}
	for _, q := range []struct {
		name  string
		share float64
	}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}} {
		r.Results = append(r.Results, Result{
			"latency", "at half of the most", q.name, "ns", []float64{float64(total.Quantile(q.share))},
		})
	}
	return nil
}

// manySuspended holds many suspended runs and looks at what the process takes.
func (s *Service) manySuspended(ctx context.Context, r *Report, p *progress) error {
	p.next(strconv.Itoa(manySuspended) + " suspended runs")
	before := resident()
	ids := make([]string, 0, manySuspended)
	for range manySuspended {
		result, err := s.suspendOne(ctx)
		if err != nil {
			return err
		}
		ids = append(ids, result)
	}
	for moved := -1; s.bridge.Stats().Snapshots.Snapshots != moved; time.Sleep(200 * time.Millisecond) {
		moved = s.bridge.Stats().Snapshots.Snapshots
	}
	runtime.GC()
	debug.FreeOSMemory()
	took := max(resident()-before, 0)
	r.Results = append(r.Results, Result{
		"snapshot", strings.Replace(strconv.Itoa(manySuspended), "0000", "0,000", 1) + " suspended runs", "service", "bytes", []float64{float64(took)},
	})
	for _, id := range ids {
		if err := s.bridge.AbortRun("", id); err != nil {
			return err
		}
	}
	return nil
}

// suspendOne suspends a run, and comes again when all heaps are taken: guests are moved out of them meanwhile.
func (s *Service) suspendOne(ctx context.Context) (string, error) {
	for {
		result, err := s.turn.Exec(ctx, cell(`const kept = {n: [1, 2, 3]}; await yield_control("later"); return kept.n.length`))
		var refused *bridge.Error
		if errors.As(err, &refused) && refused.Kind == bridge.KindOverloaded {
			time.Sleep(10 * time.Millisecond)
			continue
		}
		if err != nil {
			return "", err
		}
		if result.Status != bridge.Waiting {
			return "", fmt.Errorf("a run that was to wait did not: %s", result.AppendJSON(nil))
		}
		return result.RunID, nil
	}
}

// resident is the memory of this process and its workers, in bytes; 0 where there is no way to know.
func resident() int {
	self, workers, _ := bench.Resident()
	return self + workers
}

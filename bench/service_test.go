package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/hybrid"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/wasi"
	"github.com/codecell/codecell/engine/worker"
)

// service is a bridge on the native engine and, if the guest was built, the WASI engine, as codecell serve puts them
// together in thread isolation.
type service struct {
	*bridge.Service
	engine engine.Engine
}

func newService(b *testing.B) *service {
	b.Helper()
	main, err := native.New(native.Options{})
	require.NoError(b, err)
	portable, err := wasi.New(wasi.Options{})
	if errors.Is(err, wasi.ErrNoGuest) {
		return serviceOn(b, main, nil)
	}
	require.NoError(b, err)
	return serviceOn(b, main, portable)
}

// newIsolated is the same with the engines in worker processes.
func newIsolated(b *testing.B) *service {
	b.Helper()
	start := func(s worker.Settings) *worker.Engine {
		return worker.New(worker.Options{Settings: s, Command: []string{asWorker}})
	}
	main := start(worker.Settings{Engine: "native", Processors: (runtime.GOMAXPROCS(0) + 1) / 2})
	require.NoError(b, main.Ready())
	if _, err := wasi.Module(); err != nil {
		return serviceOn(b, main, nil)
	}
	return serviceOn(b, main, worker.Portable{Engine: start(worker.Settings{Engine: "wasi"})})
}

// newIsolatedWASI is the WASI engine alone, in worker processes.
func newIsolatedWASI(b *testing.B) *service {
	b.Helper()
	w := worker.New(worker.Options{Settings: worker.Settings{Engine: "wasi"}, Command: []string{asWorker}})
	require.NoError(b, w.Ready())
	return serviceOn(b, worker.Portable{Engine: w}, nil)
}

// asWorker is the argument that makes the test's binary a worker.
const asWorker = "worker"

func openEngine(s worker.Settings) (engine.Engine, error) {
	if s.Engine == "wasi" {
		return wasi.New(wasi.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes})
	}
	return native.New(native.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes})
}

func serviceOn(b *testing.B, main engine.Engine, portable engine.Portable) *service {
	b.Helper()
	e := main
	if portable != nil {
		_, err := portable.Build() // not while something is measured
		require.NoError(b, err)
		e = hybrid.New(main, portable)
	}
	s, err := bridge.New(bridge.Options{Engine: e, TestExecutors: true})
	require.NoError(b, err)
	b.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(b, s.Close(ctx))
		require.NoError(b, e.Close())
	})
	return &service{s, e}
}

// turnRequest is a turn with n tools of the size that real ones have. They answer at once.
func turnRequest(n int, config string) *bridge.TurnRequest {
	req := &bridge.TurnRequest{
		Context: bridge.Context{AgentID: "bench", SessionID: "s", SessionKey: "k", RunID: "r"},
		Config:  json.RawMessage(config),
	}
	for i := range n {
		req.Tools = append(req.Tools, catalog.Tool{
			Source: catalog.SourceOpenClaw, Owner: "bench", Name: fmt.Sprintf("tool_%d", i),
			Description: fmt.Sprintf("Find the records of department %d that match a query, newest first", i),
			Parameters: json.RawMessage(`{"type":"object","properties":{"query":{"type":"string","description":"Words to look for"},` +
				`"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["query"]}`),
			Executor: json.RawMessage(`{"type":"echo","result":{"details":{"found":[1,2,3]}}}`),
		})
	}
	return req
}

func (s *service) turn(b *testing.B, req *bridge.TurnRequest) *bridge.Turn {
	b.Helper()
	t, err := s.Prepare(b.Context(), "", req)
	require.NoError(b, err)
	return t
}

// cell is a cell as the model sends it.
func cell(code string) bridge.ExecInput {
	text, _ := json.Marshal(code) // a string always encodes
	return bridge.ExecInput{ToolCallID: "call-1", Code: text}
}

// must insists on a status; the result's text tells why it is another.
func must(b *testing.B, status bridge.Status, r *bridge.Result, err error) *bridge.Result {
	if err != nil {
		b.Fatal(err)
	}
	if r.Status != status {
		b.Fatalf("%s: %s", r.Status, r.AppendJSON(nil))
	}
	return r
}

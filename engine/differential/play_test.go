//go:build cgo

package differential

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/aot"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/wasi"
)

// TestMain lets a plain `go test ./...` pass where `make guest` has not run; see package wasi.
func TestMain(m *testing.M) {
	if _, err := wasi.Module(); err != nil {
		if os.Getenv("CODECELL_GUEST") == "required" {
			fmt.Println("engine/differential:", err)
			os.Exit(1)
		}
		fmt.Println("engine/differential: there is only one engine to compare:", err)
		return
	}
	goleak.VerifyTestMain(m)
}

const longEnough = 2 * time.Minute

// forNow bounds a native step. A program that is not over by then is not compared: where it would be ended differs.
const forNow = 2 * time.Second

// pair is the native engine, and the portable ones that are held to it.
type pair struct {
	native   *native.Engine
	portable map[string]engine.Portable
}

func newPair(t testing.TB) *pair {
	t.Helper()
	n, err := native.New(native.Options{})
	require.NoError(t, err)
	p := &pair{native: n, portable: map[string]engine.Portable{}}
	p.portable["wasi"], err = wasi.New(wasi.Options{})
	require.NoError(t, err)
	if aot.Missing() == nil || os.Getenv("CODECELL_AOT") == "required" {
		p.portable["aot"], err = aot.New(aot.Options{})
		require.NoError(t, err)
	}
	for _, e := range p.portable {
		_, err := e.Build() // not while a program is executed, for which the fuzzer allows ten seconds
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		require.NoError(t, n.Close())
		for _, e := range p.portable {
			require.NoError(t, e.Close())
		}
	})
	return p
}

// executed is a step, and what came of it.
type executed struct {
	input   []byte
	effects *engine.Effects
	err     error
}

// catalog has tools to call, an MCP server and a declaration file.
var catalog = engine.AppendCatalog(nil,
	[]byte(`[{"id":"openclaw:core:echo","source":"openclaw","name":"echo","description":"Echoes."},`+
		`{"id":"openclaw:core:read","source":"openclaw","name":"read","description":"Reads."}]`),
	[]byte("\necho\topenclaw:core:echo\nread\topenclaw:core:read\n"),
	[]byte(`[{"id":"github","serverName":"github","tools":[{"path":["createIssue"],"tool":"mcp:github:create_issue"}]}]`),
	[]byte(`[{"path":"mcp/index.d.ts","description":"Servers.","bytes":3,"content":"abc"}]`))

// maxSteps bounds a program.
const maxSteps = 40

// play runs a program on an engine. What its requests are answered, and in which order, comes from r.
func play(t testing.TB, e engine.Engine, source string, r *rand.Rand) []executed {
	t.Helper()
	vm, err := e.NewVM(catalog)
	require.NoError(t, err)
	defer vm.Close()
	begin := engine.Begin{
		Source: source, MemoryLimit: 32 << 20, MaxOutput: 1 << 20, MaxValue: 1 << 20, MaxRequests: 64, MaxTimers: 64,
		Namespaces: []byte(`[["Desk","namespace\u0000desk",[2,["team",[0,"support"],"list",[3],"deep",[1,[[0,1],[2,["f",[3]]]]]]]]]`),
	}
	for n := range begin.Seed {
		begin.Seed[n] = byte(r.Uint32())
	}
	var steps []executed
	var pending []engine.Request
	for input := begin.Append(nil); len(steps) < maxSteps; input = engine.AppendResume(nil, answers(r, &pending)) {
		effects, err := vm.Step(context.Background(), input, forNow)
		if errors.Is(err, engine.ErrTimeout) {
			return steps
		}
		steps = append(steps, executed{input, effects, err})
		if err != nil {
			return steps
		}
		pending = append(pending, effects.Requests...)
		for _, id := range effects.Cancelled {
			pending = slices.DeleteFunc(pending, func(q engine.Request) bool { return q.ID == id })
		}
		if len(pending) == 0 {
			return steps
		}
	}
	return steps
}

// answers settles some of what is pending, in any order.
func answers(r *rand.Rand, pending *[]engine.Request) []engine.Answer {
	r.Shuffle(len(*pending), func(i, j int) { (*pending)[i], (*pending)[j] = (*pending)[j], (*pending)[i] })
	var out []engine.Answer
	for _, q := range (*pending)[:1+r.IntN(len(*pending))] {
		a := engine.Answer{ID: q.ID}
		switch {
		case q.Method == engine.MethodTimer:
			a.Kind = engine.AnswerFired
		case r.IntN(5) == 0:
			a.Kind, a.Payload = engine.AnswerError, []byte(`{"name":"Error","message":"it broke","code":"tool_error"}`)
		default:
			a.Payload = []byte([]string{"1", `"text"`, "null", `{"a":[1,2.5,{"b":"é"}]}`, "[]", "true", "-1e300"}[r.IntN(7)])
		}
		out = append(out, a)
	}
	*pending = (*pending)[len(out):]
	return out
}

// again replays the steps in a portable engine. Before each step but the first, move gives the engine in which the guest is
// restored first, after it was copied out; nil: it stays.
func again(t testing.TB, e engine.Portable, steps []executed, move func() engine.Portable) {
	t.Helper()
	vm, err := e.NewVM(catalog)
	require.NoError(t, err)
	defer func() { vm.Close() }()
	for n, s := range steps {
		if to := move(); n > 0 && to != nil {
			image, err := engine.Image(context.Background(), vm)
			require.NoError(t, err)
			vm.Close()
			vm, err = to.Restore(context.Background(), image, catalog)
			require.NoError(t, err)
		}
		var clock []engine.ClockRun
		if s.effects != nil {
			clock = s.effects.Clock
		}
		effects, err := vm.(engine.Replayer).Replay(context.Background(), s.input, clock, longEnough)
		require.Equal(t, describe(s), describe(executed{s.input, effects, err}), "step %d", n+1)
		if err != nil {
			return
		}
		require.Equal(t, s.effects.Hash(), effects.Hash(), "step %d: the texts are the same, the records are not", n+1)
	}
}

// describe is what a step comes to, so that a difference can be read.
func describe(s executed) string {
	var b strings.Builder
	for _, ended := range []error{engine.ErrMemory, engine.ErrOutput, engine.ErrProtocol, engine.ErrDiverged, engine.ErrBroken} {
		if errors.Is(s.err, ended) {
			fmt.Fprintf(&b, "ended: %v\n", ended)
		}
	}
	if s.err != nil || s.effects == nil {
		return b.String()
	}
	for _, o := range s.effects.Outputs {
		fmt.Fprintf(&b, "output %d %v %s\n", o.Level, o.JSON, o.Data)
	}
	for _, q := range s.effects.Requests {
		fmt.Fprintf(&b, "request %d %v %q %s\n", q.ID, q.Method, q.Name, q.Payload)
	}
	fmt.Fprintf(&b, "cancelled %v unhandled %+v omitted %d clock %v\n", s.effects.Cancelled, s.effects.Unhandled, s.effects.Omitted, s.effects.Clock)
	fmt.Fprintf(&b, "main %v %s %v %+v", s.effects.Main.State, s.effects.Main.Value, s.effects.Main.Hints, s.effects.Main.Thrown)
	return b.String()
}

// agree runs a program natively and holds the other ways of running it to that.
func (p *pair) agree(t testing.TB, source string, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	steps := play(t, p.native, source, r)
	for _, e := range p.portable {
		again(t, e, steps, func() engine.Portable { return nil })
		if len(steps) > 1 {
			again(t, e, steps, func() engine.Portable { return e })
		}
	}
	if len(steps) > 1 { // there and back, as it comes
		names := slices.Sorted(maps.Keys(p.portable))
		again(t, p.portable["wasi"], steps, func() engine.Portable {
			if r.IntN(2) == 0 {
				return nil
			}
			return p.portable[names[r.IntN(len(names))]]
		})
	}
}

package bridge

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// The state machine test drives one service by several goroutines at once and holds it against a model of what a run's
// life may be. The service runs in a synctest bubble: time is virtual, and when everybody waits, everybody is at rest,
// so that the model can be compared exactly between rounds.

// The cells that the model's actors run; the text of a cell names its script.
var modelScripts = map[string]func() enginetest.Script{
	"return": func() enginetest.Script { return enginetest.Script{returns("1")} },
	"throw": func() enginetest.Script {
		return enginetest.Script{yields(1), func(_ *input, out *records) error {
			out.Reject(engine.Thrown{Other: "x"})
			return nil
		}}
	},
	"yield twice": func() enginetest.Script { return enginetest.Script{yields(1), yields(2), returns("1")} },
	"ask":         func() enginetest.Script { return enginetest.Script{calls("ask"), returns("1")} },
	"ask twice":   func() enginetest.Script { return enginetest.Script{calls("ask"), calls("ask"), returns("1")} },
	"tool":        func() enginetest.Script { return enginetest.Script{calls("tool"), returns("1")} },
	"long tool": func() enginetest.Script {
		return enginetest.Script{calls("long", "tool", "tool"), asks(func(*records) {}), asks(func(*records) {}), returns("1")}
	},
	"sleep": func() enginetest.Script {
		return enginetest.Script{asks(func(out *records) { out.Timer(1, "90000") }), returns("1")}
	},
	"run out": func() enginetest.Script { return enginetest.Script{yields(1), stops(engine.ErrTimeout)} },
	"compute": func() enginetest.Script { return enginetest.Script{yields(1), computeFor(3 * time.Second)} },
	"forge an answer": func() enginetest.Script {
		return enginetest.Script{asks(func(out *records) { out.Yield(1, "null").Yield(1, "null") })}
	},
}

// computeFor runs for a while unless it is interrupted.
func computeFor(d time.Duration) enginetest.Step {
	return func(in *input, out *records) error {
		select {
		case <-in.Interrupted:
			return engine.ErrStopped
		case <-time.After(d):
			out.Fulfil("1", 0)
			return nil
		}
	}
}

// op is one action of an actor. Which run it is about is a number, taken modulo the runs that are known by then.
type op struct {
	Kind string // exec, wait, deliver, abort, leave (exec with a client that goes away), drop, rest
	Cell string
	Run  int
	Turn int
}

// plan is rounds of actors' ops: within a round the actors run at once; after it the model is compared, and then
// perhaps so much time passes that every suspended run expires.
type plan []round

type round struct {
	actors [][]op
	expire bool
}

func aPlan() *rapid.Generator[plan] {
	cells := slices.Sorted(maps.Keys(modelScripts)) // in order, so that a seed gives the same plan again
	anOp := rapid.Custom(func(t *rapid.T) op {
		return op{
			Kind: rapid.SampledFrom([]string{"exec", "exec", "exec", "wait", "wait", "wait", "deliver", "deliver", "abort", "leave", "drop", "rest"}).Draw(t, "kind"),
			Cell: rapid.SampledFrom(cells).Draw(t, "cell"),
			Run:  rapid.IntRange(0, 20).Draw(t, "run"),
			Turn: rapid.IntRange(0, modelTurns-1).Draw(t, "turn"),
		}
	})
	aRound := rapid.Custom(func(t *rapid.T) round {
		return round{
			actors: rapid.SliceOfN(rapid.SliceOfN(anOp, 1, 8), 1, 4).Draw(t, "actors"),
			expire: rapid.IntRange(0, 4).Draw(t, "expire") == 0,
		}
	})
	return rapid.Map(rapid.SliceOfN(aRound, 1, 4), func(r []round) plan { return r })
}

const (
	modelTurns  = 2
	modelPlaces = 3
	modelTTL    = 900 * time.Second
)

// model knows what became of each run that was ever suspended.
type model struct {
	w     *world
	mu    sync.Mutex
	turns [modelTurns]*Turn
	runs  []*modelRun
	wrong []string
}

type modelRun struct {
	id      string
	turn    *Turn
	pending []PendingCall
	ends    int  // results that said it is over
	gone    bool // it was aborted, dropped or left to expire
}

func (m *model) fault(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wrong = append(m.wrong, fmt.Sprintf(format, args...))
}

// pick returns a run that is known by now.
func (m *model) pick(n int) *modelRun {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.runs) == 0 {
		return nil
	}
	return m.runs[n%len(m.runs)]
}

func (m *model) turn(n int) *Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.turns[n]
}

// do carries out one op and writes down what it says about runs.
func (m *model) do(o op) {
	ctx := context.Background()
	switch o.Kind {
	case "rest":
		time.Sleep(time.Duration(o.Run) * time.Second)
	case "drop":
		m.drop(o.Turn)
	case "exec":
		m.exec(ctx, o)
	case "leave":
		short, cancel := context.WithTimeout(ctx, time.Duration(o.Run)*100*time.Millisecond)
		m.exec(short, o)
		cancel()
	default:
		if r := m.pick(o.Run); r != nil {
			m.touch(ctx, o.Kind, r)
		}
	}
}

func (m *model) exec(ctx context.Context, o op) {
	turn := m.turn(o.Turn)
	result, err := turn.Exec(ctx, ExecInput{Code: quoted(o.Cell)})
	var refusal *Error
	if errors.As(err, &refusal) && refusal.Kind == KindNotFound {
		return // the turn was dropped meanwhile
	}
	if err != nil {
		m.fault("exec: %v", err)
		return
	}
	if result.Status != Waiting {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.runs = append(m.runs, &modelRun{id: result.RunID, turn: turn, pending: result.Pending})
}

func (m *model) touch(ctx context.Context, kind string, r *modelRun) {
	switch kind {
	case "wait":
		result, err := r.turn.Wait(ctx, WaitInput{RunID: quoted(r.id)})
		if err != nil {
			m.fault("wait: %v", err)
			return
		}
		m.waited(r, result)
	case "abort":
		if m.w.AbortRun(tenant, r.id) == nil {
			m.mu.Lock()
			r.gone = true
			m.mu.Unlock()
		}
	case "deliver":
		m.mu.Lock()
		pending := r.pending
		m.mu.Unlock()
		var results []CallResult
		for _, p := range pending {
			results = append(results, CallResult{ID: p.ID, OK: true})
		}
		_, err := r.turn.Deliver(ctx, r.id, results)
		var refusal *Error
		if err != nil && (!errors.As(err, &refusal) || refusal.Kind != KindNotFound) {
			m.fault("deliver: %v", err)
		}
	}
}

func (m *model) waited(r *modelRun, result *Result) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case result.Status == Waiting:
		if result.RunID != r.id {
			m.wrong = append(m.wrong, "the run's id changed")
		}
		// Another actor may have ended the run since; what this one got is no lie for that.
		r.pending = result.Pending
	case result.Error == errResuming.Error(), result.Error == errNoRun.Error():
		if result.Code != CodeInvalidInput {
			m.wrong = append(m.wrong, "code "+string(result.Code))
		}
	default:
		r.ends++
	}
}

// drop drops a turn and puts a new one in its place.
func (m *model) drop(n int) {
	fresh := m.w.turn(modelConfig, delayed("tool", 500), delayed("long", 30_000))
	m.mu.Lock()
	old := m.turns[n]
	m.turns[n] = fresh
	m.mu.Unlock()
	err := m.w.DropTurn(tenant, old.ID())
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		m.wrong = append(m.wrong, "drop: "+err.Error())
	}
	for _, r := range m.runs {
		r.gone = r.gone || r.turn == old
	}
}

const modelConfig = `{"enabled":true,"snapshotTtlSeconds":900,"timeoutMs":2000,"maxPendingToolCalls":2,"maxSuspendedRuns":3}`

// compare holds the service against the model. Everybody is at rest.
func (m *model) compare() {
	m.mu.Lock()
	defer m.mu.Unlock()
	alive := 0
	for _, r := range m.runs {
		r.gone = r.gone || r.turn.dropped
		if r.ends > 1 {
			m.wrong = append(m.wrong, "a run ended twice")
		}
		if r.ends == 0 && !r.gone {
			alive++
		}
	}
	stats := m.w.Stats()
	if stats.Suspended != alive || alive > modelPlaces {
		m.wrong = append(m.wrong, fmt.Sprintf("%d runs are suspended, the model has %d", stats.Suspended, alive))
	}
	if stats.Engine.InUse != alive || stats.Running != 0 {
		m.wrong = append(m.wrong, fmt.Sprintf("%d heaps in use, %d legs, the model has %d runs", stats.Engine.InUse, stats.Running, alive))
	}
}

// expire lets the TTL of every suspended run pass.
func (m *model) expire() {
	time.Sleep(modelTTL)
	synctest.Wait()
	m.mu.Lock()
	for _, r := range m.runs {
		r.gone = true
	}
	m.mu.Unlock()
	m.compare()
}

// play carries out a plan and returns what was wrong with it.
func play(t *testing.T, p plan) (wrong []string) {
	synctest.Test(t, func(t *testing.T) {
		e := enginetest.New(func(source string) enginetest.Script { return modelScripts[source]() })
		service, err := New(Options{Engine: e, TestExecutors: true, TurnTTL: 1000 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		m := &model{w: &world{Service: service, t: t, engine: e}}
		for i := range m.turns {
			m.turns[i] = m.w.turn(modelConfig, delayed("tool", 500), delayed("long", 30_000))
		}
		for _, r := range p {
			var actors sync.WaitGroup
			for _, ops := range r.actors {
				actors.Go(func() {
					for _, o := range ops {
						m.do(o)
					}
				})
			}
			actors.Wait()
			synctest.Wait()
			m.compare()
			if r.expire {
				m.expire()
			}
		}
		_ = service.Close(context.Background())
		synctest.Wait()
		if err := e.Close(); err != nil {
			m.fault("%v", err)
		}
		if n := service.Stats().Suspended; n != 0 {
			m.fault("%d runs are left after Close", n)
		}
		wrong = m.wrong
	})
	return wrong
}

func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		if wrong := play(t, aPlan().Draw(rt, "plan")); len(wrong) > 0 {
			rt.Fatalf("%s", strings.Join(wrong, "\n"))
		}
	})
}

// TestModelHammer plays plans of many actors at once on real time, for the race detector: nothing is compared while
// they run, everything must be given back in the end.
func TestModelHammer(t *testing.T) {
	w := newWorld(t, enginetest.New(func(source string) enginetest.Script { return modelScripts[source]() }), Options{})
	config := strings.Replace(modelConfig, `"timeoutMs":2000`, `"timeoutMs":100,"drainMs":5`, 1)
	turn := w.turn(config, delayed("tool", 1), catalog.Tool{Source: "client", Owner: "app", Name: "long"})
	m := &model{w: w, turns: [modelTurns]*Turn{turn, turn}}
	cells := []string{"return", "throw", "yield twice", "ask", "tool", "long tool", "run out", "forge an answer"}
	var actors sync.WaitGroup
	for actor := range 8 {
		random := rand.New(rand.NewPCG(1, uint64(actor)))
		actors.Go(func() {
			for range 150 {
				kind := []string{"exec", "exec", "deliver", "abort", "wait"}[random.IntN(5)]
				m.do(op{Kind: kind, Cell: cells[random.IntN(len(cells))], Run: random.IntN(1000)})
			}
		})
	}
	actors.Wait()
	for _, wrong := range m.wrong {
		t.Error(wrong)
	}
	if err := w.DropTurn(tenant, turn.ID()); err != nil {
		t.Error(err)
	}
	if n := w.engine.Stats().InUse; n != 0 {
		t.Errorf("%d heaps are still in use", n)
	}
}

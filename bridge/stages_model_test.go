package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/hybrid"
)

// This test lets cells call tools, with hooks that block, change, break and hang, while clients resume, deliver, leave,
// abort and move the runs to another service and back, several at once. Whatever happens, no call reaches its tool without
// having passed every stage before, none reaches it twice, and each is recorded once.

// callPlan is one call of a cell. It is the call's input too: hooks and tools do what it says.
type callPlan struct {
	Tool   string `json:"-"`
	N      int    `json:"n"`      // tells the calls of a cell apart
	First  string `json:"first"`  // what each hook does
	Second string `json:"second"` //
	After  string `json:"after"`  //
	Delay  int    `json:"delay"`  // seconds that the tool takes
	Fails  bool   `json:"fails"`
}

// move is what a client does with one of its runs.
type move struct {
	Kind string
	Run  int
	Wait int // seconds before it
}

// stagesPlan is cells and what clients do.
type stagesPlan struct {
	Config  string
	Open    bool           // the hooks may fail
	Cells   [][][]callPlan // each of batches: a step asks for one when the one before is answered
	Clients [][]move
}

func aStagesPlan() *rapid.Generator[stagesPlan] {
	aCall := rapid.Custom(func(t *rapid.T) callPlan {
		manner := rapid.SampledFrom([]string{"", "", "", "block", "alter", "spoil", "break", "hang", "slow"})
		return callPlan{
			Tool:   rapid.SampledFrom([]string{"own", "own", "own", "ask", "ask", "issue", "denied", "nobody"}).Draw(t, "tool"),
			First:  manner.Draw(t, "first"),
			Second: manner.Draw(t, "second"),
			After:  rapid.SampledFrom([]string{"", "", "alter", "break", "hang"}).Draw(t, "after"),
			Delay:  rapid.IntRange(0, 40).Draw(t, "delay"),
			Fails:  rapid.IntRange(0, 4).Draw(t, "fails") == 0,
		}
	})
	aMove := rapid.Custom(func(t *rapid.T) move {
		return move{
			Kind: rapid.SampledFrom([]string{"wait", "wait", "wait", "wait", "deliver", "deliver", "move", "move", "leave", "abort", "drop"}).Draw(t, "kind"),
			Run:  rapid.IntRange(0, 5).Draw(t, "run"),
			Wait: rapid.IntRange(0, 8).Draw(t, "wait"),
		}
	})
	return rapid.Custom(func(t *rapid.T) stagesPlan {
		p := stagesPlan{
			Config: fmt.Sprintf(
				`{"enabled":true,"timeoutMs":5000,"drainMs":%d,"maxPendingToolCalls":%d,"maxQueuedToolCalls":%d,"snapshot":{"resume":%q}}`,
				rapid.SampledFrom([]int{1, 3000}).Draw(t, "drain"), rapid.IntRange(1, 3).Draw(t, "places"), rapid.SampledFrom([]int{1, 100}).Draw(t, "queue"),
				rapid.SampledFrom([]string{"hot", "restore"}).Draw(t, "resume")),
			Open:    rapid.Bool().Draw(t, "open"),
			Cells:   rapid.SliceOfN(rapid.SliceOfN(rapid.SliceOfN(aCall, 1, 5), 1, 3), 1, 3).Draw(t, "cells"),
			Clients: rapid.SliceOfN(rapid.SliceOfN(aMove, 1, 12), 1, 3).Draw(t, "clients"),
		}
		n := 0
		for _, cell := range p.Cells {
			for _, batch := range cell {
				for i := range batch {
					n++
					batch[i].N = n
				}
			}
		}
		return p
	})
}

// script is the guest of a cell: it asks for a batch, and for the next one when all is answered. It depends on nothing but
// its inputs, so that it can be replayed.
func (p *stagesPlan) script(cell int) enginetest.Script {
	batches := p.Cells[cell]
	asked, answered, number := 0, 0, uint32(0)
	step := func(in *input, out *records) error {
		answered += len(in.Answers)
		if answered < asked {
			out.Pending()
			return nil
		}
		if len(batches) == 0 {
			out.Fulfil("1", 0)
			return nil
		}
		for _, c := range batches[0] {
			number++
			text, _ := json.Marshal(c)
			if c.Tool == "issue" {
				out.Request(number, 5, "mcp:hub:issue", "["+string(text)+"]")
			} else {
				out.Call(number, c.Tool, string(text))
			}
		}
		asked += len(batches[0])
		batches = batches[1:]
		out.Pending()
		return nil
	}
	return slices.Repeat(enginetest.Script{step}, 100)
}

// witness writes down what happens to each call, by its id.
type witness struct {
	mu     sync.Mutex
	stages map[string][]stageID
	states map[string]string   // as they were recorded
	before map[string][]string // what the hooks said
	ran    map[string][]callPlan
	wrong  []string

	audited auditor
}

func (w *witness) fault(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wrong = append(w.wrong, fmt.Sprintf(format, args...))
}

// watch has the stages tell the witness of each call that they get.
func (w *witness) watch() (stop func()) {
	was := stages
	for id := range stages {
		run := stages[id].run
		stages[id].run = func(ctx context.Context, c *call) error {
			w.mu.Lock()
			name := c.run.id.call(c.id)
			w.stages[name] = append(w.stages[name], stageID(id))
			w.mu.Unlock()
			err := run(ctx, c)
			if stageID(id) == atRecord {
				w.mu.Lock()
				w.states[name] = c.state
				w.mu.Unlock()
			}
			return err
		}
	}
	return func() { stages = was }
}

// Execute is the tool: it writes down that it was called.
func (w *witness) Execute(ctx context.Context, c executor.Call) (json.RawMessage, error) {
	var p callPlan
	if err := json.Unmarshal(c.Input, &p); err != nil {
		w.fault("the tool got %s", c.Input)
	}
	w.mu.Lock()
	w.ran[c.ID] = append(w.ran[c.ID], p)
	w.mu.Unlock()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Duration(p.Delay) * time.Second):
	}
	if p.Fails {
		return nil, errors.New("it failed")
	}
	return json.RawMessage(`{"details":1}`), nil
}

// hooks are two before calls and one after them, which do what the call's input says.
func (w *witness) hooks(open bool) []hook.Hook {
	before := func(which int, manner func(*callPlan) *string) hook.Before {
		return beforeFunc(func(ctx context.Context, c hook.Call) (v hook.Verdict, err error) {
			var p callPlan
			if json.Unmarshal(c.Input, &p) != nil {
				return hook.Verdict{}, errors.New("what is this?")
			}
			how := manner(&p)
			w.mu.Lock()
			w.before[c.ID] = append(w.before[c.ID], fmt.Sprint(which, *how))
			w.mu.Unlock()
			switch *how {
			case "block":
				v.Block = true
			case "alter":
				p.N += 1000
				v.Input, _ = json.Marshal(p)
			case "spoil":
				v.Input = json.RawMessage(`{"n":"spoilt"}`)
			case "break":
				err = errors.New("broken")
			case "slow":
				err = pause(ctx, 2*time.Second)
			case "hang":
				err = pause(ctx, time.Hour)
			}
			return v, err
		})
	}
	after := afterFunc(func(ctx context.Context, c hook.Call, o hook.Outcome) (r hook.Revision, err error) {
		var p callPlan
		_ = json.Unmarshal(c.Input, &p)
		switch p.After {
		case "alter":
			r.Result = json.RawMessage(`{"details":2}`)
		case "break":
			err = errors.New("broken")
		case "hang":
			err = pause(ctx, time.Hour)
		}
		return r, err
	})
	tools := []string{"*:*"}
	return []hook.Hook{
		{Name: "first", Tools: tools, FailOpen: open, Before: before(1, func(p *callPlan) *string { return &p.First })},
		{Name: "second", Tools: tools, FailOpen: open, Before: before(2, func(p *callPlan) *string { return &p.Second }), After: after},
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// tools of the model's turns. A call's number must be one, so that an input that a hook has spoilt is refused.
func stagesTools() []catalog.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	own := json.RawMessage(`{"type":"own","timeoutMs":30000}`)
	return []catalog.Tool{
		{Source: "openclaw", Owner: "lab", Name: "own", Executor: own, Parameters: schema},
		{Source: "client", Owner: "app", Name: "ask", Parameters: schema},
		{Source: "mcp", Owner: "hub", Name: "issue", Executor: own, Parameters: schema},
		{Source: "openclaw", Owner: "lab", Name: "denied", Executor: own, Parameters: schema},
	}
}

// stagesModel is two services that runs can move between.
type stagesModel struct {
	witness  *witness
	plan     *stagesPlan
	services [2]*Service

	mu    sync.Mutex
	turns [2]*Turn
	runs  []*stagesRun
}

type stagesRun struct {
	mu   sync.Mutex // of one move between services at a time
	id   string
	at   int
	left []PendingCall
}

func (m *stagesModel) freshTurn(at int) *Turn {
	turn, err := m.services[at].Prepare(context.Background(), tenant, &TurnRequest{
		Context: someone(), Config: json.RawMessage(m.plan.Config), Tools: stagesTools(), Policy: catalog.Policy{Deny: []string{"denied"}},
	})
	if err != nil {
		m.witness.fault("prepare: %v", err)
	}
	return turn
}

func (m *stagesModel) turn(at int) *Turn {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.turns[at]
}

func (m *stagesModel) exec(cell int) {
	result, err := m.turn(0).Exec(context.Background(), ExecInput{ToolCallID: "parent", Code: quoted(fmt.Sprint(cell))})
	if err != nil {
		return // its turn was dropped
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if result.Status == Waiting {
		m.runs = append(m.runs, &stagesRun{id: result.RunID, left: result.Pending})
	}
}

func (m *stagesModel) do(o move) {
	time.Sleep(time.Duration(o.Wait) * time.Second)
	m.mu.Lock()
	var r *stagesRun
	if len(m.runs) > 0 {
		r = m.runs[o.Run%len(m.runs)]
	}
	m.mu.Unlock()
	if r == nil {
		return
	}
	r.mu.Lock()
	at, left := r.at, r.left
	r.mu.Unlock()
	ctx := context.Background()
	switch o.Kind {
	case "leave":
		short, cancel := context.WithTimeout(ctx, time.Duration(o.Wait)*300*time.Millisecond)
		defer cancel()
		m.wait(short, r, at)
	case "wait":
		m.wait(ctx, r, at)
	case "deliver":
		var results []CallResult
		for _, p := range left {
			results = append(results, CallResult{ID: p.ID, OK: o.Wait%3 > 0, Value: json.RawMessage(`{"details":3}`)})
		}
		_, _ = m.turn(at).Deliver(ctx, r.id, append(results, results...))
	case "move":
		m.move(ctx, r)
	case "abort":
		_ = m.services[at].AbortRun(tenant, r.id)
	case "drop":
		fresh := m.freshTurn(at)
		m.mu.Lock()
		old := m.turns[at]
		m.turns[at] = fresh
		m.mu.Unlock()
		_ = m.services[at].DropTurn(tenant, old.ID())
	}
}

func (m *stagesModel) wait(ctx context.Context, r *stagesRun, at int) {
	result, err := m.turn(at).Wait(ctx, WaitInput{RunID: quoted(r.id)})
	if err != nil || result.Status != Waiting {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left = result.Pending
}

// move takes a run to the other service, if it can leave.
func (m *stagesModel) move(ctx context.Context, r *stagesRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	exported, err := m.turn(r.at).Export(ctx, r.id)
	if err != nil {
		return
	}
	r.at = 1 - r.at
	if _, err := m.turn(r.at).Import(ctx, r.id, exported.Snapshot); err != nil {
		m.witness.fault("import: %v", err)
	}
}

// play carries out the plan and returns what was wrong with it.
func (p *stagesPlan) play(t *testing.T) (wrong []string) {
	w := &witness{stages: map[string][]stageID{}, states: map[string]string{}, before: map[string][]string{}, ran: map[string][]callPlan{}}
	defer w.watch()()
	synctest.Test(t, func(t *testing.T) {
		m := &stagesModel{witness: w, plan: p}
		for at := range m.services {
			script := func(source string) enginetest.Script {
				cell := 0
				_, _ = fmt.Sscan(source, &cell)
				return p.script(cell)
			}
			main, portable := enginetest.New(script), enginetest.NewPortable("build", script)
			service, err := New(Options{
				Engine: hybrid.New(main, portable), SnapshotKey: []byte("0123456789abcdef"), TurnTTL: 1000 * time.Hour,
				Executors: map[string]executor.Executor{"own": w}, Hooks: w.hooks(p.Open), Audit: &w.audited,
			})
			require.NoError(t, err)
			defer func() {
				require.NoError(t, main.Close())
				require.NoError(t, portable.Close())
			}()
			m.services[at] = service
			m.turns[at] = m.freshTurn(at)
		}
		var actors sync.WaitGroup
		for cell := range p.Cells {
			actors.Go(func() { m.exec(cell) })
		}
		for _, moves := range p.Clients {
			actors.Go(func() {
				for _, o := range moves {
					m.do(o)
				}
			})
		}
		actors.Wait()
		time.Sleep(2 * time.Hour) // whatever is suspended expires
		synctest.Wait()
		for _, s := range m.services {
			if err := s.Close(context.Background()); err != nil {
				w.fault("close: %v", err)
			}
			if stats := s.Stats(); stats.Suspended != 0 {
				w.fault("%d runs are left", stats.Suspended)
			}
		}
		synctest.Wait()
	})
	w.judge(p.Open)
	w.judgeTrajectory()
	return w.wrong
}

// judgeTrajectory holds what was kept of calls against what happened: each is there once, with what it came to.
func (w *witness) judgeTrajectory() {
	kept := map[string]string{}
	for _, line := range w.audited.of("call") {
		name := line.Get("callId").Str
		if kept[name] != "" {
			w.fault("%s is in the trajectory twice", name)
		}
		kept[name] = line.Get("outcome").Str
	}
	for name, state := range w.states {
		switch came := kept[name]; {
		case came == "refused":
			if len(w.ran[name]) > 0 {
				w.fault("%s ran, and is said to have been refused", name)
			}
		case came != state:
			w.fault("%s is in the trajectory as %q and came to %q", name, came, state)
		}
	}
	if len(kept) != len(w.states) {
		w.fault("%d calls are in the trajectory, of %d", len(kept), len(w.states))
	}
}

// judge holds what was seen against what must be.
func (w *witness) judge(open bool) {
	for _, name := range slices.Sorted(maps.Keys(w.stages)) {
		passed := w.stages[name]
		if n := len(passed); passed[n-1] != atRecord {
			w.fault("%s was not recorded: %v", name, passed)
		}
		for i, id := range passed[:len(passed)-1] {
			if id != stageID(i) {
				w.fault("%s took another way: %v", name, passed)
				break
			}
		}
		if w.states[name] == stateCompleted && len(passed) != int(stageCount) {
			w.fault("%s was completed without having passed all stages: %v", name, passed)
		}
		ran := w.ran[name]
		if len(ran) > 1 {
			w.fault("%s ran %d times", name, len(ran))
		}
		if len(ran) > 0 {
			w.judgeRun(name, passed, ran[0], open)
		}
	}
	for name := range w.ran {
		if w.stages[name] == nil {
			w.fault("%s ran without a stage", name)
		}
	}
}

// judgeRun judges a call that reached its tool.
func (w *witness) judgeRun(name string, passed []stageID, p callPlan, open bool) {
	if len(passed) <= int(atExecution) {
		w.fault("%s ran without having passed all stages: %v", name, passed)
	}
	said := strings.Join(w.before[name], " ")
	if want := fmt.Sprintf("1%s 2%s", p.First, p.Second); said != want {
		w.fault("%s ran although the hooks said %q", name, said)
	}
	changes := strings.Count(said, "alter")
	if (p.N > 1000) != (changes > 0) || p.N/1000 != changes {
		w.fault("%s ran with another input than the hooks left: %v", name, p)
	}
	for _, forbidden := range []string{"block", "spoil"} {
		if strings.Contains(said, forbidden) {
			w.fault("%s ran although a hook said %s", name, forbidden)
		}
	}
	if !open && (strings.Contains(said, "break") || strings.Contains(said, "hang")) {
		w.fault("%s ran although a hook failed: %q", name, said)
	}
}

func TestStagesModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := aStagesPlan().Draw(rt, "plan")
		if wrong := p.play(t); len(wrong) > 0 {
			rt.Fatalf("%s", strings.Join(wrong, "\n"))
		}
	})
}

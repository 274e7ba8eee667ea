package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/hybrid"
)

// This test lets cells call tools, with hooks that block, change, break and hang, and people that approve and deny, while
// clients resume, deliver, leave, abort and move the runs to another service and back, several at once. Whatever happens, no
// call reaches its tool without having passed every stage before, none reaches it twice, each is recorded once, and people
// decide about each at most once.

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
	Modes   map[string]approval.Mode // when the turn wants calls of tools approved
	Policy  map[string]approval.Mode // and the operator
	Open    bool                     // the hooks may fail
	Cells   [][][]callPlan           // each of batches: a step asks for one when the one before is answered
	Clients [][]move
}

func aStagesPlan() *rapid.Generator[stagesPlan] {
	aCall := rapid.Custom(func(t *rapid.T) callPlan {
		manner := rapid.SampledFrom([]string{"", "", "", "block", "alter", "spoil", "break", "hang", "slow"})
		return callPlan{
			Tool:   rapid.SampledFrom([]string{"own", "own", "own", "ask", "ask", "issue", "gated", "gated", "gated", "denied", "nobody"}).Draw(t, "tool"),
			First:  manner.Draw(t, "first"),
			Second: manner.Draw(t, "second"),
			After:  rapid.SampledFrom([]string{"", "", "alter", "break", "hang"}).Draw(t, "after"),
			Delay:  rapid.IntRange(0, 40).Draw(t, "delay"),
			Fails:  rapid.IntRange(0, 4).Draw(t, "fails") == 0,
		}
	})
	aMove := rapid.Custom(func(t *rapid.T) move {
		return move{
			Kind: rapid.SampledFrom([]string{"wait", "wait", "wait", "wait", "deliver", "deliver", "move", "move", "approve", "approve", "edit", "deny", "remember", "quarrel", "leave", "look", "abort", "drop"}).Draw(t, "kind"),
			Run:  rapid.IntRange(0, 5).Draw(t, "run"),
			Wait: rapid.IntRange(0, 8).Draw(t, "wait"),
		}
	})
	modes := rapid.MapOf(rapid.SampledFrom([]string{"own", "ask", "issue", "gated"}), rapid.SampledFrom([]approval.Mode{approval.Never, approval.First, approval.Always}))
	return rapid.Custom(func(t *rapid.T) stagesPlan {
		p := stagesPlan{
			Modes: modes.Draw(t, "modes"), Policy: modes.Draw(t, "policy"),
			Config: fmt.Sprintf(
				`{"enabled":true,"timeoutMs":5000,"drainMs":%d,"maxPendingToolCalls":%d,"maxQueuedToolCalls":%d,"approvalTimeoutSeconds":%d,"snapshot":{"resume":%q}}`,
				rapid.SampledFrom([]int{1, 3000}).Draw(t, "drain"), rapid.IntRange(1, 3).Draw(t, "places"), rapid.SampledFrom([]int{1, 100}).Draw(t, "queue"),
				rapid.SampledFrom([]int{5, 86_400}).Draw(t, "patience"), rapid.SampledFrom([]string{"hot", "restore"}).Draw(t, "resume")),
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

// mode is when calls of a tool need an approval.
func (p *stagesPlan) mode(tool string) approval.Mode {
	mode, ok := p.Policy[tool]
	switch {
	case !ok && tool == "gated":
		mode = approval.Always // it is destructive
	case !ok:
		mode = approval.Never
	}
	if own, ok := p.Modes[tool]; ok {
		mode = approval.Stricter(mode, own)
	}
	return mode
}

// rules are the modes of a map as rules.
func rules(modes map[string]approval.Mode) (list []approval.TenantRule) {
	for _, tool := range slices.Sorted(maps.Keys(modes)) {
		list = append(list, approval.TenantRule{Rule: approval.Rule{Tool: tool, Approval: modes[tool]}})
	}
	return list
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

// tools of the model's turns. A call's number must be one, so that an input that a hook has spoilt is refused.
func stagesTools() []catalog.Tool {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	own := json.RawMessage(`{"type":"own","timeoutMs":30000}`)
	return []catalog.Tool{
		{Source: "openclaw", Owner: "lab", Name: "own", Executor: own, Parameters: schema},
		{Source: "client", Owner: "app", Name: "ask", Parameters: schema},
		{Source: "mcp", Owner: "hub", Name: "issue", Executor: own, Parameters: schema},
		{Source: "openclaw", Owner: "lab", Name: "gated", Executor: own, Parameters: schema, Annotations: catalog.Annotations{Destructive: true}},
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
		Context: someone(), Config: m.plan.config(), Tools: stagesTools(), Policy: catalog.Policy{Deny: []string{"denied"}},
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
	case "approve", "deny", "edit", "remember", "quarrel":
		for _, s := range m.services {
			m.decide(ctx, s, o)
		}
	case "move":
		m.move(ctx, r)
	case "look":
		m.look(at)
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

// look reads the trajectory of a turn, in which no call may be twice.
func (m *stagesModel) look(at int) {
	lines, err := m.turn(at).Trajectory("")
	var out bytes.Buffer
	if err == nil {
		_, err = lines.WriteTo(&out)
	}
	if err != nil {
		m.witness.fault("trajectory: %v", err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(out.String()) {
		id := gjson.Get(line, "callId").Str
		if gjson.Get(line, "type").Str == "call" && seen[id] {
			m.witness.fault("%s is in a trajectory twice", id)
		}
		seen[id] = true
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

// editedBy is what an approver adds to a call's number.
const editedBy = 1_000_000

// decide settles one of the approvals that wait; in a quarrel two deciders try to.
func (m *stagesModel) decide(ctx context.Context, s *Service, o move) {
	waiting := pendingApprovals(s)
	if len(waiting) == 0 {
		return
	}
	a := waiting[o.Run%len(waiting)]
	approve, deny := approval.Decision{Verdict: approval.Approve}, approval.Decision{Verdict: approval.Deny}
	switch o.Kind {
	case "remember":
		approve.Remember, deny.Remember = approval.RememberSession, approval.RememberSession
	case "edit":
		var p callPlan
		if json.Unmarshal(a.Input, &p) != nil {
			return // a hook has spoilt it
		}
		p.N += editedBy
		approve.Input, _ = json.Marshal(p)
	}
	if o.Kind == "quarrel" {
		var both sync.WaitGroup
		for _, d := range []approval.Decision{approve, deny} {
			both.Go(func() { _, _ = s.Decide(ctx, tenant, a.ID, d) })
		}
		both.Wait()
	} else if o.Kind == "deny" || o.Kind == "remember" && o.Wait%4 == 0 {
		_, _ = s.Decide(ctx, tenant, a.ID, deny)
	} else {
		_, _ = s.Decide(ctx, tenant, a.ID, approve)
	}
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

// config is that of the plan's turns.
func (p *stagesPlan) config() json.RawMessage {
	list := []approval.Rule{}
	for _, r := range rules(p.Modes) {
		list = append(list, r.Rule)
	}
	text, _ := json.Marshal(list)
	return json.RawMessage(strings.Replace(p.Config, `"enabled":true`, `"enabled":true,"approvals":`+string(text), 1))
}

// play carries out the plan and returns what was wrong with it.
func (p *stagesPlan) play(t *testing.T) (wrong []string) {
	w := &witness{stages: map[string][]stageID{}, states: map[string]string{}, before: map[string][]string{}, ran: map[string][]callPlan{}, tools: map[string]string{}, noted: map[string]string{}, asked: map[string][]approval.Approval{}}
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
			policy, err := approval.NewPolicy(rules(p.Policy), "")
			require.NoError(t, err)
			service, err := New(Options{
				Engine: hybrid.New(main, portable), SnapshotKey: []byte("0123456789abcdef"), TurnTTL: 1000 * time.Hour,
				Approvals: approval.Options{Policy: policy, Retain: 1000 * time.Hour},
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
			if left := pendingApprovals(s); len(left) > 0 {
				w.fault("%d approvals are left", len(left))
			}
			w.collect(s)
		}
		synctest.Wait()
	})
	w.judge(p)
	w.judgeTrajectory()
	return w.wrong
}

func TestStagesModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := aStagesPlan().Draw(rt, "plan")
		if wrong := p.play(t); len(wrong) > 0 {
			rt.Fatalf("%s", strings.Join(wrong, "\n"))
		}
	})
}

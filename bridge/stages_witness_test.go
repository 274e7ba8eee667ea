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
	"time"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/hook"
)

// witness writes down what happens to each call, by its id.
type witness struct {
	mu     sync.Mutex
	stages map[string][]stageID
	states map[string]string   // as they were recorded
	before map[string][]string // what the hooks said
	ran    map[string][]callPlan
	tools  map[string]string              // that were called
	noted  map[string]string              // what the approval stage decided
	asked  map[string][]approval.Approval // what people were asked, in either service
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
				if c.entry != nil {
					w.tools[name] = c.entry.Name()
				}
				for _, d := range c.decisions {
					if d.Stage == atApproval.String() {
						w.noted[name] += d.Outcome
					}
				}
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

// collect takes down what people were asked in a service, and what came of it.
func (w *witness) collect(s *Service) {
	for page := s.Approvals(tenant, approval.Query{}); ; page = s.Approvals(tenant, approval.Query{After: page.Next}) {
		for _, a := range page.Approvals {
			w.asked[a.CallID] = append(w.asked[a.CallID], a)
		}
		if page.Next == 0 {
			return
		}
	}
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
func (w *witness) judge(plan *stagesPlan) {
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
			w.judgeRun(name, passed, ran[0], plan.Open)
		}
		w.judgeApproval(name, passed, plan.mode(w.tools[name]))
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
	if edited := w.wasEdited(name); (p.N >= editedBy) != edited {
		w.fault("%s ran with another input than the approver gave: %v", name, p)
	}
	p.N %= editedBy
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

// judgeApproval judges what people had to do with a call.
func (w *witness) judgeApproval(name string, passed []stageID, mode approval.Mode) {
	var settled []approval.Approval
	for _, a := range w.asked[name] {
		if a.State != approval.Withdrawn {
			settled = append(settled, a)
		}
	}
	if len(settled) > 1 {
		w.fault("%s was settled %d times: %v", name, len(settled), settled)
		return
	}
	approved := slices.Contains(passed, atValidation)
	if len(settled) == 0 {
		if approved && mode != approval.Never && !w.remembers(w.tools[name]) {
			w.fault("%s went on although nobody approved it", name)
		}
		return
	}
	a := settled[0]
	if mode == approval.Never {
		w.fault("somebody was asked about %s", name)
	}
	if approved && a.State != approval.Approved {
		w.fault("%s went on although it is %s", name, a.State)
	}
	want := string(a.State)
	if a.Decision != nil && a.Decision.Edited {
		want += "changed"
	}
	if noted := w.noted[name]; w.states[name] != stateCancelled && noted != want {
		w.fault("%s is %s, and was told that it is %q", name, want, noted)
	}
}

// remembers says whether somebody has approved a call of a tool for the rest of the session.
func (w *witness) remembers(tool string) bool {
	for _, asked := range w.asked {
		for _, a := range asked {
			if a.Name == tool && a.State == approval.Approved && a.Decision.Remember == approval.RememberSession {
				return true
			}
		}
	}
	return false
}

// wasEdited says whether an approver has given a call another input.
func (w *witness) wasEdited(name string) bool {
	return slices.ContainsFunc(w.asked[name], func(a approval.Approval) bool { return a.Decision != nil && a.Decision.Edited })
}

package bridge

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/bridge/trajectory"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// BenchmarkExec measures what the bridge itself costs, without a guest.
func BenchmarkExec(b *testing.B) {
	for _, bm := range []struct {
		name  string
		steps []enginetest.Step
	}{
		{"value", []enginetest.Step{returns("1")}},
		{"one call", []enginetest.Step{calls("echo"), returns("1")}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			w := newWorld(b, enginetest.Always(bm.steps...), Options{})
			turn := w.turn("")
			in := ExecInput{Code: quoted("return 1")}
			b.ReportAllocs()
			for b.Loop() {
				if r, err := turn.Exec(context.Background(), in); err != nil || r.Status != Completed {
					b.Fatal(r, err)
				}
			}
		})
	}
}

// BenchmarkStages measures the stages of a call that only policy, hooks and approvals are the reason for.
func BenchmarkStages(b *testing.B) {
	other := verdict("other", hook.Verdict{})
	other.Tools = []string{"openclaw:mail:*"}
	rules, err := approval.NewPolicy([]approval.TenantRule{{Rule: approval.Rule{Tool: "openclaw:mail:*", Approval: approval.Always}}}, "")
	require.NoError(b, err)
	for _, bm := range []struct {
		name    string
		options Options
	}{
		{"no hooks", Options{}},
		{"a hook for other tools", Options{Hooks: []hook.Hook{other}}},
		{"a hook in Go", Options{Hooks: []hook.Hook{verdict("a", hook.Verdict{})}}},
		{"approvals of other tools", Options{Approvals: approval.Options{Policy: rules}}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			w := newWorld(b, enginetest.Always(), bm.options)
			r, err := newRun(w.turn(""), cell{})
			require.NoError(b, err)
			defer r.discard()
			q, err := r.admitOne(r.ctx, &engine.Request{ID: 1, Method: engine.MethodCall, Name: "echo", Payload: []byte(`{}`)})
			require.NoError(b, err)
			c := q.call
			b.ReportAllocs()
			for b.Loop() {
				c.decisions = nil
				for _, c.at = range []stageID{atPolicy, atHooksBefore, atApproval, atHooksAfter} {
					if s := &stages[c.at]; s.asks == nil || s.asks(c) {
						if err := s.run(r.ctx, c); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
		})
	}
}

// BenchmarkTrajectory measures what it costs to keep a call that is over, where nobody audits.
func BenchmarkTrajectory(b *testing.B) {
	w := newWorld(b, enginetest.Always(), Options{})
	turn := w.turn("")
	r, err := newRun(turn, cell{})
	require.NoError(b, err)
	defer r.discard()
	q, err := r.admitOne(r.ctx, &engine.Request{ID: 1, Method: engine.MethodCall, Name: "echo", Payload: []byte(`{"path":"README.md"}`)})
	require.NoError(b, err)
	c := q.call
	c.callID, c.state, c.result = r.id.call(1), stateCompleted, []byte(`{"content":[{"type":"text","text":"a few words"}]}`)
	r.group = turn.trajectory.Begin(trajectory.Exec, "parent")
	kept := 0
	b.ReportAllocs()
	for b.Loop() {
		c.enter()
		if kept++; kept%100 == 0 { // before it is full
			b.StopTimer()
			turn.trajectory.Close()
			turn.trajectory = trajectory.New(w.Service.trajectories)
			r.group = turn.trajectory.Begin(trajectory.Exec, "parent")
			b.StartTimer()
		}
	}
}

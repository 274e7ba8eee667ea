package bridge

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// The decisions of most cases.
var (
	allowed = approval.Decision{Verdict: approval.Approve, Who: "ada"}
	refused = approval.Decision{Verdict: approval.Deny, Who: "ada", Reason: "too risky"}
)

// asking is a config by which a person is asked about a tool.
func askingFor(tool string) string {
	return `{"enabled":true,"approvals":[{"tool":"` + tool + `","approval":"always"}]}`
}

// pendingApprovals are those of the tenant, in the order in which they were asked for.
func pendingApprovals(s *Service) []approval.Approval {
	return s.Approvals(tenant, approval.Query{State: approval.Pending}).Approvals
}

// decide settles the only approval that is pending.
func (w *world) decide(d approval.Decision) approval.Approval {
	w.t.Helper()
	pending := pendingApprovals(w.Service)
	require.Len(w.t, pending, 1)
	settled, err := w.Decide(context.Background(), tenant, pending[0].ID, d)
	require.NoError(w.t, err)
	return settled
}

// gives ends the cell with the first answer that it got, into got.
func gives(got *engine.Answer) enginetest.Step {
	return func(in *input, out *records) error {
		*got = in.Answers[0]
		out.Fulfil("1", 0)
		return nil
	}
}

func TestApprovalMode(t *testing.T) {
	policy, err := approval.NewPolicy([]approval.TenantRule{
		{Rule: approval.Rule{Tool: "echo", Approval: approval.First}},
		{Rule: approval.Rule{Tool: "*:fail", Approval: approval.Always}, Tenants: []string{"another"}},
		{Rule: approval.Rule{Tool: "mild", Approval: approval.Never}},
	}, "")
	require.NoError(t, err)
	w := newWorld(t, enginetest.Always(), Options{Approvals: approval.Options{Policy: policy}})
	destructive := func(name string) catalog.Tool {
		return catalog.Tool{Source: "client", Owner: "app", Name: name, Annotations: catalog.Annotations{Destructive: true}}
	}
	const never, first, always = approval.Never, approval.First, approval.Always
	for _, tc := range []struct {
		name, tenant, config, tool string
		want                       approval.Mode
	}{
		{"the operator's rule", tenant, ``, "echo", first},
		{"another tenant's", tenant, ``, "fail", never},
		{"that tenant's", "another", ``, "fail", always},
		{"an annotation", tenant, ``, "wild", always},
		{"a rule before an annotation", tenant, ``, "mild", never},
		{"a turn asks more", tenant, `{"enabled":true,"approvals":[{"tool":"*","approval":"always"}]}`, "echo", always},
		{"a turn asks for others", tenant, askingFor("slow"), "slow", always},
		{"a turn can't ask less", tenant, `{"enabled":true,"approvals":[{"tool":"*","approval":"never"}]}`, "wild", always},
		{"the first of its rules counts", tenant, `{"enabled":true,"approvals":[{"tool":"slow","approval":"first"},{"tool":"*","approval":"always"}]}`, "slow", first},
	} {
		t.Run("G4 "+tc.name, func(t *testing.T) {
			turn := w.turnOf(tc.tenant, someone(), tc.config, destructive("wild"), destructive("mild"))
			e, err := turn.catalog.Lookup(tc.tool)
			require.NoError(t, err)
			for range 2 {
				require.Equal(t, tc.want, turn.approvalMode(e))
			}
		})
	}
	t.Run("H6 the rules of a turn are held", func(t *testing.T) {
		before := w.Stats().HeldBytes
		plain := w.turn("")
		cost := w.Stats().HeldBytes - before
		ruled := w.turn(askingFor(strings.Repeat("*", 200)))
		require.Greater(t, w.Stats().HeldBytes-before-cost, cost+200)
		for _, turn := range []*Turn{plain, ruled} {
			require.NoError(t, w.DropTurn(tenant, turn.ID()))
		}
		require.Equal(t, before, w.Stats().HeldBytes)
	})
}

func TestApprovals(t *testing.T) {
	strict := catalog.Tool{
		Source: "openclaw", Owner: "core", Name: "strict", Executor: json.RawMessage(`{"type":"echo"}`),
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
	}
	needy := catalog.Tool{
		Source: "mcp", Owner: "hub", Name: "needy", Executor: json.RawMessage(`{"type":"echo"}`),
		Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":7}},"required":["a"]}`),
	}
	edited := func(text string) approval.Decision {
		d := allowed
		d.Input = json.RawMessage(text)
		return d
	}
	call := func(tool, in string) func(*records) { return func(out *records) { out.CallValue(1, tool, in) } }
	for _, tc := range []struct {
		name     string
		ask      func(*records)
		decision approval.Decision
		want     string // the input that the tool was called with
		code     string
		text     string
	}{
		{"approved", call("echo", `{"a":1}`), allowed, `{"a":1}`, "", ""},
		{"approved with another input", call("strict", `{"n":1}`), edited(`{"n":2}`), `{"n":2}`, "", ""},
		{"an invalid input that the approver mends", call("strict", `{"n":"x"}`), edited(`{"n":2}`), `{"n":2}`, "", ""},
		{"approved, and invalid", call("strict", `{"n":"x"}`), allowed, "", "invalid_input", "n"},
		{"an MCP tool's defaults", func(out *records) { out.Request(1, engine.MethodNamespace, "mcp:hub:needy", `[{"a":"x"}]`) }, edited(`{"a":"y"}`), `{"a":"y","b":7}`, "", ""},
		{"denied", call("echo", `{"a":1}`), refused, "", "approval_denied", "the call of openclaw:core:echo was not approved: too risky"},
		{"denied without a reason", call("echo", `{"a":1}`), approval.Decision{Verdict: approval.Deny}, "", "approval_denied", "the call of openclaw:core:echo was not approved"},
	} {
		t.Run("G4 "+tc.name, func(t *testing.T) {
			var got engine.Answer
			w := newWorld(t, enginetest.Always(asks(tc.ask), gives(&got)), Options{})
			turn := w.turn(askingFor("*"), strict, needy)
			r := w.exec(turn)
			require.Equal(t, Waiting, r.Status)
			require.Equal(t, "pending_tools", r.Reason)
			settled := w.decide(tc.decision)
			require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
			if tc.code != "" {
				e := errorOf(t, got)
				require.Equal(t, tc.code, e.Code)
				require.Contains(t, e.Message, tc.text)
				return
			}
			require.Contains(t, string(got.Payload), tc.want)
			require.Equal(t, approval.Approved, settled.State)
		})
	}
	t.Run("C2 what is pending, and what a person is asked", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("echo", "ask", "fail"), returns("1")), Options{Hooks: []hook.Hook{
			{Name: "a", Tools: []string{"echo"}, Before: verdict("", inputOf(`{"hooked":1}`)).Before},
		}})
		turn := w.turn(`{"enabled":true,"approvals":[{"tool":"fail","approval":"never"},{"tool":"*","approval":"always"}],"approvalTimeoutSeconds":60}`)
		r := w.exec(turn)
		pending := pendingApprovals(w.Service)
		require.Len(t, pending, 2)
		require.Equal(t, []PendingCall{
			{ID: r.RunID + ".1", Method: "approval", ToolID: "openclaw:core:echo", Name: "echo", ApprovalID: pending[1].ID},
			{ID: r.RunID + ".2", Method: "approval", ToolID: "client:app:ask", Name: "ask", ApprovalID: pending[0].ID},
		}, r.Pending)
		asked, err := w.Approval(tenant, pending[1].ID)
		require.NoError(t, err)
		require.WithinDuration(t, time.Now().Add(time.Minute), asked.ExpiresAt, time.Minute)
		asked.CreatedAt, asked.ExpiresAt = time.Time{}, time.Time{}
		require.Equal(t, approval.Approval{
			ID: pending[1].ID, State: approval.Pending, Mode: approval.Always, TurnID: turn.ID(), RunID: r.RunID, CallID: r.RunID + ".1",
			ToolID: "openclaw:core:echo", Name: "echo", ParentCallID: "parent", Input: json.RawMessage(`{"hooked":1}`), Context: someone(),
		}, asked)
		d, err := turn.Deliver(t.Context(), r.RunID, []CallResult{{ID: r.RunID + ".2", OK: true}})
		require.NoError(t, err)
		require.Contains(t, d.Refused[0].Reason, "waits for a person's approval first")
	})
	t.Run("C10 a call of the caller's is the caller's once it is approved", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("ask"), returns("1")), Options{})
			turn := w.turn(askingFor("ask"))
			id := w.exec(turn).RunID
			w.decide(edited(`{"q":2}`))
			r := w.wait(turn, id)
			require.Equal(t, []PendingCall{{ID: id + ".1", Method: "call", ToolID: "client:app:ask", Name: "ask", Input: json.RawMessage(`{"q":2}`)}}, r.Pending)
			require.Equal(t, Completed, w.wait(turn, id, CallResult{ID: id + ".1", OK: true}).Status)
		})
	})
	t.Run("G4 decided once, also for a run that is over", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{})
		turn := w.turn(askingFor("echo"))
		id := w.exec(turn).RunID
		settled := w.decide(refused)
		_, err := w.Decide(t.Context(), tenant, settled.ID, allowed)
		requireKind(t, err, KindConflict)
		require.ErrorContains(t, err, `denied already`)
		require.Equal(t, Completed, w.wait(turn, id).Status)
		_, err = w.Decide(t.Context(), tenant, settled.ID, allowed)
		requireKind(t, err, KindConflict)
		again, err := w.Approval(tenant, settled.ID)
		require.NoError(t, err)
		require.Equal(t, settled, again)
	})
	t.Run("A7 another tenant's is none", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{})
		w.exec(w.turn(askingFor("echo")))
		id := pendingApprovals(w.Service)[0].ID
		_, err := w.Approval("another", id)
		requireKind(t, err, KindNotFound)
		_, err = w.Decide(t.Context(), "another", id, allowed)
		requireKind(t, err, KindNotFound)
		require.Empty(t, w.Approvals("another", approval.Query{}).Approvals)
	})
	t.Run("G4 what is remembered", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{})
		turn := w.turn(askingFor("echo"))
		remember := allowed
		remember.Remember = approval.RememberSession
		first, second := w.exec(turn).RunID, w.exec(turn).RunID
		_, err := w.Decide(t.Context(), tenant, pendingApprovals(w.Service)[0].ID, remember)
		require.NoError(t, err)
		require.Empty(t, pendingApprovals(w.Service), "the other run of the session goes on too")
		for _, id := range []string{first, second} {
			require.Equal(t, Completed, w.wait(turn, id).Status)
		}
		require.Equal(t, Completed, w.exec(w.turn(askingFor("echo"))).Status, "another turn of the session")
		stranger := someone()
		stranger.SessionKey = "another"
		require.Equal(t, Waiting, w.exec(w.turnOf(tenant, stranger, askingFor("echo"))).Status)
		_, err = w.DropSession(tenant, "session")
		require.NoError(t, err)
		require.Equal(t, Waiting, w.exec(w.turn(askingFor("echo"))).Status, "the session has ended")
	})
	t.Run("G4 nobody who could decide", func(t *testing.T) {
		var got engine.Answer
		w := newWorld(t, enginetest.Always(calls("echo"), gives(&got)), Options{NoApprovers: "nobody can approve calls here"})
		require.Equal(t, Completed, w.exec(w.turn(askingFor("echo"))).Status)
		e := errorOf(t, got)
		require.Equal(t, "approval_denied", e.Code)
		require.Contains(t, e.Message, "nobody can approve")
	})
	for name, d := range map[string]approval.Decision{
		"decision": {Verdict: "perhaps"},
		"reason":   {Verdict: approval.Deny, Reason: strings.Repeat("x", approval.MaxReason+1)},
		"who":      {Verdict: approval.Deny, Who: strings.Repeat("x", approval.MaxWho+1)},
		"remember": {Verdict: approval.Deny, Remember: "forever"},
		"input":    {Verdict: approval.Deny, Input: json.RawMessage(`{}`)},
		"schema":   edited(`{"n":"x"}`),
		"depth":    edited(strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5)),
	} {
		t.Run("G4 a decision that is none, and changes nothing: "+name, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(asks(call("strict", `{"n":1}`)), returns("1")), Options{})
			w.exec(w.turn(askingFor("strict"), strict))
			id := pendingApprovals(w.Service)[0].ID
			_, err := w.Decide(t.Context(), tenant, id, d)
			requireKind(t, err, KindInvalid)
			require.Len(t, pendingApprovals(w.Service), 1)
		})
	}
	t.Run("H6 an edited input that there is no room for changes nothing", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(call("echo", `{}`)), returns("1")), Options{})
		turn := w.turn(askingFor("echo"))
		r := w.exec(turn)
		_, err := w.Decide(t.Context(), tenant, pendingApprovals(w.Service)[0].ID, edited(`"`+strings.Repeat("x", 40<<20)+`"`))
		requireKind(t, err, KindTooLarge)
		w.decide(edited(`{"small":1}`))
		require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
	})
}

func TestApprovalTime(t *testing.T) {
	t.Run("G4 nobody decides", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var got engine.Answer
			w := newWorld(t, enginetest.Always(calls("echo"), gives(&got)), Options{})
			turn := w.turn(`{"enabled":true,"approvals":[{"tool":"*","approval":"first"}],"approvalTimeoutSeconds":60}`)
			id := w.exec(turn).RunID
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Equal(t, Completed, w.wait(turn, id).Status)
			e := errorOf(t, got)
			require.Equal(t, "approval_expired", e.Code)
			require.Contains(t, e.Message, "nobody decided")
		})
	})
	t.Run("G4 waiting for a person is charged to nobody", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{})
			turn := w.turn(`{"enabled":true,"timeoutMs":2000,"approvals":[{"tool":"*","approval":"always"}]}`)
			began := time.Now()
			id := w.exec(turn).RunID
			require.Zero(t, time.Since(began), "the exec does not wait for a person")
			for range 20 {
				require.Equal(t, Waiting, w.wait(turn, id).Status)
			}
			require.Equal(t, 40*time.Second, time.Since(began))
			time.AfterFunc(time.Second, func() { w.decide(allowed) })
			require.Equal(t, Completed, w.wait(turn, id).Status, "a wait sees a decision that comes meanwhile")
			require.Equal(t, 41*time.Second, time.Since(began))
		})
	})
	t.Run("C1 calls beside it are drained first", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			late := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "late", Executor: json.RawMessage(`{"type":"echo","delayMs":1000}`)}
			w := newWorld(t, enginetest.Always(calls("echo", "late"), asks(func(*records) {}), returns("1")), Options{})
			turn := w.turn(askingFor("echo"), late)
			began := time.Now()
			r := w.exec(turn)
			require.Equal(t, time.Second, time.Since(began))
			require.Len(t, r.Pending, 1)
			w.decide(allowed)
			require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
		})
	})
	t.Run("D6 it takes no place, and gets one when it is approved", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("echo", "fail"), asks(func(*records) {}), returns("1")), Options{})
		turn := w.turn(`{"enabled":true,"maxPendingToolCalls":1,"approvals":[{"tool":"echo","approval":"always"}]}`)
		r := w.exec(turn)
		require.Len(t, r.Pending, 1, "the other has run")
		w.decide(allowed)
		require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
	})
}

func TestApprovalEnds(t *testing.T) {
	ends := map[string]func(w *world, turn *Turn, runID string) error{
		"its run is aborted":    func(w *world, _ *Turn, runID string) error { return w.AbortRun(tenant, runID) },
		"its turn is dropped":   func(w *world, turn *Turn, _ string) error { return w.DropTurn(tenant, turn.ID()) },
		"its session ends":      func(w *world, _ *Turn, _ string) error { _, err := w.DropSession(tenant, "session"); return err },
		"the service is closed": func(w *world, _ *Turn, _ string) error { return w.Close(context.Background()) },
	}
	for name, end := range ends {
		t.Run("G7 "+name, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("echo", "echo"), returns("1")), Options{})
			turn := w.turn(askingFor("echo"))
			r := w.exec(turn)
			require.NoError(t, end(w, turn, r.RunID))
			for _, p := range r.Pending {
				a, err := w.Approval(tenant, p.ApprovalID)
				require.NoError(t, err)
				require.Equal(t, approval.Withdrawn, a.State)
				_, err = w.Decide(t.Context(), tenant, p.ApprovalID, allowed)
				requireKind(t, err, KindConflict)
				require.ErrorContains(t, err, "the run has ended")
			}
		})
	}
	t.Run("C6 it expires with its run, which is not delayed by waits", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("echo"), yields(2), returns("1")), Options{})
			turn := w.turn(`{"enabled":true,"snapshotTtlSeconds":60,"approvals":[{"tool":"echo","approval":"always"}]}`)
			r := w.exec(turn)
			w.wait(turn, r.RunID)
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Zero(t, w.Stats().Suspended)
			_, err := w.Decide(t.Context(), tenant, r.Pending[0].ApprovalID, allowed)
			requireKind(t, err, KindConflict)
		})
	})
	t.Run("C6 a run that can't be suspended asks nobody", func(t *testing.T) {
		e := enginetest.Always(calls("echo"), returns("1"))
		w := newWorld(t, e, Options{})
		turn := w.turn(`{"enabled":true,"maxSuspendedRuns":1,"approvals":[{"tool":"echo","approval":"always"}]}`)
		require.Equal(t, Waiting, w.exec(turn).Status)
		requireFailed(t, w.exec(turn), CodeInvalidInput, "too many suspended")
		require.Len(t, w.Approvals(tenant, approval.Query{}).Approvals, 1)
	})
	t.Run("H6 too many, and what is held is released", func(t *testing.T) {
		var got []engine.Answer
		w := newWorld(t, enginetest.Always(calls("echo", "echo", "echo"), func(in *input, out *records) error {
			got = append(got, in.Answers...)
			out.Pending()
			return nil
		}, returns("1")), Options{Approvals: approval.Options{MaxTenantPending: 2, Retain: time.Nanosecond}})
		turn := w.turn(askingFor("echo"))
		before := w.heldBeside(turn)
		r := w.exec(turn)
		require.Equal(t, Waiting, r.Status)
		require.Len(t, r.Pending, 2)
		e := errorOf(t, got[0])
		require.Equal(t, "too_many_approvals", e.Code)
		require.Contains(t, e.Message, "may have 2")
		require.NoError(t, w.AbortRun(tenant, r.RunID))
		settle(t, func() bool { return w.heldBeside(turn) == before })
	})
	t.Run("H6 a run that has no room for its call asks nobody", func(t *testing.T) {
		var got engine.Answer
		w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Call(1, "echo", big(1<<20)) }), gives(&got)), Options{})
		require.Equal(t, Completed, w.exec(w.turn(`{"enabled":true,"maxHeldBytes":65536,"approvals":[{"tool":"echo","approval":"always"}]}`)).Status)
		require.Equal(t, "too_many_bytes", errorOf(t, got).Code)
		require.Empty(t, w.Approvals(tenant, approval.Query{}).Approvals)
		require.Zero(t, len(pendingApprovals(w.Service)))
	})
	t.Run("G4 decisions and aborts at once", func(t *testing.T) {
		for range 200 {
			w := newWorld(t, enginetest.Always(calls("echo"), returns("1")), Options{})
			turn := w.turn(askingFor("echo"))
			r := w.exec(turn)
			var all sync.WaitGroup
			for n := range 4 {
				d := allowed
				if n%2 == 0 {
					d = refused
				}
				all.Go(func() { _, _ = w.Decide(context.Background(), tenant, r.Pending[0].ApprovalID, d) })
			}
			all.Go(func() { _ = w.AbortRun(tenant, r.RunID) })
			all.Wait()
			a, err := w.Approval(tenant, r.Pending[0].ApprovalID)
			require.NoError(t, err)
			require.NotEqual(t, approval.Pending, a.State)
		}
	})
}

func TestApprovalMoves(t *testing.T) {
	key := []byte("a key that both processes have")
	script := []enginetest.Step{calls("echo"), returns("1")}
	here := func(t *testing.T) *portableWorld { return newPortableWorld(t, Options{SnapshotKey: key}, script...) }
	for name, config := range map[string]string{
		"its heap":   askingFor("echo"),
		"a snapshot": `{"enabled":true,"snapshot":{"resume":"restore"},"approvals":[{"tool":"echo","approval":"always"}]}`,
	} {
		t.Run("C4 decided while the run is in "+name, func(t *testing.T) {
			w := here(t)
			turn := w.turn(config)
			r := w.exec(turn)
			if name != "its heap" {
				settle(t, func() bool { return w.Stats().Snapshots.Snapshots == 1 })
			}
			w.decide(allowed)
			require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
		})
		t.Run("C9 decided elsewhere, from "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				from, to := here(t), here(t)
				turn, there := from.turn(config), to.turn(config)
				r := from.exec(turn)
				asked := pendingApprovals(from.Service)[0]
				out, err := turn.Export(t.Context(), r.RunID)
				require.NoError(t, err)
				_, err = from.Decide(t.Context(), tenant, asked.ID, allowed)
				requireKind(t, err, KindConflict)
				require.ErrorContains(t, err, "has left this service")
				_, err = there.Import(t.Context(), r.RunID, out.Snapshot)
				require.NoError(t, err)
				again := pendingApprovals(to.Service)[0]
				require.Equal(t, []string{asked.ID, asked.CallID, string(asked.Input)}, []string{again.ID, again.CallID, string(again.Input)})
				require.Equal(t, asked.CreatedAt.UnixMilli(), again.CreatedAt.UnixMilli())
				require.Equal(t, asked.ExpiresAt.UnixMilli(), again.ExpiresAt.UnixMilli())
				require.Equal(t, r.Pending, to.wait(there, r.RunID).Pending)
				_, err = to.Decide(t.Context(), tenant, asked.ID, allowed)
				require.NoError(t, err)
				require.Equal(t, Completed, to.wait(there, r.RunID).Status)
			})
		})
	}
	t.Run("C9 to where it came from", func(t *testing.T) {
		w := here(t)
		turn := w.turn(askingFor("echo"))
		r := w.exec(turn)
		out, err := turn.Export(t.Context(), r.RunID)
		require.NoError(t, err)
		_, err = turn.Import(t.Context(), r.RunID, out.Snapshot)
		require.NoError(t, err)
		require.Equal(t, r.Pending[0].ApprovalID, w.decide(refused).ID)
		require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
	})
	t.Run("C9 its time goes on meanwhile", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			from, to := here(t), here(t)
			config := `{"enabled":true,"approvals":[{"tool":"echo","approval":"always"}],"approvalTimeoutSeconds":60}`
			turn, there := from.turn(config), to.turn(config)
			r := from.exec(turn)
			out, err := turn.Export(t.Context(), r.RunID)
			require.NoError(t, err)
			time.Sleep(time.Hour / 8)
			_, err = there.Import(t.Context(), r.RunID, out.Snapshot)
			require.NoError(t, err)
			synctest.Wait()
			a, err := to.Approval(tenant, r.Pending[0].ApprovalID)
			require.NoError(t, err)
			require.Equal(t, approval.Expired, a.State)
			require.Equal(t, Completed, to.wait(there, r.RunID).Status)
		})
	})
	t.Run("H6 where too many wait it can't come in, and may come again", func(t *testing.T) {
		from := here(t)
		to := newPortableWorld(t, Options{SnapshotKey: key, Approvals: approval.Options{MaxTenantPending: 1}}, script...)
		turn, there := from.turn(askingFor("echo")), to.turn(askingFor("echo"))
		id := to.exec(there).RunID
		out, err := turn.Export(t.Context(), from.exec(turn).RunID)
		require.NoError(t, err)
		_, err = there.Import(t.Context(), out.RunID, out.Snapshot)
		requireKind(t, err, KindOverloaded)
		require.NoError(t, to.AbortRun(tenant, id))
		_, err = there.Import(t.Context(), out.RunID, out.Snapshot)
		require.NoError(t, err)
	})
	t.Run("G4 an export that fails leaves it to be decided", func(t *testing.T) {
		w := newPortableWorld(t, Options{SnapshotKey: key}, calls("slow", "echo"), asks(func(*records) {}), returns("1"))
		turn := w.turn(`{"enabled":true,"drainMs":1,"approvals":[{"tool":"echo","approval":"always"}]}`)
		r := w.exec(turn)
		_, err := turn.Export(t.Context(), r.RunID)
		requireKind(t, err, KindConflict)
		require.Equal(t, approval.Approved, w.decide(allowed).State)
		require.NoError(t, w.AbortRun(tenant, r.RunID))
	})
	t.Run("G4 a decision while the run leaves counts here, or it is made where the run goes on", func(t *testing.T) {
		for range 100 {
			w := here(t)
			turn := w.turn(askingFor("echo"))
			r := w.exec(turn)
			var all sync.WaitGroup
			var decided, left error
			all.Go(func() { _, decided = w.Decide(context.Background(), tenant, r.Pending[0].ApprovalID, allowed) })
			var out *Exported
			all.Go(func() { out, left = turn.Export(context.Background(), r.RunID) })
			all.Wait()
			require.False(t, decided == nil && left == nil && exportsAnApproval(t, w, turn, out), "decided, and to be decided again")
		}
	})
}

// exportsAnApproval says whether a run that is imported waits for a decision.
func exportsAnApproval(t *testing.T, w *portableWorld, turn *Turn, out *Exported) bool {
	_, err := turn.Import(t.Context(), out.RunID, out.Snapshot)
	require.NoError(t, err)
	return len(pendingApprovals(w.Service)) > 0
}

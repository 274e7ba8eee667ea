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

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestOwnedBy(t *testing.T) {
	same := someone()
	with := func(change func(*Context)) Context {
		c := same
		change(&c)
		return c
	}
	for _, tc := range []struct {
		name   string
		mine   Context
		tenant string
		other  Context
		want   error
	}{
		{"the same ids", same, tenant, same, nil},
		{"another channel is the same owner", same, tenant, with(func(c *Context) { c.Channel = "x" }), nil},
		{"another tenant", same, "other", same, errOtherSession},
		{"another tenant with another run", same, "other", with(func(c *Context) { c.RunID = "x" }), errOtherSession},
		{"another agent run", same, tenant, with(func(c *Context) { c.RunID = "x" }), errOtherAgentRun},
		{"no agent run on the caller's side", same, tenant, with(func(c *Context) { c.RunID = "" }), errOtherAgentRun},
		{"no agent run on either side", with(func(c *Context) { c.RunID = "" }), tenant, with(func(c *Context) { c.RunID = "" }), errOtherAgentRun},
		{"agent run comes before session", same, tenant, with(func(c *Context) { c.RunID, c.SessionID = "x", "x" }), errOtherAgentRun},
		{"another session id", same, tenant, with(func(c *Context) { c.SessionID = "x" }), errOtherSession},
		{"no session id on the caller's side", same, tenant, with(func(c *Context) { c.SessionID = "" }), errOtherSession},
		{"another session key", same, tenant, with(func(c *Context) { c.SessionKey = "x" }), errOtherSession},
		{"no session key on the caller's side", same, tenant, with(func(c *Context) { c.SessionKey = "" }), errOtherSession},
		{"no session key on either side", with(func(c *Context) { c.SessionKey = "" }), tenant, with(func(c *Context) { c.SessionKey = "" }), errOtherSession},
		{"another agent", same, tenant, with(func(c *Context) { c.AgentID = "x" }), errOtherSession},
		{"another sender", same, tenant, with(func(c *Context) { c.Sender = "x" }), errOtherSession},
	} {
		t.Run("C5 "+tc.name, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(yields(1), returns("1")), Options{})
			mine, other := w.turnOf(tenant, tc.mine, ""), w.turnOf(tc.tenant, tc.other, "")
			id := w.exec(mine).RunID
			r := w.wait(other, id)
			if tc.want == nil {
				require.Equal(t, Completed, r.Status, r.Error)
				return
			}
			requireFailed(t, r, CodeInvalidInput, tc.want.Error())
			_, err := other.Deliver(context.Background(), id, nil)
			requireKind(t, err, KindNotFound)
			require.Equal(t, Completed, w.wait(mine, id).Status, "the run is untouched, and its own turn resumes it")
		})
	}
}

func TestWaitInput(t *testing.T) {
	w := newWorld(t, enginetest.Always(yields(1), returns("1")), Options{})
	turn := w.turn("")
	for _, tc := range []struct{ name, raw, want string }{
		{"absent", ``, errBlankRun.Error()},
		{"null", `null`, errBlankRun.Error()},
		{"blank", `" \n"`, errBlankRun.Error()},
		{"a number", `5`, errBlankRun.Error()},
		{"unknown", `"cm_none"`, errNoRun.Error()},
		{"very long", string(quoted(strings.Repeat("x", 1<<16))), errNoRun.Error()},
	} {
		t.Run("C5 "+tc.name, func(t *testing.T) {
			r, err := turn.Wait(context.Background(), WaitInput{RunID: json.RawMessage(tc.raw)})
			require.NoError(t, err)
			requireFailed(t, w.checked(r), CodeInvalidInput, tc.want)
		})
	}
	t.Run("C5 finished", func(t *testing.T) {
		id := w.exec(turn).RunID
		require.Equal(t, Completed, w.wait(turn, " "+id+" ").Status)
		requireFailed(t, w.wait(turn, id), CodeInvalidInput, errNoRun.Error())
		require.ErrorContains(t, w.AbortRun(tenant, id), errNoRun.Error())
	})
	t.Run("C5 already resuming", func(t *testing.T) {
		begun := make(chan struct{})
		w := newWorld(t, enginetest.Always(yields(1), computes(begun)), Options{})
		turn := w.turn("")
		id := w.exec(turn).RunID
		first := make(chan *Result)
		go func() { first <- w.wait(turn, id) }()
		<-begun
		requireFailed(t, w.wait(turn, id), CodeInvalidInput, errResuming.Error())
		require.NoError(t, w.AbortRun(tenant, id))
		requireFailed(t, <-first, CodeAborted, "aborted")
	})
}

func TestExpiry(t *testing.T) {
	const ttl = 5 * time.Second
	config := `{"enabled":true,"snapshotTtlSeconds":5,"timeoutMs":1000}`
	t.Run("C6 a run lives for the TTL and no longer", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(yields(1), returns("1")), Options{})
			turn := w.turn(config)
			id, other := w.exec(turn).RunID, w.exec(turn).RunID
			time.Sleep(ttl - time.Millisecond)
			require.Equal(t, Completed, w.wait(turn, id).Status)
			time.Sleep(time.Millisecond)
			requireFailed(t, w.wait(turn, other), CodeInvalidInput, errNoRun.Error())
			synctest.Wait()
			require.Zero(t, w.Stats().Suspended, "swept by a timer, not by the next request")
			require.Zero(t, w.engine.Stats().InUse)
		})
	})
	t.Run("C6 each suspension starts it anew", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(yields(1), yields(2), yields(3), returns("1")), Options{})
			turn := w.turn(config)
			id := w.exec(turn).RunID
			for range 2 {
				time.Sleep(ttl - time.Second)
				require.Equal(t, Waiting, w.wait(turn, id).Status)
			}
			time.Sleep(ttl - time.Second)
			require.Equal(t, Completed, w.wait(turn, id).Status)
		})
	})
	t.Run("C6 a wait without progress does not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("ask")), Options{})
			turn := w.turn(config)
			id := w.exec(turn).RunID
			time.Sleep(ttl - 2*time.Second)
			require.Equal(t, Waiting, w.wait(turn, id).Status)
			time.Sleep(time.Second)
			requireFailed(t, w.wait(turn, id), CodeInvalidInput, errNoRun.Error())
			synctest.Wait()
			require.Zero(t, w.Stats().Suspended)
		})
	})
	t.Run("C6 it does not end a run that is being resumed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(yields(1), calls("tool"), returns("1")), Options{})
			turn := w.turn(`{"enabled":true,"snapshotTtlSeconds":1}`, delayed("tool", 8000))
			require.Equal(t, Completed, w.wait(turn, w.exec(turn).RunID).Status)
		})
	})
	t.Run("C6 it cancels the calls under way", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e := newWaitsFor()
			w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Call(1, "gated", "{}").Yield(2, "null") })), Options{
				Executors: map[string]executor.Executor{"gated": e},
			})
			w.exec(w.turn(config, gated("gated", catalog.Annotations{})))
			time.Sleep(ttl)
			synctest.Wait()
			require.Len(t, e.starts(), 1)
			require.Zero(t, e.running)
		})
	})
}

func TestDeliver(t *testing.T) {
	script := func(seen *[]engine.Answer) []enginetest.Step {
		take := func(in *input, out *records) error {
			*seen = append(*seen, in.Answers...)
			out.Pending()
			return nil
		}
		return []enginetest.Step{
			asks(func(out *records) {
				out.Call(1, "ask", "{}").CallValue(2, "ask", "{}").Call(3, "slow", "{}").CallValue(4, "ask", "{}").Yield(5, "null")
			}),
			take, take, take, take,
		}
	}
	t.Run("C10 results are judged one by one", func(t *testing.T) {
		var seen []engine.Answer
		w := newWorld(t, enginetest.Always(script(&seen)...), Options{})
		turn := w.turn(`{"enabled":true,"timeoutMs":100}`) // the slow call is not waited for
		id := w.exec(turn).RunID
		d, err := turn.Deliver(context.Background(), id, []CallResult{
			{ID: id + ".2", OK: true, Value: json.RawMessage(` {"details":{"a":1}} `)},
			{ID: "nobody", OK: true},
			{ID: id + ".1", OK: false, Error: json.RawMessage(`{"message":"the user said no"}`)},
			{ID: id + ".1", OK: true, Value: json.RawMessage(`1`)},
			{ID: id + ".3", OK: true, Value: json.RawMessage(`1`)},
			{ID: id + ".5", OK: true, Value: json.RawMessage(`1`)},
		})
		require.NoError(t, err)
		require.Equal(t, []string{id + ".2", id + ".1"}, d.Accepted)
		require.Len(t, d.Refused, 4)
		require.Equal(t, Refusal{"nobody", "no such call is pending in this run"}, d.Refused[0])
		require.Equal(t, Refusal{id + ".1", "this call has its result already"}, d.Refused[1])
		require.Equal(t, Refusal{id + ".3", "this call is not the caller's to run"}, d.Refused[2])
		require.Equal(t, Refusal{id + ".5", "this call is not the caller's to run"}, d.Refused[3])

		r := w.wait(turn, id, CallResult{ID: id + ".4", OK: true}, CallResult{ID: id + ".2", OK: true})
		require.Len(t, r.Hints, 1, "a result that a wait did not take is told")
		require.Len(t, seen, 4)
		require.Equal(t, []uint32{2, 1, 5, 4}, []uint32{seen[0].ID, seen[1].ID, seen[2].ID, seen[3].ID})
		require.Equal(t, `{"a":1}`, string(seen[0].Payload), "callValue gives the useful value")
		require.Equal(t, "the user said no", errorOf(t, seen[1]).Message)
		require.Equal(t, "null", string(seen[3].Payload), "a result without a value")
		require.NoError(t, w.AbortRun(tenant, id))
	})
	for _, tc := range []struct{ name, raw, want string }{
		{"a string", `"why"`, "why"},
		{"an object", `{"message":"why","code":5}`, "why"},
		{"nothing", ``, "the caller reported an error without a text"},
		{"something else", `[1]`, "the caller reported an error without a text"},
		{"an empty string", `""`, "the caller reported an error without a text"},
	} {
		t.Run("C10 an error that is "+tc.name, func(t *testing.T) { require.Equal(t, tc.want, errorText(json.RawMessage(tc.raw))) })
	}
	t.Run("C10 a value that no parser should see rejects the call", func(t *testing.T) {
		var seen []engine.Answer
		w := newWorld(t, enginetest.Always(script(&seen)...), Options{})
		turn := w.turn(`{"enabled":true,"timeoutMs":100}`) // the slow call is not waited for
		id := w.exec(turn).RunID
		w.wait(turn, id, CallResult{ID: id + ".1", OK: true, Value: json.RawMessage(strings.Repeat("[", 1<<20))})
		require.Equal(t, engine.AnswerError, seen[1].Kind)
		require.NoError(t, w.AbortRun(tenant, id))
	})
	t.Run("C10 a delivery wakes a wait that is under way", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(calls("ask"), returns("1")), Options{})
			turn := w.turn("")
			start := time.Now()
			first := w.exec(turn)
			time.AfterFunc(3*time.Second, func() {
				d, err := turn.Deliver(context.Background(), first.RunID, []CallResult{{ID: first.Pending[0].ID, OK: true}})
				require.NoError(t, err)
				require.Len(t, d.Accepted, 1)
			})
			require.Equal(t, Completed, w.wait(turn, first.RunID).Status)
			require.Equal(t, 3*time.Second, time.Since(start))
		})
	})
	t.Run("B7 a delivered call is listed by how it ended", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("ask", "ask"), stops(engine.ErrTimeout)), Options{})
		turn := w.turn("")
		first := w.exec(turn)
		r := w.wait(turn, first.RunID, CallResult{ID: first.Pending[0].ID, OK: true}, CallResult{ID: first.Pending[1].ID})
		require.Equal(t, "completed", r.SideEffects[0].State)
		require.Equal(t, "failed", r.SideEffects[1].State)
	})
}

func TestClaim(t *testing.T) {
	t.Run("C5 of many at once, one resumes", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(yields(1), returns("1")), Options{})
		turn := w.turn("")
		for range 200 {
			id := w.exec(turn).RunID
			results := make([]*Result, 6)
			var all sync.WaitGroup
			for i := range results {
				all.Go(func() {
					results[i], _ = turn.Wait(context.Background(), WaitInput{RunID: quoted(id)})
				})
			}
			all.Wait()
			completed := 0
			for _, r := range results {
				if r.Status == Completed {
					completed++
					continue
				}
				require.Contains(t, []string{errResuming.Error(), errNoRun.Error()}, r.Error)
			}
			require.Equal(t, 1, completed)
		}
	})
	t.Run("G7 resumed, aborted and delivered to at once, it ends once", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(calls("ask"), returns("1")), Options{})
		turn := w.turn(`{"enabled":true,"timeoutMs":100}`)
		for range 200 {
			first := w.exec(turn)
			var r *Result
			var all sync.WaitGroup
			all.Go(func() { r, _ = turn.Wait(context.Background(), WaitInput{RunID: quoted(first.RunID)}) })
			all.Go(func() { _ = w.AbortRun(tenant, first.RunID) })
			all.Go(func() {
				_, _ = turn.Deliver(context.Background(), first.RunID, []CallResult{{ID: first.Pending[0].ID, OK: true}})
			})
			all.Wait()
			require.Contains(t, []Code{"", CodeAborted, CodeInvalidInput}, r.Code, r.Error)
			require.Zero(t, w.Stats().Suspended)
		}
	})
}

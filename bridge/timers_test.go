package bridge

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestTimerHeap(t *testing.T) {
	now := time.Now()
	timer := func(id uint32, after time.Duration) *request {
		return &request{id: id, kind: timerRequest, due: now.Add(after)}
	}
	fill := func(timers ...*request) *timerHeap {
		h := &timerHeap{}
		for _, q := range timers {
			h.push(q)
		}
		return h
	}
	fire := func(h *timerHeap) (ids []uint32) {
		for q := h.due(now); q != nil; q = h.due(now) {
			ids = append(ids, q.id)
			h.remove(q)
		}
		return ids
	}
	t.Run("D10 none", func(t *testing.T) {
		h := fill()
		require.Nil(t, h.due(now))
		require.True(t, h.next().IsZero())
	})
	t.Run("D10 earliest first, in the order of the calls where equal", func(t *testing.T) {
		h := fill(timer(1, -1), timer(2, -5), timer(3, -1), timer(4, 0), timer(5, 9), timer(6, 3))
		require.Equal(t, []uint32{2, 1, 3, 4}, fire(h))
		require.Equal(t, now.Add(3), h.next())
	})
	t.Run("D10 one that was cleared is not due, wherever it lies", func(t *testing.T) {
		all := []*request{timer(1, -1), timer(2, -5), timer(3, -3), timer(4, 0)}
		for n := range all {
			h := fill(all...)
			h.remove(all[n])
			require.NotContains(t, fire(h), all[n].id)
			require.Empty(t, h.items)
		}
	})
}

func TestTimerDelay(t *testing.T) {
	for _, tc := range []struct {
		payload string
		want    time.Duration
	}{
		{"1500", 1500 * time.Millisecond},
		{"0", 0},
		{"-5", 0},
		{"null", 0},
		{`"abc"`, 0},
		{`{"valueOf":5}`, 0},
		{"1e300", maxDelay},
		{"1e999", maxDelay},
	} {
		t.Run("D10 "+tc.payload, func(t *testing.T) { require.Equal(t, tc.want, timerDelay([]byte(tc.payload))) })
	}
}

func TestTimers(t *testing.T) {
	t.Run("D10 fire inside the exec, in their order, each at its time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			fired := func(after time.Duration, ids ...uint32) enginetest.Step {
				return func(in *input, out *records) error {
					require.Equal(t, after, time.Since(start))
					require.Len(t, in.Answers, len(ids))
					for i, a := range in.Answers {
						require.Equal(t, ids[i], a.ID)
						require.Equal(t, engine.AnswerFired, a.Kind)
						require.Empty(t, a.Payload)
					}
					out.Pending()
					return nil
				}
			}
			w := newWorld(t, enginetest.Always(
				asks(func(out *records) { out.Timer(1, "300").Timer(2, "100").Timer(3, "300").Timer(4, "500").Timer(5, "50") }),
				fired(50*time.Millisecond, 5), fired(100*time.Millisecond, 2), fired(300*time.Millisecond, 1, 3),
				func(_ *input, out *records) error {
					out.Fulfil("1", 0)
					return nil
				},
			), Options{})
			require.Equal(t, Completed, w.exec(w.turn("")).Status)
			require.Equal(t, 500*time.Millisecond, time.Since(start))
		})
	})
	t.Run("D10 a cancelled one never fires", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(
				asks(func(out *records) { out.Timer(1, "100").Timer(2, "200").Cancel(1) }),
				func(in *input, out *records) error {
					require.Equal(t, uint32(2), in.Answers[0].ID)
					out.Timer(3, "100").Timer(4, "900").Cancel(4).Pending()
					return nil
				},
				returns("1"),
			), Options{})
			start := time.Now()
			r := w.exec(w.turn(""))
			require.Equal(t, Completed, r.Status)
			require.Empty(t, r.Hints)
			require.Equal(t, 300*time.Millisecond, time.Since(start))
		})
	})
	t.Run("B10 cancelling the last one leaves nothing to wait for", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Timer(1, "1000000").Cancel(1) })), Options{})
		requireFailed(t, w.exec(w.turn("")), CodeInternal, "pending without host work")
	})
	t.Run("D10 only timers are cancelled, whatever the guest names", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Call(1, "echo", "{}").Cancel(1).Cancel(77) }), returns("1")), Options{})
			require.Equal(t, Completed, w.exec(w.turn("")).Status)
		})
	})
	t.Run("D10 a long sleep suspends the run, and a wait later goes on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Timer(1, "60000") }), returns(`"slept"`)), Options{})
			turn := w.turn("")
			start := time.Now()
			r := w.exec(turn)
			require.Equal(t, Waiting, r.Status)
			require.Zero(t, time.Since(start), "there is nothing to drain")
			require.Equal(t, "timer", r.Pending[0].Method)
			require.Equal(t, Waiting, w.wait(turn, r.RunID).Status)
			time.Sleep(50 * time.Second)
			require.Equal(t, Completed, w.wait(turn, r.RunID).Status)
			require.Equal(t, time.Minute, time.Since(start))
		})
	})
	t.Run("D10 timers that nobody waits for go with the run", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
			out.Timer(1, "100000").Timer(2, "100000").Fulfil("1", 0)
			return nil
		}), Options{})
		r := w.exec(w.turn(""))
		require.Equal(t, Completed, r.Status)
		require.Empty(t, r.Hints)
	})
	for _, tc := range []struct {
		rule, code, callback, value, hint string
		call                              bool
	}{
		{"output that was lost", `setTimeout(() => text("a"), 9); return 1`, `() => text("a")`, "1", "setTimeout on line 1", false},
		{"a variable that was to be set", `let x; setTimeout(() => { x = 1 }, 9); return x ?? ""`, `() => { x = 1 }`, `""`, "setTimeout on line 1", false},
		{"the same, of a value that is whole", `let late = false; setTimeout(() => { late = true }, 9); return {late}`, `() => { late = true }`, `{"late":false}`, "", false},
		{"a time limit", `setTimeout(() => { throw Error("late") }, 9); return 1`, `() => { throw Error("late") }`, "1", "", false},
		{"a call goes on, and the timer may fire", `setTimeout(() => text("a"), 9); tools.x({}); return 1`, `() => text("a")`, "1", "", true},
	} {
		t.Run("B7 "+tc.rule, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
				out.Timer(1, "100000").Misused(engine.MisuseTimer, tc.callback, "", "")
				if tc.call {
					out.Misused(engine.MisuseLeft, "", "", "")
				}
				out.Fulfil(tc.value, 0)
				return nil
			}), Options{})
			r := w.execText(w.turn(""), tc.code)
			require.Equal(t, Completed, r.Status)
			if tc.hint == "" {
				require.Empty(t, r.Hints)
				return
			}
			require.Len(t, r.Hints, 1)
			require.Contains(t, r.Hints[0], tc.hint)
		})
	}
}

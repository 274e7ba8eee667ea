package bridge

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/hybrid"
	"github.com/codecell/codecell/snapshot"
)

// portableWorld is a world with a portable engine beside the main one, and the same script on both.
type portableWorld struct {
	*world
	portable *enginetest.Portable
}

func newPortableWorld(t testing.TB, o Options, script ...enginetest.Step) *portableWorld {
	t.Helper()
	p := enginetest.NewPortable("build", func(string) enginetest.Script { return script })
	fake := enginetest.Always(script...)
	w := &portableWorld{newWorldOn(t, hybrid.New(fake, p), fake, o), p}
	t.Cleanup(func() {
		// After the service's own end, which comes later in the code and earlier in time.
		require.NoError(t, p.Misuse())
	})
	return w
}

// restoring is a config under which every wait restores a snapshot.
const restoring = `{"enabled":true,"snapshot":{"resume":"restore"}}`

// twice yields twice and returns.
func twice() []enginetest.Step { return []enginetest.Step{yields(1), yields(2), returns("42")} }

// crowded is a store that others fill.
type crowded struct {
	snapshot.Store
	full atomic.Bool
}

func (c *crowded) Put(ctx context.Context, id string, r snapshot.Record, ttl time.Duration) error {
	if c.full.Load() {
		return snapshot.ErrFull
	}
	return c.Store.Put(ctx, id, r, ttl)
}

// loading is a portable engine that takes time to load.
type loading struct {
	*enginetest.Portable
	loaded chan struct{}
}

func (l *loading) Build() (string, error) {
	<-l.loaded
	return l.Portable.Build()
}

// NewVM has no worker to give before that.
func (l *loading) NewVM(catalog []byte) (engine.VM, error) {
	select {
	case <-l.loaded:
		return l.Portable.NewVM(catalog)
	default:
		return nil, engine.ErrOverloaded
	}
}

func settle(t testing.TB, what func() bool) {
	t.Helper()
	require.Eventually(t, what, time.Minute, time.Millisecond)
}

func TestRestore(t *testing.T) {
	t.Run("C4 every wait restores a snapshot, and nobody can tell", func(t *testing.T) {
		w := newPortableWorld(t, Options{}, twice()...)
		turn := w.turn(restoring)
		first := w.exec(turn)
		require.Equal(t, "fake", first.Telemetry.Engine)
		second := w.wait(turn, first.RunID)
		require.Equal(t, Waiting, second.Status)
		require.Equal(t, first.RunID, second.RunID)
		require.Equal(t, "portable", second.Telemetry.Engine)
		last := w.wait(turn, first.RunID)
		require.Equal(t, "42", string(last.Value))
		require.Equal(t, 3, last.Telemetry.Steps)
		stats := w.Stats()
		require.Equal(t, OffloadStats{Done: 2, Restored: 2}, stats.Offloads)
		require.Zero(t, stats.Parked)
		require.Zero(t, stats.Snapshots.Bytes)
		require.Zero(t, stats.Engine.InUse)
		require.Zero(t, w.portable.Stats().InUse)
	})
	t.Run("C4 the heap is given up as soon as the snapshot is there", func(t *testing.T) {
		w := newPortableWorld(t, Options{}, twice()...)
		first := w.exec(w.turn(restoring))
		settle(t, func() bool { return w.Stats().Engine.InUse == 0 })
		require.Equal(t, 1, w.Stats().Snapshots.Snapshots)
		require.NoError(t, w.AbortRun(tenant, first.RunID))
		require.Zero(t, w.Stats().Snapshots.Snapshots, "G7 the end of the run is the end of its snapshot")
	})
	t.Run("C4 a run whose steps differ when taken again goes on in its heap", func(t *testing.T) {
		w := newPortableWorld(t, Options{}, twice()...)
		w.portable.Diverge.Store(1)
		turn := w.turn(restoring)
		first := w.exec(turn)
		second := w.wait(turn, first.RunID)
		require.Equal(t, "fake", second.Telemetry.Engine)
		require.Equal(t, "42", string(w.wait(turn, first.RunID).Value))
		stats := w.Stats().Offloads
		require.Zero(t, stats.Done)
		require.GreaterOrEqual(t, stats.Diverged, int64(2))
	})
	t.Run("H5 with no room to restore the run is not lost", func(t *testing.T) {
		w := newPortableWorld(t, Options{}, calls("ask"), returns("42"))
		turn := w.turn(restoring)
		first := w.exec(turn)
		settle(t, func() bool { return w.Stats().Engine.InUse == 0 })
		w.portable.Fill(true)
		done := []CallResult{{ID: first.Pending[0].ID, OK: true, Value: json.RawMessage("7")}}
		_, err := turn.Wait(context.Background(), WaitInput{RunID: quoted(first.RunID), Results: done})
		requireKind(t, err, KindOverloaded)
		w.portable.Fill(false)
		require.Equal(t, "42", string(w.wait(turn, first.RunID).Value))
	})
	t.Run("H5 not even if the store is full by then", func(t *testing.T) {
		store := &crowded{Store: snapshot.NewMemory(snapshot.MemoryOptions{})}
		w := newPortableWorld(t, Options{Snapshots: store}, calls("ask"), returns("42"))
		turn := w.turn(restoring)
		first := w.exec(turn)
		settle(t, func() bool { return w.Stats().Engine.InUse == 0 })
		store.full.Store(true)
		w.portable.Fill(true)
		done := []CallResult{{ID: first.Pending[0].ID, OK: true, Value: json.RawMessage("7")}}
		for range 2 {
			_, err := turn.Wait(context.Background(), WaitInput{RunID: quoted(first.RunID), Results: done})
			requireKind(t, err, KindOverloaded)
		}
		w.portable.Fill(false)
		require.Equal(t, "42", string(w.wait(turn, first.RunID).Value))
	})
	t.Run("C4 a snapshot that is gone fails the run, once", func(t *testing.T) {
		w := newPortableWorld(t, Options{}, twice()...)
		turn := w.turn(restoring)
		first := w.exec(turn)
		settle(t, func() bool { return w.Stats().Snapshots.Snapshots == 1 })
		require.NoError(t, w.offloader.store.Delete(context.Background(), first.RunID))
		requireFailed(t, w.wait(turn, first.RunID), CodeRuntimeUnavailable, "could not be restored")
		requireFailed(t, w.wait(turn, first.RunID), CodeInvalidInput, errNoRun.Error())
	})
	t.Run("C6 a full store keeps the heap", func(t *testing.T) {
		w := newPortableWorld(t, Options{SnapshotBytes: 1}, twice()...)
		turn := w.turn(restoring)
		first := w.exec(turn)
		w.wait(turn, first.RunID)
		require.Equal(t, "42", string(w.wait(turn, first.RunID).Value))
		require.Positive(t, w.Stats().Offloads.Failed)
	})
	t.Run("A8 what can't be restored is not promised", func(t *testing.T) {
		request := &TurnRequest{Context: someone(), Config: json.RawMessage(restoring)}
		w := newWorld(t, enginetest.Always(twice()...), Options{})
		_, err := w.Prepare(context.Background(), tenant, request)
		requireKind(t, err, KindUnavailable)
		p := newPortableWorld(t, Options{}, twice()...)
		p.portable.FailToLoad(errors.New("no guest"))
		_, err = p.Prepare(context.Background(), tenant, request)
		requireKind(t, err, KindUnavailable)
		require.ErrorContains(t, err, "no guest")
	})
}

func TestParkedHeaps(t *testing.T) {
	t.Run("C4 beyond the bound the one that waited longest is moved", func(t *testing.T) {
		w := newPortableWorld(t, Options{ParkedHeaps: 2}, twice()...)
		turn := w.turn("")
		var ids []string
		for n := range 5 {
			ids = append(ids, w.exec(turn).RunID)
			settle(t, func() bool { return w.Stats().Parked == min(n+1, 2) })
		}
		require.Equal(t, 3, w.Stats().Snapshots.Snapshots)
		require.Equal(t, "fake", w.wait(turn, ids[4]).Telemetry.Engine, "the last one kept its heap")
		require.Equal(t, "portable", w.wait(turn, ids[0]).Telemetry.Engine)
		w.wait(turn, ids[1])
		w.wait(turn, ids[2])
		w.wait(turn, ids[3])
		for n, id := range ids {
			require.Equal(t, "42", string(w.wait(turn, id).Value), "run %d", n)
		}
		require.Zero(t, w.Stats().Parked)
	})
	t.Run("A8 C4 while the portable engine is loaded cells run, and what is suspended stays parked until then", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			fake := enginetest.Always(twice()...)
			portable := &loading{enginetest.NewPortable("build", func(string) enginetest.Script { return twice() }), make(chan struct{})}
			w := newWorldOn(t, hybrid.New(fake, portable), fake, Options{ParkedHeaps: 1})
			require.NoError(t, w.Ready())
			turn := w.turn("")
			for range 3 {
				require.Equal(t, Waiting, w.exec(turn).Status)
			}
			var restoringErr error
			restored := false
			go func() { // a turn that is to restore waits
				_, restoringErr = w.Prepare(t.Context(), tenant, &TurnRequest{Context: someone(), Config: json.RawMessage(restoring)})
				restored = true
			}()
			synctest.Wait()
			require.False(t, restored)
			require.Equal(t, 3, w.Stats().Parked)
			close(portable.loaded)
			synctest.Wait()
			require.True(t, restored)
			require.NoError(t, restoringErr)
			require.Equal(t, 1, w.Stats().Parked)
			require.Equal(t, OffloadStats{Done: 2}, w.Stats().Offloads)
			require.NoError(t, w.Close(t.Context()))
		})
	})
	t.Run("A8 a service may end before the portable engine is loaded", func(t *testing.T) {
		fake := enginetest.Always(twice()...)
		portable := &loading{enginetest.NewPortable("build", nil), make(chan struct{})}
		t.Cleanup(func() { close(portable.loaded) })
		w := newWorldOn(t, hybrid.New(fake, portable), fake, Options{ParkedHeaps: 1})
		require.NoError(t, w.Close(t.Context()))
	})
	t.Run("C4 those that can't be moved don't keep the others", func(t *testing.T) {
		w := newPortableWorld(t, Options{ParkedHeaps: 1}, twice()...)
		w.portable.Diverge.Store(1)
		turn := w.turn("")
		stuck := w.exec(turn).RunID
		w.exec(turn)
		settle(t, func() bool { return w.Stats().Offloads.Diverged >= 1 })
		w.portable.Diverge.Store(0)
		w.exec(turn)
		settle(t, func() bool { return w.Stats().Snapshots.Snapshots >= 1 })
		require.Equal(t, "fake", w.wait(turn, stuck).Telemetry.Engine)
	})
	t.Run("C6 expiry frees snapshots", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newPortableWorld(t, Options{ParkedHeaps: 1}, twice()...)
			turn := w.turn(`{"enabled":true,"snapshotTtlSeconds":5}`)
			for range 3 {
				w.exec(turn)
			}
			synctest.Wait()
			require.Equal(t, 2, w.Stats().Snapshots.Snapshots)
			time.Sleep(6 * time.Second)
			synctest.Wait()
			stats := w.Stats()
			require.Zero(t, stats.Suspended+stats.Snapshots.Snapshots+stats.Parked+stats.Engine.InUse)
			require.NoError(t, w.Close(context.Background()))
		})
	})
	t.Run("C4 a guest of the portable engine is copied out as it is", func(t *testing.T) {
		p := enginetest.NewPortable("build", func(string) enginetest.Script { return twice() })
		s, err := New(Options{Engine: p, ParkedHeaps: 1, TestExecutors: true})
		require.NoError(t, err)
		w := &world{Service: s, t: t, engine: p.Engine}
		turn := w.turn("")
		first, second := w.exec(turn).RunID, w.exec(turn).RunID
		settle(t, func() bool { return w.Stats().Snapshots.Snapshots == 1 })
		for _, id := range []string{first, second} {
			w.wait(turn, id)
			require.Equal(t, "42", string(w.wait(turn, id).Value))
		}
		require.NoError(t, s.Close(context.Background()))
		require.NoError(t, p.Close())
	})
}

// TestOffloadHammer resumes, aborts and moves the same runs from everywhere.
func TestOffloadHammer(t *testing.T) {
	w := newPortableWorld(t, Options{ParkedHeaps: 1}, twice()...)
	turns := []*Turn{w.turn(""), w.turn(restoring)}
	done := make(chan error)
	const each = 60
	for n := range 8 {
		go func() {
			for i := range each {
				done <- func() error {
					turn := turns[(n+i)%2]
					r, err := turn.Exec(context.Background(), ExecInput{Code: quoted("x")})
					if err != nil {
						return err
					}
					if (n+i)%5 == 0 {
						return w.AbortRun(tenant, r.RunID)
					}
					for range 2 {
						if r, err = turn.Wait(context.Background(), WaitInput{RunID: quoted(r.RunID)}); err != nil {
							return err
						}
					}
					if string(r.Value) != "42" {
						return errors.New("wrong: " + string(r.AppendJSON(nil)))
					}
					return nil
				}()
			}
		}()
	}
	for range 8 * each {
		require.NoError(t, <-done)
	}
	settle(t, func() bool { return w.Stats().Engine.InUse == 0 && w.portable.Stats().InUse == 0 })
	stats := w.Stats()
	require.Zero(t, stats.Parked+stats.Suspended+stats.Snapshots.Snapshots)
	require.Zero(t, stats.Snapshots.Bytes)
}

// lateEngine restores nothing before its context ends.
type lateEngine struct{ engine.Portable }

func (lateEngine) Restore(ctx context.Context, _, _ []byte) (engine.VM, error) {
	<-ctx.Done()
	return nil, engine.ErrStopped
}

func TestLateRestore(t *testing.T) {
	p := enginetest.NewPortable("build", func(string) enginetest.Script { return twice() })
	fake := enginetest.Always(twice()...)
	w := newWorldOn(t, lateEngine{hybrid.New(fake, p)}, fake, Options{})
	turn := w.turn(`{"enabled":true,"timeoutMs":100,"snapshot":{"resume":"restore"}}`)
	first := w.exec(turn)
	settle(t, func() bool { return w.Stats().Snapshots.Snapshots == 1 })
	t.Run("H6 a wait does not wait longer for an engine than it may, and loses nothing", func(t *testing.T) {
		for range 2 {
			_, err := turn.Wait(context.Background(), WaitInput{RunID: quoted(first.RunID)})
			requireKind(t, err, KindOverloaded)
		}
		require.Equal(t, 1, w.Stats().Suspended)
	})
	t.Run("G7 a client that goes meanwhile ends the run", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		r, err := turn.Wait(ctx, WaitInput{RunID: quoted(first.RunID)})
		require.NoError(t, err)
		requireFailed(t, r, CodeAborted, "")
		require.Zero(t, w.Stats().Suspended)
	})
}

func TestExport(t *testing.T) {
	script := []enginetest.Step{
		asks(func(out *records) {
			out.Text("once").Call(1, "ask", `{"q":1}`).Yield(2, `"why"`).Request(3, engine.MethodTimer, "", "60000")
		}),
		asks(func(out *records) { out.Text("twice") }),
		func(in *input, out *records) error {
			out.Fulfil(string(in.Answers[0].Payload), 0)
			return nil
		},
	}
	key := []byte("a key that both processes have")
	here := func(t *testing.T) *portableWorld { return newPortableWorld(t, Options{SnapshotKey: key}, script...) }
	t.Run("C9 a run goes on elsewhere", func(t *testing.T) {
		for _, config := range []string{"", restoring} {
			from, to := here(t), here(t)
			turn, there := from.turn(config), to.turn(config)
			first := from.exec(turn)
			out, err := turn.Export(context.Background(), first.RunID)
			require.NoError(t, err)
			stats := from.Stats()
			require.Zero(t, stats.Suspended+stats.Snapshots.Snapshots+stats.Engine.InUse)
			requireFailed(t, from.wait(turn, first.RunID), CodeInvalidInput, errNoRun.Error())

			_, err = there.Import(context.Background(), first.RunID, out.Snapshot)
			require.NoError(t, err)
			_, err = there.Import(context.Background(), first.RunID, out.Snapshot)
			requireKind(t, err, KindConflict)
			second := to.wait(there, first.RunID)
			require.Equal(t, Waiting, second.Status)
			require.Len(t, second.Output, 1, "C7 what was delivered there is not delivered here")
			require.Equal(t, first.Pending[0], second.Pending[0])
			last := to.wait(there, first.RunID, CallResult{ID: first.Pending[0].ID, OK: true, Value: json.RawMessage(`{"details":1}`)})
			require.Contains(t, string(last.Value), `"details":1`)
			require.Equal(t, 3, last.Telemetry.Steps)
		}
	})
	t.Run("C6 of imports at once one is taken", func(t *testing.T) {
		from, to := here(t), here(t)
		turn, there := from.turn(""), to.turn("")
		out, err := turn.Export(context.Background(), from.exec(turn).RunID)
		require.NoError(t, err)
		results := make(chan error)
		for range 8 {
			go func() {
				_, err := there.Import(context.Background(), out.RunID, out.Snapshot)
				results <- err
			}()
		}
		taken := 0
		for range 8 {
			if err := <-results; err == nil {
				taken++
			} else {
				requireKind(t, err, KindConflict)
			}
		}
		require.Equal(t, 1, taken)
		require.Equal(t, 1, to.Stats().Suspended)
		require.Equal(t, Waiting, to.wait(there, out.RunID).Status)
	})
	t.Run("H6 a snapshot is imported once, also when its run has ended or left again", func(t *testing.T) {
		from, to := here(t), here(t)
		turn, there := from.turn(""), to.turn("")
		ctx := context.Background()
		out, err := turn.Export(ctx, from.exec(turn).RunID)
		require.NoError(t, err)
		_, err = there.Import(ctx, out.RunID, out.Snapshot)
		require.NoError(t, err)
		again, err := there.Export(ctx, out.RunID)
		require.NoError(t, err)
		_, err = there.Import(ctx, out.RunID, out.Snapshot)
		requireKind(t, err, KindConflict)
		require.ErrorContains(t, err, "imported before")
		_, err = there.Import(ctx, out.RunID, again.Snapshot)
		require.NoError(t, err, "what left again may come back")
		require.NoError(t, to.AbortRun(tenant, out.RunID))
		for _, old := range [][]byte{out.Snapshot, again.Snapshot} {
			_, err = there.Import(ctx, out.RunID, old)
			requireKind(t, err, KindConflict)
		}
		require.Zero(t, to.Stats().Suspended)
	})
	t.Run("C10 answers that have come go along", func(t *testing.T) {
		from, to := here(t), here(t)
		turn, there := from.turn(""), to.turn("")
		first := from.exec(turn)
		_, err := turn.Deliver(context.Background(), first.RunID, []CallResult{{ID: first.Pending[0].ID, OK: true, Value: json.RawMessage("5")}})
		require.NoError(t, err)
		out, err := turn.Export(context.Background(), first.RunID)
		require.NoError(t, err)
		_, err = there.Import(context.Background(), first.RunID, out.Snapshot)
		require.NoError(t, err)
		require.Equal(t, Waiting, to.wait(there, first.RunID).Status)
		last := to.portable.VMs()[len(to.portable.VMs())-1].Inputs()
		require.Len(t, last[len(last)-1].Answers, 2, "the call's and the yield's")
	})
	t.Run("H4 it opens for nobody else", func(t *testing.T) {
		from, to := here(t), here(t)
		turn := from.turn("")
		out, err := turn.Export(context.Background(), from.exec(turn).RunID)
		require.NoError(t, err)
		stranger := someone()
		stranger.SessionID = "another"
		other := newPortableWorld(t, Options{SnapshotKey: []byte("another key of another process")}, script...)
		for name, where := range map[string]struct {
			w    *portableWorld
			turn *Turn
			id   string
		}{
			"tenant":  {to, to.turnOf("another", someone(), ""), out.RunID},
			"session": {to, to.turnOf(tenant, stranger, ""), out.RunID},
			"limits":  {to, to.turn(`{"enabled":true,"timeoutMs":500}`), out.RunID},
			"run":     {to, to.turn(""), "cm_another"},
			"key":     {other, other.turn(""), out.RunID},
		} {
			_, err := where.turn.Import(context.Background(), where.id, out.Snapshot)
			requireKind(t, err, KindInvalid)
			require.ErrorContains(t, err, "does not open", name)
			require.Zero(t, where.w.Stats().Suspended)
		}
		_, err = to.turn("").Import(context.Background(), out.RunID, out.Snapshot[:40])
		requireKind(t, err, KindInvalid)
	})
	t.Run("C6 the places are the same for those that come", func(t *testing.T) {
		from, to := here(t), here(t)
		narrow := `{"enabled":true,"maxSuspendedRuns":1}`
		turn := from.turn(narrow)
		out, err := turn.Export(context.Background(), from.exec(turn).RunID)
		require.NoError(t, err)
		full := to.turn(narrow)
		other := to.exec(full)
		_, err = full.Import(context.Background(), out.RunID, out.Snapshot)
		requireKind(t, err, KindOverloaded)
		require.NoError(t, to.AbortRun(tenant, other.RunID))
		_, err = full.Import(context.Background(), out.RunID, out.Snapshot)
		require.NoError(t, err, "H6 what was refused may come again")
	})
	t.Run("G3 a run with calls under way stays", func(t *testing.T) {
		w := newPortableWorld(t, Options{}, calls("slow"), returns("1"))
		turn := w.turn(`{"enabled":true,"drainMs":1}`)
		first := w.exec(turn)
		_, err := turn.Export(context.Background(), first.RunID)
		requireKind(t, err, KindConflict)
		require.ErrorContains(t, err, first.Pending[0].ID)
		require.Equal(t, 1, w.Stats().Suspended)
		require.NoError(t, w.AbortRun(tenant, first.RunID))
	})
	t.Run("H4 a run that no request could bring back stays", func(t *testing.T) {
		noise := make([]byte, 12<<20)
		_, _ = rand.Read(noise)
		input := `{"s":"` + base64.StdEncoding.EncodeToString(noise) + `"}`
		w := newPortableWorld(t, Options{}, asks(func(out *records) { out.Call(1, "ask", input) }), returns("1"))
		turn := w.turn("")
		first := w.exec(turn)
		_, err := turn.Export(context.Background(), first.RunID)
		requireKind(t, err, KindConflict)
		require.ErrorContains(t, err, "11534336 may be")
		require.Equal(t, Completed, w.wait(turn, first.RunID, CallResult{ID: first.Pending[0].ID, OK: true}).Status)
	})
	t.Run("H6 an import that there is no room for may come again", func(t *testing.T) {
		from, to := here(t), newPortableWorld(t, Options{SnapshotKey: key, MemoryBytes: 64 << 10}, script...)
		turn := from.turn("")
		out, err := turn.Export(context.Background(), from.exec(turn).RunID)
		require.NoError(t, err)
		there := to.turn("")
		var others []*Turn
		for len(others) < 100 {
			other, err := to.Prepare(context.Background(), tenant, &TurnRequest{})
			if err != nil {
				break
			}
			others = append(others, other)
		}
		_, err = there.Import(context.Background(), out.RunID, out.Snapshot)
		require.ErrorContains(t, err, "may hold")
		requireKind(t, err, KindOverloaded)
		for _, other := range others {
			require.NoError(t, to.DropTurn(tenant, other.ID()))
		}
		_, err = there.Import(context.Background(), out.RunID, out.Snapshot)
		require.NoError(t, err)
	})
	t.Run("C4 a run that can't be rebuilt stays", func(t *testing.T) {
		w := here(t)
		w.portable.Diverge.Store(1)
		turn := w.turn("")
		first := w.exec(turn)
		_, err := turn.Export(context.Background(), first.RunID)
		requireKind(t, err, KindConflict)
		require.Equal(t, Waiting, w.wait(turn, first.RunID).Status)
	})
	t.Run("I3 without a portable engine it says so", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(script...), Options{})
		turn := w.turn("")
		_, err := turn.Export(context.Background(), "x")
		requireKind(t, err, KindUnavailable)
		_, err = turn.Import(context.Background(), "x", nil)
		requireKind(t, err, KindUnavailable)
	})
}

// FuzzRevive brings in runs of any state: they are refused, or they are sound.
func FuzzRevive(f *testing.F) {
	f.Add([]byte(`{"code":"return 1","language":"javascript","expiresAt":9e15,"usage":{"steps":1},"requests":{"pending":[{"id":1,"method":3,"tool":"client:app:ask","stage":"execute","input":{}},{"id":3,"method":4,"tool":"openclaw:core:echo","stage":"approval","approval":{"id":"ap_ABCDEFGHIJKLMNOPQRSTUVWXYZ","expiresAt":9e15},"input":{},"decisions":[{"stage":"policy","outcome":"allowed"}]}]}}`))
	f.Add([]byte(`{"code":"1","language":"typescript","expiresAt":1,"output":{"items":[{"type":"text"}],"delivered":1},"requests":{"pending":[{"id":2,"method":6,"answer":{}}],"answers":[{"id":1,"payload":1}],"effects":[{"ID":"a"}]}}`))
	w := newPortableWorld(f, Options{}, twice()...)
	turn := w.turn("")
	f.Fuzz(func(t *testing.T, raw []byte) {
		var state hostState
		if json.Unmarshal(raw, &state) != nil {
			return
		}
		state.ExpiresAt = time.Now().Add(time.Minute).UnixMilli()
		r, err := turn.revive(t.Context(), "cm_x", &state)
		if err != nil {
			return
		}
		defer r.discard()
		require.LessOrEqual(t, r.output.bytes, r.output.limit)
		result := r.result(Waiting)
		result.Pending = r.requests.pendingCalls()
		require.Len(t, r.requests.byID, len(result.Pending))
		require.True(t, json.Valid(result.AppendJSON(nil)))
	})
}

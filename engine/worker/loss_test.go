package worker

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/journal"
)

func value(t testing.TB, got outcome, want string) {
	t.Helper()
	require.NoError(t, got.err)
	require.Equal(t, want, string(got.effects.Main.Value))
}

func TestSteps(t *testing.T) {
	e := fakeWorkers(t, Options{})
	t.Run("H1 a guest executes its steps in a worker", func(t *testing.T) {
		vm := guest(t, e)
		effects, err := vm.Step(t.Context(), begin("a b"), longEnough)
		require.NoError(t, err)
		require.Equal(t, "a", string(effects.Outputs[0].Data))
		require.Len(t, effects.Requests, 1)
		require.Equal(t, 1<<16, vm.HeapBytes())
		effects, err = vm.Step(t.Context(), answer(1, "1"), longEnough)
		require.NoError(t, err)
		require.Equal(t, "2", string(effects.Main.Value))
	})
	for word, want := range map[string]error{"full": engine.ErrMemory, "broken": engine.ErrBroken} {
		t.Run("H2 a step that is ended in the worker is ended for the caller: "+word, func(t *testing.T) {
			vm := guest(t, e)
			_, err := vm.Step(t.Context(), begin(word), longEnough)
			require.ErrorIs(t, err, want)
			_, err = vm.Step(t.Context(), answer(1, "1"), longEnough)
			require.ErrorIs(t, err, engine.ErrClosed)
		})
	}
	t.Run("G7 an interrupt reaches the worker", func(t *testing.T) {
		vm := guest(t, e)
		done := stepAsync(t, vm, begin("wait"), longEnough)
		time.Sleep(20 * time.Millisecond)
		vm.Interrupt()
		require.ErrorIs(t, (<-done).err, engine.ErrStopped)
		_, err := vm.Step(t.Context(), begin("a"), longEnough)
		require.ErrorIs(t, err, engine.ErrClosed)
		require.Zero(t, e.Workers().Lost)
	})
	t.Run("G7 one that comes before the step is not lost", func(t *testing.T) {
		vm := guest(t, e)
		vm.Interrupt()
		_, err := vm.Step(t.Context(), begin("a"), longEnough)
		require.ErrorIs(t, err, engine.ErrStopped)
	})
	t.Run("C4 a guest is copied out and restored", func(t *testing.T) {
		vm := guest(t, e)
		_, err := vm.Step(t.Context(), begin("a b c"), longEnough)
		require.NoError(t, err)
		image, err := engine.Image(t.Context(), vm)
		require.NoError(t, err)
		again, err := e.Restore(context.Background(), image, []byte("catalog"))
		require.NoError(t, err)
		defer again.Close()
		effects, err := again.Step(t.Context(), answer(1, "1"), longEnough)
		require.NoError(t, err)
		require.Equal(t, "b", string(effects.Outputs[0].Data))
		build, err := e.Build()
		require.NoError(t, err)
		require.Equal(t, "fake build", build)
	})
	t.Run("H4 what is no image is refused", func(t *testing.T) {
		_, err := e.Restore(context.Background(), []byte("?"), nil)
		require.ErrorIs(t, err, engine.ErrImage)
	})
	t.Run("H2 an input that fits into no heap is ErrMemory, and no worker is lost", func(t *testing.T) {
		small := fakeWorkers(t, Options{Settings: Settings{HeapBytes: 1 << 20}})
		vm := guest(t, small)
		_, err := vm.Step(t.Context(), begin("a b"), longEnough)
		require.NoError(t, err)
		_, err = vm.Step(t.Context(), answer(1, `"`+strings.Repeat("x", 20<<20)+`"`), longEnough)
		require.ErrorIs(t, err, engine.ErrMemory)
		require.Zero(t, small.Workers().Lost)
	})
	t.Run("H5 guests are bounded", func(t *testing.T) {
		few := fakeWorkers(t, Options{Settings: Settings{Heaps: 1}})
		guest(t, few)
		_, err := few.NewVM(nil)
		require.ErrorIs(t, err, engine.ErrOverloaded)
	})
	require.Zero(t, e.Workers().Lost)
}

func TestLoss(t *testing.T) {
	t.Run("H3 a guest at rest is rebuilt when its worker was killed", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		vm := guest(t, e)
		_, err := vm.Step(t.Context(), begin("a b c"), longEnough)
		require.NoError(t, err)
		killWorker(t, serving(t, e.Engine))
		_, err = vm.Footprint()
		require.NoError(t, err)
		value(t, <-stepAsync(t, vm, answer(1, "1"), longEnough), "")
		killWorker(t, serving(t, e.Engine))
		value(t, <-stepAsync(t, vm, answer(2, "1"), longEnough), "3")
		require.Equal(t, int64(2), e.Workers().Rebuilt)
	})
	t.Run("H3 one that was restored from an image is restored again", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		first := guest(t, e)
		_, err := first.Step(t.Context(), begin("a b c"), longEnough)
		require.NoError(t, err)
		image, err := engine.Image(t.Context(), first)
		require.NoError(t, err)
		vm, err := e.Restore(context.Background(), image, nil)
		require.NoError(t, err)
		defer vm.Close()
		killWorker(t, serving(t, e.Engine))
		value(t, <-stepAsync(t, vm, answer(1, "1"), longEnough), "")
		killWorker(t, serving(t, e.Engine))
		value(t, <-stepAsync(t, vm, answer(2, "1"), longEnough), "3")
	})
	t.Run("H3 a step in a worker that was killed is executed again", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		done := stepAsync(t, guest(t, e), begin("work"), longEnough)
		time.Sleep(atWork / 2)
		killWorker(t, serving(t, e.Engine))
		value(t, <-done, "1")
	})
	t.Run("H3 a guest that crashes its worker fails, and no other guest", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		bystander, rested := guest(t, e), guest(t, e)
		_, err := rested.Step(t.Context(), begin("a b"), longEnough)
		require.NoError(t, err)
		others := stepAsync(t, bystander, begin("work"), longEnough)
		crashed := <-stepAsync(t, guest(t, e), begin("crash"), longEnough)
		require.ErrorIs(t, crashed.err, engine.ErrBroken)
		require.Nil(t, crashed.effects)
		value(t, <-others, "1")
		value(t, <-stepAsync(t, rested, answer(1, "1"), longEnough), "2")
		require.Equal(t, int64(1), e.Workers().Poisoned)
	})
	t.Run("H3 a step later than the first may crash as well", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		vm := guest(t, e)
		_, err := vm.Step(t.Context(), begin("a crash b"), longEnough)
		require.NoError(t, err)
		got := <-stepAsync(t, vm, answer(1, "1"), longEnough)
		require.ErrorIs(t, got.err, engine.ErrBroken)
	})
	t.Run("H1 a guest that ignores its deadline is ended, and no other guest", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		vm := guest(t, e)
		others := stepAsync(t, vm, begin("work"), longEnough)
		start := time.Now()
		got := <-stepAsync(t, guest(t, e), begin("hang"), 100*time.Millisecond)
		require.ErrorIs(t, got.err, engine.ErrTimeout)
		require.GreaterOrEqual(t, time.Since(start), 100*time.Millisecond+watchdog)
		value(t, <-others, "1")
	})
	t.Run("H1 several that ignore their deadlines are ended, and none is tried again", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		var all []<-chan outcome
		for range 8 {
			all = append(all, stepAsync(t, guest(t, e), begin("hang"), 100*time.Millisecond))
		}
		for _, done := range all {
			require.ErrorIs(t, (<-done).err, engine.ErrTimeout)
		}
		require.Zero(t, e.Workers().Replayed)
	})
	t.Run("G7 a guest that ignores its interrupt is ended too", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		vm := guest(t, e)
		done := stepAsync(t, vm, begin("hang"), time.Hour)
		time.Sleep(20 * time.Millisecond)
		vm.Interrupt()
		require.ErrorIs(t, (<-done).err, engine.ErrStopped)
	})
	t.Run("H3 what a worker says at its end reaches the operator", func(t *testing.T) {
		var l log
		e := fakeWorkers(t, Options{Logger: slog.New(slog.NewTextHandler(&l, nil))})
		got := <-stepAsync(t, guest(t, e), begin("panic"), longEnough)
		require.ErrorIs(t, got.err, engine.ErrBroken)
		require.Eventually(t, func() bool { return strings.Contains(l.String(), "a bug in the worker") }, longEnough, time.Millisecond)
	})
	t.Run("H5 a guest whose journal is full is lost with its worker", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		vm := guest(t, e)
		_, err := vm.Step(t.Context(), begin("a b c d"), longEnough)
		require.NoError(t, err)
		value(t, <-stepAsync(t, vm, answer(1, `"`+strings.Repeat("x", journal.MaxBytes)+`"`), longEnough), "")
		p := serving(t, e.Engine)
		require.Equal(t, int64(1), p.pinned.Load())
		e.pool.retire(p, "the test wants it")
		require.False(t, p.hasExited(), "a worker is not recycled under a guest that can't be rebuilt")
		value(t, <-stepAsync(t, vm, answer(2, "1"), longEnough), "")
		killWorker(t, p)
		_, err = vm.Step(t.Context(), answer(3, "1"), longEnough)
		require.ErrorIs(t, err, engine.ErrLost)
	})
	t.Run("H3 a step is given up when one worker after the other is killed", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		done := stepAsync(t, guest(t, e), begin("hang"), longEnough)
		for {
			select {
			case got := <-done:
				require.ErrorIs(t, got.err, engine.ErrLost)
				return
			case <-time.After(atWork / 10):
				e.pool.mu.Lock()
				all := e.pool.all()
				e.pool.mu.Unlock()
				for _, p := range all {
					if p.running.Load() > 0 {
						_ = unix.Kill(p.PID(), unix.SIGKILL)
					}
				}
			}
		}
	})
}

func TestPool(t *testing.T) {
	t.Run("A8 an engine that can't be opened is reported", func(t *testing.T) {
		e := New(Options{Settings: Settings{Engine: "none"}, Command: []string{"worker", "none"}})
		require.ErrorContains(t, e.Ready(), "there is no engine here")
		require.Contains(t, strings.Join(e.Report(), "\n"), "there is no engine here")
		require.NoError(t, e.Close())
	})
	t.Run("A8 so is a binary that is no worker", func(t *testing.T) {
		e := New(Options{Settings: Settings{Engine: "fake"}, Command: []string{"-test.run", "^$"}})
		require.Error(t, e.Ready())
		require.NoError(t, e.Close())
	})
	t.Run("H1 a worker is in a sandbox, and the report names its layers", func(t *testing.T) {
		e := fakeWorkers(t, Options{RequireSandbox: true})
		report := strings.Join(e.Report(), "\n")
		for _, layer := range []string{"no new privileges", "no core dumps", "resource limits", "Landlock", "seccomp"} {
			require.Contains(t, report, layer)
		}
		require.NotContains(t, report, "lacks")
	})
	t.Run("H1 a worker that lacks a layer is refused where all are required, and reported elsewhere", func(t *testing.T) {
		o := Options{Settings: Settings{Engine: "fake"}, Command: []string{"worker", onOldKernel}}
		require.Contains(t, strings.Join(workers(t, o).Report(), "\n"), "sandbox lacks Landlock")
		o.RequireSandbox = true
		e := New(o)
		require.ErrorContains(t, e.Ready(), "the sandbox lacks Landlock")
		require.ErrorContains(t, e.Ready(), "is required")
		require.NoError(t, e.Close())
	})
	t.Run("H1 the kernel ends a worker before others when memory is short", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		score, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", serving(t, e.Engine).PID()))
		require.NoError(t, err)
		require.Equal(t, "1000\n", string(score))
	})
	t.Run("H1 a worker has no environment, and only its connections", func(t *testing.T) {
		t.Setenv("SECRET", "x")
		left, right, err := os.Pipe() // not to be seen over there, though it is open for children
		require.NoError(t, err)
		defer left.Close()
		defer right.Close()
		_, err = unix.FcntlInt(left.Fd(), unix.F_SETFD, 0)
		require.NoError(t, err)
		e := workers(t, Options{Settings: Settings{Engine: "inspector", Steps: 2}})
		for _, found := range e.Report()[1:] {
			fd, to, ok := strings.Cut(found, " is ")
			require.True(t, ok, found) // an environment variable is not
			own := strings.HasPrefix(to, "socket:") || strings.HasPrefix(to, "anon_inode:") || to == "/dev/null" ||
				fd == "2" && strings.HasPrefix(to, "pipe:") || strings.HasPrefix(to, "/sys/fs/cgroup/") || strings.HasPrefix(to, "/proc/")
			require.True(t, own, found)
		}
	})
	t.Run("H3 old workers are recycled, and no guest is lost", func(t *testing.T) {
		e := fakeWorkers(t, Options{MaxAge: 10 * time.Millisecond})
		vm := guest(t, e)
		_, err := vm.Step(t.Context(), begin("a b"), longEnough)
		require.NoError(t, err)
		old := vm.(*portableVM).session.process
		e.pool.inspect()
		<-old.exited
		require.True(t, old.reason.planned)
		value(t, <-stepAsync(t, vm, answer(1, "1"), longEnough), "2")
		require.Zero(t, e.Workers().Lost)
	})
	t.Run("H3 so are those that have grown", func(t *testing.T) {
		e := fakeWorkers(t, Options{MaxBytes: 1})
		p := serving(t, e.Engine)
		require.Greater(t, p.Resident(), int64(1<<20))
		p.born = p.born.Add(-minRecycleAge)
		p.lastHeartbeat.Store(int64(time.Since(p.born)))
		e.pool.inspect()
		<-p.exited
		require.True(t, p.reason.planned)
	})
	t.Run("H3 workers that fail are started ever more slowly", func(t *testing.T) {
		f := pool{}
		var pauses []time.Duration
		for range 10 {
			f.backOff()
			pauses = append(pauses, time.Until(f.nextStart).Round(10*time.Millisecond))
		}
		require.Equal(t, minBackoff, pauses[0])
		require.Equal(t, 2*minBackoff, pauses[1])
		require.Equal(t, maxBackoff, pauses[9])
	})
	t.Run("A8 with a full disk, compiled code is not kept, and nothing of it is taken for code later", func(t *testing.T) {
		dir := t.TempDir()
		for _, tc := range [][2]string{{"wasi on a full disk", "is compiled again"}, {"wasi", "held by"}} {
			name, report := tc[0], tc[1]
			e := workers(t, Options{Settings: Settings{Engine: name, CacheDir: dir}})
			require.Contains(t, strings.Join(e.Report(), "\n"), report)
			value(t, <-stepAsync(t, guestOf(t, e, nil), begin("return 1 + 1"), longEnough), "2")
		}
	})
	t.Run("H5 without descriptors, runs go on, and workers are started again later", func(t *testing.T) {
		e := fakeWorkers(t, Options{})
		vm := guest(t, e)
		_, err := vm.Step(t.Context(), begin("a b c"), longEnough)
		require.NoError(t, err)
		require.Eventually(t, func() bool { return e.Workers().Spare == 1 }, longEnough, time.Millisecond)
		restore := exhaustDescriptors(t)
		value(t, <-stepAsync(t, vm, answer(1, "1"), longEnough), "")
		killWorker(t, serving(t, e.Engine))
		value(t, <-stepAsync(t, vm, answer(2, "1"), longEnough), "3") // on the spare
		killWorker(t, serving(t, e.Engine))
		done := stepAsync(t, guest(t, e), begin("a"), longEnough)
		time.Sleep(2 * minBackoff)
		require.Zero(t, e.Workers().Serving)
		restore()
		value(t, <-done, "1")
	})
}

// exhaustDescriptors leaves no descriptor to be opened.
func exhaustDescriptors(t *testing.T) (restore func()) {
	t.Helper()
	var was unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &was))
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 8, Max: was.Max}))
	restore = func() { require.NoError(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &was)) }
	t.Cleanup(restore)
	return restore
}

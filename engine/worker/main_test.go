package worker

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/aot"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/wasi"
	"github.com/codecell/codecell/engine/worker/sandbox/sandboxtest"
)

// TestMain makes the test's binary a worker where it is started as one: "worker" and what is to be in it.
func TestMain(m *testing.M) {
	if len(os.Args) < 3 || os.Args[1] != "worker" {
		goleak.VerifyTestMain(m)
		return
	}
	serve := func() error { return Serve(open) }
	switch os.Args[2] {
	case "forger":
		serve = forge
	case "liar":
		serve = serveLiar
	case onOldKernel:
		if err := sandboxtest.WithoutLandlock(); err != nil {
			panic(err)
		}
	}
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// realEngines are those that cells run on in earnest, as far as this binary has them.
func realEngines() []string {
	names := []string{"native", "wasi"}
	if aot.Missing() == nil || os.Getenv("CODECELL_AOT") == "required" {
		names = append(names, "aot")
	}
	return names
}

// onOldKernel makes a worker one whose kernel lacks a layer of the sandbox.
const onOldKernel = "on an old kernel"

func open(s Settings) (engine.Engine, error) {
	switch s.Engine {
	case "native":
		return native.New(native.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes})
	case "aot":
		return aot.New(aot.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes})
	case "wasi on a full disk":
		if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 4096, Max: 4096}); err != nil {
			return nil, err
		}
		fallthrough
	case "wasi":
		return wasi.New(wasi.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes, CacheDir: s.CacheDir})
	case "fake":
		return enginetest.NewPortable("fake build", script), nil
	case "inspector":
		return inspector{enginetest.NewPortable("b", script)}, nil
	case "none":
		return nil, fmt.Errorf("there is no engine here")
	}
	return nil, fmt.Errorf("no engine %q", s.Engine)
}

// inspector reports what the process that it is in was given: its environment, and its open descriptors.
type inspector struct{ *enginetest.Portable }

func (inspector) Report() []string {
	found := os.Environ()
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return append(found, err.Error())
	}
	for _, fd := range open {
		// The directory that is being read is open as well, and gone by now.
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			found = append(found, fd.Name()+" is "+to)
		}
	}
	return found
}

// script is what the fake guests do: the words of the cell, one a step. The last one's step returns.
func script(source string) enginetest.Script {
	var steps enginetest.Script
	words := strings.Fields(source)
	for n, word := range words {
		steps = append(steps, func(in *enginetest.Input, out *enginetest.Records) error {
			if err := act(word, in); err != nil {
				return err
			}
			if n == len(words)-1 {
				out.Text(word).Fulfil(fmt.Sprintf("%d", n+1), 0)
			} else {
				out.Text(word).Call(uint32(n+1), "next", "{}").Pending()
			}
			return nil
		})
	}
	return steps
}

// atWork is how long a guest stays inside a step that the test wants to interfere with.
const atWork = 300 * time.Millisecond

func act(word string, in *enginetest.Input) error {
	switch word {
	case "crash":
		time.Sleep(atWork / 2) // others are inside their steps
		os.Exit(3)
	case "panic":
		panic("a bug in the worker")
	case "hang": // and ignore interrupts
		select {}
	case "work":
		time.Sleep(atWork)
	case "compute": // so much, however long it takes
		burn(atWork)
	case "wait":
		<-in.Interrupted
		return engine.ErrStopped
	case "full":
		return engine.ErrMemory
	case "broken":
		return fmt.Errorf("%w: as the cell wants", engine.ErrBroken)
	}
	return nil
}

// burn computes until this thread has had a processor for so long.
func burn(d time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for start := processor(); processor()-start < d; {
	}
}

func processor() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}

// log collects what the engine tells the operator.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// longEnough is a step's timeout where the test is not about time.
const longEnough = 20 * time.Second

// fakeWorkers are workers with fake guests; the test's end closes them.
func fakeWorkers(t testing.TB, o Options) Portable {
	o.Settings.Engine = "fake"
	return Portable{workers(t, o)}
}

func workers(t testing.TB, o Options) *Engine {
	t.Helper()
	if o.Command == nil {
		o.Command = []string{"worker", o.Settings.Engine}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	e := New(o)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	require.NoError(t, e.Ready())
	return e
}

func begin(source string) []byte {
	b := engine.Begin{
		Source: source, MemoryLimit: 64 << 20, MaxOutput: 1 << 20, MaxValue: 1 << 20, MaxRequests: 1016, MaxTimers: 1000,
	}
	return b.Append(nil)
}

func answer(id uint32, payload string) []byte {
	return engine.AppendResume(nil, []engine.Answer{{ID: id, Payload: []byte(payload)}})
}

// guest opens a guest that the test's end closes.
func guest(t testing.TB, e engine.Engine) engine.VM { return guestOf(t, e, []byte("catalog")) }

func guestOf(t testing.TB, e engine.Engine, catalog []byte) engine.VM {
	t.Helper()
	vm, err := e.NewVM(catalog)
	require.NoError(t, err)
	t.Cleanup(vm.Close)
	return vm
}

// outcome is what Step returned.
type outcome struct {
	effects *engine.Effects
	err     error
}

// stepAsync executes a step on another goroutine.
func stepAsync(t testing.TB, vm engine.VM, input []byte, timeout time.Duration) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		effects, err := vm.Step(t.Context(), input, timeout)
		done <- outcome{effects, err}
	}()
	return done
}

// serving returns the only worker that serves.
func serving(t testing.TB, e *Engine) *process {
	t.Helper()
	e.pool.mu.Lock()
	defer e.pool.mu.Unlock()
	e.pool.refresh()
	require.Len(t, e.pool.serving, 1)
	return e.pool.serving[0]
}

// killWorker kills a worker from outside, as an operator would, and waits until its end is noticed.
func killWorker(t testing.TB, p *process) {
	t.Helper()
	require.NoError(t, syscall.Kill(p.PID(), syscall.SIGKILL))
	<-p.exited
}

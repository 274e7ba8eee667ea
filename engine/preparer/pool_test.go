package preparer

import (
	"context"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine/script"
)

// Two texts no larger than a cell may be: esbuild is busy with one for minutes, and takes gigabytes for the other.
var (
	slow   = "return {" + strings.Repeat("__proto__:1,", 20_000) + "}"
	greedy = "return " + strings.Repeat("'a'+", 64_000) + "'a'"
)

// large is TypeScript that is parsed by a process, in no time.
var large = strings.Repeat("var n: number = 1;\n", 1000)

// sharedBytes is what a process may have beside what RLIMIT_DATA counts: the binary's own pages.
const sharedBytes = 128 << 20

func newPool(t testing.TB, o Options) *Pool {
	if o.Command == nil {
		o.Command = []string{asChild}
	}
	p := New(o)
	t.Cleanup(p.Close)
	return p
}

func request(tenant, code string, lang script.Language) script.Request {
	return script.Request{Tenant: tenant, Code: code, Language: lang, Limit: time.Minute}
}

func TestPrepare(t *testing.T) {
	pool := newPool(t, Options{})
	padding := "\n/*" + strings.Repeat("x", script.MaxInProcess) + "*/"
	for _, c := range []struct {
		rule, code string
		lang       script.Language
	}{
		{"B2 JavaScript", "return 1", script.JavaScript},
		{"B2 JavaScript in which a parser must look", "const x = {import: 1}; return x.import", script.JavaScript},
		{"B3 module access", "return require('fs')", script.JavaScript},
		{"B3 module access in TypeScript", "let x: import('y').Z", script.TypeScript},
		{"B4 a fence", "```ts\nlet x: number = 1\n```", script.TypeScript},
		{"B4 a shell command", "ls -la", script.JavaScript},
		{"B5 TypeScript", "enum E { a = 1 }\nreturn E.a as number", script.TypeScript},
		{"B5 TypeScript with helpers", "@a class A {}", script.TypeScript},
		{"B5 TypeScript that does not parse", "let x: = 1", script.TypeScript},
		{"B1 nothing", "```js\n```", script.JavaScript},
	} {
		for name, code := range map[string]string{"small": c.code, "large": c.code + padding} {
			t.Run(c.rule+", "+name, func(t *testing.T) {
				want, wantErr := script.Prepare(code, c.lang, script.Options{})
				for range 2 { // the second time from the cache
					got, _, err := pool.Prepare(t.Context(), request("a", code, c.lang))
					require.Equal(t, wantErr, err)
					require.Equal(t, want, got)
				}
			})
		}
	}
	t.Run("H6 what a process has worked is charged, and once", func(t *testing.T) {
		_, cpu, err := pool.Prepare(t.Context(), request("b", large, script.TypeScript))
		require.NoError(t, err)
		require.Positive(t, cpu)
		_, cpu, err = pool.Prepare(t.Context(), request("b", large, script.TypeScript))
		require.NoError(t, err)
		require.Zero(t, cpu)
		_, cpu, err = pool.Prepare(t.Context(), request("another tenant", large, script.TypeScript))
		require.NoError(t, err)
		require.Positive(t, cpu, "nobody learns from the time what others have run")
	})
	t.Run("H2 the processes are held as the report says", func(t *testing.T) {
		require.Contains(t, strings.Join(pool.Report(), "\n"), "seccomp")
	})
}

func TestLimits(t *testing.T) {
	pool := newPool(t, Options{})
	t.Run("H6 a text that is too slow ends in time and is charged, while another tenant's goes through", func(t *testing.T) {
		var all sync.WaitGroup
		for range 3 { // as many as it can have at once, and more
			all.Go(func() {
				r := request("hostile", slow, script.TypeScript)
				r.Limit = 300 * time.Millisecond
				_, cpu, err := pool.Prepare(t.Context(), r)
				requireReason(t, err, script.TooSlow)
				require.Positive(t, cpu)
				require.Less(t, cpu, time.Second)
			})
		}
		require.Eventually(t, func() bool { return pool.Stats().Parsing > 0 }, time.Minute, time.Millisecond)
		_, _, err := pool.Prepare(t.Context(), request("honest", large, script.TypeScript))
		require.NoError(t, err)
		all.Wait()
	})
	t.Run("H6 who has ended gets its context's error", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		_, _, err := pool.Prepare(ctx, request("a", slow, script.TypeScript))
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("H6 who was not tried is not blamed", func(t *testing.T) {
		one := newPool(t, Options{Processes: 1, QueueTime: time.Millisecond})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() { _, _, _ = one.Prepare(ctx, request("a", slow, script.TypeScript)) })
		require.Eventually(t, func() bool { return one.Stats().Parsing == 1 }, time.Minute, time.Millisecond)
		_, cpu, err := one.Prepare(t.Context(), request("b", large, script.TypeScript))
		require.ErrorIs(t, err, script.ErrBusy)
		require.Zero(t, cpu)
		cancel()
		all.Wait()
	})
	t.Run("H3 a text that takes all memory ends its process, is charged, and costs no other", func(t *testing.T) {
		_, cpu, err := pool.Prepare(t.Context(), request("a", greedy, script.TypeScript))
		requireReason(t, err, script.TooLarge)
		require.Positive(t, cpu)
		_, _, err = pool.Prepare(t.Context(), request("a", large, script.TypeScript))
		require.NoError(t, err)
	})
	t.Run("H3 a process that parses has 512 MiB, and took no more", func(t *testing.T) {
		one := newPool(t, Options{Processes: 1})
		require.NoError(t, one.Ready())
		one.mu.Lock()
		child := one.idle[0]
		one.mu.Unlock()
		var has unix.Rlimit
		require.NoError(t, unix.Prlimit(child.PID(), unix.RLIMIT_DATA, nil, &has))
		require.Equal(t, unix.Rlimit{Cur: 512 << 20, Max: 512 << 20}, has)
		_, _, err := one.Prepare(t.Context(), request("a", greedy, script.TypeScript))
		requireReason(t, err, script.TooLarge)
		<-child.Exited()
		took := child.State().SysUsage().(*syscall.Rusage).Maxrss << 10
		require.Less(t, took, int64(memoryLimit+sharedBytes))
	})
	t.Run("H3 a process that was killed is replaced, and nobody notices", func(t *testing.T) {
		for range 3 {
			require.NoError(t, pool.Ready())
			pool.mu.Lock()
			for _, one := range pool.idle {
				require.NoError(t, syscall.Kill(one.PID(), syscall.SIGKILL))
			}
			pool.mu.Unlock()
			_, _, err := pool.Prepare(t.Context(), request("a", large+"//"+time.Now().String(), script.TypeScript))
			require.NoError(t, err)
		}
	})
	t.Run("H2 without processes only what needs none is prepared", func(t *testing.T) {
		none := newPool(t, Options{Command: []string{asLiar, "die"}})
		require.ErrorContains(t, none.Ready(), "I can't")
		_, _, err := none.Prepare(t.Context(), request("a", large, script.TypeScript))
		require.ErrorIs(t, err, script.ErrUnavailable)
		_, _, err = none.Prepare(t.Context(), request("a", "let a: number", script.TypeScript))
		require.NoError(t, err)
		require.Contains(t, none.Report()[0], "are refused")
	})
	t.Run("H2 a process that lacks a layer of the sandbox is refused where all are required, and reported elsewhere", func(t *testing.T) {
		lacking := newPool(t, Options{Command: []string{asChildOnOldKernel}})
		require.NoError(t, lacking.Ready())
		require.Contains(t, strings.Join(lacking.Report(), "\n"), "lacks Landlock")
		refused := newPool(t, Options{Command: []string{asChildOnOldKernel}, RequireSandbox: true})
		require.ErrorContains(t, refused.Ready(), "is required")
		_, _, err := refused.Prepare(t.Context(), request("a", large, script.TypeScript))
		require.ErrorIs(t, err, script.ErrUnavailable)
	})
	t.Run("H6 what has more than 8 KiB is parsed by a process, and nothing else", func(t *testing.T) {
		require.Equal(t, 8<<10, script.MaxInProcess)
		none := newPool(t, Options{Command: []string{asLiar, "die"}}) // so that only what needs no process is parsed
		text := func(size int) string {
			const code = "let a: number;"
			return code + strings.Repeat(" ", size-len(code)-1) + "1"
		}
		_, _, err := none.Prepare(t.Context(), request("a", text(script.MaxInProcess), script.TypeScript))
		require.NoError(t, err)
		_, _, err = none.Prepare(t.Context(), request("a", text(script.MaxInProcess+1), script.TypeScript))
		require.ErrorIs(t, err, script.ErrUnavailable)
	})
	t.Run("H5 a closed pool starts nothing", func(t *testing.T) {
		closed := New(Options{Command: []string{asChild}})
		closed.Close()
		_, _, err := closed.Prepare(t.Context(), request("a", large, script.TypeScript))
		require.ErrorIs(t, err, script.ErrUnavailable)
	})
}

func requireReason(t *testing.T, err error, reason script.Reason) {
	t.Helper()
	var refused *script.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, reason, refused.Reason, refused.Text)
}

package purego

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const longEnough = 20 * time.Second

func newEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := New(Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e
}

func limits(source string) engine.Begin {
	return engine.Begin{
		Source: source, MemoryLimit: 32 << 20, MaxOutput: 1 << 20, MaxValue: 1 << 20, MaxRequests: 64, MaxTimers: 64,
	}
}

var catalog = engine.AppendCatalog(nil,
	[]byte(`[{"id":"openclaw:core:echo","source":"openclaw","name":"echo","description":"Echoes."}]`),
	[]byte("\necho\topenclaw:core:echo\n"),
	[]byte(`[{"id":"github","serverName":"github","tools":[{"path":["createIssue"],"tool":"mcp:github:create_issue"}]}]`),
	[]byte(`[{"path":"mcp/index.d.ts","description":"Servers.","bytes":3,"content":"abc"}]`))

// start opens a guest and takes its first step.
func start(t testing.TB, e *Engine, b engine.Begin, timeout time.Duration) (engine.VM, *engine.Effects, error) {
	t.Helper()
	vm, err := e.NewVM(catalog)
	require.NoError(t, err)
	t.Cleanup(vm.Close)
	effects, err := vm.Step(context.Background(), b.Append(nil), timeout)
	return vm, effects, err
}

func TestValues(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct{ rule, source, want string }{
		{"B2 return gives the value", `return 1 + 1`, `2`},
		{"B2 no return is null", `1`, `null`},
		{
			"B6 the adapter", `const c = {n: -0}; c.self = c; return [c, undefined, () => 1, 10n ** 20n, NaN, new Date(0), new Error("m"), new Map(), "\ud800", JSON.parse('{"__proto__":1}')]`,
			`[{"n":0,"self":"[Circular]"},null,null,"100000000000000000000",null,"1970-01-01T00:00:00.000Z",{"name":"Error","message":"m"},{},"�",{"__proto__":1}]`,
		},
		{
			"B2 builtins that are written in JavaScript",
			`return [[1, 2].values().map((x) => x).take(1).toArray(), BigInt.asUintN(8, -1n), Iterator.concat([1], [2]).take(1).toArray(), await Array.fromAsync([Promise.resolve(1)]), /^[[a-z]--[b]]$/v.test("b"), new RegExp("(?<a>x)|(?<a>y)").exec("y").groups.a]`,
			`[[1],"255",[1],[1],false,"y"]`,
		},
		{"B6 boxed values", `return [new Number(1), new String("s"), new Boolean(false), Object(2n)]`, `[1,"s",false,"2"]`},
		{"B6 toJSON is honoured", `return {toJSON: () => ({a: 1})}`, `{"a":1}`},
		{"D1 nothing of ours is left lying about", `return Object.getOwnPropertyNames(globalThis).filter((n) => n.startsWith("__"))`, `[]`},
		{"D1 the tools", `return [ALL_TOOLS.map((t) => t.id), typeof tools.echo, Object.isFrozen(tools), typeof MCP.github.createIssue]`, `[["openclaw:core:echo"],"function",true,"function"]`},
		{"E3 the files", `return (await API.read("mcp/index.d.ts")).content`, `"abc"`},
		{"D10 globals", `let n = 0; queueMicrotask(() => n++); await null; return [n, atob(btoa("abc")), structuredClone({m: new Map([[1, 2]])}).m.get(1), new URL("/b", "http://a").href, crypto.randomUUID().length, (() => { try { atob("a") } catch (e) { return e.name } })()]`, `[1,"abc",2,"http://a/b",36,"InvalidCharacterError"]`},
		{"D10 the clock is the run's", `const a = Date.now(); return [new Date().getTime() >= a, Date.length, new Date(5).getTime(), new Date() instanceof Date, typeof Date()]`, `[true,7,5,true,"string"]`},
		{"H2 a stack overflow can be caught", `const f = () => f(); try { f() } catch (e) { return [e.name, e instanceof RangeError] }`, `["RangeError",true]`},
		{"D1 a cell that replaces intrinsics changes nothing of ours", `Array.prototype.push = JSON.stringify = Promise.prototype.then = () => { throw 1 }; Object.prototype.toJSON = undefined; return [1, {a: "b"}]`, `[1,{"a":"b"}]`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, effects, err := start(t, e, limits(c.source), longEnough)
			require.NoError(t, err)
			require.Equal(t, engine.Fulfilled, effects.Main.State, "%+v", effects.Main.Thrown)
			require.Equal(t, c.want, string(effects.Main.Value))
		})
	}
}

func TestHints(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct {
		rule, source string
		want         engine.Hint
	}{
		{"a function inside", `return {f() {}}`, engine.HintFunction | engine.HintFunctions},
		{"a function beside something", `return {a: 1, f() {}}`, engine.HintFunction},
		{"a function in a list", `return [() => 1]`, engine.HintFunction | engine.HintFunctions},
		{"several", `return [new Map(), () => 1, Promise.resolve()]`, engine.HintMapOrSet | engine.HintFunction | engine.HintFunctions | engine.HintPromise},
		{"iterators", `return [new Map().keys(), new Set().entries(), [].values(), "a"[Symbol.iterator](), "a".matchAll(/a/g)]`, engine.HintIterator},
		{"a generator", `return (function* () {})()`, engine.HintIterator},
		{"an asynchronous one", `return (async function* () {})()`, engine.HintIterator},
		{"iterator helpers", `return [[].values().map((x) => x), Iterator.from([]), Iterator.from({next() {}})]`, engine.HintIterator},
		{"what is only iterable", `class L { #list = [1]; [Symbol.iterator]() { return this.#list.values() } } return [new L(), new URLSearchParams("a=1")]`, engine.HintIterator},
		{"an iterator that has something to show", `return {next: 1, [Symbol.iterator]() {}}`, 0},
		{"a class that has a method of that name", `class A { next() {} } return new A()`, 0},
		{"bytes", `return [new Uint8Array(2)]`, engine.HintBytes},
		{"no bytes", `return new BigInt64Array()`, engine.HintBytes},
		{"a buffer", `return new ArrayBuffer(2)`, engine.HintBytes},
		{"a view", `return {v: new DataView(new ArrayBuffer(2))}`, engine.HintBytes},
		{"a regular expression", `return /a/`, engine.HintOpaque},
		{"weak things", `return [new WeakMap(), new WeakSet(), new WeakRef({})]`, engine.HintOpaque},
		{"no number", `return [NaN]`, engine.HintNumber},
		{"an infinity", `return {a: -1 / 0}`, engine.HintNumber},
		{"a map that was put out", `json(new Map()); return 1`, engine.HintMapOrSet},
		{"a set in text", `text([new Set()]); return 1`, engine.HintMapOrSet},
		{"a set in the console", `console.log("a", new Set()); return 1`, engine.HintMapOrSet},
		{"an iterator given to a tool", `tools.echo({list: new Set().values()}).catch(() => 1); return 1`, engine.HintIterator},
		{"nothing of the value's alone elsewhere", `json([NaN, () => 1, 1 / 0]); return 1`, 0},
		{"what JSON shows", `return [{}, [], null, new Date(0), Object.create(null), new (class { #p = 1 })(), "", new Error("a")]`, 0},
	} {
		t.Run("B7 "+c.rule, func(t *testing.T) {
			_, effects, err := start(t, e, limits(c.source), longEnough)
			require.NoError(t, err)
			require.Equal(t, c.want, effects.Main.Hints, "%+v", effects.Main.Thrown)
		})
	}
	t.Run("B7 timers that were set last", func(t *testing.T) {
		_, effects, err := start(t, e, limits(`setTimeout(() => text("a"), 9); return 1`), longEnough)
		require.NoError(t, err)
		require.Equal(t, []engine.Misused{{Misuse: engine.MisuseTimer, Key: `() => text("a")`}}, effects.Misused)
	})
}

func TestThrown(t *testing.T) {
	e := newEngine(t)
	for _, c := range []struct {
		rule, source string
		want         engine.Thrown
	}{
		{"B9 an error, at the cell's own line", "\nthrow new TypeError('x')", engine.Thrown{IsError: true, Name: "TypeError", Message: "x", Stack: "    at <anonymous> (cell.js:2:20)\n"}},
		{"B9 something else", "throw {a: 1}", engine.Thrown{Other: `{"a":1}`}},
		{"B6 too deep", "let x = 1; for (let i = 0; i < 600; i++) x = [x]; return x", engine.Thrown{IsError: true, Name: "RangeError", Message: "value is nested too deeply for JSON (over 500 levels)"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			_, effects, err := start(t, e, limits(c.source), longEnough)
			require.NoError(t, err)
			require.Equal(t, engine.Rejected, effects.Main.State)
			require.Equal(t, c.want, effects.Main.Thrown)
		})
	}
	t.Run("B2 a cell can't close the function that it is the body of", func(t *testing.T) {
		_, effects, err := start(t, e, limits("return 1 }; async () => { return 2"), longEnough)
		require.NoError(t, err)
		require.Contains(t, effects.Main.Thrown.Message, "closes a block")
	})
}

func TestSteps(t *testing.T) {
	e := newEngine(t)
	b := limits(`const seen = [Date.now(), Math.random()]; text("a"); console.warn({b: 1});
		const timer = setTimeout(() => seen.push("fired"), 5); clearTimeout(setTimeout(() => {}, 1));
		try { await tools.call("x", {a: 1n}) } catch (e) { seen.push([e.name, e.message, e.code, e.callId, Object.keys(e)]) }
		seen.push(await yield_control("why")); for (const from = Date.now(); Date.now() === from;); return seen.slice(2)`)
	inputs := [][]byte{b.Append(nil)}
	vm, first, err := start(t, e, b, longEnough)
	require.NoError(t, err)
	require.Equal(t, []engine.Output{{Data: []byte("a")}, {Level: 4, Data: []byte(`{"b":1}`)}}, first.Outputs)
	require.Len(t, first.Requests, 3)
	require.Len(t, first.Cancelled, 1)
	call := first.Requests[2]
	require.Equal(t, engine.MethodCall, call.Method)
	require.Equal(t, `{"a":"1"}`, string(call.Payload))
	step := func(answers ...engine.Answer) *engine.Effects {
		inputs = append(inputs, engine.AppendResume(nil, answers))
		effects, err := vm.Step(context.Background(), inputs[len(inputs)-1], longEnough)
		require.NoError(t, err)
		return effects
	}
	all := []*engine.Effects{first, step(engine.Answer{ID: first.Requests[0].ID, Kind: engine.AnswerFired},
		engine.Answer{ID: call.ID, Kind: engine.AnswerError, Payload: []byte(`{"message":"no","code":"c","callId":"i"}`)})}
	all = append(all, step(engine.Answer{ID: all[1].Requests[0].ID, Payload: []byte(`{"status":"yielded"}`)}))
	require.Equal(t, `["fired",["Error","no","c","i",["code","callId"]],{"status":"yielded"}]`, string(all[2].Main.Value))
	t.Run("C4 the steps can be replayed", func(t *testing.T) {
		again, err := e.NewVM(catalog)
		require.NoError(t, err)
		defer again.Close()
		for n, input := range inputs {
			effects, err := again.(engine.Replayer).Replay(context.Background(), input, all[n].Clock, longEnough)
			require.NoError(t, err)
			require.Equal(t, all[n].Hash(), effects.Hash(), "step %d", n)
			require.Equal(t, all[n].Clock, effects.Clock)
		}
	})
	t.Run("C4 with fewer clock reads they diverge", func(t *testing.T) {
		again, err := e.NewVM(catalog)
		require.NoError(t, err)
		defer again.Close()
		_, err = again.(engine.Replayer).Replay(context.Background(), inputs[0], nil, longEnough)
		require.ErrorIs(t, err, engine.ErrDiverged)
	})
}

func TestLimits(t *testing.T) {
	e := newEngine(t)
	small := limits(`for (;;) text("x".repeat(1000))`)
	small.MaxOutput = 10_000
	cut := small
	cut.Source, cut.Truncate = `for (let i = 0; i < 100; i++) text("x".repeat(1000)); return 1`, true
	for _, c := range []struct {
		rule string
		b    engine.Begin
		want error
	}{
		{"H1 a loop", limits(`for (;;);`), engine.ErrTimeout},
		{"H1 a loop that catches", limits(`for (;;) try { for (;;); } catch {}`), engine.ErrTimeout},
		{"H1 jobs without end", limits(`const f = async () => { for (;;) await null }; await f()`), engine.ErrTimeout},
		{"H2 memory", limits(`const a = []; for (;;) a.push(new Array(1000).fill(1))`), engine.ErrMemory},
		{"H2 memory, to the last byte", limits(`let a; for (;;) a = [a, a]`), engine.ErrMemory},
		{"D8 output", small, engine.ErrOutput},
	} {
		t.Run(c.rule, func(t *testing.T) {
			timeout := longEnough
			if c.want == engine.ErrTimeout {
				timeout = time.Second
			}
			c.b.MemoryLimit = 4 << 20
			vm, _, err := start(t, e, c.b, timeout)
			require.ErrorIs(t, err, c.want)
			_, err = vm.Step(context.Background(), engine.AppendResume(nil, nil), longEnough)
			require.ErrorIs(t, err, engine.ErrClosed)
		})
	}
	t.Run("D8 output that is cut", func(t *testing.T) {
		_, effects, err := start(t, e, cut, longEnough)
		require.NoError(t, err)
		require.Less(t, len(effects.Outputs), 12)
		require.Positive(t, effects.Omitted)
	})
	t.Run("G7 a guest can be stopped from elsewhere", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		time.AfterFunc(20*time.Millisecond, vm.Interrupt)
		b := limits(`for (;;);`)
		_, err = vm.Step(context.Background(), b.Append(nil), longEnough)
		require.ErrorIs(t, err, engine.ErrStopped)
	})
	t.Run("D6 requests", func(t *testing.T) {
		b := limits(`return (await Promise.allSettled([1, 2, 3].map((n) => tools.echo(n)))).map((r) => r.reason?.message)`)
		b.MaxRequests = 2
		_, effects, err := start(t, e, b, longEnough)
		require.NoError(t, err)
		require.Len(t, effects.Requests, 2)
	})
	t.Run("H4 what is no input", func(t *testing.T) {
		for _, raw := range [][]byte{nil, {0}, {1}, {1, 2, 3}, {2, 1, 0, 0, 0, 7}, {9, 9}, engine.AppendResume(nil, []engine.Answer{{ID: 77}})} {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			_, err = vm.Step(context.Background(), raw, longEnough)
			require.ErrorIs(t, err, engine.ErrProtocol, "%v", raw)
			vm.Close()
		}
	})
	t.Run("H5 guests are bounded", func(t *testing.T) {
		e, err := New(Options{Heaps: 1})
		require.NoError(t, err)
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		_, err = e.NewVM(nil)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		require.Error(t, e.Close())
		vm.Close()
		require.NoError(t, e.Close())
	})
}

// TestDiffers holds the list of what this engine does otherwise to what it does: an entry that is true no longer must go.
func TestDiffers(t *testing.T) {
	e := newEngine(t)
	for what, source := range map[string]string{
		"no DisposableStack":             `return typeof DisposableStack`,
		"no using":                       `try { eval("{ using a = null }") } catch (e) { return "undefined" }`,
		"no dash with the flag v":        `try { new RegExp("-", "v") } catch (e) { return "undefined" }`,
		"no escaped punctuation":         `try { new RegExp("[\\&]", "v") } catch (e) { return "undefined" }`,
		"properties of strings":          `return /^\p{RGI_Emoji}$/v.test("👍🏽") ? "undefined" : ""`,
		"few alternatives between names": `const alternatives = (n) => new RegExp(["(?<a>x)", ..."b".repeat(n), "(?<a>y)"].join("|")); alternatives(200); try { alternatives(255) } catch (e) { return "undefined" }`,
	} {
		t.Run(what, func(t *testing.T) {
			_, effects, err := start(t, e, limits(source), longEnough)
			require.NoError(t, err)
			require.Contains(t, string(effects.Main.Value), "undefined")
		})
	}
	t.Run("a rejection that nobody handles goes unnoticed", func(t *testing.T) {
		_, effects, err := start(t, e, limits(`Promise.reject(1); return 1`), longEnough)
		require.NoError(t, err)
		require.Empty(t, effects.Unhandled)
	})
	t.Run("C8 but for a call's", func(t *testing.T) {
		vm, effects, err := start(t, e, limits(`tools.echo(1); const p = tools.echo(2); p.catch(() => 0); await tools.echo(3).catch(() => 0); return 1`), longEnough)
		require.NoError(t, err)
		var answers []engine.Answer
		for _, q := range effects.Requests {
			answers = append(answers, engine.Answer{ID: q.ID, Kind: engine.AnswerError, Payload: []byte(`{"message":"no"}`)})
		}
		effects, err = vm.Step(context.Background(), engine.AppendResume(nil, answers), longEnough)
		require.NoError(t, err)
		require.Len(t, effects.Unhandled, 1)
		require.Equal(t, "no", effects.Unhandled[0].Message)
	})
	t.Run("H2 the smallest heap is enough for a small cell", func(t *testing.T) {
		b := limits(`return 1`)
		b.MemoryLimit = 1 << 20
		_, _, err := start(t, e, b, longEnough)
		require.NoError(t, err)
	})
	t.Run("B5 what using becomes in TypeScript", func(t *testing.T) {
		_, effects, err := start(t, e, limits(`return [typeof Symbol.dispose, typeof Symbol.asyncDispose]`), longEnough)
		require.NoError(t, err)
		require.Equal(t, `["symbol","symbol"]`, string(effects.Main.Value))
	})
	t.Run("a heap's size is not known", func(t *testing.T) {
		vm, _, err := start(t, e, limits(`globalThis.x = new Array(1e5).fill(1); await yield_control()`), longEnough)
		require.NoError(t, err)
		size, err := vm.Footprint()
		require.NoError(t, err)
		require.Zero(t, size)
		require.Zero(t, vm.HeapBytes())
	})
}

func BenchmarkFresh(b *testing.B) {
	e := newEngine(b)
	begin := limits("return 1+1")
	input := begin.Append(nil)
	for b.Loop() {
		vm, err := e.NewVM(catalog)
		require.NoError(b, err)
		effects, err := vm.Step(context.Background(), input, longEnough)
		require.NoError(b, err)
		require.Equal(b, "2", fmt.Sprint(string(effects.Main.Value)))
		vm.Close()
	}
}

//go:build cgo

package native

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func answered(id uint32, payload string) engine.Answer {
	return engine.Answer{ID: id, Payload: []byte(payload)}
}

func TestRequests(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct {
		rule, call string
		want       engine.Request
	}{
		{"D2 search", `tools.search("q", {limit: 3})`, engine.Request{Method: engine.MethodSearch, Name: "q", Payload: []byte("3")}},
		{"D2 search without a limit", `tools.search("q")`, engine.Request{Method: engine.MethodSearch, Name: "q", Payload: []byte("null")}},
		{"D2 describe", `tools.describe("echo")`, engine.Request{Method: engine.MethodDescribe, Name: "echo", Payload: []byte("null")}},
		{"D5 call", `tools.call("x", {a: 1n})`, engine.Request{Method: engine.MethodCall, Name: "x", Payload: []byte(`{"a":"1"}`)}},
		{"D5 callValue", `tools.callValue("x\0é\ud800")`, engine.Request{Method: engine.MethodCallValue, Name: "x\x00é�", Payload: []byte(`null`)}},
		{"D2 convenience function", `tools.read({p: "x"})`, engine.Request{Method: engine.MethodCallValue, Name: "openclaw:core:read", Payload: []byte(`{"p":"x"}`)}},
		{"E1 MCP tool, with all arguments", `MCP.github.createIssue({t: 1}, 2)`, engine.Request{Method: engine.MethodNamespace, Name: "mcp:github:create_issue", Payload: []byte(`[{"t":1},2]`)}},
		{"E1 MCP resources", `MCP.github.resources.list()`, engine.Request{Method: engine.MethodNamespace, Name: "mcp:github:resources", Payload: []byte(`[]`)}},
		{"E3 MCP $api", `MCP.github.$api("t")`, engine.Request{Method: engine.MethodNamespace, Name: "$api:github", Payload: []byte(`["t"]`)}},
		{"D9 yield_control", `yield_control("why")`, engine.Request{Method: engine.MethodYield, Payload: []byte(`"why"`)}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			vm, first := start(t, e, limits(`return await `+c.call))
			defer vm.Close()
			require.Equal(t, engine.Pending, first.Main.State)
			require.Len(t, first.Requests, 1)
			c.want.ID = first.Requests[0].ID
			require.Equal(t, c.want, first.Requests[0])
			last := resume(t, vm, answered(c.want.ID, `{"r":[1,"é"]}`))
			require.Equal(t, `{"r":[1,"é"]}`, string(last.Main.Value))
			require.Equal(t, engine.Settled, resume(t, vm).Main.State)
		})
	}
}

func TestAnswers(t *testing.T) {
	e := newEngine(t, Options{})
	t.Run("C3 answers arrive in the order given, each with its jobs", func(t *testing.T) {
		vm, first := start(t, e, limits(`const s = []; const go = async (n) => { await tools.echo(n); s.push(n); await null; s.push(-n) };
			const all = [1, 2, 3].map(go); await Promise.race([all[0], all[2]]); await Promise.all(all); return s`))
		defer vm.Close()
		require.Len(t, first.Requests, 3)
		q := first.Requests
		last := resume(t, vm, answered(q[2].ID, "1"), answered(q[0].ID, "1"), answered(q[1].ID, "1"))
		require.Equal(t, `[3,-3,1,-1,2,-2]`, string(last.Main.Value))
	})
	t.Run("D7 a failure is a plain error with own data properties", func(t *testing.T) {
		vm, first := start(t, e, limits(`try { await tools.echo() } catch (e) {
			return [e instanceof Error, Object.getPrototypeOf(e) === Error.prototype, e.name, e.message, e.code, e.toolId, e.callId, Object.keys(e), Object.hasOwn(e, "name")] }`))
		defer vm.Close()
		last := resume(t, vm, engine.Answer{
			ID: first.Requests[0].ID, Kind: engine.AnswerError,
			Payload: []byte(`{"message":"boom","name":"ToolError","code":"c","toolId":"t","callId":"i","other":1}`),
		})
		require.Equal(t, `[true,true,"ToolError","boom","c","t","i",["code","toolId","callId"],true]`, string(last.Main.Value))
	})
	t.Run("D7 a failure takes nothing from Object.prototype", func(t *testing.T) {
		vm, first := start(t, e, limits(`let seen = 0;
			for (const k of ["name", "code", "toolId", "callId"]) Object.defineProperty(Object.prototype, k, {get() { seen++; throw new Error("getter") }, configurable: true});
			try { await tools.echo() } catch (e) { return [seen, e.message, Object.keys(e), Object.hasOwn(e, "code")] }`))
		defer vm.Close()
		last := resume(t, vm, engine.Answer{ID: first.Requests[0].ID, Kind: engine.AnswerError, Payload: []byte(`{"message":"boom"}`)})
		require.Equal(t, `[0,"boom",[],false]`, string(last.Main.Value))
	})
	t.Run("D7 a failure that is no object, and a value that is no JSON, reject", func(t *testing.T) {
		for _, a := range []engine.Answer{
			{Kind: engine.AnswerError, Payload: []byte(`null`)},
			{Kind: engine.AnswerError, Payload: []byte(`"text"`)},
			{Kind: engine.AnswerError, Payload: []byte(`{`)},
			{Kind: engine.AnswerValue, Payload: []byte(`{"a":`)},
			{Kind: engine.AnswerValue},
		} {
			vm, first := start(t, e, limits(`try { await tools.echo() } catch (e) { return [e instanceof Error, typeof e.message, typeof e.code] }`))
			a.ID = first.Requests[0].ID
			require.Equal(t, `[true,"string","undefined"]`, string(resume(t, vm, a).Main.Value), "%s", a.Payload)
			vm.Close()
		}
	})
	t.Run("D5 __proto__ in an answer is a key", func(t *testing.T) {
		vm, first := start(t, e, limits(`const v = await tools.echo(); return [Object.keys(v), v.x === undefined, Object.getPrototypeOf(v) === Object.prototype]`))
		defer vm.Close()
		require.Equal(t, `[["__proto__"],true,true]`, string(resume(t, vm, answered(first.Requests[0].ID, `{"__proto__":{"x":1}}`)).Main.Value))
	})
	t.Run("D6 more than may be pending reject at once", func(t *testing.T) {
		b := limits(`const r = await Promise.allSettled([1, 2, 3].map(n => tools.echo(n))); return r.map(x => x.reason?.message ?? x.value)`)
		b.MaxRequests = 2
		vm, first := start(t, e, b)
		defer vm.Close()
		require.Len(t, first.Requests, 2)
		last := resume(t, vm, answered(first.Requests[0].ID, "1"), answered(first.Requests[1].ID, "2"))
		require.Equal(t, `[1,2,"too many pending code mode tool calls"]`, string(last.Main.Value))
	})
	t.Run("D6 places are used again, ids are not", func(t *testing.T) {
		b := limits(`for (let i = 0; i < 50; i++) await tools.echo(i); return "done"`)
		b.MaxRequests = 1
		vm, effects := start(t, e, b)
		defer vm.Close()
		seen := map[uint32]bool{}
		for i := range 50 {
			require.Len(t, effects.Requests, 1)
			id := effects.Requests[0].ID
			require.False(t, seen[id])
			seen[id] = true
			require.Equal(t, fmt.Sprint(i), string(effects.Requests[0].Payload))
			effects = resume(t, vm, answered(id, "null"))
		}
		require.Equal(t, `"done"`, string(effects.Main.Value))
	})
	for _, c := range []struct {
		rule string
		id   func(uint32) uint32
	}{
		{"zero", func(uint32) uint32 { return 0 }},
		{"unknown", func(id uint32) uint32 { return id + 1 }},
		{"the same place at another time", func(id uint32) uint32 { return id + 1<<12 }},
	} {
		t.Run("C10 an answer for an id that is "+c.rule+" is no step", func(t *testing.T) {
			vm, first := start(t, e, limits(`return await tools.echo()`))
			defer vm.Close()
			_, err := vm.Step(context.Background(), engine.AppendResume(nil, []engine.Answer{answered(c.id(first.Requests[0].ID), "1")}), longEnough)
			require.ErrorIs(t, err, engine.ErrProtocol)
			_, err = vm.Step(context.Background(), engine.AppendResume(nil, nil), longEnough)
			require.ErrorIs(t, err, engine.ErrClosed)
		})
	}
	t.Run("C10 an id counts once", func(t *testing.T) {
		vm, first := start(t, e, limits(`await tools.echo(); await new Promise(() => {})`))
		defer vm.Close()
		resume(t, vm, answered(first.Requests[0].ID, "1"))
		_, err := vm.Step(context.Background(), engine.AppendResume(nil, []engine.Answer{answered(first.Requests[0].ID, "1")}), longEnough)
		require.ErrorIs(t, err, engine.ErrProtocol)
	})
}

func TestTimers(t *testing.T) {
	e := newEngine(t, Options{})
	t.Run("D10 a delay is whole milliseconds, none if it is no number", func(t *testing.T) {
		vm, first := start(t, e, limits(`for (const d of [5, 1.9, "7", -3, NaN, undefined, null, -Infinity]) setTimeout(() => {}, d)`))
		defer vm.Close()
		var got []string
		for _, q := range first.Requests {
			require.Equal(t, engine.MethodTimer, q.Method)
			got = append(got, string(q.Payload))
		}
		require.Equal(t, []string{"5", "1", "7", "0", "0", "0", "0", "0"}, got)
	})
	t.Run("D10 callbacks get their arguments, in the order of the answers", func(t *testing.T) {
		vm, first := start(t, e, limits(`const s = []; setTimeout((...a) => s.push(...a), 1, 2, 3); await new Promise(r => setTimeout(r, 0)); await null; return s`))
		defer vm.Close()
		q := first.Requests
		last := resume(t, vm, engine.Answer{ID: q[0].ID, Kind: engine.AnswerFired}, engine.Answer{ID: q[1].ID, Kind: engine.AnswerFired})
		require.Equal(t, `[2,3]`, string(last.Main.Value))
	})
	t.Run("D10 clearTimeout takes a timer back, once, and nothing else", func(t *testing.T) {
		vm, first := start(t, e, limits(`const a = setTimeout(() => text("a"), 1), c = tools.echo(1); clearTimeout(a); clearTimeout(a); clearTimeout(0);
			clearTimeout(); clearTimeout("x"); clearTimeout({}); clearTimeout(1e20); for (let i = 0; i < 9999; i++) clearTimeout(i); return await c`))
		defer vm.Close()
		require.Equal(t, []uint32{first.Requests[0].ID}, first.Cancelled)
		require.Equal(t, `"ok"`, string(resume(t, vm, answered(first.Requests[1].ID, `"ok"`)).Main.Value))
	})
	t.Run("D10 what is due at once may take each other back", func(t *testing.T) {
		vm, first := start(t, e, limits(`const fired = [], ids = [];
			for (const k of "abc") ids.push(setTimeout(() => { fired.push(k); ids.forEach(clearTimeout) }, 1));
			const d = setTimeout(() => fired.push("d"), 1);
			tools.echo().then(() => clearTimeout(d));
			setTimeout(() => fired.push("e"), 1);
			await new Promise((done) => setTimeout(done, 1));
			return fired`))
		defer vm.Close()
		q := first.Requests
		answers := []engine.Answer{answered(q[4].ID, "1")}
		for _, i := range []int{0, 1, 2, 3, 5, 6} {
			answers = append(answers, engine.Answer{ID: q[i].ID, Kind: engine.AnswerFired})
		}
		last := resume(t, vm, answers...)
		require.Equal(t, []uint32{q[3].ID, q[1].ID, q[2].ID}, last.Cancelled)
		require.Equal(t, `["a","e"]`, string(last.Main.Value))
	})
	t.Run("D10 too many timers is an error", func(t *testing.T) {
		b := limits(`try { for (;;) setTimeout(() => {}, 1) } catch (e) { return [e.name, e.message] }`)
		b.MaxTimers = 3
		vm, effects := start(t, e, b)
		defer vm.Close()
		require.Len(t, effects.Requests, 3)
		require.Equal(t, `["RangeError","too many timers: at most 3 may run at once"]`, string(effects.Main.Value))
	})
	t.Run("D10 a timer needs a function", func(t *testing.T) {
		require.Equal(t, "TypeError", thrown(t, e, `setTimeout("text(1)", 1)`).Name)
	})
	t.Run("B10 what a callback throws is reported, and the cell goes on", func(t *testing.T) {
		vm, first := start(t, e, limits(`setTimeout(() => { throw new RangeError("cb") }); return await tools.echo()`))
		defer vm.Close()
		mid := resume(t, vm, engine.Answer{ID: first.Requests[0].ID, Kind: engine.AnswerFired})
		require.Len(t, mid.Unhandled, 1)
		require.Equal(t, "cb", mid.Unhandled[0].Message)
		require.Equal(t, "1", string(resume(t, vm, answered(first.Requests[1].ID, "1")).Main.Value))
	})
	t.Run("D10 ids of a run never come again, however many there were", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		b := limits(`try { for (let i = 0; i < 1100000; i++) clearTimeout(setTimeout(() => {}, 1)) } catch (e) { return e.name } return "all"`)
		effects, err := vm.Step(context.Background(), b.Append(nil), longEnough)
		if err != nil {
			require.ErrorIs(t, err, engine.ErrMemory)
			return
		}
		require.Equal(t, `"RangeError"`, string(effects.Main.Value))
	})
}

func TestSameStep(t *testing.T) {
	e := newEngine(t, Options{Heaps: 2})
	const cell = `const r = [];
		for (let i = 0; i < 100; i++) r.push(Math.random());
		text(crypto.randomUUID()); json(r); Date.now();
		const a = await tools.echo({r: Math.random()}); const m = new Map(r.map((x, i) => [x, i])); performance.now();
		return [a, m.size, [...crypto.getRandomValues(new Uint8Array(8))]]`
	hashes := func(seed byte) [2][32]byte {
		b := limits(cell)
		b.Seed[5] = seed
		vm, first := start(t, e, b)
		defer vm.Close()
		require.NotEmpty(t, first.Clock)
		last := resume(t, vm, answered(first.Requests[0].ID, `{"x":1}`))
		return [2][32]byte{first.Hash(), last.Hash()}
	}
	want := hashes(1)
	t.Run("C4 same input, same effects, after 1000 resets", func(t *testing.T) {
		for range 1000 {
			require.Equal(t, want, hashes(1))
		}
	})
	t.Run("C4 on another heap", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		require.Equal(t, want, hashes(1))
	})
	t.Run("C4 another seed, other effects", func(t *testing.T) { require.NotEqual(t, want, hashes(2)) })
	t.Run("D10 random numbers are spread over [0, 1)", func(t *testing.T) {
		require.Equal(t, `true`, value(t, e, `const n = new Array(10).fill(0); for (let i = 0; i < 1e5; i++) n[Math.floor(Math.random() * 10)]++;
			return n.length === 10 && n.every(x => x > 9500 && x < 10500)`))
	})
}

func TestOutputLimits(t *testing.T) {
	e := newEngine(t, Options{})
	small := func(cell string) engine.Begin {
		b := limits(cell)
		b.MaxOutput, b.MaxValue = 1000, 1000
		return b
	}
	for rule, cell := range map[string]string{
		"text":            `for (;;) text("0123456789")`,
		"one large text":  `text("x".repeat(1e6))`,
		"one large JSON":  `json("x".repeat(1e6))`,
		"an endless JSON": `const p = new Proxy([], {get: (t, k) => k === "length" ? 2**53 - 1 : 0}); json(p)`,
		"console":         `for (;;) console.log(1)`,
		"the value":       `return "x".repeat(1e6)`,
		"caught or not":   `try { text("x".repeat(1e6)) } catch {} return 1`,
	} {
		t.Run("D8 "+rule, func(t *testing.T) {
			effects, err := limited(t, e, small(cell), longEnough)
			require.ErrorIs(t, err, engine.ErrOutput)
			require.Equal(t, engine.Pending, effects.Main.State)
		})
	}
	t.Run("D8 what came before stays", func(t *testing.T) {
		effects, err := limited(t, e, small(`text("a"); json(1); text("x".repeat(1e6))`), longEnough)
		require.ErrorIs(t, err, engine.ErrOutput)
		require.Len(t, effects.Outputs, 2)
	})
	t.Run("D8 truncating, the run goes on and says how much is missing", func(t *testing.T) {
		b := small(`for (let i = 0; i < 1000; i++) text("0123456789"); return "done"`)
		b.Truncate = true
		effects, err := limited(t, e, b, longEnough)
		require.NoError(t, err)
		require.Equal(t, `"done"`, string(effects.Main.Value))
		require.Positive(t, effects.Omitted)
		require.Equal(t, int64(1000*35), effects.Omitted+int64(len(effects.Outputs))*35)
	})
}

func TestClock(t *testing.T) {
	e := newEngine(t, Options{})
	t.Run("C4 every read is recorded, in runs", func(t *testing.T) {
		effects := run(t, e, `let n = 0; const t0 = Date.now(); while (Date.now() < t0 + 5) n++; return [t0, n + 2, Date.now()]`)
		var count uint32
		for i, c := range effects.Clock {
			count += c.Count
			require.True(t, i == 0 || c.Millis > effects.Clock[i-1].Millis)
		}
		require.Equal(t, fmt.Sprintf("[%d,%d,%d]", effects.Clock[0].Millis, count-1, effects.Clock[len(effects.Clock)-1].Millis), string(effects.Main.Value))
	})
	t.Run("C9 it goes on between steps", func(t *testing.T) {
		vm, first := start(t, e, limits(`const a = Date.now(), p = performance.now(); await tools.echo(); return [Date.now() - a, performance.now() - p]`))
		defer vm.Close()
		time.Sleep(20 * time.Millisecond)
		var passed []float64
		require.NoError(t, json.Unmarshal(resume(t, vm, answered(first.Requests[0].ID, "1")).Main.Value, &passed))
		require.Len(t, passed, 2)
		for _, millis := range passed {
			require.GreaterOrEqual(t, millis, 20.0)
		}
	})
}

func TestInputs(t *testing.T) {
	e := newEngine(t, Options{})
	good := (&engine.Begin{Source: "return 1", MemoryLimit: 1 << 20, MaxOutput: 100, MaxValue: 100}).Append(nil)
	huge := append([]byte(nil), good...)
	binary.LittleEndian.PutUint32(huge[54:], 1<<31)
	for rule, input := range map[string][]byte{
		"nothing": nil, "an unknown kind": {9}, "cut short": good[:40], "without the text's NUL": append(good[:len(good)-1:len(good)-1], 'x'),
		"a length beyond the end": huge, "a resume of no run": engine.AppendResume(nil, []engine.Answer{{ID: 1}}),
		"more answers than there are": {2, 9, 0, 0, 0},
	} {
		t.Run("H4 "+rule+" is no step", func(t *testing.T) {
			vm, err := e.NewVM(nil)
			require.NoError(t, err)
			defer vm.Close()
			_, err = vm.Step(context.Background(), input, longEnough)
			require.ErrorIs(t, err, engine.ErrProtocol)
		})
	}
	t.Run("H4 a run does not begin twice", func(t *testing.T) {
		vm, _ := start(t, e, limits(`await tools.echo()`))
		defer vm.Close()
		_, err := vm.Step(context.Background(), good, longEnough)
		require.ErrorIs(t, err, engine.ErrProtocol)
	})
	t.Run("H4 a catalog that is none", func(t *testing.T) {
		for _, catalog := range [][]byte{{1}, {255, 255, 255, 255}, make([]byte, 12), smallCatalog()[:50]} {
			vm, err := e.NewVM(catalog)
			require.NoError(t, err)
			_, err = vm.Step(context.Background(), good, longEnough)
			require.ErrorIs(t, err, engine.ErrProtocol)
			vm.Close()
		}
	})
	t.Run("H4 closed", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		vm.Close()
		vm.Close()
		_, err = vm.Step(context.Background(), good, longEnough)
		require.ErrorIs(t, err, engine.ErrClosed)
	})
}

package contracttest

import (
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func results(t *testing.T, c *client) {
	tn := c.prepare(t, spec{config: object{"timeoutMs": 500, "memoryLimitBytes": 8 << 20}, tools: []object{
		echo("echo"), broken("bad", "it broke"), slow("slow", 60000), asking("ask"),
		with(echo("peek"), object{"annotations": object{"readOnly": true}}),
		with(echo("put"), object{"annotations": object{"idempotent": true}}),
	}})
	t.Run("B7 a completed result and no more", func(t *testing.T) {
		r := tn.exec(t, `text("a"); json({b: 1}); return {c: 2}`).completed(`{"c":2}`).
			has("output", `[{"type":"text","text":"a"},{"type":"json","value":{"b":1}}]`)
		require.Equal(t, "output status telemetry value", keys(r.body), r.story())
	})
	t.Run("B7 a waiting result and no more", func(t *testing.T) {
		r := tn.exec(t, `text("a"); await yield_control()`).waiting("yield").has("output", `[{"type":"text","text":"a"}]`)
		require.Equal(t, "output pendingToolCalls reason runId status telemetry", keys(r.body), r.story())
		tn.drop(t, "/v1/runs/"+r.runID()).is(204)
	})
	t.Run("B7 a failed result keeps the output", func(t *testing.T) {
		tn.exec(t, `text("before"); throw new TypeError("bad")`).failed("internal_error", "TypeError: bad").
			has("output", `[{"type":"text","text":"before"}]`).has("retryable", `false`).lacks("value", "runId")
	})
	t.Run("B7 detail of a guest error", func(t *testing.T) {
		r := tn.exec(t, "function inner() {\n  throw new RangeError('deep')\n}\ninner()").failed("internal_error", "RangeError: deep").
			has("detail.name", `"RangeError"`).has("detail.message", `"deep"`).has("detail.line", `2`)
		require.Positive(t, r.body.Get("detail.column").Int(), r.story())
		r.mentions("detail.stack", "inner")
	})
	t.Run("B7 no detail where no guest threw", func(t *testing.T) {
		tn.exec(t, ``).refused(textEmpty).lacks("detail", "sideEffects")
	})
	t.Run("B7 sideEffects list what had been started", func(t *testing.T) {
		r := tn.exec(t, `await tools.echo({}); await tools.bad({}).catch(() => 0); tools.slow({}); await tools.echo({}); throw new Error("late")`).
			failed("internal_error", "Error: late")
		require.Equal(t, "openclaw:lab:echo completed, openclaw:lab:bad failed, openclaw:lab:slow cancelled, openclaw:lab:echo completed", effects(r), r.story())
		seen := map[string]bool{}
		for _, e := range r.body.Get("sideEffects").Array() {
			require.NotEmpty(t, e.Get("id").Str)
			require.False(t, seen[e.Get("id").Str], "ids are unique\n%s", r.story())
			seen[e.Get("id").Str] = true
		}
	})
	t.Run("B7 refused input is no side effect", func(t *testing.T) {
		tn.exec(t, `await tools.call("nothing", {}).catch(() => 0); throw new Error("x")`).failed("internal_error", "").lacks("sideEffects")
	})
	for rule, want := range map[string]struct{ call, again string }{
		"nothing was started": {``, `true`}, "only reads": {`await tools.peek({});`, `true`},
		"only idempotent calls": {`await tools.put({});`, `true`}, "a plain call": {`await tools.echo({});`, `false`},
	} {
		t.Run("G3 a timeout may be retried if nothing is repeated: "+rule, func(t *testing.T) {
			tn.exec(t, want.call+`for(;;);`).failed("timeout", "code mode timeout exceeded").has("retryable", want.again)
		})
	}
	for rule, code := range map[string]string{
		"nothing returned": `1 + 1`, "a promise in the value": `return {p: tools.echo({})}`,
		"promises in an array": `return [1].map(x => tools.echo({x}))`, "a Map": `return new Map([[1, 2]])`, "a Set inside": `return {s: new Set([1])}`,
	} {
		t.Run("B7 a hint for "+rule, func(t *testing.T) {
			r := tn.exec(t, code).result("completed")
			require.NotEmpty(t, r.body.Get("hints").Array(), r.story())
		})
	}
	for rule, code := range map[string]string{
		"a value": `return 1`, "null on purpose": `return null`, "output without a value": `text("done")`, "awaited calls": `return await tools.echo({})`,
	} {
		t.Run("B7 no hint for "+rule, func(t *testing.T) { tn.exec(t, code).result("completed").lacks("hints") })
	}
	codes(t, c, tn)
}

func codes(t *testing.T, c *client, tn *turn) {
	strict := c.prepare(t, spec{config: object{"errorCodes": "strict", "memoryLimitBytes": 8 << 20, "timeoutMs": 500}})
	const hog = `const all = []; for (;;) all.push(new Array(1000).fill(all.length))`
	t.Run("B8 precise codes", func(t *testing.T) {
		tn.exec(t, hog).failed("memory_limit_exceeded", "")
		tn.exec(t, `throw new Error("interrupted")`).failed("internal_error", "Error: interrupted")
		tn.exec(t, `throw new Error("out of memory")`).failed("internal_error", "Error: out of memory")
	})
	t.Run("B8 strict folds them into the contract's six", func(t *testing.T) {
		r := strict.exec(t, hog).result("failed")
		require.Contains(t, []string{"internal_error", "timeout"}, r.str("code"), r.story())
		strict.exec(t, `for(;;);`).failed("timeout", "")
		strict.exec(t, `throw 1`).failed("internal_error", "")
		strict.exec(t, ` `).failed("invalid_input", "")
	})
	t.Run("B10 a promise that nothing can settle fails at once", func(t *testing.T) {
		patient := c.prepare(t, spec{config: object{"timeoutMs": 10000}, tools: []object{echo("echo")}})
		for _, code := range []string{
			`await new Promise(() => {})`, `return new Promise(() => {})`, `await tools.echo({}); await new Promise(() => {})`,
			`await yield_control.call; await new Promise(() => {}); await tools.echo({})`,
		} {
			patient.exec(t, code).failed("internal_error", "code mode promise is pending without host work").within(5 * time.Second)
		}
	})
}

func guestErrors(t *testing.T, c *client) {
	tn := c.prepare(t, spec{tools: []object{broken("bad", "it broke")}})
	for _, e := range []struct{ rule, code, text string }{
		{"an Error", `throw new Error("m")`, "Error: m"},
		{"an Error without a message", `throw new Error()`, "Error"},
		{"an Error with a name of its own", `const e = new Error("m"); e.name = "Custom"; throw e`, "Custom: m"},
		{"a reference", `return nowhere`, "ReferenceError: "},
		{"a rejected promise", `await Promise.reject(new TypeError("t"))`, "TypeError: t"},
		{"a string", `throw "plain"`, "plain"},
		{"a number", `throw 5`, "5"},
		{"a BigInt", `throw 5n`, "5"},
		{"null", `throw null`, "null"},
		{"undefined", `throw undefined`, "undefined"},
		{"a tool's error", `await tools.bad({})`, "Error: it broke"},
	} {
		t.Run("B9 "+e.rule, func(t *testing.T) {
			r := tn.exec(t, e.code).failed("internal_error", e.text)
			first, _, _ := strings.Cut(r.str("error"), "\n")
			require.True(t, first == e.text || strings.HasSuffix(e.text, ": "), r.story())
		})
	}
	t.Run("B9 frames are the cell's own", func(t *testing.T) {
		tn.exec(t, "async function outer() {\n  await null;\n  inner()\n}\nfunction inner() {\n  throw new Error('m')\n}\nawait outer()").
			failed("internal_error", "Error: m").mentions("error", "inner", "outer").
			conceals("guest.js", "web.js", ".go:", ".c:", "<eval>", "/tmp", "/home", "/root")
	})
	t.Run("B9 a stack that the cell forges is not passed on", func(t *testing.T) {
		tn.exec(t, `const e = new Error("m"); e.stack = "    at host (/etc/passwd:1:1)\nX-Forged: 1"; throw e`).
			failed("internal_error", "Error: m").conceals("passwd", "X-Forged")
	})
	t.Run("B9 hostile errors do no harm", func(t *testing.T) {
		for _, code := range []string{
			`throw {get message() { throw 1 }, get name() { throw 2 }, toString() { throw 3 }}`,
			`const e = new Error("m"); Object.defineProperty(e, "message", {get() { throw e }}); throw e`,
			`throw new Proxy({}, {get() { throw 1 }, getPrototypeOf() { throw 2 }})`,
			`const e = new Error("m"); e.name = {toString: () => { for (;;) ; }}; throw e`,
		} {
			r := tn.exec(t, code).result("failed")
			require.Contains(t, []string{"internal_error", "timeout"}, r.str("code"), r.story())
		}
	})
	t.Run("B9 a huge message is bounded", func(t *testing.T) {
		r := tn.exec(t, `throw new Error("x".repeat(5e6))`).failed("internal_error", "Error: x")
		require.Less(t, len(r.raw), 1<<20, "an error must not be the way around maxOutputBytes")
	})
}

// keys are an object's keys, sorted.
func keys(v gjson.Result) string {
	var out []string
	v.ForEach(func(key, _ gjson.Result) bool {
		out = append(out, key.Str)
		return true
	})
	sort.Strings(out)
	return strings.Join(out, " ")
}

// effects are a failed result's side effects in a line.
func effects(r reply) string {
	var out []string
	for _, e := range r.body.Get("sideEffects").Array() {
		out = append(out, e.Get("toolId").Str+" "+e.Get("state").Str)
	}
	return strings.Join(out, ", ")
}

package contracttest

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// loops are cells that never end: some poll for an interrupt, some are deaf inside a builtin that doesn't.
var loops = []struct{ rule, code string }{
	{"an empty loop", `for(;;);`},
	{"a loop that catches everything", `for (;;) { try { for (;;) ; } catch {} finally { continue } }`},
	{"a loop of microtasks", `for (;;) await null`},
	{"a microtask that queues itself", `const f = () => queueMicrotask(f); f(); await new Promise(() => {})`},
	{"a getter that never returns", `return {get a() { for (;;) ; }}`},
	{"a toJSON that never returns", `json({toJSON() { for (;;) ; }})`},
	{"a backtracking regular expression", `/^(a+)+$/.test("a".repeat(40) + "b"); return 1`},
	{"a comparison function", `[3, 2, 1].sort(() => { for (;;) ; })`},
	{"a proxy's trap", `new Proxy({}, {get() { for (;;) ; }}).x`},
	{"concat over a huge array-like", `[].concat({length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true})`},
	{"indexOf over a huge array-like", `Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)`},
	{"reverse of a huge array-like", `Array.prototype.reverse.call({length: 2 ** 53 - 1})`},
	{"fill of a huge array-like", `Array.prototype.lastIndexOf.call({length: 2 ** 53 - 1}, 1)`},
	{"a string search", `const n = "a".repeat(1e7); (n + n).indexOf(n + "b"); for (;;) (n + n).indexOf(n + "b")`},
	{"BigInt division", `const a = 3n ** 300000n; for (;;) (a * a) / 7n ** 5000n`},
	{"a big RegExp", `for (;;) new RegExp("(?:a|b)".repeat(20000))`},
	{"a loop in a nested eval", `eval("eval('for(;;);')")`},
	{"a loop in a tool's argument", `tools.call("x", {get a() { for (;;) ; }})`},
}

func hostileLoops(t *testing.T, c *client) {
	const timeout = 300
	bystander := c.prepare(t, spec{tools: []object{asking("ask")}})
	held := bystander.exec(t, `const kept = [1, 2]; kept.push(await tools.ask({})); return kept`).waiting("pending_tools")
	tn := c.prepare(t, spec{config: object{"timeoutMs": timeout, "memoryLimitBytes": 64 << 20}})
	for _, l := range loops {
		t.Run("H1 "+l.rule, func(t *testing.T) {
			// The rest is for a machine that is busy with other things.
			tn.exec(t, l.code).failed("timeout", "code mode timeout exceeded").within((timeout + 250 + 1500) * time.Millisecond)
			bystander.exec(t, `return 1`).completed(`1`)
		})
	}
	t.Run("H1 side by side with others", func(t *testing.T) {
		var open []<-chan reply
		for _, l := range loops[:6] {
			open = append(open, inBackground(func() reply { return tn.exec(t, l.code) }))
		}
		bystander.exec(t, `return [1, 2, 3].map(x => x * 2)`).completed(`[2,4,6]`)
		for _, answer := range open {
			(<-answer).failed("timeout", "code mode timeout exceeded")
		}
	})
	t.Run("H1 a run that waited meanwhile lost nothing", func(t *testing.T) {
		bystander.wait(t, held.runID(), ok(held.pending(0), object{"details": 3})).completed(`[1,2,3]`)
	})
	t.Run("H1 what was put out before is delivered", func(t *testing.T) {
		tn.exec(t, `text("before"); for(;;);`).failed("timeout", "").has("output.#.text", `["before"]`)
	})
}

// busy are cells that have the service work for them without end.
var busy = []struct{ rule, code string }{
	{"tiny calls", `for (;;) await tools.echo({})`},
	{"many tiny calls", `for (;;) await Promise.all(Array.from({length: 900}, () => tools.echo({})))`},
	{"calls of unknown tools", `for (;;) await Promise.allSettled(Array.from({length: 900}, () => tools.call("nobody")))`},
	{"searches", `for (;;) await Promise.all(Array.from({length: 900}, () => tools.search("to echo what is said", {limit: 50, explain: true})))`},
	{"timers", `for (;;) await Promise.all(Array.from({length: 900}, () => new Promise((r) => setTimeout(r, 0))))`},
	{"large inputs", `const s = "x".repeat(1e6); for (;;) await tools.echo({s})`},
	{"output", `for (;;) { for (let i = 0; i < 100; i++) text("x"); await tools.echo({}) }`},
	{"sleep", `await new Promise((r) => setTimeout(r, 8000))`},
}

// promptAborts needs the service to itself: it waits until its cell runs.
func promptAborts(t *testing.T, c *client) {
	const most, tries = 50 * time.Millisecond, 20
	for _, l := range slices.Concat(loops, busy) {
		t.Run("G7 an abort takes effect within 50 ms: "+l.rule, func(t *testing.T) {
			least := time.Hour
			for range tries { // others use the machine too
				tn := c.prepare(t, spec{config: object{"timeoutMs": 20000, "outputOverflow": "truncate"}, tools: []object{echo("echo")}})
				open := inBackground(func() reply { return tn.exec(t, l.code) })
				c.eventually(t, "running", 1)
				began := time.Now()
				c.drop(t, "/v1/turns/"+tn.id).is(http.StatusNoContent)
				ended := <-open
				took := time.Since(began)
				c.eventually(t, "running", 0)
				if ended.status == http.StatusNotFound {
					continue // the turn was gone before the cell began
				}
				ended.failed("aborted", "")
				if least = min(least, took); least < most {
					return
				}
			}
			t.Errorf("the quickest of %d took %s", tries, least)
		})
	}
}

func hostileMemory(t *testing.T, c *client) {
	tn := c.prepare(t, spec{config: object{"memoryLimitBytes": 8 << 20, "timeoutMs": 30000}})
	for rule, code := range map[string]string{
		"one huge string":        `return "x".repeat(100 << 20).length`,
		"strings":                `const all = []; for (let i = 0; ; i++) all.push("x".repeat(1e5) + i)`,
		"arrays without end":     `const all = []; for (;;) all.push([1, 2, 3])`,
		"typed arrays":           `const all = []; for (;;) all.push(new Uint8Array(1 << 16).fill(1))`,
		"a huge buffer":          `return new ArrayBuffer(1 << 30).byteLength`,
		"objects with many keys": `const o = {}; for (let i = 0; ; i++) o["key" + i] = i`,
		"a map":                  `const m = new Map(); for (let i = 0; ; i++) m.set(i, {i})`,
		"closures":               `let f = () => 0; for (;;) { const g = f; f = () => g; f.pad = new Array(50).fill(1) }`,
		"promises":               `const all = []; for (;;) all.push(new Promise(() => {}))`,
	} {
		t.Run("H2 "+rule, func(t *testing.T) {
			tn.exec(t, code).failed("memory_limit_exceeded", "code mode memory limit exceeded")
			tn.exec(t, `return 1`).completed(`1`)
		})
	}
	tn.completeAll(t, []cell{
		{"H2 a stack overflow is a RangeError that can be caught", `const f = () => 1 + f(); try { f() } catch (e) { return [e instanceof RangeError, e.name] }`, `[true,"RangeError"]`},
		{"H2 the same through JSON", `let a = []; for (let i = 0; i < 5e4; i++) a = [a]; try { JSON.stringify(a) } catch (e) { return e instanceof RangeError || e instanceof Error }`, `true`},
		{"H2 the same through a proxy", `let p = {}; for (let i = 0; i < 2e4; i++) p = new Proxy(p, {}); try { p.x; return true } catch (e) { return e instanceof RangeError }`, `true`},
		{"H2 a cell goes on after it", `const f = () => f(); for (let i = 0; i < 3; i++) { try { f() } catch {} } return "on"`, `"on"`},
	})
	t.Run("H2 an uncaught stack overflow is the cell's own error", func(t *testing.T) {
		tn.exec(t, `const f = () => 1 + f(); f()`).failed("internal_error", "RangeError")
	})
}

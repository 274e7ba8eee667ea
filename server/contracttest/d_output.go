package contracttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func outputs(t *testing.T, c *client) {
	tn := c.prepare(t, spec{config: object{"maxOutputBytes": 1024}})
	for _, o := range []struct{ rule, code, output string }{
		{"text of a string", `text("a\nb")`, `[{"type":"text","text":"a\nb"}]`},
		{"text of an empty string", `text("")`, `[{"type":"text","text":""}]`},
		{"text of an object is its JSON", `text({a: [1, null]})`, `[{"type":"text","text":"{\"a\":[1,null]}"}]`},
		{"text of a number, a boolean, null", `text(1); text(true); text(null)`, `[{"type":"text","text":"1"},{"type":"text","text":"true"},{"type":"text","text":"null"}]`},
		{"text of nothing", `text(); text(undefined)`, `[{"type":"text","text":"null"},{"type":"text","text":"null"}]`},
		{"text of a Date", `text(new Date(0))`, `[{"type":"text","text":"\"1970-01-01T00:00:00.000Z\""}]`},
		{"json of everything", `json(1); json("s"); json(null); json([1]); json({a: 1})`, `[{"type":"json","value":1},{"type":"json","value":"s"},{"type":"json","value":null},{"type":"json","value":[1]},{"type":"json","value":{"a":1}}]`},
		{"json of nothing", `json(); json(undefined)`, `[{"type":"json","value":null},{"type":"json","value":null}]`},
		{"json takes a copy at the call", `const o = {n: 1}; json(o); o.n = 2; json(o)`, `[{"type":"json","value":{"n":1}},{"type":"json","value":{"n":2}}]`},
		{
			"the order is the order of the calls", `text("1"); json(2); await null; text("3"); console.log("4"); json(5)`,
			`[{"type":"text","text":"1"},{"type":"json","value":2},{"type":"text","text":"3"},{"type":"text","text":"4","level":"log"},{"type":"json","value":5}]`,
		},
	} {
		t.Run("D8 "+o.rule, func(t *testing.T) { tn.exec(t, o.code).result("completed").has("output", o.output) })
	}
	// The limit is on the JSON: quotes, escapes and keys count.
	for _, b := range []struct {
		rule, code string
		fits       bool
	}{
		{"a value of exactly the limit", `return "x".repeat(1022)`, true},
		{"a byte more", `return "x".repeat(1023)`, false},
		{"two-byte characters", `return "é".repeat(511)`, true},
		{"one of them more", `return "é".repeat(512)`, false},
		{"four-byte characters", `return "😀".repeat(255)`, true},
		{"and one more", `return "😀".repeat(256)`, false},
		{"escapes", `return "\n".repeat(511)`, true},
		{"an escape more", `return "\n".repeat(512)`, false},
		{"output of exactly the limit", `text("x".repeat(997))`, true},
		{"output a byte more", `text("x".repeat(998))`, false},
		{"value and output are not added up", `text("x".repeat(900)); return "y".repeat(900)`, true},
		{"many small outputs", `for (let i = 0; i < 100; i++) text("xxxxxxxxxx")`, false},
		{"endless output", `for (;;) text("x")`, false},
		{"an endless value", `const a = []; for (let i = 0; i < 1e5; i++) a.push(i); return a`, false},
	} {
		t.Run("D8 "+b.rule, func(t *testing.T) {
			if r := tn.exec(t, b.code); b.fits {
				r.result("completed")
			} else {
				r.failed("output_limit_exceeded", "code mode output limit exceeded")
			}
		})
	}
	t.Run("D8 what had been delivered stays delivered", func(t *testing.T) {
		r := tn.exec(t, `text("x".repeat(600)); await yield_control(); text("y".repeat(600))`).waiting("yield").has("output.#", `1`)
		tn.wait(t, r.runID()).failed("output_limit_exceeded", "").conceals("xxxx")
		tn.wait(t, r.runID()).refused(textUnavailable)
	})
	t.Run("D8 the limit is judged before calls are dispatched", func(t *testing.T) {
		tool := newToolServer(t, nil)
		loud := c.prepare(t, spec{config: object{"maxOutputBytes": 1024}, tools: []object{remote("count", tool.URL)}})
		loud.exec(t, `tools.count({}); text("x".repeat(2000)); await tools.count({})`).failed("output_limit_exceeded", "")
		tool.called(t, 0)
	})
	truncated(t, c)
}

func truncated(t *testing.T, c *client) {
	const limit = 1024
	tn := c.prepare(t, spec{config: object{"maxOutputBytes": limit, "outputOverflow": "truncate"}})
	for rule, code := range map[string]string{
		"a long string": `return "x".repeat(5000)`, "a string of escapes": `return "\u0001".repeat(5000)`,
		"a string of wide characters": `return "😀".repeat(5000)`, "a long array": `return Array.from({length: 3000}, (_, i) => i)`,
		"an array of objects": `return Array.from({length: 200}, (_, i) => ({id: i, name: "item " + i}))`,
		"an object":           `return Object.fromEntries(Array.from({length: 500}, (_, i) => ["key" + i, i]))`,
		"deep inside":         `return {a: {b: {c: ["z".repeat(4000), 1, 2]}}, last: 1}`, "a long key": `return {["k".repeat(3000)]: 1, b: 2}`,
		"nothing but brackets": `return Array.from({length: 900}, () => [[]])`,
	} {
		t.Run("D8 truncate cuts "+rule+" and stays JSON", func(t *testing.T) {
			r := tn.exec(t, code).result("completed")
			require.True(t, decodes(r.raw), r.story())
			value := r.body.Get("value")
			require.LessOrEqual(t, len(value.Raw), limit, r.story())
			require.Positive(t, r.body.Get("omittedBytes").Int(), r.story())
			whole := c.prepare(t, spec{}).exec(t, code).result("completed").body.Get("value")
			require.Equal(t, whole.Type, value.Type, "the structure stays\n%s", r.story())
			require.Equal(t, whole.IsArray(), value.IsArray(), "the structure stays\n%s", r.story())
		})
	}
	t.Run("D8 truncate keeps what comes first", func(t *testing.T) {
		r := tn.exec(t, `return {first: [1, 2, 3], long: "x".repeat(4000)}`).has("value.first", `[1,2,3]`)
		require.True(t, strings.HasPrefix(r.str("value.long"), "xxxx"), r.story())
	})
	t.Run("D8 truncate leaves what fits alone", func(t *testing.T) {
		tn.exec(t, `text("a"); return "x".repeat(1000)`).completed(fmt.Sprintf("%q", strings.Repeat("x", 1000))).lacks("omittedBytes")
	})
	for rule, code := range map[string]string{
		"one long text": `text("x".repeat(5000)); return 1`, "many texts": `for (let i = 0; i < 500; i++) text("line " + i); return 1`,
		"a long json": `json("y".repeat(5000)); return 1`, "a small item after the cut": `text("x".repeat(5000)); text("small"); return 1`,
	} {
		t.Run("D8 truncate cuts the output: "+rule, func(t *testing.T) {
			r := tn.exec(t, code).completed(`1`)
			require.LessOrEqual(t, len(r.body.Get("output").Raw), limit, r.story())
			require.Positive(t, r.body.Get("omittedBytes").Int(), r.story())
		})
	}
}

func surroundings(t *testing.T, c *client) {
	tn := c.prepare(t, spec{config: object{"drainMs": 2000}, tools: []object{echo("echo")}})
	for code, reason := range map[string]string{
		`yield_control("why")`: `"why"`, `yield_control()`: `null`, `yield_control(undefined)`: `null`, `yield_control({a: 1})`: `{"a":1}`,
	} {
		t.Run("D9 "+code, func(t *testing.T) {
			r := tn.exec(t, `return await `+code).waiting("yield")
			tn.wait(t, r.runID()).completed(`{"status":"yielded","reason":` + reason + `}`)
		})
	}
	t.Run("D10 console keeps the level", func(t *testing.T) {
		tn.exec(t, `console.log("a", 1, {b: 2}); console.info("i"); console.debug("d"); console.warn("w"); console.error("e", new Error("x"))`).
			result("completed").has("output.#.level", `["log","info","debug","warn","error"]`).has("output.0.text", `"a 1 {\"b\":2}"`).mentions("output.4.text", "e ", "x")
	})
	tn.completeAll(t, []cell{
		{"D10 setTimeout", `return await new Promise(r => setTimeout(r, 5, "late"))`, `"late"`},
		{"D10 timers fire in order", `const log = []; await new Promise(r => { setTimeout(() => { log.push(3); r() }, 60); setTimeout(() => log.push(2), 30); setTimeout(() => log.push(1)) }); return log`, `[1,2,3]`},
		{"D10 equal times keep the order of the calls", `const log = []; await new Promise(r => { setTimeout(() => log.push(1), 10); setTimeout(() => log.push(2), 10); setTimeout(r, 30) }); return log`, `[1,2]`},
		{"D10 clearTimeout", `let n = 0; const id = setTimeout(() => n++, 5); clearTimeout(id); clearTimeout(id); clearTimeout(undefined); await new Promise(r => setTimeout(r, 30)); return n`, `0`},
		{"D10 a timer never fires before its time", `const a = performance.now(); await new Promise(r => setTimeout(r, 50)); return performance.now() - a >= 49`, `true`},
		{"D10 microtasks before timers", `const log = []; const p = new Promise(r => setTimeout(() => { log.push("timer"); r() })); queueMicrotask(() => log.push("micro")); log.push("sync"); await p; return log`, `["sync","micro","timer"]`},
		{"D10 structuredClone", `const o = {d: new Date(1), m: new Map([[1, {a: 1}]]), s: new Set([2])}; o.self = o; const c = structuredClone(o); return [c !== o, c.self === c, c.d.getTime(), c.m.get(1), c.m.get(1) !== o.m.get(1), c.s.has(2)]`, `[true,true,1,{"a":1},true,true]`},
		{"D10 structuredClone refuses functions", `try { structuredClone(() => 1) } catch (e) { return e.name }`, `"DataCloneError"`},
		{"D10 TextEncoder and TextDecoder", `return [[...new TextEncoder().encode("é😀")], new TextDecoder().decode(new Uint8Array([226, 130, 172])), new TextDecoder().decode(new Uint8Array([255]))]`, `[[195,169,240,159,152,128],"€","\ufffd"]`},
		{"D10 atob and btoa", `return [btoa("hello"), atob("aGVsbG8="), atob(" aGVs bG8 ")]`, `["aGVsbG8=","hello","hello"]`},
		{"D10 btoa refuses what is not Latin-1", `try { btoa("日") } catch (e) { return e.name }`, `"InvalidCharacterError"`},
		{
			"D10 URL", `const u = new URL("../b?x=1&y=%20#h", "https://u:p@EXAMPLE.org:443/a/c/d"); u.searchParams.append("z", "ü"); return [u.href, u.host, u.pathname, u.hash, u.origin]`,
			`["https://u:p@example.org/a/b?x=1&y=+&z=%C3%BC#h","example.org","/a/b","#h","https://example.org"]`,
		},
		{"D10 a bad URL", `try { new URL("no scheme") } catch (e) { return e instanceof TypeError }`, `true`},
		{"D10 URLSearchParams", `const p = new URLSearchParams("a=1&a=2&b=%26"); return [p.getAll("a"), p.get("b"), p.has("c"), p.toString(), [...new URLSearchParams({q: "x y"})]]`, `[["1","2"],"&",false,"a=1&a=2&b=%26",[["q","x y"]]]`},
		{"D10 performance.now is a clock", `const a = performance.now(), b = performance.now(); return typeof a === "number" && b >= a`, `true`},
		{"D10 the time is real", `return Date.now() > 1.7e12`, `true`},
		{"D10 the timezone is UTC", `return [new Date(0).getTimezoneOffset(), new Date(2020, 6, 1).toISOString()]`, `[0,"2020-07-01T00:00:00.000Z"]`},
		{"D10 crypto.randomUUID", `const a = crypto.randomUUID(), b = crypto.randomUUID(); return [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(a), a !== b]`, `[true,true]`},
	})
	t.Run("D10 no two cells draw the same numbers", func(t *testing.T) {
		draw := `return [Math.random(), crypto.randomUUID()]`
		require.NotEqual(t, tn.exec(t, draw).str("value"), tn.exec(t, draw).str("value"))
	})
	t.Run("D10 a timer that nobody waits for does not hold the cell", func(t *testing.T) {
		tn.exec(t, `setTimeout(() => text("never"), 1e6); return 1`).completed(`1`).has("output", `[]`)
	})
	t.Run("D10 an error in a timer does not go unseen", func(t *testing.T) {
		r := tn.exec(t, `setTimeout(() => { throw new Error("in a timer") }, 1); await new Promise(r => setTimeout(r, 50)); return 1`)
		require.Contains(t, string(r.raw), "in a timer", r.story())
	})
}

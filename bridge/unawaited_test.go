package bridge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/script"
)

// unawaitedCells miss an await. The hint has the call, its line, and the line with await; a failed cell is told the same.
var unawaitedCells = []struct {
	name, code string
	call       string // and its line
	write      string // the line to write
}{
	{"a property of the result returned", "const r = tools.fast({ n: 1 });\nreturn r.input", "tools.fast on line 1", "const r = await tools.fast({ n: 1 });"},
	{"a property in the value", "const r = tools.fast({ n: 1 });\nreturn { n: r.input }", "tools.fast on line 1", "const r = await tools.fast({ n: 1 });"},
	{"a property of undefined", "const rows = tools.fast({ n: [1, 2] });\nreturn rows.input.n.length", "tools.fast on line 1", "const rows = await tools.fast({ n: [1, 2] });"},
	{"an optional chain", "const r = tools.fast({});\nreturn r?.input?.n ?? 'none'", "tools.fast on line 1", "const r = await tools.fast({});"},
	{"a property of the call itself", "text('x')\nreturn tools.fast({}).input", "tools.fast on line 2", "return (await tools.fast({})).input"},
	{"an index", "const r = tools.rows({});\nreturn r[0]", "tools.rows on line 1", "const r = await tools.rows({});"},
	{"an index by a string", "const r = tools.fast({});\nreturn r['input']", "tools.fast on line 1", "const r = await tools.fast({});"},
	{"read after it was answered", "const r = tools.fast({});\nawait tools.slow({});\nreturn r.input", "tools.fast on line 1", "const r = await tools.fast({});"},
	{"the promise read, not what was awaited", "const p = tools.fast({});\nawait p;\nreturn p.input", "tools.fast on line 1", "const p = await tools.fast({});"},
	{"a method of lists", "return tools.rows({}).map(r => r.id)", "tools.rows on line 1", "return (await tools.rows({})).map(r => r.id)"},
	{"a length", "const rows = tools.rows({})\nreturn rows.length", "tools.rows on line 1", "const rows = await tools.rows({})"},
	{"destructuring", "const { input } = tools.fast({});\nreturn input", "tools.fast on line 1", "const { input } = await tools.fast({});"},
	{"destructuring what a name stands for", "const r = tools.fast({});\nconst { input } = r;\nreturn input", "tools.fast on line 1", "const r = await tools.fast({});"},
	{"destructuring deeper", "const { input: { n } } = tools.fast({});\nreturn n", "tools.fast on line 1", "const { input: { n } } = await tools.fast({});"},
	{"destructuring a list", "const [a] = tools.rows({});\nreturn a", "tools.rows on line 1", "const [a] = await tools.rows({});"},
	{"a loop", "for (const r of tools.rows({})) text(r.id)", "tools.rows on line 1", "for (const r of await tools.rows({})) text(r.id)"},
	{"spread into a list", "return [...tools.rows({})]", "tools.rows on line 1", "return [...await tools.rows({})]"},
	{"spread into an object", "return {...tools.fast({})}", "tools.fast on line 1", "return {...await tools.fast({})}"},
	{"Promise.all of one promise", "return await Promise.all(tools.rows({}))", "tools.rows on line 1", "return await Promise.all(await tools.rows({}))"},
	{"a Set of it", "return [...new Set(tools.rows({}))]", "tools.rows on line 1", "return [...new Set(await tools.rows({}))]"},
	{"a template", "return `hello ${tools.name({})}`", "tools.name on line 1", "return `hello ${await tools.name({})}`"},
	{"a text joined", "const s = 'hello ' + tools.name({});\nreturn s", "tools.name on line 1", "const s = 'hello ' + await tools.name({});"},
	{"String()", "return String(tools.name({}))", "tools.name on line 1", "return String(await tools.name({}))"},
	{"toString()", "return tools.name({}).toString()", "tools.name on line 1", "return (await tools.name({})).toString()"},
	{"join", "return [tools.name({})].join()", "tools.name on line 1", "return [await tools.name({})].join()"},
	{"arithmetic", "const n = tools.fast({});\nreturn n * 2", "tools.fast on line 1", "const n = await tools.fast({});"},
	{"a sum", "let sum = 0;\nfor (const n of [1, 2]) { sum += tools.fast({n}) }\nreturn sum", "tools.fast on line 2", "for (const n of [1, 2]) { sum += await tools.fast({n}) }"},
	{"a comparison of size", "return tools.fast({}) > 3", "tools.fast on line 1", "return await tools.fast({}) > 3"},
	{"a comparison", "return tools.name({}) === 'Ann'", "tools.name on line 1", "return await tools.name({}) === 'Ann'"},
	{"a comparison by ==", "const n = tools.name({});\nreturn n == 'Ann'", "tools.name on line 1", "const n = await tools.name({});"},
	{"if", "if (tools.fast({})) return 'yes'\nreturn 'no'", "tools.fast on line 1", "if (await tools.fast({})) return 'yes'"},
	{"if of a name", "const ok = tools.slow({});\nif (ok) return 'yes'\nreturn 'no'", "tools.slow on line 1", "const ok = await tools.slow({});"},
	{"if not", "if (!tools.fast({})) return 'no'\nreturn 'yes'", "tools.fast on line 1", "if (!await tools.fast({})) return 'no'"},
	{"a conditional", "const ok = tools.fast({});\nreturn ok ? 1 : 2", "tools.fast on line 1", "const ok = await tools.fast({});"},
	{"and", "return tools.fast({}) && 'yes'", "tools.fast on line 1", "return await tools.fast({}) && 'yes'"},
	{"or", "const r = tools.fast({}) || {};\nreturn 1", "tools.fast on line 1", "const r = await tools.fast({}) || {};"},
	{"null", "const r = (tools.fast({}) ?? {});\nreturn 1", "tools.fast on line 1", "const r = (await tools.fast({}) ?? {});"},
	{"switch", "switch (tools.name({})) { case 'Ann': return 1 }\nreturn 2", "tools.name on line 1", "switch (await tools.name({})) { case 'Ann': return 1 }"},
	{"while", "while (tools.fast({})) break\nreturn 2", "tools.fast on line 1", "while (await tools.fast({})) break"},
	{"text()", "const p = tools.fast({});\ntext(p)", "tools.fast on line 1", "const p = await tools.fast({});"},
	{"json()", "json({a: tools.fast({})})", "tools.fast on line 1", "json({a: await tools.fast({})})"},
	{"console.log", "console.log(tools.fast({}))", "tools.fast on line 1", "console.log(await tools.fast({}))"},
	{"console.log behind a label", "console.log('r:', tools.fast({}))\nreturn 1", "tools.fast on line 1", "console.log('r:', await tools.fast({}))"},
	{"JSON.stringify", "return JSON.stringify(tools.fast({}))", "tools.fast on line 1", "return JSON.stringify(await tools.fast({}))"},
	{"JSON.stringify of what holds it", "const r = {a: tools.fast({})}\nreturn JSON.stringify(r)", "tools.fast on line 1", "const r = {a: await tools.fast({})}"},
	{"Object.keys", "return Object.keys(tools.fast({}))", "tools.fast on line 1", "return Object.keys(await tools.fast({}))"},
	{"Object.entries of a name", "const r = tools.fast({});\nreturn Object.entries(r)", "tools.fast on line 1", "const r = await tools.fast({});"},
	{"Array.from", "return Array.from(tools.rows({}))", "tools.rows on line 1", "return Array.from(await tools.rows({}))"},
	{"Array.isArray", "return Array.isArray(tools.rows({}))", "tools.rows on line 1", "return Array.isArray(await tools.rows({}))"},
	{"a tool's argument", "const who = tools.name({});\nreturn await tools.fast({who})", "tools.name on line 1", "const who = await tools.name({});"},
	{"the value itself holds it", "return {p: tools.fast({})}", "tools.fast on line 1", "return {p: await tools.fast({})}"},
	{"MCP", "const r = MCP.gitHub.createIssue({});\nreturn r.content", "MCP.gitHub.createIssue on line 1", "const r = await MCP.gitHub.createIssue({});"},
	{"MCP by another name", "const gh = MCP.gitHub;\nconst r = gh.createIssue({});\nreturn r.content", "gh.createIssue on line 2", "const r = await gh.createIssue({});"},
	{"search", "const hits = tools.search('ticket');\nreturn hits.length", "tools.search on line 1", "const hits = await tools.search('ticket');"},
	{"describe", "const d = tools.describe('fast');\nreturn d.name", "tools.describe on line 1", "const d = await tools.describe('fast');"},
	{"call", "const r = tools.call('fast', {});\nreturn r.result", "tools.call on line 1", "const r = await tools.call('fast', {});"},
	{"callValue", "const r = tools.callValue('fast', {});\nreturn r.input", "tools.callValue on line 1", "const r = await tools.callValue('fast', {});"},
	{"a tool by another name", "const { fast } = tools;\nconst r = fast({});\nreturn r.input", "fast on line 2", "const r = await fast({});"},
	{"an async function of the cell", "async function get(n) { return await tools.fast({n}) }\nconst r = get(1);\nreturn r.input", "get on line 2", "const r = await get(1);"},
	{"an arrow function of the cell", "const get = async n => (await tools.fast({n})).input;\nconst r = get(1);\nreturn r.n", "get on line 2", "const r = await get(1);"},
	{"an async function as a condition", "async function isAdmin(u) { return (await tools.fast({u})).input.admin }\nif (isAdmin(1)) return 'admin'\nreturn 'no'", "isAdmin on line 2", "if (await isAdmin(1)) return 'admin'"},
	{"map without async", "return [1, 2].map(n => tools.fast({n}).input)", "tools.fast on line 1", "return [1, 2].map(async n => (await tools.fast({n})).input)"},
	{"several lines", "const r = tools.fast({\n  n: 1,\n});\nreturn r.input", "tools.fast on line 1", "const r = await tools.fast({"},
	{"a call within arguments", "const r = tools.fast({n: Math.max(1, 2)});\nreturn r.input", "tools.fast on line 1", "const r = await tools.fast({n: Math.max(1, 2)});"},
	{"two calls", "const a = tools.fast({n: 1}), b = tools.slow({n: 2});\nreturn [a.input, b.input]", "tools.slow on line 1", "const a = tools.fast({n: 1}), b = await tools.slow({n: 2});"},
	{"a name before it in the line that has no ASCII letters", "const größe = 1; const r = tools.fast({größe});\nreturn r.input", "tools.fast on line 1", "const größe = 1; const r = await tools.fast({größe});"},
}

func TestUnawaitedCells(t *testing.T) {
	onEngines(t, func(t *testing.T, c cells) {
		for _, language := range []script.Language{script.JavaScript, script.TypeScript} {
			for _, tc := range unawaitedCells {
				t.Run("B7 a missing await: "+string(language)+" "+tc.name, func(t *testing.T) {
					r := c.exec(t, language, tc.code)
					all := strings.Join(r.Hints, "\n")
					require.Contains(t, all, tc.call+" was not awaited", "%s", r.AppendJSON(nil))
					require.Contains(t, all, "Write: "+tc.write, "%s", r.AppendJSON(nil))
					require.NotContains(t, all, "Nothing was returned")
				})
			}
		}
	})
}

// Cells of which the hint says something else.
func TestUnawaitedLoops(t *testing.T) {
	onEngines(t, func(t *testing.T, c cells) {
		for _, tc := range []struct{ name, code, hint string }{
			{"forEach", "const out = [];\n[1, 2].forEach(async n => { out.push((await tools.fast({n})).input.n) });\nreturn out", "forEach does not wait for async functions: tools.fast on line 2"},
			{"forEach of a name", "const out = [], ids = [1];\nids.forEach(async function (n) { await tools.fast({n}); out.push(n) });\nreturn out", "await Promise.all(ids.map(async item => …))"},
			{"forEach of a second call", "const out = [];\n[1].forEach(async n => { const r = await tools.fast({n}); out.push(await tools.slow({n})) });\nawait tools.fast({});\nreturn out", "forEach does not wait"},
			{"forEach of a function by name", "const out = [];\nasync function work(n) { out.push(await tools.slow({n})) }\n[1].forEach(work);\nreturn out", "forEach does not wait"},
			{"forEach that calls a function", "const out = [];\nconst work = async n => { out.push(await tools.slow({n})) };\n[1].forEach(n => work(n));\nreturn out", "forEach does not wait"},
			{"filter", "return [1, 2].filter(async n => (await tools.fast({n})).input.n > 1)", "[1, 2].filter on line 1 is given an async function"},
			{"some", "return [1, 2].some(async n => (await tools.fast({n})).input.n > 1)", "is given an async function"},
			{"sort", "return [2, 1].sort(async (a, b) => (await tools.fast({a})).input.a - b)", "is given an async function"},
			{"map in the value", "const rows = [1].map(async n => await tools.fast({n}));\nreturn rows", "await Promise.all(list)"},
			{"properties of what map made", "const rows = [1].map(async n => await tools.fast({n}));\nreturn rows.map(r => r.input)", "r.input is read of its promise"},
			{"text of what an async function made", "const get = async () => tools.name({});\nconst n = get();\nreturn `hello ${n}`", `"[object Promise]"`},
			{"a main that is not awaited", "async function main() { return await tools.fast({}) }\nmain();", "Write: return await main();"},
			{"a function that is called where it is written", "(async () => { return await tools.fast({}) })();", "Write: return await (async () => {"},
			{"a return that stands alone", "const r = await tools.fast({});\nreturn\n  r.input", "return stands alone on line 2"},
		} {
			t.Run("B7 "+tc.name, func(t *testing.T) {
				r := c.exec(t, script.JavaScript, tc.code)
				require.Contains(t, strings.Join(r.Hints, "\n"), tc.hint, "%s", r.AppendJSON(nil))
			})
		}
	})
}

func TestHintMisused(t *testing.T) {
	const code = "const r = tools.echo({});\nif (r) text(r.a)\n"
	at := "    at <anonymous> (cell.js:1:17)\n"
	exec := func(t *testing.T, all ...engine.Misused) []string {
		w := newWorld(t, enginetest.Always(func(_ *input, out *records) error {
			for _, m := range all {
				out.Misused(m.Misuse, m.Key, m.Use, m.Call)
			}
			out.Fulfil("1", 0)
			return nil
		}), Options{})
		return w.execText(w.turn(""), code).Hints
	}
	for _, tc := range []struct {
		name string
		m    engine.Misused
		hint string
	}{
		{"a property", engine.Misused{Misuse: engine.MisuseTouched, Key: "a", Use: "    at f (cell.js:2:1)\n", Call: at}, "r.a is read of its promise"},
		{"a condition", engine.Misused{Misuse: engine.MisuseUnawaited, Call: at}, "always true as a condition (line 2)"},
		{"a call that was left is none by itself", engine.Misused{Misuse: engine.MisuseLeft, Call: at}, ""},
		{"no stack, no certainty", engine.Misused{Misuse: engine.MisuseUnawaited}, ""},
		{"a stack of the cell's own making", engine.Misused{Misuse: engine.MisuseUnawaited, Call: "    at <anonymous> (cell.js:99999999999999999999:1)\n"}, ""},
		{"a position that is none", engine.Misused{Misuse: engine.MisuseUnawaited, Call: "    at <anonymous> (cell.js:7:7)\n"}, ""},
		{"a long name is cut", engine.Misused{Misuse: engine.MisuseTouched, Key: strings.Repeat("k", 1<<16)}, "…"},
	} {
		t.Run("B7 "+tc.name, func(t *testing.T) {
			hints := exec(t, tc.m)
			if tc.hint == "" {
				require.Empty(t, hints)
				return
			}
			require.Len(t, hints, 1)
			require.Contains(t, hints[0], tc.hint)
			require.Less(t, len(hints[0]), 1000)
		})
	}
	t.Run("B7 each is told once", func(t *testing.T) {
		m := engine.Misused{Misuse: engine.MisuseUnawaited, Call: at}
		require.Len(t, exec(t, m, m, m), 1)
	})
}

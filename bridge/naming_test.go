package bridge

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/script"
)

func TestNamedErrors(t *testing.T) {
	cases := []struct {
		name, code, want string
		line             int
	}{
		{"a method", "const list = { items: [1] };\nreturn list.items.mapp(x => x)", "list.items.mapp is not a function (line 2)", 2},
		{"a method in a chain", "const y = [1]\n  .map(x => x)\n  .foo(1);", "[1].map(x => x).foo is not a function (line 3)", 3},
		{"a name", "const a = 1;\nconst r = a();", "a is not a function (line 2)", 2},
		{"a name with arguments", "const a = 1, b = 2;\nreturn a(b, 3, 'x')", "a is not a function (line 2)", 2},
		{"a property in brackets", `const o = {}; o["x-y"](1)`, `o["x-y"] is not a function (line 1)`, 1},
		{"an index", `const o = {}, k = 'q'; o[k](1)`, `o[k] is not a function (line 1)`, 1},
		{"an optional call of what is no function", "const o = {f: 5};\no.f?.(1)", "o.f is not a function (line 2)", 2},
		{"new", "const o = {};\nnew o.Foo(1)", "o.Foo is not a function (line 2)", 2},
		{"no constructor", "const Foo = () => 1;\nnew Foo(2)", "Foo is not a constructor (line 2)", 2},
		{"in a callback", "const o = {};\nreturn [1].map(x => o.f(x))", "o.f is not a function (line 2)", 2},
		{"this", "class A { constructor() { this.x() } }\nnew A()", "this.x is not a function (line 1)", 1},
		{"of a text", `"a".foo()`, `"a".foo is not a function (line 1)`, 1},
		{"behind an await", "const x = 1;\n(await tools.fast({})).foo()", "(await tools.fast({})).foo is not a function (line 2)", 2},
		{"in a condition", "const o = {};\nif (o.a && 1 || o.has('x')) text('x')", "o.has is not a function (line 2)", 2},
		{"within a template", "const o = {};\nreturn `a ${o.f()}`", "o.f is not a function (line 2)", 2},
		{"in a method", "const o = { go() {\n  return this.gone(1)\n} };\no.go()", "this.gone is not a function (line 2)", 2},
		{"behind an arrow function as argument", "const o = {};\no.foo(() => o.bar, 1)", "o.foo is not a function (line 2)", 2},
		{"around a call of a function", "const foo = 1, bar = x => x;\nfoo(bar(1))", "foo is not a function (line 2)", 2},
		{"around a builtin", "const foo = 1;\nfoo(String(1))", "foo is not a function (line 2)", 2},
		{"a result that is called", "const z = 1;\n(() => 5)()(z)", "(() => 5)() is not a function (line 2)", 2},
		{"a long argument is left out", "const o = {a() { return {} }};\no.a('" + strings.Repeat("x", 200) + "').b()", "o.a(…).b is not a function (line 2)", 2},
		{"what a builtin was given", "const fn = 1;\n[1].map(fn)", "[1].map was given fn, which is not a function (line 2)", 2},
		{"undefined for a builtin", "const xs = [1];\nxs.forEach(undefined)", "xs.forEach was given undefined, which is not a function (line 2)", 2},

		{"a property of undefined", "const reply = {};\nreturn reply.data.rows", "cannot read property 'rows' of undefined: reply.data is undefined (line 2)", 2},
		{"a property of null", "const reply = JSON.parse('null');\nreturn reply.data", "cannot read property 'data' of null: reply is null (line 2)", 2},
		{"a method of undefined", "const data = {};\ndata.rows.forEach(r => r)", "data.rows is undefined (line 2)", 2},
		{"in an expression", "let o = {a: {}};\nconst z = 1 + o.a.b.c;", "o.a.b is undefined (line 2)", 2},
		{"in the head of a loop", "const o = {};\nfor (let i = 0; i < o.rows.length; i++) text(i)", "o.rows is undefined (line 2)", 2},
		{"of an element", "const rows = [{name: 1}];\nfor (let i = 0; i < 2; i++) text(rows[i].name)", "rows[i] is undefined (line 2)", 2},
		{"an index that is a number", "const rows = [];\nreturn rows[0].name", "rows[0] is undefined (line 2)", 2},
		{"setting", "const o = {};\no.list.a = 1", "cannot set property 'a' of undefined: o.list is undefined (line 2)", 2},
		{"of a call's result", "const o = {f() {}};\nreturn o.f(1).x", "o.f(1) is undefined (line 2)", 2},
		{"of an awaited call", "const r = await tools.name({});\nreturn (await tools.fast({r})).input.list.length", "(await tools.fast({r})).input.list is undefined (line 2)", 2},
		{"in a callback of an async function", "await Promise.all([1].map(async x => {\n  const y = await tools.fast({x});\n  return y.foo.bar\n}))", "y.foo is undefined (line 3)", 3},

		{"destructuring undefined", "const u = [][0];\nconst {a, b} = u;", "u is undefined or null (line 2)", 2},
		{"destructuring deeper", "const reply = { ok: true };\nconst { data: { rows } } = reply;\nreturn rows", "reply.data is undefined or null (line 2)", 2},
		{"destructuring that may be either", "const reply = [{}][0];\nconst { data: { rows } } = reply;", "reply or reply.data is undefined or null (line 2)", 2},
		{"destructuring a parameter", "const q = 1;\nfunction f({a}) { return a }\nf();", "the first argument of f is undefined or null (line 2)", 2},
		{"destructuring the second parameter", "const q = 1;\nconst f = (x, {a}) => a;\nf(1);", "the second argument of f is undefined or null (line 2)", 2},
		{"destructuring in an assignment", "let a, b; const q = {};\n({a, b} = q.rows);", "q.rows is undefined or null (line 2)", 2},
		{"destructuring in a function", "async function go(q) {\n  const { rows } = q;\n  return rows;\n}\nreturn await go();", "q is undefined or null (line 2)", 2},
		{"Object.keys", "const q = {};\nreturn Object.keys(q.rows)", "Object.keys was given q.rows, which is undefined or null (line 2)", 2},

		{"a loop over an object", "const o = {a: 1};\nfor (const x of o) text(x)", "o is not iterable (line 2)", 2},
		{"a loop over undefined", "const q = {};\nfor (const x of q.rows) text(x)", "q.rows is undefined, which is not iterable (line 2)", 2},
		{"spreading a number", "let x = 1;\nx = [...x];", "x is not iterable (line 2)", 2},
		{"spreading into a call", "const q = {};\nreturn Math.max(...q.rows)", "q.rows is undefined, which is not iterable (line 2)", 2},
		{"a list taken out of an object", "const q = {};\nconst [a, b] = q;", "q is not iterable (line 2)", 2},
		{"a Set of a number", "const q = [1];\nreturn new Set(q.length)", "Set was given q.length, which is not iterable (line 2)", 2},
		{"Promise.all of undefined", "const q = {};\nreturn await Promise.all(q.jobs)", "Promise.all was given q.jobs, which is undefined (line 2)", 2},

		{"a promise", "const r = tools.rows({});\nreturn r.map(x => x)", "r.map is not a function (line 2); r is a promise: await it", 2},
		{"a property of a promise", "const r = tools.fast({});\nreturn r.input.n", "r.input is undefined (line 2); r is a promise: await it", 2},
		{"a loop over a promise", "const r = tools.rows({});\nfor (const x of r) text(x)", "r is not iterable (line 2); r is a promise: await it", 2},

		{"a tool in another case", "return await tools.createTicket({})", "tools.createTicket is not a function (line 1); did you mean tools.create_ticket?", 1},
		{"a tool by other separators", "return await tools['create-ticket']({})", "tools['create-ticket'] is not a function (line 1); did you mean tools.create_ticket?", 1},
		{"a tool by its owner and name", "return await tools.desk.create_ticket({})", "did you mean tools.create_ticket?", 1},
		{"a tool by its owner as prefix", "return await tools.desk_create_ticket({})", "did you mean tools.create_ticket?", 1},
		{"a tool that is no identifier", "return await tools.webSearch({})", `did you mean tools.callValue("web-search", input)?`, 1},
		{"a tool with a typing error", "return await tools.create_tickett({})", "did you mean tools.create_ticket", 1},
		{"a tool taken out of tools", "const { createTicket } = tools;\nreturn await createTicket({})", "createTicket is not a function (line 2); did you mean tools.create_ticket?", 2},
		{"a tool in a callback", "return await Promise.all([1].map(n => tools.CreateTicket({n})))", "did you mean tools.create_ticket?", 1},
		{"an MCP tool by its own name", "return await MCP.gitHub.create_issue({})", "MCP.gitHub.create_issue is not a function (line 1); did you mean MCP.gitHub.createIssue?", 1},
		{"an MCP tool in brackets", "return await MCP.googleWorkspace['calendar.updateEvent']({})", "did you mean MCP.googleWorkspace.calendarUpdateEvent?", 1},
		{"an MCP tool by a path", "return await MCP.googleWorkspace.calendar.updateEvent({})", "did you mean MCP.googleWorkspace.calendarUpdateEvent?", 1},
		{"a server in another case", "return await MCP.github.createIssue({})", "MCP.github is undefined (line 1); did you mean MCP.gitHub.createIssue?", 1},
		{"a server by another name of the cell's", "const gh = MCP.gitHub;\nreturn await gh.create_issue({})", "did you mean MCP.gitHub.createIssue?", 2},
		{"a server that is not there", "return await MCP.slack.post({})", "did you mean MCP.gitHub or MCP.googleWorkspace?", 1},
		{"an MCP tool in tools", "return await tools.create_issue({})", "did you mean MCP.gitHub.createIssue?", 1},
		{"an MCP tool as it is elsewhere", "return await tools.mcp__github__create_issue({})", "did you mean MCP.gitHub.createIssue?", 1},
		{"an MCP tool by its server in tools", "return await tools.github.create_issue({})", "did you mean MCP.gitHub.createIssue?", 1},
		{"nothing like it", "return await tools.zzz({})", "tools.zzz is not a function (line 1); tools.search finds tools", 1},
		{"a variable that is called tools", "const f = tools => tools.createTicket({});\nf({})", "tools.createTicket is not a function (line 1)\n", 1},
	}
	onEngines(t, func(t *testing.T, c cells) {
		for _, tc := range cases {
			t.Run("B9 "+tc.name, func(t *testing.T) {
				r := c.exec(t, script.JavaScript, tc.code)
				require.Equal(t, Failed, r.Status, "%s", r.AppendJSON(nil))
				require.Contains(t, r.Error+"\n", tc.want)
				require.Contains(t, r.Detail.Message+"\n", tc.want)
				require.Equal(t, tc.line, r.Detail.Line)
				require.Equal(t, "TypeError", r.Detail.Name)
			})
		}
		t.Run("B9 TypeScript's lines are the model's", func(t *testing.T) {
			r := c.exec(t, script.TypeScript, "interface Reply {\n  data?: { rows: number[] }\n}\n\nconst reply: Reply = {};\nconst n: number = (reply.data as any).rows.length;\nreturn n")
			require.Contains(t, r.Error, "reply.data is undefined (line 6)")
			require.Equal(t, 6, r.Detail.Line)
		})
	})
}

// Where the text leaves a doubt, or the cell made the error itself, the engine's words stay.
func TestUnnamedErrors(t *testing.T) {
	onEngines(t, func(t *testing.T, c cells) {
		for _, tc := range []struct{ name, code, want string }{
			{"the cell's own error", "const foo = 1; throw new TypeError('not a function')", "TypeError: not a function"},
			{"the cell's own error behind a call", "const foo = x => x; foo(1); throw new TypeError('value is not iterable')", "TypeError: value is not iterable"},
			{"the cell's own class of error", "class TypeError2 extends TypeError {} const e = new TypeError2('not a function'); throw e", "TypeError: not a function"},
			{"an asynchronous loop", "const o = {}, g = {f() {}}; g.f(1); for await (const x of o) text(x)", "TypeError: not a function"},
			{"no error", "throw 'not a function'", "not a function"},
			{"a name that is not there", "return nope(1)", "is not defined"},
		} {
			t.Run("B9 "+tc.name, func(t *testing.T) {
				r := c.exec(t, script.JavaScript, tc.code)
				require.Equal(t, Failed, r.Status)
				first, _, _ := strings.Cut(r.Error, "\n")
				require.Contains(t, first, tc.want)
				require.NotContains(t, first, "(line")
			})
		}
	})
}

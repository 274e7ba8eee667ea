package bridge

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/script"
)

// What the cell catches says the same as what it lets through, in cells that call a tool that is not there, but on the
// engine that has no hook for that.
func TestCaughtErrors(t *testing.T) {
	cases := []struct{ name, code, want string }{
		{"a tool by another name", "return await tools.createTicket({})", "tools.createTicket is not a function (line 2); did you mean tools.create_ticket?"},
		{"an MCP tool", "return await tools.github.create_issue({})", "tools.github is undefined (line 2); did you mean MCP.gitHub.createIssue?"},
		{"a method", "const list = { items: [1] }; return list.items.mapp(x => x)", "list.items.mapp is not a function (line 2)"},
		{"a constructor", "const Foo = () => 1; new Foo(2)", "Foo is not a constructor (line 2)"},
		{"nothing to construct", "new Intl.Foo(2)", "Intl.Foo is not a function (line 2); Intl has Collator"},
		{"a property of undefined", "const o = {}; return o.a.b", "cannot read property 'b' of undefined: o.a is undefined (line 2)"},
		{"of null", "const o = {a: null}; return o.a.b", "cannot read property 'b' of null: o.a is null (line 2)"},
		{"a property that is set", "const o = {}; o.a.b = 1", "cannot set property 'b' of undefined: o.a is undefined (line 2)"},
		{"a pattern", "const o = {}; const { a } = o.b", "o.b is undefined or null (line 2)"},
		{"a pattern of undefined itself", "const { a } = undefined", "cannot take properties out of undefined (line 2)"},
		{"a list", "const o = {}; const [a] = o.b", "o.b is undefined, which is not iterable (line 2)"},
		{"a loop", "const o = {}; for (const a of o) text(a)", "o is not iterable (line 2)"},
		{"in a function", "const f = (x) => {\n return x.y.z\n}; f({})", "x.y is undefined (line 3)"},
		{"behind an await", "const r = await tools.fast({}); return r.rows.map(x => x)", "r.rows is undefined (line 2)"},
	}
	catchers := map[string]string{
		"catch":      "try { if (0) tools.nope();\n%s\n} catch (e) { return e.message }",
		".catch":     "return await (async () => { if (0) tools.nope();\n%s\n})().catch((e) => e.message)",
		"allSettled": "return (await Promise.allSettled([(async () => { if (0) tools.nope();\n%s\n})()]))[0].reason.message",
		"as text":    "try { if (0) tools.nope();\n%s\n} catch (e) { return `${e}` }",
	}
	onEngines(t, func(t *testing.T, c cells) {
		named := c.turn.service.options.Engine.Name() != "purego"
		for _, tc := range cases {
			for how, catcher := range catchers {
				t.Run("B9 "+tc.name+", "+how, func(t *testing.T) {
					r := c.exec(t, script.JavaScript, fmt.Sprintf(catcher, tc.code))
					var text string
					require.Equal(t, Completed, r.Status, r.Error)
					require.NoError(t, json.Unmarshal(r.Value, &text))
					if named {
						require.Contains(t, text, tc.want)
					} else {
						require.NotContains(t, text, "(line")
					}
				})
			}
			t.Run("B9 "+tc.name+", thrown on", func(t *testing.T) {
				r := c.exec(t, script.JavaScript, "try { if (0) tools.nope();\n"+tc.code+"\n} catch (e) { throw e }")
				require.Equal(t, Failed, r.Status)
				require.Contains(t, r.Error, tc.want)
				if named {
					require.Equal(t, 2+strings.Count(tc.code, "\n return"), r.Detail.Line)
				}
			})
		}
		for name, code := range map[string]string{
			"its own error":            `try { const f = 1; throw new TypeError("not a function") } catch (e) { return e.message }`,
			"what a tool said":         `try { await tools.boom({}) } catch (e) { return e.message }`,
			"what JSON.parse said":     `try { JSON.parse("{") } catch (e) { return e.message }`,
			"what has no stack":        `try { const f = () => f(); f() } catch (e) { return e.message }`,
			"a message that it forges": `const e = new TypeError("not a function"); e.stack = "    at f (cell.js:1:1)"; try { throw e } catch (e) { return e.message }`,
		} {
			t.Run("B9 not "+name, func(t *testing.T) {
				r := c.exec(t, script.JavaScript, code+"; tools.nope()")
				require.Equal(t, Completed, r.Status, r.Error)
				require.NotContains(t, string(r.Value), "(line 1)")
			})
		}
		t.Run("B9 stacks look as they do without", func(t *testing.T) {
			const code = "const f = () => { null.x }; const g = () => [1].map(f); let e; g();"
			plain := c.exec(t, script.JavaScript, code).Detail.Stack
			r := c.exec(t, script.JavaScript, code+" // catch tools.nope()")
			require.Equal(t, plain, r.Detail.Stack)
		})
		t.Run("B9 a cell that calls only what is there is not prepared for it", func(t *testing.T) {
			for _, code := range []string{
				"try { await tools.fast({}); await tools[\"create_ticket\"]({}); await MCP.gitHub.createIssue({}) } catch (e) { return e.message }",
				"const { fast } = tools; try { (await tools.search('x')).map((t) => t.id) } catch (e) {}", "tools.nope()", "try { x.y.z } catch (e) { return e }",
			} {
				r := &run{service: c.turn.service, turn: c.turn}
				r.cell.code, r.cell.source = code, &script.Source{Body: code}
				require.Nil(t, r.globalOfNames(), code)
			}
		})
		t.Run("B9 a missing await is told all the same", func(t *testing.T) {
			r := c.exec(t, script.JavaScript, "const r = tools.rows({}); try { return r.list.length } catch (e) { throw e }")
			require.Contains(t, r.Error, "r is a promise: await it")
		})
	})
}

//go:build cgo

package native

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func TestGlobals(t *testing.T) {
	e := newEngine(t, Options{})
	for _, name := range []string{
		"ALL_TOOLS", "tools", "API", "namespaces", "text", "json", "yield_control", "console", "MCP",
	} {
		t.Run("D1 "+name+" can't be replaced", func(t *testing.T) {
			require.JSONEq(t, `[false,false,true]`, value(t, e, `
				const d = Object.getOwnPropertyDescriptor(globalThis, "`+name+`");
				return [d.writable, d.configurable, "value" in d];`))
			require.JSONEq(t, `[true,false,true]`, value(t, e, `
				const was = `+name+`;
				`+name+` = 1;
				const gone = delete globalThis.`+name+`;
				let refused = false;
				try { Object.defineProperty(globalThis, "`+name+`", {value: 1}) } catch (e) { refused = e instanceof TypeError }
				return [`+name+` === was, gone, refused];`))
			require.Equal(t, `5`, value(t, e, `const `+name+` = 5; return `+name))
			require.Equal(t, `6`, value(t, e, `return ((`+name+`) => `+name+`)(6)`))
		})
	}
	for name, kind := range map[string]string{
		"setTimeout": "function", "clearTimeout": "function", "structuredClone": "function", "TextEncoder": "function",
		"TextDecoder": "function", "atob": "function", "btoa": "function", "queueMicrotask": "function", "URL": "function",
		"URLSearchParams": "function", "performance": "object", "crypto": "object",
	} {
		t.Run("D10 "+name+" exists and may be replaced", func(t *testing.T) {
			require.JSONEq(t, `["`+kind+`",true,5,"number",true]`, value(t, e, `
				const before = [typeof `+name+`, `+name+` === globalThis.`+name+`];
				`+name+` = 5;
				const after = [`+name+`, typeof globalThis.`+name+`];
				return [...before, ...after, delete globalThis.`+name+`];`))
		})
	}
}

func TestGlobalsThatAreNotThere(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, cell, want string }{
		{"D1 no platform of a host", `return ["process","std","os","fetch","require","module","exports","Deno","Bun","print",
			"scriptArgs","Worker","WebAssembly","XMLHttpRequest","loadScript","Atomics","SharedArrayBuffer","gc","navigator",
			].filter(k => k in globalThis)`, `[]`},
		{"D1 no hooks of ours", `return Object.getOwnPropertyNames(globalThis).filter(k => /^_|openclaw|codecell|host/i.test(k))`, `[]`},
		{"B3 no module loader", `const out = [];
			for (const s of ["fs", "std", "./x.js"]) try { await eval("imp" + "ort('" + s + "')") } catch (e) { out.push(e instanceof Error) }
			return out`, `[true,true,true]`},
		{
			"D1 globals are fresh, and its own to extend", `globalThis.mine = 1; var x = 2; return [mine, typeof globalThis.x]`,
			`[1,"undefined"]`,
		},
		{"D1 undeclared names are global, in sloppy mode", `y = 3; return globalThis.y`, `3`},
		{"B2 this is the global object, as in sloppy functions", `return (function () { return this === globalThis })()`, `true`},
	} {
		t.Run(c.rule, func(t *testing.T) { require.JSONEq(t, c.want, value(t, e, c.cell)) })
	}
	t.Run("D1 no MCP without a server", func(t *testing.T) {
		vm, err := e.NewVM(engine.AppendCatalog(nil, []byte("[]"), []byte("\n"), nil, []byte("[]")))
		require.NoError(t, err)
		defer vm.Close()
		b := limits(`return [typeof MCP, tools.echo === undefined, ALL_TOOLS.length, (await API.list()).files.length]`)
		effects, err := vm.Step(t.Context(), b.Append(nil), longEnough)
		require.NoError(t, err)
		require.Equal(t, engine.Fulfilled, effects.Main.State, "%+v", effects.Main.Thrown)
		require.JSONEq(t, `["undefined",true,0,0]`, string(effects.Main.Value))
	})
}

func TestFilesThatWereLeftOut(t *testing.T) {
	e := newEngine(t, Options{})
	vm, err := e.NewVM(nil)
	require.NoError(t, err)
	defer vm.Close()
	b := limits(`const out = []; for (const f of [() => API.list(), () => API.read("mcp/index.d.ts")]) try { await f() } catch (e) { out.push(e.message) } return out`)
	effects, err := vm.Step(t.Context(), b.Append(nil), longEnough)
	require.NoError(t, err)
	require.JSONEq(t, `["API files are not loaded: name API in the text of the cell","API files are not loaded: name API in the text of the cell"]`,
		string(effects.Main.Value), "E3: a catalog without files says so, rather than that there are none")
}

func TestTools(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, cell, want string }{
		{"D1 ALL_TOOLS has the entries in order", `return ALL_TOOLS.map(t => t.id)`, `["openclaw:core:echo","openclaw:core:read"]`},
		{"D1 ALL_TOOLS is an array and frozen with its entries", `return [Array.isArray(ALL_TOOLS), Object.isFrozen(ALL_TOOLS),
			Object.isFrozen(ALL_TOOLS[0]), ALL_TOOLS.length]`, `[true,true,true,2]`},
		{"D1 ALL_TOOLS refuses changes", `"use strict"; const out = [];
			for (const f of [() => ALL_TOOLS.push(1), () => { ALL_TOOLS[0] = 1 }, () => { ALL_TOOLS.length = 0 }, () => { ALL_TOOLS[0].id = 1 },
				() => Object.setPrototypeOf(ALL_TOOLS, null), () => Object.defineProperty(ALL_TOOLS, 9, {value: 1})])
				try { f(); out.push(0) } catch (e) { out.push(e instanceof TypeError ? 1 : e.name) }
			return out.concat(ALL_TOOLS.length)`, `[1,1,1,1,1,1,2]`},
		{
			"D2 tools is bare and frozen", `return [Object.getPrototypeOf(tools), Object.isFrozen(tools), "echo" in tools, "toString" in tools]`,
			`[null,true,true,false]`,
		},
		{"D2 tools has the fixed functions and the tools", `return Object.keys(tools)`, `["search","describe","call","callValue","echo","read"]`},
		{
			"D2 the same after single names were read", `const f = tools.read; return [Object.keys(tools).sort(), tools.read === f]`,
			`[["call","callValue","describe","echo","read","search"],true]`,
		},
		{"D2 a convenience function is one and the same", `return tools.echo === tools.echo`, `true`},
		{
			"D2 no tool by an odd name", `return ["x\n", "\t", "", "nope", "__proto__", "then", "echo\topenclaw"].map(k => typeof tools[k])`,
			`["undefined","undefined","undefined","undefined","undefined","undefined","undefined"]`,
		},
		{"D2 tools can be awaited", `return (await tools) === tools`, `true`},
		{"D2 tools refuses changes", `"use strict"; const out = [];
			for (const f of [() => { tools.echo = 1 }, () => { tools.fresh = 1 }, () => { delete tools.call }, () => Object.setPrototypeOf(tools, {})])
				try { f(); out.push(0) } catch (e) { out.push(e instanceof TypeError ? 1 : e.name) }
			return out`, `[1,1,1,1]`},
		{
			"E1 MCP has its servers and no prototype", `return [Object.keys(MCP), Object.getPrototypeOf(MCP), Object.isFrozen(MCP), MCP.github.$serverName,
			Object.keys(MCP.github), typeof MCP.github.resources.list, Object.isFrozen(MCP.github)]`,
			`[["$api","github"],null,true,"github",["$serverName","$api","createIssue","resources"],"function",true]`,
		},
		{
			"E3 API.list", `return [await API.list(), (await API.list("mcp/")).files.length, (await API.list("/mcp")).files.length, (await API.list("x")).files]`,
			`[{"files":[{"path":"mcp/index.d.ts","description":"Servers.","bytes":3}]},1,1,[]]`,
		},
		{
			"E3 API.read", `return await API.read("mcp/index.d.ts")`,
			`{"path":"mcp/index.d.ts","content":"abc","description":"Servers.","bytes":3}`,
		},
		{"E3 unknown file", `try { await API.read("mcp/x.d.ts") } catch (e) { return e.message }`, `"Unknown API file: mcp/x.d.ts"`},
		{
			"E3 bad path", `const out = []; for (const p of ["../x", "a//b", "./a"]) try { await API.read(p) } catch (e) { out.push(e.message) } return out`,
			`["invalid API file path","invalid API file path","invalid API file path"]`,
		},
		{"D3 the query must be text", `try { await tools.search(5) } catch (e) { return e.message }`, `"search query must be a string."`},
		{"D3 the limit must be a positive integer", `const out = [];
			for (const limit of [0, -1, 1.5, "3", NaN, Infinity]) try { await tools.search("x", {limit}) } catch (e) { out.push(e.message) }
			return out`, `["limit must be a positive integer.","limit must be a positive integer.","limit must be a positive integer.",` +
			`"limit must be a positive integer.","limit must be a positive integer.","limit must be a positive integer."]`},
	} {
		t.Run(c.rule, func(t *testing.T) { require.JSONEq(t, c.want, value(t, e, c.cell)) })
	}
}

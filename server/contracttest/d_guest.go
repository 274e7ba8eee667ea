package contracttest

import (
	"fmt"
	"testing"
)

func guestGlobals(t *testing.T, c *client) {
	odd := []object{
		echo("plain"), echo("web-search"), echo("2fast"), echo("日本"), echo("with space"), echo("$dollar"),
		echo("search"), echo("describe"), echo("call"), echo("callValue"), echo("then"), echo("constructor"), echo("class"),
		echo("twice"), with(echo("twice"), object{"owner": "core"}),
		with(echo("labelled"), object{"label": "With a label"}), mcp("wiki", "look", object{}),
	}
	tn := c.prepare(t, spec{tools: odd})
	bare := c.prepare(t, spec{tools: []object{echo("plain")}})
	tn.completeAll(t, []cell{
		{"D1 an entry", `return ALL_TOOLS.find(e => e.name === "labelled")`, `{"id":"openclaw:lab:labelled","source":"openclaw","sourceName":"lab","name":"labelled","label":"With a label","description":"Lab tool labelled."}`},
		{"D1 no schema in an entry", `return ALL_TOOLS.some(e => "parameters" in e)`, `false`},
		{"D1 MCP entries are filtered out", `return ALL_TOOLS.filter(e => e.source === "mcp" || e.name === "look").length`, `0`},
		{"D1 ALL_TOOLS is an array", `return [Array.isArray(ALL_TOOLS), ALL_TOOLS instanceof Array, [...ALL_TOOLS].length === ALL_TOOLS.length]`, `[true,true,true]`},
		{"D1 ALL_TOOLS is frozen", `"use strict"; try { ALL_TOOLS.push(1) } catch (e) { return [e instanceof TypeError, Object.isFrozen(ALL_TOOLS)] }`, `[true,true]`},
		{"D1 the globals are there", `return [typeof tools, typeof MCP, typeof API, typeof namespaces, typeof text, typeof json, typeof yield_control]`, `["object","object","object","object","function","function","function"]`},
		{"D1 the globals can't be replaced or removed", `const names = ["ALL_TOOLS", "tools", "MCP", "API", "namespaces", "text", "json", "yield_control"];
return names.map(n => { const d = Object.getOwnPropertyDescriptor(globalThis, n); return d.writable === false && d.configurable === false && delete globalThis[n] === false }).every(Boolean)`, `true`},
		{"D1 assignment to them is ignored, or an error in strict code", `text = 1; tools = 2; try { (() => { "use strict"; json = 3 })() } catch (e) { return [typeof text, typeof tools, e.name] }`, `["function","object","TypeError"]`},
		{"D1 a cell may shadow them locally", `const tools = 5, MCP = 6; function text() { return 7 } return [tools, MCP, text()]`, `[5,6,7]`},
		{"D1 nothing else of a host", `return ["process", "require", "module", "exports", "global", "Buffer", "fetch", "XMLHttpRequest", "WebSocket", "Worker", "navigator", "os", "std", "Deno", "Bun", "scriptArgs", "print", "load", "WebAssembly", "SharedArrayBuffer", "Atomics", "importScripts", "__dirname", "__filename"].filter(n => n in globalThis)`, `[]`},
		{"D1 no hook to forge with", `return Object.getOwnPropertyNames(globalThis).filter(n => /^__|openclaw|codecell|host|bridge|settle/i.test(n))`, `[]`},
		{"D2 tools is null-prototype and frozen", `return [Object.getPrototypeOf(tools), Object.isFrozen(tools), typeof tools.hasOwnProperty, typeof tools.toString]`, `[null,true,"undefined","undefined"]`},
		{"D2 one function for each name that can have one", `return Object.keys(tools).sort()`, `["$dollar","call","callValue","class","constructor","describe","labelled","plain","search"]`},
		{"D2 helpers keep their names", `return [typeof tools.search, (await tools.search("plain"))[0].name, typeof (await tools.describe("plain")).parameters]`, `["function","plain","object"]`},
		{"D2 tools can be awaited", `return (await tools) === tools`, `true`},
		{"D2 a constructor is a tool", `return (await tools.constructor({a: 1})).name`, `"constructor"`},
		{"D2 one that has no function is called by id", `return (await tools.callValue("openclaw:lab:with space", {})).name`, `"with space"`},
		{"D2 an ambiguous name by id", `return [typeof tools.twice, (await tools.call("openclaw:core:twice", {})).tool.id]`, `["undefined","openclaw:core:twice"]`},
		{"D2 a function taken off works", `const {plain} = tools; return (await plain({b: 2})).input`, `{"b":2}`},
		{"D2 tools can't be added to", `tools.evil = () => 1; return typeof tools.evil`, `"undefined"`},
	})
	t.Run("D1 MCP only if a server is visible", func(t *testing.T) {
		bare.exec(t, `return [typeof MCP, "MCP" in globalThis, Object.keys(namespaces)]`).completed(`["undefined",false,[]]`)
	})
	for rule, code := range map[string]string{
		"through a promise's constructor": `const p = tools.plain({}); return Object.getPrototypeOf(p) === Promise.prototype`,
		"through function properties":     `return [text, tools.call, API.read].every(f => { try { return f.caller == null } catch (e) { return e instanceof TypeError } })`,
		"through an error's stack frames": `Error.prepareStackTrace = (e, s) => s; const s = new Error().stack; return !Array.isArray(s) || s.every(f => !f.getFunction || f.getFunction() === undefined)`,
		"by patched intrinsics":           `const seen = []; Array.prototype.push = function (x) { seen.push?.call; return 0 }; Promise.prototype.then = function () { throw 1 }; Object.defineProperty = null; text("x"); return seen.length === 0`,
	} {
		t.Run("D1 no way to the host "+rule, func(t *testing.T) { tn.exec(t, code).completed(`true`) })
	}
	t.Run("D1 poisoned prototypes reach no request", func(t *testing.T) {
		tn.exec(t, `Object.prototype.id = "openclaw:core:twice"; Object.prototype.toJSON = function () { return "forged" };
Array.prototype[0] = "x"; delete Object.prototype.toJSON; const r = await tools.call("openclaw:lab:plain", {a: 1}); return [r.tool.id, r.result.details.input]`).
			completed(`["openclaw:lab:plain",{"a":1}]`)
	})
}

func searches(t *testing.T, c *client) {
	shelf := []object{
		with(echo("createIssue"), object{"description": "Opens an issue in the tracker."}),
		with(echo("list_issues"), object{"description": "Lists issues of a repository."}),
		with(echo("close-issue"), object{"description": "Closes what is done."}),
		with(echo("read"), object{"owner": "core", "description": "Reads a local file from disk."}),
		with(echo("write"), object{"owner": "core", "description": "Writes a file."}),
		with(echo("web_search"), object{"owner": "brave", "description": "Searches the web."}),
		with(echo("weather"), object{"description": "Forecast for a city.", "label": "Meteorology"}),
		with(echo("translate"), object{"description": "Übersetzt Texte. 翻訳 します。"}),
		mcp("wiki", "issue_page", object{}),
	}
	tn := c.prepare(t, spec{tools: shelf})
	for _, s := range []struct{ query, first string }{
		{"createIssue", "createIssue"},
		{"create issue", "createIssue"},
		{"create_issue", "createIssue"},
		{"CREATE-ISSUE", "createIssue"},
		{"list issues", "list_issues"},
		{"close issue", "close-issue"},
		{"closing issues", "close-issue"},
		{"read local file", "read"},
		{"openclaw:core:read", "read"},
		{"read", "read"},
		{"write file", "write"},
		{"search web", "web_search"},
		{"brave", "web_search"},
		{"forecast", "weather"},
		{"meteorology", "weather"},
		{"forcast", "weather"},
		{"翻訳", "translate"},
		{"übersetzt", "translate"},
		{"weath", "weather"},
	} {
		t.Run("D3 "+s.query+" finds "+s.first, func(t *testing.T) {
			tn.exec(t, fmt.Sprintf(`return (await tools.search(%q))[0]?.name`, s.query)).completed(fmt.Sprintf("%q", s.first))
		})
	}
	tn.completeAll(t, []cell{
		{"D3 an empty query lists the catalog in order", `return (await tools.search("", {limit: 3})).map(e => e.id).join() === ALL_TOOLS.slice(0, 3).map(e => e.id).join()`, `true`},
		{"D3 a blank query too", `return (await tools.search("  ", {limit: 50})).length`, `8`},
		{"D3 nothing fits", `return await tools.search("zzzzqqqq")`, `[]`},
		{"D3 a hit is an entry", `return JSON.stringify((await tools.search("weather"))[0]) === JSON.stringify(ALL_TOOLS.find(e => e.name === "weather"))`, `true`},
		{"D3 MCP tools are never found", `return (await tools.search("issue_page", {limit: 50})).filter(e => e.source === "mcp").length`, `0`},
		{"D3 deterministic", `const a = await tools.search("issue file"), b = await tools.search("issue file"); return JSON.stringify(a) === JSON.stringify(b)`, `true`},
		{"D3 a limit over the maximum is clamped", `return (await tools.search("", {limit: 1e9})).length`, `8`},
		{"D3 a huge query is no trouble", `return Array.isArray(await tools.search("issue ".repeat(5000)))`, `true`},
	})
	tn.completeAll(t, []cell{
		{"D3 a synonym finds", `return (await tools.search("fetch the weather prediction", {limit: 1})).length`, `1`},
		{"D3 small talk finds nothing", `return await tools.search("hello, how are you?")`, `[]`},
		{"D3 each tool that is named in full", `return (await tools.search("weather list_issues translate", {limit: 3})).map(e => e.name).sort()`, `["list_issues","translate","weather"]`},
		{"D3 why a hit came", `const [h] = await tools.search("prediction forecast", {explain: true}); return [h.name, typeof h.why.score, h.why.terms[0].word, h.why.terms[0].in, h.why.terms[0].weight > 0]`, `["weather","number","forecast",["description"],true]`},
		{"D3 why, and else the same", `const [h] = await tools.search("weather", {explain: true, limit: 1}); const {why, ...rest} = h; return JSON.stringify(rest) === JSON.stringify((await tools.search("weather"))[0]) && why.named`, `true`},
		{"D3 no why unless it is asked for", `return "why" in (await tools.search("weather", {explain: false}))[0]`, `false`},
		{"D3 a limit holds with explain too", `return (await tools.search("", {limit: 2, explain: true})).length`, `2`},
		{"D3 the prototype of options does not count against them", `return (await tools.search("", Object.create({limit: 2, more: 1}))).length`, `2`},
	})
	for _, bad := range []struct{ options, says string }{
		{`5`, "search options must be an object: { limit?, explain? }."},
		{`"weather"`, "search options must be an object: { limit?, explain? }."},
		{`{topK: 3}`, "unknown search option topK; there are limit and explain."},
		{`{limit: 3, source: "mcp"}`, "unknown search option source; there are limit and explain."},
		{`{explain: 1}`, "explain must be true or false."},
		{`{explain: true, limit: 0}`, "limit must be a positive integer."},
	} {
		t.Run("D3 options that are "+bad.options, func(t *testing.T) {
			tn.exec(t, `return await tools.search("read", `+bad.options+`).catch(e => e.message)`).completed(fmt.Sprintf("%q", bad.says))
		})
	}
	for _, bad := range []string{`undefined`, `null`, `5`, `{}`, `["read"]`, `Symbol("s")`} {
		t.Run("D3 a query that is "+bad, func(t *testing.T) {
			tn.exec(t, `return await tools.search(`+bad+`).catch(e => e.message)`).completed(`"search query must be a string."`)
		})
	}
	for _, bad := range []string{`0`, `-1`, `1.5`, `NaN`, `Infinity`} {
		t.Run("D3 a limit that is "+bad, func(t *testing.T) {
			tn.exec(t, `return await tools.search("read", {limit: `+bad+`}).catch(e => e.message)`).completed(`"limit must be a positive integer."`)
		})
	}
}

func descriptions(t *testing.T, c *client) {
	schema := object{"type": "object", "properties": object{"path": object{"type": "string"}}, "required": []string{"path"}}
	result := object{"type": "object", "properties": object{"lines": object{"type": "number"}}}
	tn := c.prepare(t, spec{tools: []object{
		with(echo("read_file"), object{"parameters": schema, "outputSchema": result}), echo("bare"),
		echo("twin"), with(echo("twin"), object{"owner": "other"}), echo("read_mail"), echo("read_news"), echo("read_post"),
		mcp("wiki", "look", object{}),
	}})
	tn.completeAll(t, []cell{
		{
			"D4 by id", `const d = await tools.describe("openclaw:lab:read_file"); return [d.id, d.source, d.sourceName, d.name, d.description, d.parameters.required]`,
			`["openclaw:lab:read_file","openclaw","lab","read_file","Lab tool read_file.",["path"]]`,
		},
		{"D4 by a unique name", `return (await tools.describe("bare")).id`, `"openclaw:lab:bare"`},
		{"D4 blanks around are ignored", `return (await tools.describe(" bare ")).id`, `"openclaw:lab:bare"`},
		{"D4 parameters of a tool without any", `return typeof (await tools.describe("bare")).parameters`, `"object"`},
		{"D4 a signature", `const s = (await tools.describe("read_file")).signature; return [s.includes("path"), s.includes("string"), s.includes("read_file")]`, `[true,true,true]`},
		{"D4 the output schema, if declared", `return [(await tools.describe("read_file")).output.properties.lines.type, "output" in await tools.describe("bare")]`, `["number",false]`},
		{"D4 ambiguous", `return await tools.describe("twin").catch(e => e.message)`, `"Ambiguous tool name: twin; use an exact tool id."`},
		{"D4 ambiguous in call too", `return await tools.call("twin", {}).catch(e => e.message)`, `"Ambiguous tool name: twin; use an exact tool id."`},
		{"D4 unknown, with nothing alike", `return await tools.describe("qqqq").catch(e => e.message)`, `"Unknown tool id: qqqq. Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name."`},
		{"D4 unknown, with at most three suggestions", `const m = await tools.describe("read").catch(e => e.message);
const inner = m.match(/^Unknown tool id: read\. Did you mean: (.*)\? Use tools\.search to find a tool, tools\.describe to inspect it, then tools\.call with the exact id or name\.$/); return inner && inner[1].split(", ").every(n => n.startsWith("read_")) && inner[1].split(", ").length`, `3`},
		{"D4 MCP entries are unknown here", `return [await tools.describe("mcp:wiki:look").catch(e => e.message.slice(0, 15)), await tools.call("look", {}).catch(e => e.message.slice(0, 15))]`, `["Unknown tool id","Unknown tool id"]`},
		{
			"D4 an id that is no string", `return await Promise.all([tools.describe(5), tools.call({}), tools.describe()].map(p => p.catch(e => e.message)))`,
			`["describe id must be a string.","call id must be a string.","describe id must be a string."]`,
		},
		{"D4 names of Object.prototype are no tools", `return await Promise.all(["__proto__", "constructor", "toString", ""].map(n => tools.describe(n).then(() => "found", e => e.message.slice(0, 15))))`, `["Unknown tool id","Unknown tool id","Unknown tool id","Unknown tool id"]`},
	})
}

package contracttest

import "testing"

func mcpCalls(t *testing.T, c *client) {
	str := object{"type": "string"}
	operation := func(op string) object {
		return with(mcp("docs", op, object{}), object{"mcp": object{"serverName": "docs", "toolName": op, "operation": op}})
	}
	tn := c.prepare(t, spec{tools: []object{
		with(mcp("github", "create_issue", object{"title": with(str, object{"description": "The title"}), "labels": object{"type": "array", "items": str}, "state": with(str, object{"default": "open"})}, "title"), object{"description": "Create an issue."}),
		mcp("github", "merge", object{"a": str, "b": str}, "a", "b"), mcp("chrome-devtools", "take_snapshot", object{}),
		mcp("constructor", "prototype", object{}), mcp("tools", "resources", object{}), mcp("my.server", "DoThing", object{}), mcp("my.server", "do-thing", object{}),
		mcp("my.server", "日本", object{}), operation("resources_list"), operation("resources_read"), operation("prompts_get"),
		with(mcp("github", "sad", object{}), object{"executor": object{"type": "echo", "result": object{"isError": true, "content": []object{{"type": "text", "text": "sad"}}}}}),
		with(mcp("github", "broken", object{}), object{"executor": object{"type": "echo", "error": "server is gone"}}),
		echo("plain"), echo("toJSON"), mcp("my.server", "toJSON", object{}), mcp("my.server", "toString", object{}),
	}})
	tn.completeAll(t, []cell{
		{"E1 the raw result, not wrapped", `const r = await MCP.github.createIssue({title: "T"}); return [Object.keys(r).sort(), r.details.input]`, `[["content","details"],{"title":"T","state":"open"}]`},
		{"E1 defaults do not overwrite", `return (await MCP.github.createIssue({title: "T", state: "closed"})).details.input.state`, `"closed"`},
		{"E1 undefined takes the default", `return (await MCP.github.createIssue({title: "T", state: undefined})).details.input.state`, `"open"`},
		{"E1 a missing argument", `return await MCP.github.createIssue({}).catch(e => e.message)`, `"Missing required MCP namespace argument: title"`},
		{"E1 missing arguments", `return await MCP.github.merge().catch(e => e.message)`, `"Missing required MCP namespace arguments: a, b"`},
		{"E1 one object argument", `const bad = [() => MCP.github.merge("x"), () => MCP.github.merge(null), () => MCP.github.merge([1]), () => MCP.github.merge({}, {}), () => MCP.github.merge(5)];
return [...new Set(await Promise.all(bad.map(f => f().catch(e => e.message))))]`, `["MCP namespace tools accept one object argument."]`},
		{"E1 isError is not thrown", `return (await MCP.github.sad({})).isError`, `true`},
		{"E1 a dead server fails its calls, and nothing else", `return [await MCP.github.broken({}).catch(e => e.message), (await MCP.github.merge({a: "1", b: "2"})).details.name]`, `["server is gone","merge"]`},
		{"E2 serialising calls no tool, whatever it is called", `return [typeof JSON.stringify({a: MCP.myServer, b: tools}), (await MCP.myServer.toJSON({})).details.name, (await tools.toJSON({a: 1})).name]`, `["string","toJSON","toJSON"]`},
		{"E2 nor does a template", "return [`${MCP.myServer}`, typeof MCP.myServer.toString, (await MCP.myServer.toString()).details.name]", `["MCP.myServer","function","toString"]`},
		{"D5 a second argument is told, not dropped", `return await tools.plain({a: 1}, {b: 2}).catch(e => e.message.slice(0, 36))`, `"tools.plain takes one argument, an o"`},
		{"D5 what an array's methods pass is one argument", `return (await Promise.all([{n: 1}, {n: 2}].map(tools.plain))).map(r => r.input.n)`, `[1,2]`},
		{"E1 only there: not in tools, not by id", `return [typeof tools.create_issue, await tools.call("mcp:github:create_issue", {title: "x"}).catch(e => e.message.slice(0, 15))]`, `["undefined","Unknown tool id"]`},
		{"E1 no tool of another kind through MCP", `return [typeof MCP.lab, typeof MCP.github.plain]`, `["undefined","undefined"]`},
		{"E1 resources and prompts where the server has them", `return [Object.keys(MCP.docs.resources).sort(), Object.keys(MCP.docs.prompts), typeof MCP.github.resources]`, `[["list","read"],["get"],"undefined"]`},
		{"E2 camelCase of the words", `return [typeof MCP.chromeDevtools.takeSnapshot, MCP.chromeDevtools.$serverName]`, `["function","chrome-devtools"]`},
		{"E2 reserved words get a number", `return [typeof MCP.constructor2.prototype2, MCP.constructor2.$serverName, typeof MCP.tools2.resources2]`, `["function","constructor","function"]`},
		{"E2 collisions get numbers in catalog order", `const a = await MCP.myServer.doThing({}), b = await MCP.myServer.doThing2({}); return [a.details.name, b.details.name, typeof MCP.myServer.tool]`, `["DoThing","do-thing","function"]`},
		{"E2 namespaces can't be changed", `MCP.github.createIssue = 1; MCP.evil = 2; delete MCP.github; return [typeof MCP.github.createIssue, typeof MCP.evil, Object.isFrozen(MCP), Object.isFrozen(MCP.github), Object.getPrototypeOf(MCP.github)]`, `["function","undefined",true,true,null]`},
		{"E3 $api of all", `const a = await MCP.$api(); return [a.kind, a.scope, a.servers.find(s => s.identifier === "chromeDevtools"), a.header.includes("github")]`, `["mcp_api","root",{"identifier":"chromeDevtools","serverName":"chrome-devtools","toolCount":1},true]`},
		{"E3 $api of a server", `const a = await MCP.github.$api(); return [a.scope, a.server.serverName, a.tools.map(t => t.method).sort()]`, `["server","github",["broken","createIssue","merge","sad"]]`},
		{"E3 $api of a tool, by method or original name", `const a = await MCP.github.$api("createIssue"), b = await MCP.github.$api("create_issue", {schema: true}); return [a.scope, a.tools.length, "schemas" in a, b.tools[0].mcpTool, b.schemas.createIssue.required]`, `["tool",1,false,"create_issue",["title"]]`},
		{"E3 $api of an unknown tool", `const a = await MCP.github.$api("nothing"); return [a.scope, a.tools]`, `["server",[]]`},
	})
	t.Run("E3 $api calls no tool", func(t *testing.T) {
		fresh := c.prepare(t, spec{tools: []object{mcp("wiki", "look", object{})}})
		fresh.exec(t, `await MCP.$api(); await MCP.wiki.$api("look"); return 1`).completed(`1`).has("telemetry.callCount", `0`)
		fresh.exec(t, `await MCP.wiki.look({}); return 1`).completed(`1`).has("telemetry.callCount", `1`)
	})
}

func apiFiles(t *testing.T, c *client) {
	tn := c.prepare(t, spec{tools: []object{
		mcp("github", "create_issue", object{"title": object{"type": "string", "description": "The title"}, "count": object{"type": "integer"}}, "title"),
		mcp("docs", "look_up", object{}), takes(echo("read_file"), "path", "string"),
	}})
	bare := c.prepare(t, spec{})
	const unknownFile, invalidPath = `"Unknown API file: mcp/nope.d.ts"`, `"invalid API file path"`
	tn.completeAll(t, []cell{
		{"E3 the files", `return (await API.list()).files.map(f => f.path).sort()`, `["mcp/docs.d.ts","mcp/github.d.ts","mcp/index.d.ts","tools/lab.d.ts"]`},
		{"E3 by prefix, with or without a slash", `const n = async p => (await API.list(p)).files.length; return [await n("mcp"), await n("mcp/"), await n("/mcp"), await n("tools"), await n("mcp/github.d.ts"), await n("mc"), await n("")]`, `[3,3,3,1,1,0,4]`},
		{"E3 an entry", `const f = (await API.list("mcp/github.d.ts")).files[0]; return [Object.keys(f), typeof f.description]`, `[["path","description","bytes"],"string"]`},
		{"E3 a file", `const f = await API.read("mcp/github.d.ts"); return [Object.keys(f).sort(), f.path, f.bytes === new TextEncoder().encode(f.content).length]`, `[["bytes","content","description","path"],"mcp/github.d.ts",true]`},
		{"E3 its declarations", `const {content} = await API.read("mcp/github.d.ts"); return ["declare namespace MCP.github", "function createIssue(", "title: string", "count?: number", "@param title The title", "Promise<McpToolResult>", "function $api("].filter(s => !content.includes(s))`, `[]`},
		{"E3 the index", `const {content} = await API.read("mcp/index.d.ts"); return ["github", "docs", "$api()"].filter(s => !content.includes(s))`, `[]`},
		{"E3 the other tools", `const {content} = await API.read("tools/lab.d.ts"); return ["read_file", "path: string"].filter(s => !content.includes(s))`, `[]`},
		{"E3 unknown", `return await API.read("mcp/nope.d.ts").catch(e => e.message)`, unknownFile},
		{"E3 bad segments", `return [...new Set(await Promise.all(["", "../mcp/index.d.ts", "mcp/../mcp/index.d.ts", "mcp//index.d.ts", "./mcp", "."].map(p => API.read(p).then(() => "read " + p, e => e.message))))]`, `[` + invalidPath + `]`},
		{"E3 files are not to be changed", `(await API.read("mcp/index.d.ts")).content = "x"; API.read = null; return (await API.read("mcp/index.d.ts")).content.length > 10`, `true`},
		{"E3 every declared name exists", `const {content} = await API.read("mcp/github.d.ts"); return [...content.matchAll(/function ([A-Za-z_$][\w$]*)\(/g)].every(m => typeof MCP.github[m[1]] === "function")`, `true`},
	})
	t.Run("E3 reading takes no bridge call", func(t *testing.T) {
		tn.exec(t, `await API.list(); await API.read("mcp/index.d.ts"); return 1`).completed(`1`).has("telemetry.runtime.steps", `1`).has("telemetry.callCount", `0`)
	})
	t.Run("E3 no tools, no files", func(t *testing.T) { bare.exec(t, `return await API.list()`).completed(`{"files":[]}`) })
}

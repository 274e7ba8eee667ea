package catalog

import (
	"fmt"
	"strings"
)

var languageNames = map[string]string{"javascript": "JavaScript", "typescript": "TypeScript"}

// examples show what cells do most. They are valid in both languages, and none does two things that are needed apart.
const examples = "Cells by example, with invented tool names:\n```js\n" +
	"// call a tool, return only the part you need\n" +
	"const tickets = await tools.list_tickets({ state: \"open\" });\n" +
	"return tickets.map((t) => t.title);\n" +
	"// several at once; catch what may fail\n" +
	"return await Promise.all([1, 2].map((id) => tools.get_ticket({ id }).catch((e) => e.message)));\n" +
	"// find a tool and see its input …\n" +
	"const [hit] = await tools.search(\"send a chat message\");\n" +
	"return (await tools.describe(hit.id)).signature;\n" +
	"// … and call it in the next exec\n" +
	"return await tools.callValue(\"openclaw:chat:post\", { text: \"Hi\" });\n" +
	"// output before the end; hand control back, then go on with `wait`\n" +
	"text(\"half done\"); json({ left: 3 }); await yield_control();\n" +
	"```\n"

// execText is what teaches a model to write cells (contract A4). Every sentence answers a mistake that models make;
// what a turn doesn't have (MCP, namespaces) is not mentioned.
func (c *Catalog) execText(b Budget, namespaces []NamespaceHint) string {
	var names, langs []string
	for _, l := range languages(b) {
		names = append(names, languageNames[l])
		langs = append(langs, quote(l))
	}
	var t strings.Builder
	// Models forget the return, and expect a REPL that remembers.
	t.WriteString("Runs " + strings.Join(names, " or ") + " in a fresh sandbox (code mode). The code is the body of an async function. " +
		"Use `return` to pass the final value back; without it the result is `null`. " +
		"The value must be JSON compatible; `text(v)`, `json(v)` and `console.log` add further output. " +
		"Variables do not survive from one exec to the next, so do the whole job in one cell where you can.\n")
	// They forget the await, and look for the value inside of a wrapper that is not there.
	t.WriteString("Every tool call returns a promise: `await` each. `tools.<name>(input)` takes one object and resolves to the value itself, " +
		"without a wrapper; if the tool fails it throws an Error with `message` and `code`. " +
		"It is there for names that are identifiers and unambiguous; `tools.callValue(id, input)` does the same for any tool. " +
		"Only `tools.call(entry.id, args)` resolves to `{ tool, result }`, where `result` is the raw `{ content, details, isError }`, and does not throw on `isError`.\n")
	t.WriteString(examples)
	// The names in the examples must not be taken for real ones, nor a schema be guessed.
	t.WriteString("For a tool whose input you do not see here: find it with `tools.search(query)` (plain words), " +
		"read its schema with `tools.describe(entry.id)`, then call it. `ALL_TOOLS` lists every entry without schemas. " +
		"`API.list(prefix?)` and `API.read(path)` give TypeScript declarations, for example `tools/<owner>.d.ts`.\n")
	// They reach for what they know from Node; each refusal names the way that works.
	t.WriteString("Node.js modules, `process`, `fetch` and the file system do not exist, and `require`/`import` are NOT available: " +
		"for shell, file and network work use enabled catalog tools allowed by policy. `Intl` formats in English; the time zone is UTC. ")
	// exec is the name of a shell tool elsewhere.
	fmt.Fprintf(&t, "`language` accepts only %s, not bash or shell.\n", strings.Join(langs, " or "))
	// A model that takes waiting for an answer gives up half-way.
	t.WriteString("A `waiting` result is not finished: call `wait` with its `runId`, and the cell goes on where it was.\n")
	if b.Store {
		t.WriteString("`store.get(key)` gives what an earlier cell of this session kept with `await store.set(key, value)` (small JSON), " +
			"else undefined; `await store.delete(key)` removes it.\n")
	}
	t.WriteString(budgetText(b))
	// Enough to call the everyday tools without searching first.
	if list := c.toolIndex(); list != "" {
		t.WriteString("\nTools (id, input => output; the last part of an id is the name):\n" + list)
	}
	t.WriteString(c.globalsText(namespaces))
	return strings.TrimRight(t.String(), "\n")
}

// budgetText tells the limits that are set, so that a cell can be cut to fit before it fails on them.
func budgetText(b Budget) string {
	var parts []string
	if b.TimeoutMs > 0 {
		parts = append(parts, fmt.Sprintf("%d ms, waiting for tools apart", b.TimeoutMs))
	}
	if b.MaxOutputBytes > 0 {
		parts = append(parts, fmt.Sprintf("%d bytes each of value and output", b.MaxOutputBytes))
	}
	if b.MaxPendingToolCalls > 0 {
		parts = append(parts, fmt.Sprintf("%d tool calls at once", b.MaxPendingToolCalls))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Limits of one cell: " + strings.Join(parts, ", ") + ". Return summaries, not raw dumps.\n"
}

// globalsText presents MCP and the namespaces, if any is visible.
func (c *Catalog) globalsText(namespaces []NamespaceHint) string {
	servers := c.servers()
	if len(servers) == 0 && len(namespaces) == 0 {
		return ""
	}
	var t strings.Builder
	t.WriteString("\nRegistered namespace globals are available in code mode:\n")
	if len(servers) > 0 {
		ids := make([]string, len(servers))
		for i, s := range servers {
			ids[i] = s.id
		}
		t.WriteString("- MCP: MCP server tools grouped by server. They are reachable through `MCP` only, not through `tools`; " +
			"visible servers: " + strings.Join(ids, ", ") + ".\n")
		t.WriteString("Call MCP tools as MCP.<server>.<tool>({ ...input }) with one object argument matching the header. " +
			"Read the headers first: `return await API.read(\"mcp/" + ids[0] + ".d.ts\")`, or mcp/index.d.ts for all. " +
			"A call resolves to the server's own `{ content, structuredContent?, isError? }` and does not throw on `isError`:\n" +
			"```js\nconst r = await " + servers[0].example() + "\nreturn r.isError ? r : r.structuredContent ?? r.content;\n```\n")
	}
	for _, n := range namespaces {
		t.WriteString("- " + n.GlobalName)
		if d := strings.TrimSpace(n.Description); d != "" {
			t.WriteString(": " + d)
		}
		t.WriteByte('\n')
		if p := strings.TrimSpace(n.Prompt); p != "" {
			t.WriteString(p + "\n")
		}
	}
	return t.String()
}

// example is a call of a server's first tool.
func (s *server) example() string {
	first := s.tools[0]
	return "MCP." + s.id + "." + first.method() + "({ ...input }); // input: " + first.entry.inputHint(maxExample)
}

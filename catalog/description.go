package catalog

import (
	"fmt"
	"strings"
)

var languageNames = map[string]string{"javascript": "JavaScript", "typescript": "TypeScript"}

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
	t.WriteString("Runs " + strings.Join(names, " or ") + " in a fresh sandbox (code mode). The code is the body of an async function: " +
		"top-level `await` works. Use `return` to pass the final value back; without it the result is `null`. " +
		"The value must be JSON compatible; `text(v)` and `json(v)` add further output. " +
		"Globals do not survive from one exec to the next.\n")
	// They reach for what they know from Node; each refusal names the way that works.
	t.WriteString("Node.js modules, `process`, `fetch` and the file system do not exist, and `require`/`import` are NOT available. " +
		"For shell, file and network work use enabled catalog tools allowed by policy: " +
		"find one with `tools.search(query)`, read its schema with `tools.describe(entry.id)`, " +
		"run it with `tools.call(entry.id, args)`; `await` each.\n")
	// The two call forms differ in what they resolve to and in what they throw.
	t.WriteString("`tools.call` resolves to `{ tool, result }` with the raw result `{ content, details, isError }` and does not throw when `isError` is set. " +
		"`tools.callValue(id, args)` resolves to the useful value alone and throws on `isError`; so does `tools.<name>(args)`, " +
		"which exists for names that are identifiers and unambiguous. " +
		"`ALL_TOOLS` lists every entry without schemas. Run independent calls together with `Promise.all`; catch errors that you can handle.\n")
	t.WriteString("Read TypeScript declarations with `API.list(prefix?)` and `API.read(path)`, for example `tools/<owner>.d.ts`.\n")
	// exec is the name of a shell tool elsewhere.
	fmt.Fprintf(&t, "`language` accepts only %s, not bash or shell.\n", strings.Join(langs, " or "))
	// A model that takes waiting for an answer gives up half-way.
	t.WriteString("A `waiting` result is not finished: call `wait` with its `runId`. `yield_control()` gives control back on purpose.\n")
	t.WriteString(budgetText(b))
	// Enough to call the everyday tools without searching first.
	if list := c.toolIndex(); list != "" {
		t.WriteString("\nTools (id, input => output):\n" + list)
	}
	t.WriteString(c.globalsText(namespaces))
	return strings.TrimRight(t.String(), "\n")
}

// budgetText tells the limits that are set, so that a cell can be cut to fit before it fails on them.
func budgetText(b Budget) string {
	var parts []string
	if b.TimeoutMs > 0 {
		parts = append(parts, fmt.Sprintf("%d ms", b.TimeoutMs))
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
		t.WriteString("- MCP: MCP server tools grouped by server. They are reachable through `MCP` only, not through `tools`.\n")
		t.WriteString("Read API files such as mcp/index.d.ts and mcp/<server>.d.ts with `API.read` for TypeScript-style MCP headers; " +
			"visible servers: " + strings.Join(ids, ", ") + ".\n")
		t.WriteString("Call MCP tools as MCP.<server>.<tool>({ ...input }) with one object argument matching the header.\n")
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

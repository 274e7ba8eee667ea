package bridge

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/codecell/codecell/engine"
)

// A model that writes for another surrounding (Node, a browser, Python) is told in one line what to write here instead: as a
// hint, next to the error.

// absent is what a cell may miss, by name.
type absent struct {
	say string // what to write
	ask string // what a search for a tool that does it would be; empty if no tool would
}

var (
	network = absent{"There is no network in a cell: call a tool that makes the request", "fetch url web page http request"}
	files   = absent{"There are no files in a cell: call a tool that reads or writes them", "read write file"}
	process = absent{"There is no process in a cell, no environment and no command line: call a tool", "run command environment shell"}
	modules = absent{"A cell is the body of a function and no module: pass its result on with return, and call tools for what a package would do", ""}
	page    = absent{"There is no browser page in a cell: call a tool for it, and use text() or json() for output", "browser page click"}
	python  = absent{"A cell is JavaScript or TypeScript, not Python: write it as such (null, true, false, text(value) for print)", ""}
	aborts  = absent{"Nothing in a cell can be aborted: leave it away, or put a limit on the time of a call with Promise.race", ""}
	streams = absent{"There are no events and streams in a cell: use promises, async generators and arrays", ""}
	threads = absent{"A cell is one thread: use plain variables and Promise.all", ""}
	buffers = absent{"There is no Buffer and no Blob: use Uint8Array, TextEncoder and TextDecoder, atob and btoa", ""}
	sleeps  = absent{"To sleep, write await new Promise((done) => setTimeout(done, ms))", ""}
	uuids   = absent{"Write crypto.randomUUID()", ""}
)

var absents = map[string]absent{
	"fetch": network, "XMLHttpRequest": network, "axios": network, "WebSocket": network, "EventSource": network, "http": network, "https": network,
	"got": network, "request": network, "superagent": network, "curl": network, "Request": network, "Headers": network, "FormData": network,
	"fs": files, "fsp": files, "readFile": files, "readFileSync": files, "writeFile": files, "writeFileSync": files, "path": files, "open": files,
	"process": process, "child_process": process, "execSync": process, "spawn": process, "os": process, "Deno": process, "Bun": process,
	"require": modules, "module": modules, "exports": modules, "__dirname": modules, "__filename": modules, "importScripts": modules,
	"window": page, "document": page, "navigator": page, "localStorage": page, "sessionStorage": page, "location": page, "alert": page, "prompt": page, "confirm": page,
	"sleep": sleeps, "delay": sleeps, "wait_for": sleeps, "uuid": uuids, "uuidv4": uuids, "nanoid": uuids, "randomUUID": uuids,
	"AbortController": aborts, "AbortSignal": aborts, "EventTarget": streams, "Event": streams, "EventEmitter": streams, "ReadableStream": streams,
	"WritableStream": streams, "TransformStream": streams, "MessageChannel": streams, "BroadcastChannel": streams,
	"Blob": buffers, "File": buffers, "FileReader": buffers,
	"Worker": threads, "Atomics": threads, "SharedArrayBuffer": threads, "WebAssembly": threads,
	"int": python, "float": python, "list": python, "tuple": python, "sorted": python, "enumerate": python, "zip": python, "sum": python,
	"any": python, "all": python, "isinstance": python, "input": python, "abs": python, "min": python, "max": python, "round": python,
	"print": python, "None": python, "True": python, "False": python, "len": python, "str": python, "range": python, "dict": python, "self": python,
	"global":       {"The global object is globalThis; what is put there is gone after the cell", ""},
	"Buffer":       buffers,
	"Temporal":     {"There is no Temporal: use Date and Intl.DateTimeFormat", ""},
	"ShadowRealm":  {"There is no ShadowRealm: run another cell", ""},
	"setInterval":  {"There is no setInterval: call setTimeout again, or write a loop with await", ""},
	"setImmediate": {"There is no setImmediate: use queueMicrotask, or setTimeout with 0", ""},
	"store":        {"There is no store in this turn (tools.codeMode.store is off): return what a later cell needs, and write it into that cell", ""},
	"search":       {"Write await tools.search(query)", ""},
	"describe":     {"Write await tools.describe(id)", ""},
	"call":         {"Write await tools.call(id, input)", ""},
	"callTool":     {"Write await tools.call(id, input)", ""},
	"callValue":    {"Write await tools.callValue(id, input)", ""},
	"exec":         {"exec is how this cell was run, and can't be called from one: write its code here", ""},
	"wait":         {"wait is the model's own tool: in a cell, await the call", ""},
	"_":            {"There are no packages in a cell: use the methods of arrays and objects", ""},
	"moment":       {"There are no packages in a cell: use Date", ""},
	"dayjs":        {"There are no packages in a cell: use Date", ""},
	"luxon":        {"There are no packages in a cell: use Date", ""},
	"lodash":       {"There are no packages in a cell: use the methods of arrays and objects", ""},
	"$":            page,
	"jQuery":       page,
}

// members are properties that are not there of globals that are, with what to write instead.
var members = map[string]string{
	"crypto.subtle":       "There is no crypto.subtle: crypto has randomUUID and getRandomValues. Leave hashes and signatures to a tool",
	"crypto.createHash":   "There is no crypto.createHash: crypto has randomUUID and getRandomValues. Leave hashes and signatures to a tool",
	"crypto.createHmac":   "There is no crypto.createHmac: crypto has randomUUID and getRandomValues. Leave hashes and signatures to a tool",
	"crypto.randomBytes":  "There is no crypto.randomBytes: write crypto.getRandomValues(new Uint8Array(n))",
	"crypto.randomInt":    "There is no crypto.randomInt: write Math.floor(Math.random() * n)",
	"performance.mark":    "performance has now() alone",
	"performance.measure": "performance has now() alone",
	"json.dumps":          "json() puts out JSON: for a text write JSON.stringify(value)",
	"json.loads":          "json() puts out JSON: to read a text write JSON.parse(text)",
	"tools.list":          "ALL_TOOLS lists the tools, and await tools.search(query) finds some",
	"console.write":       "Write text(value)",
}

// methods are those that other languages have where JavaScript has one of another name.
var methods = map[string]string{
	"append": "list.push(x)", "strip": "text.trim()", "lower": "text.toLowerCase()", "upper": "text.toUpperCase()",
	"items": "Object.entries(object)", "startswith": "text.startsWith(x)", "endswith": "text.endsWith(x)", "extend": "list.push(...more)",
	"contains": "list.includes(x)", "isEmpty": "list.length === 0", "size": "list.length", "first": "list[0]", "last": "list.at(-1)",
	"each": "for (const x of list) { … }", "collect": "list.map(f)", "select": "list.filter(f)", "get": "object.key", "has_key": "key in object", "format": "a template: `text ${value}`",
	"sum": "list.reduce((a, b) => a + b, 0)", "max": "Math.max(...list)", "min": "Math.min(...list)", "unique": "[...new Set(list)]",
	"uniq": "[...new Set(list)]", "groupBy": "Object.groupBy(list, f)", "sortBy": "list.toSorted((a, b) => …)", "isNotEmpty": "list.length > 0",
}

// hintMember says what there is in place of a property that is not there of something that is, by its path.
func (r *run) hintMember(path []string) {
	if len(path) < 2 || r.reading().Declares(path[0]) {
		return
	}
	if path[0] == "globalThis" || path[0] == "window" && len(path) == 2 {
		r.hintAbsent(path[1])
		return
	}
	if say, known := members[path[0]+"."+path[1]]; known {
		r.hint(say + ".")
	}
}

// hintMethod says what a method that is not there is called in JavaScript.
func (r *run) hintMethod(path []string, name string) {
	if write, known := methods[name]; known && (len(path) == 0 || path[0] != "tools" && path[0] != "MCP") {
		r.hint(fmt.Sprintf("There is no method %s here: write %s.", name, write))
	}
}

// undefinedName matches a ReferenceError's message.
var undefinedName = regexp.MustCompile(`^'?([\p{L}_$][\p{L}\p{N}_$]*)'? is not defined$`)

// hintCure tells the model what to write instead of what its cell failed on, if that is known.
func (r *run) hintCure(t *engine.Thrown, line int) {
	if !t.IsError {
		return
	}
	switch t.Name {
	case "ReferenceError":
		if m := undefinedName.FindStringSubmatch(t.Message); m != nil {
			r.hintAbsent(m[1])
		}
	case "SyntaxError":
		r.hintSyntax(t.Message, line)
	}
}

// hintAbsent says what there is in place of a name that is not there: a tool that is called like that, or what is known of
// other surroundings.
func (r *run) hintAbsent(name string) {
	if calls := r.turn.catalog.Same(name); len(calls) > 0 {
		r.hint(fmt.Sprintf("%s is no global: write await %s({ …input }).", name, strings.Join(calls, " or await ")))
		return
	}
	a, known := absents[name]
	if !known {
		return
	}
	r.hint(a.say + r.toolsFor(a.ask) + ".")
}

// toolsFor names tools of the turn that are found for a purpose.
func (r *run) toolsFor(purpose string) string {
	if purpose == "" {
		return ""
	}
	var names []string
	for _, e := range r.turn.catalog.Search(purpose, 2) {
		if name := e.Function(); name != "" {
			names = append(names, "tools."+name)
		} else {
			names = append(names, fmt.Sprintf("tools.callValue(%q, input)", e.ID()))
		}
	}
	if len(names) == 0 {
		return "; this turn has none that is found for it: look with tools.search"
	}
	return ", such as " + strings.Join(names, " or ")
}

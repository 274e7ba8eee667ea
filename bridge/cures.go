package bridge

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
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
)

var absents = map[string]absent{
	"fetch": network, "XMLHttpRequest": network, "axios": network, "WebSocket": network, "EventSource": network, "http": network, "https": network,
	"got": network, "request": network, "superagent": network, "curl": network, "Request": network, "Headers": network, "FormData": network,
	"fs": files, "fsp": files, "readFile": files, "readFileSync": files, "writeFile": files, "writeFileSync": files, "path": files, "open": files,
	"process": process, "child_process": process, "execSync": process, "spawn": process, "os": process, "Deno": process, "Bun": process,
	"require": modules, "module": modules, "exports": modules, "__dirname": modules, "__filename": modules, "importScripts": modules,
	"window": page, "document": page, "navigator": page, "localStorage": page, "sessionStorage": page, "location": page, "alert": page, "prompt": page, "confirm": page,
	"print": python, "None": python, "True": python, "False": python, "len": python, "str": python, "range": python, "dict": python, "self": python,
	"global":       {"The global object is globalThis; what is put there is gone after the cell", ""},
	"Buffer":       {"There is no Buffer: use Uint8Array, TextEncoder and TextDecoder, atob and btoa", ""},
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

// What a syntax error's line may show.
var (
	exporting    = regexp.MustCompile(`\bexport\b`)
	plainBody    = regexp.MustCompile(`(async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>[^;]*?\bawait\b|(async\s+)?function\b[^{]*\{[^}]*?\bawait\b`)
	typographic  = regexp.MustCompile("[\u2018\u2019\u201C\u201D]")
	pythonLine   = regexp.MustCompile(`^\s*(def |elif |from \w+ import |import \w+$|(if|for|while)\b[^({]*:|print )`)
	endOfCell    = regexp.MustCompile(`^(Unexpected token '\}'|unexpected token in expression: '\}?'|unexpected end)`)
	endOfLiteral = regexp.MustCompile(`^unexpected end of (string|template|comment)`)
)

// hintSyntax says what the line of a syntax error looks like.
func (r *run) hintSyntax(message string, line int) {
	lines := strings.Split(r.cell.code, "\n")
	text := ""
	if line > 0 && line <= len(lines) {
		text = lines[line-1]
	}
	switch {
	case strings.Contains(message, "export") || exporting.MatchString(text) && strings.HasPrefix(strings.TrimSpace(text), "export"):
		r.hint("A cell can't export: it is the body of a function. Leave export away, and pass the result on with return.")
	case strings.Contains(message, "unexpected character") && typographic.MatchString(text):
		r.hint(fmt.Sprintf("Line %d has typographic quotation marks: write ' or \" around texts.", line))
	case slices.ContainsFunc(lines, pythonLine.MatchString):
		r.hint(python.say + ".")
	case endOfLiteral.MatchString(message):
		r.hint("A text in quotes ends on its line: write \\n in it, or use `backquotes` for one of several lines.")
	case awaitsInPlain(text):
		r.hint(fmt.Sprintf("Line %d has an await inside of a function that is not async: write async in front of that function, such as list.map(async (x) => await …), and await Promise.all(…) of the list.", line))
	case r.isTypeScript():
		r.hint("This is TypeScript: call exec with language \"typescript\".")
	case endOfCell.MatchString(message) && line > len(lines):
		r.hintUnclosed()
	}
}

// awaitsInPlain says whether a line awaits in the body of a function that is not async.
func awaitsInPlain(line string) bool {
	m := plainBody.FindStringSubmatch(line)
	return m != nil && m[1] == "" && m[2] == ""
}

// isTypeScript says whether a cell that is no JavaScript is TypeScript. That is tried only on texts that are cheap to parse,
// and charged to the run.
func (r *run) isTypeScript() bool {
	if r.cell.language != script.JavaScript || len(r.cell.code) > script.MaxInProcess || !r.turn.allowsLanguage(string(script.TypeScript)) {
		return false
	}
	_, took, err := r.service.options.Preparer.Prepare(context.Background(), script.Request{
		Tenant: r.turn.tenant, Code: r.cell.code, Language: script.TypeScript, Limit: time.Second,
		Options: script.Options{MaxBytes: script.MaxInProcess},
	})
	r.usage.Service += took
	return err == nil
}

// hintUnclosed names the bracket that a cell opens last and does not close.
func (r *run) hintUnclosed() {
	if open, line, column := script.Unclosed(r.cell.code); open != "" {
		r.hint(fmt.Sprintf("The cell ends before %q of line %d, column %d, is closed.", open, line, column))
	}
}

package script

import (
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/tdewolff/parse/v2/js"
)

// prepareTypeScript turns a TypeScript cell into JavaScript (contract B5). The order of the checks is that of contract
// B1: what a text that does not even parse would have been refused for, a shell command or an import, comes before the
// parse errors themselves.
func prepareTypeScript(code string, o Options) (*Source, error) {
	odd, suspected := suspect(code)
	mentioned := mentionsModules(code)
	source, err := compile(code)
	if suspected {
		var ast *js.AST
		if err == nil {
			ast = parseBody(source.Body)
		}
		if (err != nil || ast != nil) && odd.isShell(ast) {
			return nil, shellError(code, o.ShellTool)
		}
	}
	if mentioned {
		if found := typeScriptModules(code, source); found != nil {
			return nil, found
		}
	}
	if err != nil {
		return nil, err
	}
	return source, nil
}

// typeScriptModules looks for module access. The JavaScript that came out is judged by parsing; what it no longer
// shows, import types, and all of a text that could not be transformed, by tokens.
func typeScriptModules(code string, source *Source) error {
	scan := scanModules(plainNames(code))
	if source == nil {
		if found := scan.find(); found != nil {
			return moduleError(code, found)
		}
		return nil
	}
	plain := plainNames(source.Body)
	ast := parseBody(plain)
	if ast != nil && usesModules(ast) || ast == nil && scanModules(plain).find() != nil {
		return moduleError(code, scan.find())
	}
	if found := scan.importType(); found != nil {
		return moduleError(code, found)
	}
	return nil
}

// The cell becomes the body of an arrow function, for esbuild takes "return" and top-level "await" together nowhere
// else.
const (
	wrapperHead = "async () => {\n"
	wrapperTail = "\n}"
	printedTail = "};\n" // as esbuild writes the wrapper's end
)

// compile transforms a cell and takes the wrapper off again.
func compile(code string) (*Source, error) {
	if err := checkExtent(code); err != nil {
		return nil, err
	}
	if hasNamespace(code) {
		return compileUnwrapped(code)
	}
	result := api.Transform(wrapperHead+code+wrapperTail, transformOptions)
	if len(result.Errors) > 0 {
		return nil, transformError(code, result.Errors, 1)
	}
	return unwrap(code, result)
}

// IsJavaScript says whether a text is JavaScript as it is, by the words of the parser that knows TypeScript too. What costs
// more to parse than MaxInProcess is taken for it.
func IsJavaScript(code string) bool {
	if len(code) > MaxInProcess || checkExtent(code) != nil {
		return true
	}
	options := transformOptions
	options.Loader, options.Sourcemap = api.LoaderJS, api.SourceMapNone
	return len(api.Transform(wrapperHead+code+wrapperTail, options).Errors) == 0
}

// unwrap makes a Source of the wrapper's printed body.
func unwrap(code string, result api.TransformResult) (*Source, error) {
	printed := string(result.Code)
	// Helpers that lowered syntax needs, if any, stand before the wrapper.
	at := strings.Index("\n"+printed, "\n"+wrapperHead)
	if at < 0 || !strings.HasSuffix(printed, printedTail) || !isOneArrow(printed[at:]) {
		return nil, breakoutError(code)
	}
	s := &Source{code: code, mappings: mappingsOf(result.Map), sourceShift: 1}
	if at == 0 {
		s.Body = printed[len(wrapperHead) : len(printed)-len(printedTail)]
		s.printedShift = 1
		return s, nil
	}
	// The helpers must not become the cell's own first statements: a directive ("use strict") would lose its place, and
	// a nested function keeps it.
	s.Body = printed[:at] + "return (" + printed[at:len(printed)-len(";\n")] + ")();\n"
	return s, nil
}

// isOneArrow says whether a printed text is one arrow function and nothing else. A cell such as "}; async () => {"
// closes the wrapper and opens another: it transforms, but is no function body, and would not be run as one.
func isOneArrow(printed string) bool {
	if ast := parseBody(printed); ast != nil {
		if len(ast.List) != 1 {
			return false
		}
		stmt, ok := ast.List[0].(*js.ExprStmt)
		if !ok {
			return false
		}
		_, ok = stmt.Value.(*js.ArrowFunc)
		return ok
	}
	return closesAtEnd(printed)
}

// closesAtEnd answers the same by tokens, where the parser has no answer: the wrapper's brace must close with the last
// one.
func closesAtEnd(printed string) bool {
	s := newScanner(printed)
	opened := false
	for t := s.next(); t.kind != kindEnd; t = s.next() {
		if len(s.stack) > 0 && s.stack[0].open == '{' {
			opened = true
		}
		if opened && len(s.stack) == 0 {
			return strings.TrimLeft(printed[t.end:], ";\n") == ""
		}
	}
	return false
}

// checkExtent refuses a cell whose shape would cost the transformer, which recurses and can't be stopped, more than its
// size justifies.
func checkExtent(code string) *Error {
	e := measure(code)
	switch {
	case e.nest > maxNest || e.scopes > maxScopes || e.angles > maxAngles || e.forks > maxForks:
		err := errorAt(code, e.at, "")
		err.Text = fmt.Sprintf("typescript transform failed: the code is nested too deeply (line %d, column %d). "+
			"Split it into functions or variables.", err.Line, err.Column)
		return err
	case e.names*e.scopes > maxScopeWork:
		return &Error{Text: "typescript transform failed: the code has too many names in nested scopes. " +
			"Split the work into several cells."}
	case e.repeats*len(code) > maxRepeatWork:
		return &Error{Text: "typescript transform failed: the code declares one name, or uses decorators, too often " +
			"for its size. Split the work into several cells."}
	case e.enumText<<min(e.enumJoins, 16)*e.names > maxEnumCopies:
		return &Error{Text: "typescript transform failed: enums with long or joined strings are copied to each use " +
			"and would make the code too large. Use a const object instead."}
	}
	return nil
}

// Bounds on what is transformed, all far above what people write. They were chosen so that no known shape of 256 KiB
// takes more than about a second, and none more than a few MiB of stack.
const (
	maxNest       = 1000
	maxScopes     = 64
	maxAngles     = 100
	maxForks      = 3
	maxEnumCopies = 32 << 20
	maxRepeatWork = 50_000_000
)

package script

import (
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// hasNamespace says whether a cell declares a TypeScript namespace of its own scope. esbuild takes those at a file's
// top level only, and so never inside the wrapper.
func hasNamespace(code string) bool {
	if !strings.Contains(code, "namespace") && !strings.Contains(code, "module") {
		return false
	}
	var before [2]string // the two tokens before the current one
	s := newScanner(code)
	for t := s.next(); t.kind != kindEnd; t = s.next() {
		keyword := before[0] == "namespace" || before[0] == "module"
		if keyword && t.kind == kindWord && !t.newline && !continuations[s.text(t)] && len(s.stack) == 0 && before[1] != "." {
			return true
		}
		before[1], before[0] = before[0], s.text(t)
	}
	return false
}

// returnLabel marks the statements that were "return" in the model's text.
const returnLabel = "codecell$return"

// compileUnwrapped transforms a cell at a file's top level. There, "return" and "await" exclude each other, so where a
// cell has both, each return becomes a labelled throw on the way in, and a return again on the way out.
func compileUnwrapped(code string) (*Source, error) {
	text := code
	if strings.Contains(code, "await") {
		text = labelReturns(code)
	}
	result := api.Transform(text, transformOptions)
	if len(result.Errors) > 0 {
		return nil, transformError(code, result.Errors, 0)
	}
	body := strings.ReplaceAll(string(result.Code), returnLabel+": throw "+returnLabel+";", "return;")
	body = strings.ReplaceAll(body, returnLabel+": throw ", "return ")
	return &Source{Body: body, code: code, mappings: mappingsOf(result.Map)}, nil
}

// labelReturns turns every return statement into a throw behind returnLabel: a statement that may stand wherever a
// return may. Columns behind it on its line move, lines stay.
func labelReturns(code string) string {
	var b strings.Builder
	m := scanModules(code)
	done := 0
	for i, t := range m.tokens {
		if t.kind != kindWord || t.property || m.text(i) != "return" || m.isKey(i) {
			continue
		}
		b.WriteString(code[done:t.start])
		b.WriteString(returnLabel + ": throw")
		if m.returnsNothing(i) {
			b.WriteString(" " + returnLabel + ";")
		}
		done = t.end
	}
	b.WriteString(code[done:])
	return b.String()
}

// returnsNothing says whether the return at i has no value.
func (m *moduleScan) returnsNothing(i int) bool {
	switch m.text(i + 1) {
	case "", ";", "}":
		return true
	}
	return m.tokens[i+1].newline
}

package script

import "strings"

// access is one place where a cell reaches for modules.
type access struct {
	what   string // as the model would recognise it
	offset int
}

// moduleScan looks for module access by tokens alone. It decides where there is no parse tree: in texts with syntax
// errors, in texts too large to parse, and for import types, which are gone when TypeScript has become JavaScript. It
// also finds the place of what a parse tree only says is there.
type moduleScan struct {
	src    string
	tokens []token
	closes map[int]int // index of each "(" to that of its ")"
	// declared says that the name is declared somewhere in the text. Where exactly it is visible takes a parser to
	// know; the benefit of the doubt is the cell's, for the guest has no loader anyway.
	declared map[string]bool
}

func scanModules(src string) *moduleScan {
	m := &moduleScan{src: src, declared: map[string]bool{}, closes: map[int]int{}}
	s := newScanner(src)
	for t := s.next(); t.kind != kindEnd; t = s.next() {
		m.tokens = append(m.tokens, t)
	}
	var open []int
	for i := range m.tokens {
		if m.declares(i) {
			m.declared[m.text(i)] = true
		}
		switch m.text(i) {
		case "(":
			open = append(open, i)
		case ")":
			if n := len(open); n > 0 {
				m.closes[open[n-1]] = i
				open = open[:n-1]
			}
		}
	}
	return m
}

// text returns the i-th token's text, or nothing for one outside the text.
func (m *moduleScan) text(i int) string {
	if i < 0 || i >= len(m.tokens) {
		return ""
	}
	return m.src[m.tokens[i].start:m.tokens[i].end]
}

// find returns the first access, or nil.
func (m *moduleScan) find() *access {
	for i := range m.tokens {
		if what := m.importAt(i); what != "" {
			return &access{what, m.tokens[i].start}
		}
		if what := m.requireAt(i); what != "" {
			return &access{what, m.tokens[i].start}
		}
	}
	return nil
}

// importType returns the first import type, as in let x: import("y").Z, or nil. Import expressions look the same and
// count too. What begins a statement or a member is no type, and was judged by parsing.
func (m *moduleScan) importType() *access {
	for i := range m.tokens {
		before := m.text(i - 1)
		if m.importAt(i) != "" && before != "" && (before == "," || !memberStarts[before]) {
			return &access{"an import type", m.tokens[i].start}
		}
	}
	return nil
}

// memberStarts are the tokens behind which a name in parentheses can be a method of that name.
var memberStarts = map[string]bool{
	"{": true, "}": true, ";": true, ",": true, "*": true, "async": true, "get": true, "set": true,
	"static": true, "public": true, "private": true, "protected": true, "abstract": true, "override": true,
}

// importAt names the import that the i-th token begins, if it does.
func (m *moduleScan) importAt(i int) string {
	t := m.tokens[i]
	if t.kind != kindWord || t.property || m.text(i) != "import" || i+1 == len(m.tokens) {
		return ""
	}
	next := m.tokens[i+1]
	switch text := m.text(i + 1); {
	case text == "(":
		if m.isMethod(i) {
			return ""
		}
		return "import()"
	case text == "." && i+2 < len(m.tokens) && m.tokens[i+2].kind == kindWord:
		return "import." + m.text(i+2)
	case text == "{" || text == "*" || next.kind == kindString || next.kind == kindWord:
		if m.startsLine(i) {
			return "an import declaration"
		}
	}
	return ""
}

// startsLine says whether the i-th token can begin a statement.
func (m *moduleScan) startsLine(i int) bool {
	switch m.text(i - 1) {
	case "", ";", "{", "}", ")":
		return true
	}
	return m.tokens[i].newline
}

// isMethod says whether the name at i is that of a method: import(x) {…}.
func (m *moduleScan) isMethod(i int) bool {
	if !memberStarts[m.text(i-1)] {
		return false
	}
	end, ok := m.closes[i+1]
	return ok && (m.text(end+1) == "{" || m.text(end+1) == ":")
}

// requireAt names the free require or module.require at the i-th token, if there is one.
func (m *moduleScan) requireAt(i int) string {
	t := m.tokens[i]
	if t.kind != kindWord || t.property {
		return ""
	}
	switch m.text(i) {
	case "require":
		if m.declared["require"] || m.isKey(i) || m.isTypeof(i) {
			return ""
		}
		return "require"
	case "module":
		if !m.declared["module"] && m.readsRequire(i+1) {
			return "module.require"
		}
	}
	return ""
}

// readsRequire says whether the tokens from i on read a property require.
func (m *moduleScan) readsRequire(i int) bool {
	for m.text(i) == ")" { // (module).require
		i++
	}
	if text := m.text(i); text == "." || text == "?." {
		if m.text(i+1) != "[" {
			return m.text(i+1) == "require"
		}
		i++
	}
	return m.text(i) == "[" && m.text(i+2) == "]" && strings.Trim(m.text(i+1), "'\"`") == "require"
}

// isKey says whether the name at i is a property's or a method's, or a label.
func (m *moduleScan) isKey(i int) bool {
	switch m.text(i + 1) {
	case ":":
		return m.text(i-1) != "?" && m.text(i-1) != "case"
	case "(":
		return m.isMethod(i)
	case "=", ";":
		// A class field; an assignment would not follow these words.
		return m.text(i-1) == "static"
	}
	return false
}

// isTypeof says whether all that happens to the name at i is typeof.
func (m *moduleScan) isTypeof(i int) bool {
	switch m.text(i + 1) {
	case ".", "?.", "(", "[":
		return false
	}
	return m.text(i-1) == "typeof"
}

// declares says whether the i-th token is a name that is being declared.
func (m *moduleScan) declares(i int) bool {
	t := m.tokens[i]
	if t.kind != kindWord || t.property {
		return false
	}
	switch m.text(i - 1) {
	case "function", "class", "let", "const", "var":
		return true
	case "*":
		return m.text(i-2) == "function"
	case "(":
		if m.text(i-2) == "catch" {
			return true
		}
	case ",":
		if m.text(i+1) == "=" { // let a = 1, require = 2
			return true
		}
	}
	return m.text(i+1) == "=>" || m.text(i+1) == ")" && m.text(i+2) == "=>"
}

package catalog

import (
	"strconv"
	"strings"
)

// toIdentifier turns a server's or tool's own name into the JavaScript name that the MCP namespace uses (contract E2):
// words of ASCII letters and digits joined in camel case, the first letter lowered, leading digits dropped. What has no
// such word becomes fallback.
func toIdentifier(s, fallback string) string {
	words := strings.FieldsFunc(s, func(r rune) bool { return !asciiAlnum(r) })
	var b strings.Builder
	for i, w := range words {
		first := w[:1]
		if i == 0 {
			first = strings.ToLower(first)
		} else {
			first = strings.ToUpper(first)
		}
		b.WriteString(first)
		b.WriteString(w[1:])
	}
	if id := strings.TrimLeft(b.String(), "0123456789"); id != "" {
		return id
	}
	return fallback
}

func asciiAlnum(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}

// names hands out identifiers that are unique within one scope.
type names struct {
	taken map[string]bool
	next  map[string]int // number to try next for a base, so that many alike stay cheap
}

func newNames(reserved ...string) *names {
	n := &names{taken: map[string]bool{}, next: map[string]int{}}
	for _, r := range reserved {
		n.taken[r] = true
	}
	return n
}

// unique is base, or base with 2, 3, … if that is taken or reserved.
func (n *names) unique(base string) string {
	id, k := base, max(n.next[base], 2)
	for n.taken[id] || reservedName(id) {
		id = base + strconv.Itoa(k)
		k++
	}
	n.taken[id], n.next[base] = true, k
	return id
}

// reservedName holds for the globals of a cell and for names that mean something on every object.
func reservedName(id string) bool {
	switch id {
	case "ALL_TOOLS", "API", "Array", "Boolean", "Date", "Error", "globalThis", "json", "JSON",
		"Map", "Math", "MCP", "namespaces", "Number", "Object", "Promise", "Set", "String",
		"text", "tools", "yield_control", "__proto__", "constructor", "prototype":
		return true
	}
	return false
}

// reservedWord holds for the words that JavaScript allows as a property name but not as the name of a declared
// function.
func reservedWord(id string) bool {
	switch id {
	case "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
		"do", "else", "enum", "export", "extends", "false", "finally", "for", "function", "if",
		"import", "in", "instanceof", "new", "null", "return", "super", "switch", "this", "throw",
		"true", "try", "typeof", "var", "void", "while", "with":
		return true
	}
	return false
}

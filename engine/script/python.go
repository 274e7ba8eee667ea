package script

import (
	"fmt"
	"regexp"
	"strings"
)

// form is something that is written otherwise in Python.
type form struct {
	pattern *regexp.Regexp
	write   string // what to write instead
	alone   bool   // it means nothing else, so it counts on any line, not only on that of the error
}

// forms are looked for in texts that have a syntax error, without what is in strings, comments and templates.
var forms = []form{
	{regexp.MustCompile(`^\s*(?:async\s+)?def\s+\w+\s*\(`), "function name(…) { … }", true},
	{regexp.MustCompile(`^\s*try\s*:`), "try { … } catch (e) { … }", true},
	{regexp.MustCompile(`^\s*except\b[^{]*:`), "catch (e) { … }", true},
	{regexp.MustCompile(`^\s*finally\s*:\s*$`), "finally { … }", true},
	{regexp.MustCompile(`^\s*(?:async\s+)?with\s.+:\s*$`), "the calls themselves: nothing has to be opened or closed in a cell", true},
	{regexp.MustCompile(`^\s*elif\b`), "else if (…) { … }", true},
	{regexp.MustCompile(`^\s*else\s*:`), "else { … }", true},
	{regexp.MustCompile(`^\s*(?:async\s+)?for\s+[\w\s,]+\sin\s.*:\s*$`), "for (const item of list) { … }", true},
	{regexp.MustCompile(`^\s*(?:if|while)\b[^{]*:\s*$`), "if (…) { … } or while (…) { … }", true},
	{regexp.MustCompile(`^\s*class\s+\w+\s*(?:\([\w\s,.]*\))?\s*:`), "class Name { … }", true},
	{regexp.MustCompile(`^\s*from\s+[\w.]+\s+import\b`), "calls of tools: a cell has no modules", true},
	{regexp.MustCompile(`^\s*import\s+\w+(?:\s+as\s+\w+)?\s*$`), "calls of tools: a cell has no modules", true},
	{regexp.MustCompile(`\[[^\]]*\bfor\s+[\w\s,()]+\sin\s|\([^()]*\bfor\s+[\w\s,]+\sin\s|\{[^}]*:[^}]*\bfor\s+[\w\s,]+\sin\s`), "list.filter((x) => …).map((x) => …)", true},
	{regexp.MustCompile(`\blambda\b[\w\s,*=]*:`), "(x) => …", true},
	{regexp.MustCompile(`(?:^|[^\w.$"'])(?:[fFrRbBuU]|[fF][rR]|[rR][fF])["']`), "a template: `text ${value}`", false},
	{regexp.MustCompile(`"""|'''`), "`backquotes` around texts of several lines, and // before comments", false},
	{regexp.MustCompile(`^\s*print\s+\S`), "text(value)", false},
	{regexp.MustCompile(`\S\s+if\s+\S.*\s+else\s+\S`), "condition ? a : b", false},
	{regexp.MustCompile(`\bis\s+(?:not\s+)?(?:None|True|False|null)\b|\bnot\s+in\b`), "===, !== and !list.includes(x)", false},
	{regexp.MustCompile(`[\w)\]"'\x60]\s+(?:and|or)\s+[\w(\["'!\x60]`), "&& and ||", false},
	{regexp.MustCompile(`(?:^|[(=]|\b(?:if|while|return|and|or)\b)\s*not\s+[\w(]`), "!value", false},
	{regexp.MustCompile(`^\s*raise\b`), "throw new Error(…)", false},
	{regexp.MustCompile(`^\s*(?:pass|global\s+\w+|nonlocal\s+\w+|del\s+\w+)\s*$`), "nothing, or what it was for: there is no such statement", false},
	{regexp.MustCompile(`[\w)\]]\s*:=\s*\S`), "let name = value", false},
	{regexp.MustCompile(`[(,]\s*\*\*?[A-Za-z_]`), "...list or ...object", false},
	{regexp.MustCompile(`[\w)\]]\[\s*-?\w*\s*:\s*-?\w*\s*(?::\s*-?\d*\s*)?\]`), "list.slice(from, to)", false},
	{regexp.MustCompile(`^\s*#(?:[^\w]|$)|[\w)\]};,]\s+#(?:\s|$)`), "// before comments", false},
}

// Python says what a text that has a syntax error on that line has of Python, and what to write instead; empty if it has
// nothing. A line of 0 is not known.
func Python(code string, line int) string {
	lines := strings.Split(bareCode(code), "\n")
	if line > 0 && line <= len(lines) {
		for _, f := range forms {
			if f.pattern.MatchString(lines[line-1]) {
				return f.cure(code, line)
			}
		}
	}
	for i, text := range lines {
		for _, f := range forms {
			if f.alone && f.pattern.MatchString(text) {
				return f.cure(code, i+1)
			}
		}
	}
	return ""
}

func (f form) cure(code string, line int) string {
	text := strings.TrimSpace(strings.Split(code, "\n")[line-1])
	return fmt.Sprintf("Line %d is Python (%s), and a cell is JavaScript or TypeScript. Write %s.", line, Clip(text), f.write)
}

// bareCode is a text with blanks in place of what is in its strings, templates, regular expressions and comments; lines
// keep their numbers.
func bareCode(code string) string {
	bare := make([]byte, len(code))
	for i := range bare {
		bare[i] = ' '
		if code[i] == '\n' {
			bare[i] = '\n'
		}
	}
	s := newScanner(code)
	for t := s.next(); t.kind != kindEnd; t = s.next() {
		switch t.kind {
		case kindString, kindTemplate, kindRegexp:
			bare[t.start], bare[t.end-1] = code[t.start], code[t.end-1]
		default:
			copy(bare[t.start:t.end], code[t.start:t.end])
		}
	}
	return string(bare)
}

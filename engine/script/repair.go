package script

import (
	"fmt"
	"slices"
)

// Repair is a comma or colon that may be missing in a text, and between what.
type Repair struct {
	code          string
	at            int
	mark          string
	line          int
	before, after string
}

// maxRepairs bounds how many texts are tried.
const maxRepairs = 8

// Missing returns the places where a comma, or in an object a colon, may be missing: in a list, an object or arguments, where
// something that ends a value is followed by something that begins one. Those that are nearest to the line of an error come
// first. Whether the text is in order with one of them is for a parser to say.
func Missing(code string, line int) []Repair {
	if len(code) > MaxInProcess {
		return nil
	}
	o := newOutline(code)
	lines := &lineCounter{src: code, line: 1}
	var all []Repair
	for i := range o.tokens {
		at := lines.at(o.token(i).start)
		if i == 0 || !o.lacksComma(i) {
			continue
		}
		end := o.token(i - 1).end
		c := Repair{code: code, at: end, mark: ",", line: at, before: Clip(o.text(i - 1)), after: Clip(o.text(i))}
		all = append(all, c)
		if before := o.text(i - 2); o.text(o.around(i)) == "{" && (before == "{" || before == ",") {
			c.mark = ":"
			all = append(all, c)
		}
		if len(all) > 32 && line == 0 {
			break
		}
	}
	if line > 0 {
		slices.SortStableFunc(all, func(a, b Repair) int { return distance(a.line, line) - distance(b.line, line) })
	}
	return all[:min(len(all), maxRepairs)]
}

func distance(a, b int) int { return max(a-b, b-a) }

// lacksComma says whether a comma may be missing before the i-th token.
func (o *outline) lacksComma(i int) bool {
	t, open := o.token(i), o.around(i)
	if open < 0 || !t.afterOperand || o.around(i-1) != open && o.opener(i-1) < 0 {
		return false
	}
	switch text := o.text(i); t.kind {
	case kindWord:
		if t.property || infix[text] || infix[o.text(i-1)] {
			return false
		}
	case kindString, kindNumber, kindPrivate:
	case kindTemplate:
		return false // a tag
	default:
		if text != "{" && text != "..." {
			return false
		}
	}
	switch o.text(open) {
	case "[":
		return true
	case "(":
		return o.token(open).afterOperand && !heads[o.text(open-1)]
	case "{":
		return !o.isBlock(open) && !o.isWordBefore(open)
	}
	return false
}

// heads are the words whose parentheses are no arguments.
var heads = map[string]bool{"if": true, "for": true, "while": true, "with": true, "switch": true, "catch": true, "function": true}

// isWordBefore says whether a brace follows a name, as a class's or a function's does.
func (o *outline) isWordBefore(open int) bool { return o.token(open).afterOperand }

// infix are the words that stand between values, here or in other languages.
var infix = map[string]bool{
	"in": true, "of": true, "instanceof": true, "as": true, "satisfies": true, "is": true, "and": true, "or": true, "not": true,
	"if": true, "else": true, "for": true, "lambda": true, "async": true, "await": true, "get": true, "set": true, "static": true,
	"typeof": true, "new": true, "void": true, "delete": true, "function": true, "class": true, "return": true,
}

// Repaired is the text with what may be missing.
func (c Repair) Repaired() string { return c.code[:c.at] + c.mark + c.code[c.at:] }

// Cure says what to write.
func (c Repair) Cure() string {
	what := map[string]string{",": "comma", ":": "colon"}[c.mark]
	return fmt.Sprintf("A %s is missing on line %d: write one between %s and %s.", what, c.line, c.before, c.after)
}

// lineCounter counts lines from one offset to the next.
type lineCounter struct {
	src       string
	pos, line int
}

func (l *lineCounter) at(offset int) int {
	for ; l.pos < offset; l.pos++ {
		if l.src[l.pos] == '\n' {
			l.line++
		}
	}
	return l.line
}

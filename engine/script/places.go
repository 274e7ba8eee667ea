package script

import "unicode"

// places says which position the native engine and its portable twin report for what happens at a token. They note a
// position at calls, behind new and throw, behind binary operators and where statements begin that are expressions; what
// goes wrong elsewhere has the position that was noted last in the same function. A position is that of the last name, or
// of the last token with white space before it.
type places struct {
	o      *outline
	marks  []int   // by token: the byte offset that the engine takes for its position
	noted  [][]int // by function: the tokens at which a position is noted, in order
	called []int   // the parentheses of calls, and the word new where there are none
}

// unknown is the position of what happens before any is noted.
const unknown = -1

func newPlaces(o *outline) *places {
	p := &places{o: o, marks: make([]int, len(o.tokens)), noted: make([][]int, len(o.functions))}
	mark := 0
	for i, t := range o.tokens {
		c := rune(o.src[t.start])
		if i == 0 || o.token(i-1).end < t.start || t.kind == kindWord && c <= unicode.MaxASCII && c != '\\' {
			mark = t.start
		}
		p.marks[i] = mark
	}
	for i := range o.tokens {
		if at := p.notedBy(i); at >= 0 {
			f := o.inside(i)
			if n := len(p.noted[f]); n == 0 || p.noted[f][n-1] <= at {
				p.noted[f] = append(p.noted[f], at)
			}
		}
		if p.isCall(i) {
			p.called = append(p.called, i)
		}
	}
	return p
}

// notedBy returns the token whose position is noted because of the i-th token, -1 if none is.
func (p *places) notedBy(i int) int {
	o, t := p.o, p.o.token(i)
	switch text := o.text(i); {
	case i+1 == len(o.tokens):
		return -1
	case text == "(" && p.isCall(i) && !p.isNew(i):
		return i + 1
	case t.kind == kindTemplate && t.afterOperand && text[0] == '`':
		return i
	case o.isWord(i) && (text == "new" || text == "throw"):
		return i + 1
	case t.afterOperand && (t.kind == kindPunct && binary[text] || o.isWord(i) && (text == "in" || text == "instanceof")):
		return i + 1
	case p.startsExpression(i):
		return i
	}
	return -1
}

// binary are the operators behind which the engine notes a position.
var binary = map[string]bool{
	"+": true, "-": true, "*": true, "/": true, "%": true, "<<": true, ">>": true, ">>>": true, "<": true, ">": true,
	"<=": true, ">=": true, "==": true, "!=": true, "===": true, "!==": true, "&": true, "|": true, "^": true,
}

// isCall says whether the i-th token is the parenthesis of a call's arguments, or new without any.
func (p *places) isCall(i int) bool {
	o := p.o
	if o.isWord(i) && o.text(i) == "new" {
		return !p.newHasArguments(i)
	}
	if o.text(i) != "(" || !o.token(i).afterOperand && o.text(i-1) != "?." || o.closer(i) < 0 {
		return false
	}
	if o.isWord(i-1) && (controlWords[o.text(i-1)] || o.text(i-1) == "switch" || o.text(i-1) == "catch" || o.text(i-1) == "function" ||
		o.text(i-1) == "super" || o.text(i-1) == "import") {
		return false
	}
	if o.isWord(i-1) && o.text(i-1) == "async" || o.isWord(i-2) && o.text(i-2) == "function" {
		return false
	}
	after := o.closer(i) + 1
	return !(o.text(after) == "{" && o.isMethodName(i-1) && !o.token(after).newline)
}

// newHasArguments says whether the new at the i-th token has parentheses.
func (p *places) newHasArguments(i int) bool {
	o := p.o
	for i++; i < len(o.tokens); i++ {
		switch text := o.text(i); {
		case text == "(", text == "new":
			return true
		case text == "[" && o.closer(i) > 0:
			i = o.closer(i)
		case o.token(i).kind == kindWord, text == ".":
			if o.token(i).newline && o.token(i).kind == kindWord && !o.token(i).property && o.text(i-1) != "new" {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// isNew says whether the arguments at the i-th token, a parenthesis, are those of new.
func (p *places) isNew(i int) bool {
	for i--; i > 0; i-- {
		switch text := p.o.text(i); {
		case text == "]" && p.o.opener(i) > 0:
			i = p.o.opener(i)
		case text == ")" && p.o.opener(i) > 0 && p.o.text(p.o.opener(i)-1) == "new":
			return true
		case text == ".":
		case p.o.token(i).kind == kindWord:
			if p.o.text(i-1) == "new" && p.o.isWord(i-1) {
				return true
			}
			if p.o.text(i-1) != "." {
				return false
			}
		default:
			return false
		}
	}
	return false
}

// statementWords begin statements that are not expressions.
var statementWords = map[string]bool{
	"const": true, "let": true, "var": true, "function": true, "class": true, "if": true, "for": true, "while": true, "do": true,
	"switch": true, "return": true, "throw": true, "try": true, "break": true, "continue": true, "else": true, "catch": true,
	"finally": true, "case": true, "default": true, "using": true, "debugger": true, "with": true,
}

// goesOn are the tokens that no statement begins with, although a brace may stand before them.
var goesOn = map[string]bool{"=": true, "=>": true, ",": true, ")": true, "]": true, ":": true, ".": true, "?.": true}

// startsExpression says whether a statement begins at the i-th token that is an expression.
func (p *places) startsExpression(i int) bool {
	o, t := p.o, p.o.token(i)
	if o.isWord(i) && (statementWords[o.text(i)] || o.text(i) == "async" && o.text(i+1) == "function") || o.text(i) == "}" ||
		o.text(i) == "{" || o.text(i) == ";" || t.kind == kindPunct && goesOn[o.text(i)] {
		return false
	}
	if i == 0 {
		return true
	}
	switch before := o.text(i - 1); before {
	case ";":
		return o.statements(i)
	case "{", "}":
		return !t.afterOperand && o.statements(i)
	case "else", "do":
		return o.isWord(i - 1)
	case ")":
		open := o.opener(i - 1)
		if open > 0 && o.isWord(open-1) && controlWords[o.text(open-1)] {
			return true
		}
	}
	return t.newline && t.afterOperand && startsStatement(t, o.text(i)) && o.statements(i)
}

// statements says whether the brackets around the i-th token hold statements.
func (o *outline) statements(i int) bool {
	open := o.around(i)
	return open < 0 || o.text(open) == "{" && o.isBlock(open)
}

// isBlock says whether the brace at the i-th token holds statements or members.
func (o *outline) isBlock(i int) bool {
	switch before := o.text(i - 1); before {
	case "", ")", "=>", ";", "{", "}":
		return true
	case "else", "do", "try", "finally":
		return o.isWord(i - 1)
	}
	return false
}

// lastNotedIn returns the position that the engine has for what happens at the i-th token, which belongs to the function f.
func (p *places) lastNotedIn(f, i int) int {
	at := unknown
	low, high := 0, len(p.noted[f])
	for low < high {
		middle := (low + high) / 2
		if p.noted[f][middle] < i {
			at, low = p.noted[f][middle], middle+1
		} else {
			high = middle
		}
	}
	if at == unknown {
		return unknown
	}
	return p.marks[at]
}

package script

import "sort"

// outline is a text's tokens, with the brackets matched and the functions found. Like the scanner that it is made by, it
// has an answer for every text, and takes time linear in it.
type outline struct {
	src       string
	tokens    []token
	closers   []int // by token: of what opens a bracket, what closes it; else -1
	openers   []int // by token: of what closes a bracket, what opened it; else -1
	arounds   []int // by token: what opens the brackets around it; -1 outside of any
	functions []function
	arrows    map[int]int // by the token of an arrow: where its function ends
	work      int         // steps that questions took, beside one look at each token
	insides   []int       // by token: the innermost function that it is in, 0 for the cell itself
}

// function is one function of the text: from the first token of its parameters to behind the last one of its body. The
// first one of an outline is the cell.
type function struct {
	from, to int
	name     string
	async    bool
	declared bool // by that name, as a statement
	body     int  // the first token of its body
	block    bool // the body is in braces
}

func newOutline(src string) *outline {
	o := &outline{src: src, arrows: map[int]int{}}
	s := newScanner(src)
	for t := s.next(); t.kind != kindEnd; t = s.next() {
		o.tokens = append(o.tokens, t)
	}
	o.matchBrackets()
	o.functions = []function{{to: len(o.tokens), async: true, block: true}}
	// From the last to the first: where an arrow function ends is known when the one around it is looked at.
	for i := len(o.tokens) - 1; i >= 0; i-- {
		if f, ok := o.functionAt(i); ok {
			o.functions = append(o.functions, f)
		}
	}
	o.insides = make([]int, len(o.tokens))
	sort.SliceStable(o.functions[1:], func(a, b int) bool { return o.functions[a+1].from < o.functions[b+1].from })
	o.fillInside()
	return o
}

// text returns the i-th token's text, nothing for one outside of the text.
func (o *outline) text(i int) string {
	if i < 0 || i >= len(o.tokens) {
		return ""
	}
	return o.src[o.token(i).start:o.token(i).end]
}

// The tokens around a text's end are asked for often: outside of it there are none.

// token returns the i-th token, one of kindEnd outside of the text.
func (o *outline) token(i int) token {
	if i < 0 || i >= len(o.tokens) {
		return token{start: len(o.src), end: len(o.src)}
	}
	return o.tokens[i]
}

// closer returns what closes the bracket that the i-th token opens, -1 if it opens none that is closed.
func (o *outline) closer(i int) int { return at(o.closers, i, -1) }

// opener returns what opened the bracket that the i-th token closes, -1 if it closes none that was opened.
func (o *outline) opener(i int) int { return at(o.openers, i, -1) }

// around returns what opens the brackets around the i-th token, -1 if nothing does.
func (o *outline) around(i int) int { return at(o.arounds, i, -1) }

// inside returns the innermost function that the i-th token is in, 0 for the cell itself.
func (o *outline) inside(i int) int { return at(o.insides, i, 0) }

func at(list []int, i, outside int) int {
	if i < 0 || i >= len(list) {
		return outside
	}
	return list[i]
}

// isWord says whether the i-th token is a name or keyword that is no property.
func (o *outline) isWord(i int) bool {
	return i >= 0 && i < len(o.tokens) && o.token(i).kind == kindWord && !o.token(i).property
}

func (o *outline) matchBrackets() {
	o.closers, o.openers = make([]int, len(o.tokens)), make([]int, len(o.tokens))
	o.arounds = make([]int, len(o.tokens))
	var open []int
	for i, t := range o.tokens {
		o.closers[i], o.openers[i] = -1, -1
		opens, closes := o.brackets(t)
		if closes && len(open) > 0 {
			last := open[len(open)-1]
			open = open[:len(open)-1]
			o.closers[last], o.openers[i] = i, last
		}
		o.arounds[i] = -1
		if len(open) > 0 {
			o.arounds[i] = open[len(open)-1]
		}
		if opens {
			open = append(open, i)
		}
	}
}

// brackets says whether a token closes or opens a bracket; the middle piece of a template does both.
func (o *outline) brackets(t token) (opens, closes bool) {
	text := o.src[t.start:t.end]
	switch t.kind {
	case kindPunct:
		switch text {
		case "(", "[", "{":
			return true, false
		case ")", "]", "}":
			return false, true
		}
	case kindTemplate:
		return len(text) > 1 && text[len(text)-1] == '{' && text[len(text)-2] == '$', text[0] == '}'
	}
	return false, false
}

// functionAt returns the function that the i-th token gives away: the arrow, the word function, or a method's
// parenthesis.
func (o *outline) functionAt(i int) (function, bool) {
	switch text := o.text(i); {
	case text == "=>" && o.token(i).kind == kindPunct:
		return o.arrowAt(i)
	case text == "function" && o.isWord(i):
		f := function{async: o.text(i-1) == "async"}
		i++
		if o.text(i) == "*" {
			i++
		}
		if o.isWord(i) {
			f.name, f.declared = o.text(i), true
			i++
		} else {
			f.name, f.declared = o.boundName(i - 1)
		}
		return o.withBody(f, i)
	case text == "(" && o.closer(i) > 0 && o.text(o.closer(i)+1) == "{" && o.isMethodName(i-1):
		return o.withBody(function{name: o.text(i - 1), async: o.text(i-2) == "async"}, i)
	}
	return function{}, false
}

// isMethodName says whether the i-th token can be a method's name, its parameters coming next.
func (o *outline) isMethodName(i int) bool {
	if i < 1 || o.token(i).kind != kindWord && o.token(i).kind != kindString && o.token(i).kind != kindPrivate {
		return false
	}
	switch o.text(i) {
	case "if", "for", "while", "with", "switch", "catch", "function", "return", "await", "of", "in":
		return false
	}
	return !o.token(i).property && memberStarts[o.text(i-1)] && o.text(i-1) != ";"
}

// withBody completes a function whose parameters begin at the i-th token and whose body is in braces.
func (o *outline) withBody(f function, i int) (function, bool) {
	if o.text(i) != "(" || o.closer(i) < 0 {
		return f, false
	}
	f.from, f.body, f.block = i, o.closer(i)+1, true
	if o.text(f.body) != "{" || o.closer(f.body) < 0 {
		return f, false
	}
	f.to = o.closer(f.body) + 1
	return f, true
}

// arrowAt is the arrow function whose arrow is the i-th token.
func (o *outline) arrowAt(i int) (function, bool) {
	if i == 0 || i+1 >= len(o.tokens) {
		return function{}, false
	}
	f := function{from: i - 1, body: i + 1}
	if o.text(i-1) == ")" {
		if o.opener(i-1) < 0 {
			return f, false
		}
		f.from = o.opener(i - 1)
	}
	f.async = o.text(f.from-1) == "async"
	before := f.from - 1
	if f.async {
		before--
	}
	f.name, f.declared = o.boundName(before + 1)
	if o.text(f.body) == "{" {
		f.block = true
		if o.closer(f.body) < 0 {
			return f, false
		}
		f.to = o.closer(f.body) + 1
	} else {
		f.to = o.expressionEnd(f.body)
	}
	o.arrows[i] = f.to
	return f, true
}

// functionBegin returns the first token of a function, with the words before its parameters.
func (o *outline) functionBegin(f function) int {
	i := f.from
	for i > 0 {
		switch o.text(i - 1) {
		case "async", "function", "*":
			i--
			continue
		}
		if o.text(i-1) == f.name && o.text(i-2) == "function" {
			i--
			continue
		}
		break
	}
	return i
}

// boundName is the name that an expression beginning at the i-th token is given: const name = …, name: …. declared says
// that it is a variable's from then on.
func (o *outline) boundName(i int) (name string, declared bool) {
	if o.text(i-1) == "async" {
		i--
	}
	before := o.text(i - 1)
	if before != "=" && before != ":" || i < 2 || o.token(i-2).kind != kindWord {
		return "", false
	}
	switch o.text(i - 3) {
	case "const", "let", "var", ",":
		declared = before == "="
	}
	return o.text(i - 2), declared
}

// expressionEnd returns the token behind an expression that begins at the i-th token and goes as far as it can: up to a
// comma, a bracket that closes around it, a semicolon, or a line that begins a statement.
func (o *outline) expressionEnd(i int) int {
	for first := i; i < len(o.tokens) && !o.tired(); i++ {
		o.work++
		t := o.token(i)
		opens, closes := o.brackets(t)
		switch text := o.text(i); {
		case closes, t.kind == kindPunct && (text == "," || text == ";"):
			return i
		case o.arrows[i] > i:
			i = o.arrows[i] - 1
		case i > first && t.newline && t.afterOperand && startsStatement(t, text):
			return i
		case opens:
			if i = o.close(i); i < 0 {
				return len(o.tokens)
			}
		}
	}
	return len(o.tokens)
}

// maxWork bounds the steps that questions about a text may take: a text can be made so that they would be quadratic.
const maxWork = 500_000

// tired says that no more questions are answered.
func (o *outline) tired() bool { return o.work > maxWork }

// close returns what closes the bracket or begins the template's end that the i-th token opens, -1 if nothing does.
func (o *outline) close(i int) int {
	for i = o.closer(i); i >= 0; i = o.closer(i) {
		if opens, _ := o.brackets(o.token(i)); !opens {
			return i
		}
	}
	return -1
}

// open returns what opens the bracket or template that the i-th token closes, -1 if nothing does.
func (o *outline) open(i int) int {
	for i = o.opener(i); i >= 0; i = o.opener(i) {
		if _, closes := o.brackets(o.token(i)); !closes {
			return i
		}
	}
	return -1
}

// startsStatement says whether a token that begins a line behind an operand begins a statement too.
func startsStatement(t token, text string) bool {
	switch t.kind {
	case kindWord:
		return !continuations[text]
	case kindNumber, kindString:
		return true
	}
	return text == "{" || text == "++" || text == "--" || text == "!" || text == "~" || text == "@"
}

// fillInside notes the innermost function of each token.
func (o *outline) fillInside() {
	var open []int
	next := 1
	for i := range o.tokens {
		for len(open) > 0 && o.functions[open[len(open)-1]].to <= i {
			open = open[:len(open)-1]
		}
		for ; next < len(o.functions) && o.functions[next].from <= i; next++ {
			open = append(open, next)
		}
		if len(open) > 0 {
			o.insides[i] = open[len(open)-1]
		}
	}
}

// tokenAt returns the first token at or behind a byte offset.
func (o *outline) tokenAt(offset int) int {
	return sort.Search(len(o.tokens), func(i int) bool { return o.token(i).start >= offset })
}

package script

// weigh adds what one token can add to a parser's recursion. Binary operators that group to the left add nothing:
// parsers loop over them, and long sums of strings are ordinary.
func (m *measurer) weigh(t token, text string) {
	switch t.kind {
	case kindWord:
		m.weighWord(t, text)
	case kindString:
		m.enumLiteral(t)
	case kindTemplate:
		m.enumLiteral(t)
		if t.afterOperand {
			m.add(level{chain: 1}) // a tag
		}
	case kindPunct:
		m.weighPunct(t, text)
	}
}

// bareStatements are the keywords whose body may stand without braces, and so nest (and indent) without any bracket.
var bareStatements = map[string]bool{"if": true, "for": true, "while": true, "do": true, "with": true}

func (m *measurer) weighWord(t token, text string) {
	switch {
	case t.property:
		m.add(level{chain: 1})
	case text == "enum":
		m.enum = true
	case bareStatements[text]:
		// "else if" is a chain, printed without indentation.
		l := level{chain: 1}
		if m.prev != "else" {
			l.scopes = 1
		}
		m.add(l)
	case operatorWords[text], t.afterOperand && !t.newline:
		// The second is a contextual keyword: keyof, as, readonly, async, …
		m.add(level{chain: 1})
	}
}

func (m *measurer) weighPunct(t token, text string) {
	switch text {
	case "(", "[":
		if t.afterOperand {
			m.add(level{chain: 1}) // a call, an index
		}
	case ",":
		m.comma()
	case "<":
		m.add(level{angles: 1})
	case ">", ">>", ">>>":
		m.add(level{angles: -min(len(text), m.top().angles)})
	case "?":
		m.top().ternary = true
		m.add(level{chain: 1})
	case ":":
		m.colon()
	case "=>":
		m.arrow()
	case "**", "@":
		m.add(level{chain: 1})
	case "+", "-", "!", "~", "++", "--":
		if !t.afterOperand {
			m.add(level{chain: 1})
		}
		m.join(text)
	default:
		if isAssignment(text) {
			m.add(level{chain: 1})
		}
	}
}

func isAssignment(text string) bool {
	switch text {
	case "==", "===", "!=", "!==", "<=", ">=":
		return false
	}
	return text[len(text)-1] == '='
}

// comma ends an element of a list, or makes a sequence one longer.
func (m *measurer) comma() {
	top := m.top()
	if !top.list && !top.declare {
		m.add(level{chain: 1})
		return
	}
	// What "<" opened may go on behind a comma, as in A<B, C<D>>.
	angles := level{angles: top.angles, declare: top.declare}
	m.restart()
	m.add(angles)
	m.top().declare = angles.declare
}

// colon notes labels, which nest, and ") :", which is the return type of an arrow function or half of a conditional.
func (m *measurer) colon() {
	m.top().typed = m.prev == ")"
	if !m.top().list {
		m.add(level{chain: 1})
	}
}

// arrow opens a scope. Behind "a ? (b) :" a TypeScript parser can't know whether "c =>" belongs to a return type until
// it has read the body, and reads it twice: nested, that doubles at each level.
func (m *measurer) arrow() {
	l := level{chain: 1, scopes: 1}
	if top := m.top(); top.ternary && top.typed {
		l.forks = 1
	}
	m.top().typed = false
	m.add(l)
}

// enumLiteral counts the bytes of string literals in enums.
func (m *measurer) enumLiteral(t token) {
	if !m.top().enum {
		return
	}
	m.extent.enumText += t.end - t.start
	if t.kind == kindTemplate && m.s.src[t.start] == '}' {
		m.extent.enumJoins++
	}
}

// join counts the operators that join strings in enums.
func (m *measurer) join(op string) {
	if op == "+" && m.top().enum {
		m.extent.enumJoins++
	}
}

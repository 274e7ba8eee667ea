package script

// extent is how much work a text can make for a parser, measured before one sees it. Parsers recurse: a quarter of a
// megabyte of "a=>a=>…" overflows Go's stack, which no recover can catch, and some shapes cost them quadratic or
// exponential time. So the shape is measured first, in linear time.
type extent struct {
	names  int // identifiers and keywords in all
	scopes int // deepest nesting of brackets, arrow functions and bare statements
	nest   int // deepest recursion that scopes and chains of operators can cause
	angles int // most "<" open at once
	forks  int // most arrow functions inside one another that are ambiguous with a conditional
	// enumText and enumJoins are the bytes of string literals in enums and the operators that can join them: an enum's
	// strings are copied to each use.
	enumText, enumJoins int
	// repeats is how often the name declared most often is declared, or how many decorators there are, if more: esbuild
	// walks the text for each redeclaration.
	repeats int
	// at is where nest was deepest.
	at int
}

// level is what measure knows about one open bracket.
type level struct {
	chain   int // recursion that the current statement or element can cause
	scopes  int // arrows and bare statements open in it
	angles  int
	forks   int
	ternary bool // a "?" is open
	typed   bool // behind ") :", as of an arrow's return type or a conditional
	declare bool // the statement is let, const or var: commas separate
	list    bool // commas separate elements
	enum    bool // inside an enum's body
}

// measurer walks over the tokens of a text once.
type measurer struct {
	s      *scanner
	levels []level
	sum    level // sums of chain, scopes, angles and forks over all levels
	prev   string
	ended  bool // the token before may have ended a statement
	enum   bool // the next brace opens an enum
	// declared counts declarations by name.
	declared map[string]int
	extent   extent
}

// measure returns the extent of a text.
func measure(src string) extent {
	m := &measurer{s: newScanner(src), levels: make([]level, 1, 16), declared: map[string]int{}, ended: true}
	for {
		depth := len(m.s.stack)
		t := m.s.next()
		if t.kind == kindEnd {
			return m.extent
		}
		m.token(t, depth)
	}
}

func (m *measurer) top() *level { return &m.levels[len(m.levels)-1] }

// token takes in one token; depth is the number of brackets that were open before it.
func (m *measurer) token(t token, depth int) {
	text := m.s.text(t)
	if m.startsStatement(t, text) {
		m.restart()
		m.top().declare = text == "let" || text == "const" || text == "var"
	}
	m.count(t, text)
	m.weigh(t, text)
	m.brackets(t, text, depth)
	m.ended = t.kind == kindPunct && (text == ";" || (text == "}" || text == "{") && !m.s.operand)
	m.prev = text
	m.record(t)
}

// continuations are the words that go on with a statement after its brace or line seemed to end it.
var continuations = map[string]bool{
	"else": true, "catch": true, "finally": true, "while": true, "in": true, "instanceof": true,
	"as": true, "satisfies": true, "of": true, "extends": true,
}

// startsStatement says whether a token surely begins a statement of its own. A miss only makes the measure too large; a
// wrong yes would hide nesting.
func (m *measurer) startsStatement(t token, text string) bool {
	if t.kind == kindWord && continuations[text] {
		return false
	}
	if m.ended {
		return m.prev == ";" || t.kind == kindWord
	}
	if !t.newline || !t.afterOperand {
		return false
	}
	switch t.kind {
	case kindWord, kindNumber, kindString:
		return true
	case kindPunct:
		return text == "++" || text == "--" || text == "!" || text == "~" || text == "@"
	default:
		return false
	}
}

// restart forgets the chain of the statement or element that ended.
func (m *measurer) restart() {
	top := m.top()
	m.sum.chain -= top.chain
	m.sum.scopes -= top.scopes
	m.sum.angles -= top.angles
	m.sum.forks -= top.forks
	*top = level{list: top.list, enum: top.enum}
}

// add deepens the current level.
func (m *measurer) add(l level) {
	top := m.top()
	top.chain += l.chain
	top.scopes += l.scopes
	top.angles += l.angles
	top.forks += l.forks
	m.sum.chain += l.chain
	m.sum.scopes += l.scopes
	m.sum.angles += l.angles
	m.sum.forks += l.forks
}

// brackets follows the scanner's stack.
func (m *measurer) brackets(t token, text string, depth int) {
	open := len(m.s.stack)
	switch {
	case open > depth:
		m.push(t)
	case open < depth:
		m.pop()
	case t.kind == kindTemplate && depth > 0 && text[0] == '}':
		m.restart() // from one substitution to the next
	}
}

func (m *measurer) push(t token) {
	b := m.s.stack[len(m.s.stack)-1]
	l := level{enum: m.top().enum}
	switch b.open {
	case '{':
		l.enum = l.enum || m.enum
		l.list = !b.block || m.enum
		m.enum = false
	case '(':
		l.list = t.afterOperand && !b.control
	case '[':
		l.list = !t.afterOperand
	}
	m.levels = append(m.levels, l)
}

func (m *measurer) pop() {
	m.restart()
	m.levels = m.levels[:len(m.levels)-1]
}

// record keeps the largest of each measure.
func (m *measurer) record(t token) {
	e := &m.extent
	if t.kind == kindWord {
		e.names++
	}
	scopes := m.sum.scopes + len(m.s.stack)
	e.scopes = max(e.scopes, scopes)
	e.angles = max(e.angles, m.sum.angles)
	e.forks = max(e.forks, m.sum.forks)
	if nest := m.sum.chain + scopes; nest > e.nest {
		e.nest, e.at = nest, t.start
	}
}

// declarers are the words and marks behind which a name is declared in its scope.
var declarers = map[string]bool{
	"let": true, "const": true, "class": true, "using": true, "enum": true, "type": true, "interface": true,
}

// count counts the declaration that a token may be.
func (m *measurer) count(t token, text string) {
	switch {
	case t.kind == kindWord && declarers[m.prev], t.kind == kindPrivate && m.prev != ".":
	case text == "@":
	default:
		return
	}
	m.declared[text]++
	m.extent.repeats = max(m.extent.repeats, m.declared[text])
}

package script

import "strings"

// Call is a call in the cell's text.
type Call struct {
	Found              // what is called
	from, open, to int // the first token, the parenthesis, the last token
}

// CallAt returns the call of a tool from which a frame is: of calls inside one another, the one whose name begins with
// tools, MCP or namespaces.
func (r *Reading) CallAt(f Frame) (Call, bool) {
	if r == nil {
		return Call{}, false
	}
	sites := r.failed(r.calls(), f)
	if open, ok := r.openAt(f); ok {
		sites = []site{open}
	}
	if len(sites) > maxCandidates {
		return Call{}, false
	}
	var calls, bridged []Call
	for _, s := range sites {
		c, ok := r.call(s)
		if !ok {
			continue
		}
		calls = append(calls, c)
		if len(c.Path) > 1 {
			switch r.Resolve(c.Path)[0] {
			case "tools", "MCP", "namespaces":
				bridged = append(bridged, c)
			}
		} else if len(c.Path) == 1 && len(r.Resolve(c.Path)) > 1 {
			bridged = append(bridged, c)
		}
	}
	if len(bridged) > 0 {
		calls = bridged
	}
	if len(calls) != 1 {
		return Call{}, false
	}
	return calls[0], true
}

func (r *Reading) call(s site) (Call, bool) {
	start, ok := r.expressionStart(s.to)
	if !ok {
		return Call{}, false
	}
	found, ok := r.found(site{from: start, to: s.to})
	open := s.to + 1
	if r.text(open) == "?." {
		open++
	}
	if r.text(open) != "(" || r.closer(open) < 0 {
		return Call{}, false
	}
	return Call{found, start, open, r.closer(open)}, ok
}

// Use is where a promise was used as if it were its value.
type Use struct {
	Found       // the expression that is the promise
	At    Found // the property that was read of it, or the expression again
	Call  *Call // by which the promise was made, if the text tells
}

// PropertyRead returns where a property was read of a promise, by the frame of the read.
func (r *Reading) PropertyRead(property string, f Frame) (Use, bool) {
	if r == nil {
		return Use{}, false
	}
	var sites []site
	for i, t := range r.tokens {
		if s, ok := r.propertyAt(i, t, property); ok && !s.maybe {
			sites = append(sites, s)
		}
	}
	exact := r.failed(sites, f)
	if len(exact) == 0 && len(sites) == 1 {
		exact = sites
	}
	if len(exact) != 1 {
		return Use{}, false
	}
	s := exact[0]
	start, ok := r.expressionStart(s.to)
	if !ok {
		return Use{}, false
	}
	promise, ok := r.found(site{from: start, to: s.to})
	u := Use{Found: promise, At: r.placed(s.from)}
	end := s.from
	if r.text(s.from-1) == "[" {
		end = r.closer(s.from - 1)
	}
	u.At.Text, _ = r.show(start, end)
	u.Call = r.madeBy(start, s.to, maxAliases)
	return u, ok
}

// madeBy returns the call that made what an expression is: the expression itself, or the one that its name was declared
// with. So many names are followed, which may stand for themselves.
func (r *Reading) madeBy(from, to, names int) *Call {
	if from == to && r.isWord(from) {
		name := r.text(from)
		if names == 0 || r.declared(name) != 1 {
			return nil
		}
		for i := range r.tokens {
			if r.isWord(i) && r.text(i) == name && r.text(i+1) == "=" {
				return r.madeBy(i+2, r.expressionEnd(i+2)-1, names-1)
			}
		}
		return nil
	}
	if to <= from || r.text(to) != ")" || r.opener(to) < 0 {
		return nil
	}
	if start, ok := r.expressionStart(to); !ok || start != from {
		return nil
	}
	for _, s := range r.calls() {
		if s.to == r.opener(to)-1 {
			if c, ok := r.call(s); ok {
				return &c
			}
		}
	}
	return nil
}

// Misuse returns how the promise that a call made is used as if it were its value, where that shows in the text alone:
// as a condition, compared, spread, or gone through by its properties. ok is false if it shows no such use.
func (r *Reading) Misuse(c Call) (use Found, how string, ok bool) {
	if how = r.misusedAt(c.from, c.to); how != "" {
		return c.Found, how, true
	}
	if r.text(c.from-1) != "=" || !r.isWord(c.from-2) {
		return Found{}, "", false
	}
	name := r.text(c.from - 2)
	if r.expressionEnd(c.from) != c.to+1 || r.declared(name) != 1 {
		return Found{}, "", false
	}
	for i := range r.tokens {
		if !r.isWord(i) || r.text(i) != name || i == c.from-2 {
			continue
		}
		if how = r.misusedAt(i, i); how != "" {
			use = r.placed(i)
			use.Text = name
			return use, how, true
		}
	}
	return Found{}, "", false
}

// inspectors are builtins that look at an object's own properties, of which a promise has none.
var inspectors = map[string]bool{
	"Object.keys": true, "Object.values": true, "Object.entries": true, "Object.assign": true, "Array.isArray": true,
	"Boolean": true,
}

// compared are the operators that tell promises from their values.
var compared = map[string]bool{
	"===": true, "!==": true, "==": true, "!=": true, "<": true, ">": true, "<=": true, ">=": true,
}

// misusedAt says how the expression of those tokens is used where it stands, empty if that is no misuse.
func (r *Reading) misusedAt(from, to int) string {
	for r.text(from-1) == "(" && r.text(to+1) == ")" && r.closer(from-1) == to+1 && !r.token(from-1).afterOperand && !r.isHead(from-1) {
		from, to = from-1, to+1
	}
	before, after := r.text(from-1), r.text(to+1)
	switch {
	case before == "await":
		return ""
	case before == "!", before == "(" && after == ")" && r.isHead(from-1),
		after == "&&", after == "||", after == "?" && !r.isTyped(to+1):
		return "is always true as a condition"
	case after == "??":
		return "is never null"
	case compared[before], compared[after], before == "case" && after == ":":
		return "equals nothing else"
	case before == "..." && r.around(from) >= 0 && r.text(r.around(from)) == "{":
		return "has no properties to spread"
	case after == "in", before == "in" && !r.inForHead(from-1):
		return "has no properties of its own"
	case before == "(" && (after == ")" || after == ","):
		if start, ok := r.expressionStart(from - 2); ok {
			if names, ok := r.outline.path(start, from-2); ok && inspectors[strings.Join(names, ".")] {
				return "has no properties of its own"
			}
		}
	}
	return ""
}

// isHead says whether the parenthesis at the i-th token is that of if, while or switch.
func (r *Reading) isHead(i int) bool {
	switch r.text(i - 1) {
	case "if", "while", "switch":
		return r.isWord(i - 1)
	}
	return false
}

// isTyped says whether the question mark at the i-th token is none of a conditional.
func (r *Reading) isTyped(i int) bool { return r.text(i) == "?" && r.text(i+1) == ":" }

// waitless are the methods that call a function for each element and don't wait for the promises that it returns.
var waitless = map[string]bool{
	"forEach": true, "filter": true, "some": true, "every": true, "find": true, "findIndex": true, "findLast": true,
	"findLastIndex": true, "sort": true, "toSorted": true,
}

// Runaway is a function that nobody waited for.
type Runaway struct {
	Method string // by which it is called for each element, if it is
	Found         // the call
	Call   *Call  // of a function by its name
	How    string // what came of that, if it is used as a value
}

// RunawayOf returns what was still running when a call was left under way: the innermost async function around the call
// that is given to forEach and the like, or that is called and not waited for. Statement says whether a call that
// stands alone counts.
func (r *Reading) RunawayOf(c Call, statement bool) (Runaway, bool) {
	for at, depth := c.from, 0; depth < 16; depth++ {
		n := r.inside(at)
		if n == 0 {
			return Runaway{}, false
		}
		f := r.functions[n]
		begin := r.functionBegin(f)
		if f.async {
			if r.text(begin-1) == "(" && r.text(f.to) == ")" && r.text(f.to+1) == "(" && statement && r.startsExpression(begin-1) {
				if c, ok := r.call(site{to: f.to}); ok {
					c.Text = "An async function"
					return Runaway{Found: c.Found, Call: &c}, true
				}
			}
			if found, method, ok := r.givenTo(begin, f.to); ok {
				return Runaway{Method: method, Found: found}, true
			}
			if f.name != "" && f.declared && r.keepsFunction(f.name) {
				return r.runawayCall(f.name, statement)
			}
		}
		at = begin - 1
		if at < 0 {
			break
		}
	}
	return Runaway{}, false
}

// givenTo returns the call of forEach or the like whose only argument, or first, is what those tokens are.
func (r *Reading) givenTo(from, to int) (Found, string, bool) {
	if r.text(from-1) != "(" || r.text(to) != ")" && r.text(to) != "," || from < 3 {
		return Found{}, "", false
	}
	method := r.text(from - 2)
	if lead := r.text(from - 3); !waitless[method] || lead != "." && lead != "?." {
		return Found{}, "", false
	}
	start, ok := r.expressionStart(from - 2)
	if !ok {
		return Found{}, "", false
	}
	found, ok := r.found(site{from: start, to: from - 2})
	last := r.placed(from - 2)
	found.Line, found.Column = last.Line, last.Column
	return found, method, ok
}

// runawayCall returns where an async function of the cell is called, or given to forEach, and nobody waits for it.
func (r *Reading) runawayCall(name string, statement bool) (Runaway, bool) {
	for i := range r.tokens {
		if !r.isWord(i) || r.text(i) != name || r.bindsAt(i) {
			continue
		}
		if found, method, ok := r.givenTo(i, i+1); ok {
			return Runaway{Method: method, Found: found}, true
		}
		if r.text(i+1) != "(" || r.closer(i+1) < 0 {
			continue
		}
		c, ok := r.call(site{to: i})
		if !ok || c.from != i {
			continue
		}
		if how := r.misusedAt(c.from, c.to); how != "" {
			return Runaway{Found: c.Found, Call: &c, How: how}, true
		}
		alone := r.startsExpression(i) && (r.text(c.to+1) == ";" || r.text(c.to+1) == "" || r.text(c.to+1) == "}" || r.token(c.to+1).newline)
		if g := r.functions[r.inside(i)]; r.inside(i) > 0 && !g.async && (g.body == i || alone) {
			// x => work(x), given to forEach
			if found, method, ok := r.givenTo(r.functionBegin(g), g.to); ok {
				return Runaway{Method: method, Found: found}, true
			}
		}
		if alone && statement && r.inside(i) == 0 {
			return Runaway{Found: c.Found, Call: &c}, true
		}
	}
	return Runaway{}, false
}

// LoneReturn returns the line of a return of the cell itself that the end of its line ends, although a value is below it;
// 0 if there is none. Line breaks end a return, which is easily forgotten.
func (r *Reading) LoneReturn() int {
	if r == nil {
		return 0
	}
	for i := range r.tokens {
		if !r.isWord(i) || r.text(i) != "return" || i+1 == len(r.tokens) || !r.token(i+1).newline || r.inside(i) != 0 {
			continue
		}
		conditional := r.text(i-1) == ")" || r.text(i-1) == "else" || r.text(i-1) == ":"
		if !conditional && r.around(i) < 0 && !(r.isWord(i+1) && statementWords[r.text(i+1)]) {
			return r.placed(i).Line
		}
	}
	return 0
}

package script

// Callee returns what was called where the engine says that something is not a function, or no constructor.
func (r *Reading) Callee(f Frame, constructor bool) (Found, bool) {
	if f.Native != "" || r == nil {
		return Found{}, false
	}
	calls := r.failed(r.calls(), f)
	if open, ok := r.openAt(f); ok {
		calls = []site{open}
	} else {
		calls = append(calls, r.failed(r.hiddenCalls(), f)...)
	}
	// Of calls inside one another, only the last argument's can have the same position. What is known to be a function
	// is none of them.
	if len(calls) > maxCandidates {
		return Found{}, false
	}
	var left []site
	for _, c := range calls {
		if constructor || !r.isFunction(c) {
			left = append(left, c)
		}
	}
	if len(left) != 1 || left[0].maybe {
		return Found{}, false
	}
	return r.callee(left[0])
}

// maxCandidates bounds how many places are looked at for the one that failed.
const maxCandidates = 8

// callee is the expression that a call calls.
func (r *Reading) callee(s site) (Found, bool) {
	start, ok := r.expressionStart(s.to)
	if !ok {
		return Found{}, false
	}
	s.from = start
	found, ok := r.found(s)
	last := r.placed(s.to) // the name that is wrong, at the end of a chain of several lines
	found.Line, found.Column = last.Line, last.Column
	return found, ok
}

// calls are the calls of the text. What they call ends with the token to.
func (r *Reading) calls() []site {
	var all []site
	for _, i := range r.called {
		s := site{at: r.closer(i) + 1, function: r.inside(i), to: i - 1}
		if r.text(i) == "new" {
			s.to = r.nameEnd(i + 1)
			s.at = s.to + 2
		}
		if r.text(s.to) == "?." {
			s.to--
		}
		s.from = s.to
		all = append(all, s)
	}
	return all
}

// nameEnd returns the last token of a name and properties of it that begins at the i-th token.
func (r *Reading) nameEnd(i int) int {
	for r.text(i+1) == "." {
		i += 2
	}
	return i
}

// hiddenCalls are the places where the language calls a function that the text doesn't name.
func (r *Reading) hiddenCalls() []site {
	var all []site
	add := func(i, at int) {
		all = append(all, site{at: at, function: r.inside(i), from: i, to: i, maybe: true})
	}
	for i, t := range r.tokens {
		switch text := r.text(i); {
		case t.kind == kindTemplate && t.afterOperand && text[0] == '`':
			add(i, i+1)
		case r.isWord(i) && text == "await" && r.text(i-1) == "for" && r.closer(i+1) > 0:
			add(i, r.closer(i+1))
		case r.isWord(i) && (text == "yield" && r.text(i+1) == "*" || text == "using"):
			add(i, r.expressionEnd(i+1))
		case r.isWord(i) && text == "super" && r.text(i+1) == "(" && r.closer(i+1) > 0:
			add(i, r.closer(i+1))
		}
	}
	return all
}

// openAt returns the call whose parenthesis is at the frame's position, or which is returned from there: one engine is that
// exact.
func (r *Reading) openAt(f Frame) (site, bool) {
	if f.Line <= 0 {
		return site{}, false
	}
	offset := offsetOf(r.src, f.Line, f.Column)
	i := r.tokenAt(offset)
	if i == len(r.tokens) || r.token(i).start != offset {
		return site{}, false
	}
	if r.isWord(i) && r.text(i) == "return" {
		end := r.expressionEnd(i + 1)
		for _, s := range r.calls() {
			if s.at == end && s.function == r.inside(i) {
				return s, true
			}
		}
	}
	if r.text(i) != "(" {
		return site{}, false
	}
	for _, s := range r.calls() {
		if s.to == i-1 || s.to == i-2 && r.text(i-1) == "?." {
			return s, true
		}
	}
	return site{}, false
}

// builtins are globals that are functions, and objects all of whose functions are named below.
var builtins = map[string]bool{
	"String": true, "Number": true, "Boolean": true, "Object": true, "Array": true, "Date": true, "RegExp": true, "Symbol": true,
	"Error": true, "TypeError": true, "RangeError": true, "SyntaxError": true, "Map": true, "Set": true, "Promise": true,
	"parseInt": true, "parseFloat": true, "isNaN": true, "isFinite": true, "encodeURIComponent": true,
	"decodeURIComponent": true, "BigInt": true, "structuredClone": true, "setTimeout": true, "text": true, "json": true,
	"yield_control": true, "URL": true,

	"Object.keys": true, "Object.values": true, "Object.entries": true, "Object.assign": true, "Object.fromEntries": true,
	"Object.freeze": true, "Array.isArray": true, "Array.from": true, "Array.of": true, "JSON.parse": true, "JSON.stringify": true,
	"Math.max": true, "Math.min": true, "Math.round": true, "Math.floor": true, "Math.ceil": true, "Math.abs": true,
	"Math.random": true, "Math.pow": true, "Math.sqrt": true, "Promise.all": true, "Promise.allSettled": true,
	"Promise.race": true, "Promise.any": true, "Promise.resolve": true, "Promise.reject": true, "Number.isInteger": true,
	"Number.isFinite": true, "Number.isNaN": true, "Number.parseFloat": true, "Number.parseInt": true, "Date.now": true,
	"String.fromCharCode": true, "console.log": true, "console.info": true, "console.warn": true, "console.error": true,
	"console.debug": true, "tools.call": true, "tools.callValue": true, "tools.search": true, "tools.describe": true,
	"API.list": true, "API.read": true,
}

// isFunction says whether what a call calls is certainly a function: a builtin, or one of the cell's that keeps its name.
func (r *Reading) isFunction(s site) bool {
	start, ok := r.expressionStart(s.to)
	if !ok {
		return false
	}
	names, ok := r.outline.path(start, s.to)
	if !ok {
		// A function that is called where it is written.
		return r.text(s.to) == ")" && r.isFunctionText(r.opener(s.to)+1, s.to)
	}
	if r.declared(names[0]) > 0 {
		return len(names) == 1 && r.keepsFunction(names[0])
	}
	joined := names[0]
	for _, n := range names[1:] {
		joined += "." + n
	}
	return builtins[joined]
}

// isFunctionText says whether the tokens from one up to another are a function.
func (r *Reading) isFunctionText(from, to int) bool {
	for _, f := range r.functions[1:] {
		if f.to == to && (f.from == from || f.from > from && f.from <= from+3) {
			return true
		}
	}
	return false
}

// declared counts the places where a name is declared, or assigned to.
func (r *Reading) declared(name string) int {
	if r.tired() {
		return 2 // in doubt, several
	}
	n := 0
	r.work += len(r.tokens)
	for i := range r.tokens {
		if r.token(i).kind == kindWord && !r.token(i).property && r.text(i) == name && r.bindsAt(i) {
			n++
		}
	}
	return n
}

// bindsAt says whether the name at the i-th token is given a value there, or may be: declarations, assignments,
// parameters and patterns.
func (r *Reading) bindsAt(i int) bool {
	switch r.text(i + 1) {
	case "=", "=>", "of", "in", "++", "--", "+=", "-=", "??=", "||=", "&&=":
		return true
	}
	switch r.text(i - 1) {
	case "function", "class", "let", "const", "var", "*", "...", "catch":
		return true
	case "(", ",", "{", "[", ":":
		f := r.functions[r.inside(i)]
		return r.inside(i) > 0 && i < f.body || r.inPattern(i)
	}
	return false
}

// inPattern says whether the i-th token is in brackets that are taken apart.
func (r *Reading) inPattern(i int) bool {
	for open := r.around(i); open >= 0 && !r.tired(); open = r.around(open) {
		r.work++
		if text := r.text(open); text != "{" && text != "[" {
			return false
		}
		switch r.text(r.closer(open) + 1) {
		case "=", "of":
			return true
		}
	}
	return false
}

// keepsFunction says whether a name is declared once, as a function, and never given another value.
func (r *Reading) keepsFunction(name string) bool {
	if r.declared(name) != 1 {
		return false
	}
	for _, f := range r.functions[1:] {
		if f.name == name && f.declared {
			return true
		}
	}
	return false
}

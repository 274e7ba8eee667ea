package script

import "strings"

// Unpacked returns what was undefined or null where the engine says that it can't be converted to an object: what a
// pattern takes apart. Its text says "a or b" where it may be either.
func (r *Reading) Unpacked(f Frame) (Found, bool) {
	if r == nil || f.Native != "" {
		return Found{}, false
	}
	return r.about(r.patterns("{"), f)
}

// Iterated returns what the engine says is not iterable, or, if it is undefined or null, can't be iterated.
func (r *Reading) Iterated(f Frame) (Found, bool) {
	if r == nil || f.Native != "" {
		return Found{}, false
	}
	return r.about(append(r.patterns("["), r.iterations()...), f)
}

func (r *Reading) about(sites []site, f Frame) (Found, bool) {
	s, ok := r.only(sites, f)
	if !ok {
		return Found{}, false
	}
	return r.found(s)
}

// iterations are the places where something is gone through: for … of, and spreading into a list or a call.
func (r *Reading) iterations() []site {
	var all []site
	for i := range r.tokens {
		switch text := r.text(i); {
		case text == "of" && r.isWord(i) && r.inForHead(i):
			end := r.expressionEnd(i + 1)
			all = append(all, site{at: end, function: r.inside(i), from: i + 1, to: end - 1})
		case text == "..." && r.token(i).kind == kindPunct && r.spreadsList(i):
			end := r.expressionEnd(i + 1)
			all = append(all, site{at: end, function: r.inside(i), from: i + 1, to: end - 1})
		case r.isWord(i) && text == "yield" && r.text(i+1) == "*":
			all = append(all, site{at: r.expressionEnd(i + 2), function: r.inside(i), from: i, to: i, maybe: true})
		}
	}
	return all
}

// inForHead says whether the of at the i-th token is a loop's.
func (r *Reading) inForHead(i int) bool {
	open := r.around(i)
	return r.text(open) == "(" && (r.text(open-1) == "for" || r.text(open-1) == "await" && r.text(open-2) == "for")
}

// spreadsList says whether the dots at the i-th token spread into a list or a call's arguments.
func (r *Reading) spreadsList(i int) bool {
	open := r.around(i)
	bracket, after := r.text(open), r.text(r.closer(open)+1)
	// In a pattern or in parameters, dots collect.
	if open < 0 || after == "=" || after == "=>" || after == "of" || bracket == "(" && after == "{" {
		return false
	}
	return bracket == "(" && r.token(open).afterOperand || bracket == "[" && !r.token(open).afterOperand
}

// patterns are the places where an object ("{") or a list ("[") is taken apart.
func (r *Reading) patterns(kind string) []site {
	var all []site
	for i := range r.tokens {
		text := r.text(i)
		if r.closer(i) < 0 || text != "{" && text != "[" || r.token(i).kind != kindPunct {
			continue
		}
		if s, sources, ok := r.patternAt(i); ok {
			if s, ok := r.taken(s, i, kind, sources); ok {
				all = append(all, s)
			}
		}
	}
	if kind == "{" {
		all = append(all, r.deletes()...)
	}
	return all
}

// deletes are the other places where the engine makes an object of a value.
func (r *Reading) deletes() []site {
	var all []site
	for i := range r.tokens {
		if r.isWord(i) && (r.text(i) == "delete" || r.text(i) == "with") {
			all = append(all, site{at: r.expressionEnd(i + 1), function: r.inside(i), from: i, to: i, maybe: true})
		}
	}
	return all
}

// patternAt is the pattern that begins at the i-th token, and the text of what it takes apart, empty if that is a
// parameter or an element.
func (r *Reading) patternAt(i int) (s site, source string, ok bool) {
	end := r.closer(i)
	f := r.functions[r.inside(i)]
	s = site{function: r.inside(i), from: i, to: end}
	outer := r.around(i)
	switch after := r.text(end + 1); {
	case r.inside(i) > 0 && i < f.body && outer == f.from:
		// A parameter, with a default or without.
		s.at, s.note = i, r.parameter(f, i)
		return s, "", true
	case after == "=" && (outer < 0 || r.text(outer) != "{" || r.isBlock(outer)) && (outer < 0 || r.text(outer) != "["):
		to := r.expressionEnd(end + 2)
		if to <= end+2 {
			return s, "", false
		}
		s.at, s.from, s.to = to, end+2, to-1
		text, shown := r.show(s.from, s.to)
		if r.text(s.from) == "await" && shown {
			text = "the result of " + text
		}
		return s, text, shown
	case after == "of" && r.inForHead(end+1):
		to := r.expressionEnd(end + 2)
		text, shown := r.show(end+2, to-1)
		s.at = i
		return s, "an element of " + text, shown
	}
	return s, "", false
}

var ordinals = []string{"first", "second", "third", "fourth"}

// parameter names the parameter of f that begins at the i-th token.
func (r *Reading) parameter(f function, i int) string {
	n := 0
	for at := f.from + 1; at < i; at++ {
		if r.closer(at) >= 0 {
			at = r.closer(at)
		} else if r.text(at) == "," {
			n++
		}
	}
	if n >= len(ordinals) {
		return "an argument"
	}
	if f.name == "" {
		return "the " + ordinals[n] + " argument"
	}
	return "the " + ordinals[n] + " argument of " + f.name
}

// taken completes a pattern that begins at the i-th token with what of it may be what is wrong: the whole, and what is
// taken apart within. ok is false if there is nothing of that kind, or too much.
func (r *Reading) taken(s site, i int, kind, source string) (site, bool) {
	if source == "" {
		source = s.note
	}
	var names []string
	if r.text(i) == kind && (s.from == i || !r.isObject(s.from, kind)) {
		names = append(names, source)
	}
	inner, ok := r.takenWithin(i, kind, source)
	if names = append(names, inner...); !ok || len(names) == 0 || len(names) > 3 {
		s.maybe = true
		return s, ok && len(names) > 0
	}
	s.note = strings.Join(names, " or ")
	return s, true
}

// isObject says whether the expression from that token on is certainly a list ("["), or any object ("{").
func (r *Reading) isObject(from int, kind string) bool {
	return isLiteral(r.text(from), kind) || r.expressionEnd(from) == from+1 && r.isConstant(from, kind)
}

func isLiteral(text, kind string) bool { return text == "[" || text == "{" && kind == "{" }

// isConstant says whether the name at the i-th token is that of a constant that is a list, or any object.
func (r *Reading) isConstant(i int, kind string) bool {
	name := r.text(i)
	if !r.isWord(i) || r.declared(name) != 1 {
		return false
	}
	for i := range r.tokens[:i] {
		if r.text(i) == "const" && r.text(i+1) == name && r.text(i+2) == "=" && isLiteral(r.text(i+3), kind) {
			return r.closer(i+3) > 0 && r.expressionEnd(i+3) == r.closer(i+3)+1
		}
	}
	return false
}

// takenWithin returns what is taken apart in a pattern, by its names.
func (r *Reading) takenWithin(open int, kind, source string) (names []string, ok bool) {
	if len(source) > maxShown {
		return nil, false
	}
	if r.text(open) != "{" {
		// Of elements there is no name.
		for i := open + 1; i < r.closer(open); i++ {
			if r.text(i) == kind {
				return nil, false
			}
		}
		return nil, true
	}
	for i := open + 1; i < r.closer(open); i++ {
		if r.closer(i) < 0 {
			continue
		}
		text := r.text(i)
		if r.text(i-1) == ":" && (text == "{" || text == "[") && r.token(i-2).kind == kindWord && len(names) < 8 {
			// With a default it can't be undefined; that it is null is rare, and not certain.
			path := source + "." + r.text(i-2)
			if strings.Contains(source, " ") {
				path = r.text(i-2) + " of " + source
			}
			if text == kind && r.text(r.closer(i)+1) != "=" {
				names = append(names, path)
			} else if text == kind {
				return nil, false
			}
			inner, fine := r.takenWithin(i, kind, path)
			if !fine {
				return nil, false
			}
			names = append(names, inner...)
		}
		i = r.closer(i)
	}
	return names, true
}

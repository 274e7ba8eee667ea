package script

import (
	"strconv"
	"strings"
)

// Receiver returns what was undefined or null where the engine says that it can't read, or set, a property of it. The
// answer's position is that of the property.
func (r *Reading) Receiver(property string, set bool, f Frame) (Found, bool) {
	if r == nil || f.Native != "" || property == "" || len(property) > maxLocatedName {
		return Found{}, false
	}
	var sites []site
	for i, t := range r.tokens {
		s, ok := r.propertyAt(i, t, property)
		if !ok {
			continue
		}
		if set {
			if s, ok = r.assigned(s); !ok {
				continue
			}
		}
		sites = append(sites, s)
	}
	exact := r.failed(sites, f)
	if len(exact) == 0 && len(sites) == 1 {
		exact = sites
	}
	if len(exact) == 0 || len(exact) > maxCandidates {
		return Found{}, false
	}
	first, ok := r.receiver(exact[0])
	for _, s := range exact[1:] {
		// In several places, but of the same expression: which one it was makes no difference but for the line.
		if other, found := r.receiver(s); !found || other.Text != first.Text {
			return Found{}, false
		}
	}
	return first, ok && !exact[0].maybe
}

// propertyAt is the property that the i-th token reads, if it is one of that name.
func (r *Reading) propertyAt(i int, t token, property string) (site, bool) {
	lead := r.text(i - 1)
	switch {
	case (t.property || t.kind == kindPrivate && (lead == "." || lead == "?.")) && i > 1:
		s := site{at: i, function: r.inside(i), from: i, to: i - 2}
		return s, decodeEscapes(r.text(i)) == property
	case lead == "[" && r.token(i-1).afterOperand && i > 1 && r.closer(i-1) >= 0:
		s := site{at: r.closer(i - 1), function: r.inside(i), from: i, to: i - 2}
		if r.text(s.to) == "?." {
			s.to--
		}
		if r.closer(i-1) == i+1 && (t.kind == kindString || t.kind == kindNumber) {
			text := strings.Trim(r.text(i), `"'`)
			return s, text == property
		}
		// Whatever the index is: it may be that name.
		_, err := strconv.Atoi(property)
		named := err != nil
		s.maybe = named
		return s, !named || !r.isNumber(i, r.closer(i-1)) && !r.isConstant(s.to, "{")
	}
	return site{}, false
}

// isNumber says whether the index of those tokens is a number: it is computed with one, or is a variable that began as
// one.
func (r *Reading) isNumber(from, to int) bool {
	if to == from+1 && r.isWord(from) {
		if r.tired() {
			return false
		}
		r.work += len(r.tokens)
		for i := range r.tokens {
			if r.text(i) == r.text(from) && r.text(i+1) == "=" && i+2 < len(r.tokens) && r.token(i+2).kind == kindNumber {
				return true
			}
		}
		return false
	}
	for i := from; i < to; i++ {
		if r.token(i).kind == kindNumber || r.token(i).property && r.text(i) == "length" {
			return true
		}
	}
	return false
}

// assigned is where the property of a site is set, if it is.
func (r *Reading) assigned(s site) (site, bool) {
	end := s.from
	if r.text(s.to+1) == "[" {
		end = r.closer(s.to + 1)
	}
	if r.text(end+1) != "=" {
		return s, false
	}
	s.at = r.expressionEnd(end + 2)
	return s, true
}

// receiver is what a property is read of.
func (r *Reading) receiver(s site) (Found, bool) {
	start, ok := r.expressionStart(s.to)
	if !ok {
		return Found{}, false
	}
	found, ok := r.found(site{from: start, to: s.to})
	at := r.placed(s.from)
	found.Line, found.Column = at.Line, at.Column
	return found, ok
}

// Argument returns the first argument of the call by which a builtin was called that threw, and the call's own text as
// far as its parenthesis.
func (r *Reading) Argument(f Frame) (argument, callee Found, ok bool) {
	if r == nil || f.Native == "" {
		return Found{}, Found{}, false
	}
	calls := r.failed(r.calls(), f)
	if open, exact := r.openAt(f); exact {
		calls = []site{open}
	}
	if len(calls) > maxCandidates {
		return Found{}, Found{}, false
	}
	var named []site
	for _, c := range calls {
		if r.text(c.to) == f.Native {
			named = append(named, c)
		}
	}
	if len(named) != 1 {
		return Found{}, Found{}, false
	}
	callee, ok = r.callee(named[0])
	from := named[0].to + 2
	if r.text(named[0].to+1) != "(" {
		return Found{}, Found{}, false
	}
	end := r.expressionEnd(from)
	if !ok || end <= from || r.text(from) == "..." {
		return Found{}, Found{}, false
	}
	argument, ok = r.found(site{from: from, to: end - 1})
	return argument, callee, ok
}

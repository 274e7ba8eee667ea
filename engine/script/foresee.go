package script

import "unicode/utf8"

// Foreseen is a place where the engine may throw an error of its own, without a name for what it is about.
type Foreseen struct {
	Frame
	Kind     Blunder
	Property string // of which it is read, of a Property
}

// Blunder is what goes wrong there.
type Blunder int

// The kinds.
const (
	CallOfNone   Blunder = iota // what is called is not a function
	NewOfNone                   // what is called with new is no constructor
	ReadOfNone                  // a property is read of undefined or null
	SetOfNone                   // a property is set of it
	UnpackOfNone                // undefined or null is taken apart as an object
	WalkOfNone                  // what is gone through is not iterable, or undefined or null
)

// maxForeseen bounds the places that are looked at.
const maxForeseen = 200

// Foresee returns the places of the text where an error of the engine's may be about one expression. What is certain to be
// in order is left out.
func (r *Reading) Foresee(known func(path []string) bool) []Foreseen {
	if r == nil {
		return nil
	}
	f := foresight{r: r, seen: map[Foreseen]bool{}}
	for _, s := range r.calls() {
		if f.full() {
			break
		}
		switch {
		case r.text(s.to+1) == "" || r.isNewSite(s):
			f.add(s, NewOfNone, "")
		case !f.isKnown(s, known):
			f.add(s, CallOfNone, "")
		}
	}
	for i := range r.tokens {
		if f.full() {
			break
		}
		if t := r.token(i); t.property && i > 1 && !always[r.text(i-2)] {
			name := decodeEscapes(r.text(i))
			f.add(site{at: i, function: r.inside(i)}, ReadOfNone, name)
			if s, ok := r.assigned(site{at: i, function: r.inside(i), from: i, to: i - 2}); ok {
				f.add(s, SetOfNone, name)
			}
		}
	}
	for _, s := range r.patterns("{") {
		f.add(s, UnpackOfNone, "")
	}
	for _, s := range append(r.patterns("["), r.iterations()...) {
		f.add(s, WalkOfNone, "")
	}
	return f.all
}

// always are names that stand for objects in every cell, unless it declares them itself.
var always = map[string]bool{
	"tools": true, "console": true, "Math": true, "JSON": true, "Object": true, "Array": true, "Promise": true, "MCP": true,
	"Date": true, "Number": true, "String": true, "API": true,
}

type foresight struct {
	r    *Reading
	seen map[Foreseen]bool
	all  []Foreseen
}

func (f *foresight) full() bool { return len(f.all) >= maxForeseen || f.r.tired() }

// add notes the frame that the engine would have for what happens at a site.
func (f *foresight) add(s site, kind Blunder, property string) {
	if f.full() || s.maybe {
		return
	}
	place := Foreseen{Kind: kind, Property: property}
	offset := f.r.lastNotedIn(s.function, s.at)
	if s.function > 0 {
		fn := f.r.functions[s.function]
		place.Function = fn.name
		if offset == unknown {
			// It has either of two then.
			place.Line, place.Column = position(f.r.src, f.r.marks[f.r.functionBegin(fn)])
			f.note(place)
			place.Column = 1
		}
	}
	if offset != unknown {
		place.Line, place.Column = position(f.r.src, offset)
	}
	f.note(place)
}

func (f *foresight) note(place Foreseen) {
	// The engine counts bytes where position counts characters: a line with others has no certain place.
	if !isASCII(lineOf(f.r.src, place.Line)) {
		return
	}
	if !f.seen[place] {
		f.seen[place] = true
		f.all = append(f.all, place)
	}
}

// isKnown says whether what a call calls is certainly a function.
func (f *foresight) isKnown(s site, known func(path []string) bool) bool {
	r := f.r
	if start, ok := r.expressionStart(s.to); ok {
		if path, ok := r.outline.path(start, s.to); ok && len(path) > 1 && always[path[0]] && r.declared(path[0]) == 0 {
			return known(path) || builtins[path[0]+"."+path[1]]
		}
	}
	return r.isFunction(s)
}

// isNewSite says whether a call is made with new.
func (r *Reading) isNewSite(s site) bool {
	start, ok := r.expressionStart(s.to)
	return ok && r.text(start-1) == "new" && r.isWord(start-1)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

package script

import (
	"slices"
	"strings"
)

// Frame is where the engine says that an error comes from, in Body: the cell's own innermost frame.
type Frame struct {
	Function     string // as the engine names it, empty if it has no name
	Line, Column int    // 0 where the engine has no position
	Native       string // the builtin that was called from there and threw, if one did
}

// Found is an expression of the cell that an error is about.
type Found struct {
	Text         string   // on one line, shortened
	Path         []string // the names that it is, if it is a name and properties of it
	Property     string   // the property that it ends with, if it does
	Line, Column int      // where it is in the model's text
	offset       int
}

// maxRead is the size of a text that is read for expressions, in bytes. Larger cells are rare, and do without.
const maxRead = 64 << 10

// Reading answers questions about the expressions of a cell. Every answer is certain, or there is none: the engine says
// little about where it fails, and the text tells only sometimes what that can be. Making one takes time linear in the
// text.
type Reading struct {
	source *Source
	*outline
	*places
}

// Read makes a reading of Body. It is nil if the text is too large.
func (s *Source) Read() *Reading {
	if len(s.Body) > maxRead {
		return nil
	}
	o := newOutline(s.Body)
	return &Reading{s, o, newPlaces(o)}
}

// site is a place where something can go wrong.
type site struct {
	at       int // the token behind which it happens
	function int
	from, to int    // what an error there is about, as tokens
	note     string // how it is put, if not by its text
	maybe    bool   // whether it is such a place depends on values
}

// anchor is what a frame says about where an error comes from: the position that was noted last, and in which function.
type anchor struct {
	mark     int
	function int // -1 for any
}

func (r *Reading) anchors(f Frame) []anchor {
	if f.Line <= 0 {
		return []anchor{{unknown, 0}}
	}
	offset := offsetOf(r.src, f.Line, f.Column)
	all := []anchor{{offset, -1}}
	// Before any position is noted in it, a function has that of its beginning, or the first column of its line.
	for i, fn := range r.functions[1:] {
		if r.marks[r.functionBegin(fn)] == offset {
			all = append(all, anchor{unknown, i + 1})
		}
	}
	if f.Column > 1 {
		return all
	}
	for i, fn := range r.functions[1:] {
		begin := r.token(fn.from).start
		if begin >= offset && !strings.Contains(r.src[offset:begin], "\n") && (f.Function == "" || fn.name == "" || fn.name == f.Function) {
			all = append(all, anchor{unknown, i + 1})
		}
	}
	return all
}

// failed returns the sites where the error can come from.
func (r *Reading) failed(sites []site, f Frame) []site {
	if r.tired() {
		return nil
	}
	anchors := r.anchors(f)
	var exact []site
	for _, s := range sites {
		mark := r.lastNotedIn(s.function, s.at)
		if slices.ContainsFunc(anchors, func(a anchor) bool {
			return a.mark == mark && (a.function < 0 || a.function == s.function)
		}) {
			exact = append(exact, s)
		}
	}
	return exact
}

// only returns the single site where the error can come from. If the engine notes other positions than the ones that are
// expected, it is the only one in whose text the position is, or the only one at all.
func (r *Reading) only(sites []site, f Frame) (site, bool) {
	exact := r.failed(sites, f)
	if len(exact) == 0 && f.Line > 0 {
		offset := offsetOf(r.src, f.Line, f.Column)
		for _, s := range sites {
			if r.token(s.from).start <= offset && offset <= r.token(min(s.to+1, len(r.tokens)-1)).end {
				exact = append(exact, s)
			}
		}
	}
	if len(exact) == 0 {
		exact = sites
	}
	if r.tired() || len(exact) != 1 || exact[0].maybe {
		return site{}, false
	}
	return exact[0], true
}

func (r *Reading) found(s site) (Found, bool) {
	text, ok := s.note, true
	if text == "" {
		text, ok = r.show(s.from, s.to)
	}
	f := r.placed(s.from)
	ok = ok && r.wrote(s.from, s.to)
	f.Text = text
	f.Path, _ = r.outline.path(s.from, s.to)
	if r.token(s.to).property {
		f.Property = r.text(s.to)
	}
	return f, ok
}

// wrote says whether the model wrote the names in those tokens: where the text was transformed, some are the transformer's.
func (r *Reading) wrote(from, to int) bool {
	for i := from; r.source.transformed() && i <= to && i < len(r.tokens); i++ {
		if r.token(i).kind == kindWord && !strings.Contains(r.source.code, r.text(i)) {
			return false
		}
	}
	return true
}

// placed is a Found at the i-th token, without its text.
func (r *Reading) placed(i int) Found {
	f := Found{offset: r.token(i).start}
	line := 1 + strings.Count(r.src[:f.offset], "\n")
	f.Line, f.Column = r.source.Position(line, f.offset-strings.LastIndexByte(r.src[:f.offset], '\n'))
	return f
}

package redact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Mark is what stands in the place of a secret.
const Mark = "[redacted]"

// Options say what is hidden besides what is known by its place.
type Options struct {
	// Names are further parts of the names of secrets. Case, and what stands between words, don't matter.
	Names []string
	// Values are secrets that are hidden wherever they stand, unless they are too short to be told from ordinary text.
	Values []string
	// Known tells of a word whether it is a secret, for those of which only a hash is there. It is asked often. Nil for none.
	Known func(word string) bool
}

// Redactor takes secrets out. It does not change and is safe for concurrent use. A nil one hides what it knows by its place.
type Redactor struct {
	names  *matcher
	values []*matcher
	known  func(word string) bool
	blind  bool // there are more values than can be looked for: everything is hidden
}

// New returns a Redactor.
func New(o Options) *Redactor {
	r := &Redactor{known: o.Known}
	var names []string
	for _, name := range o.Names {
		names = append(names, fold(name))
	}
	r.names = newMatcher(names)
	return r.With(o.Values...)
}

// Blind returns a Redactor that hides everything.
func Blind() *Redactor { return &Redactor{blind: true} }

// With returns a Redactor that hides these values too.
func (r *Redactor) With(values ...string) *Redactor {
	more := Redactor{}
	if r != nil {
		more = *r
	}
	m, ok := valueMatcher(values)
	more.blind = more.blind || !ok
	if m != nil {
		more.values = append(slices.Clip(more.values), m)
	}
	return &more
}

// Size is about how many bytes it takes.
func (r *Redactor) Size() int {
	size := 0
	for _, m := range r.values {
		size += m.size()
	}
	return size
}

// margin is how much more of a text than what is shown is looked at, in bytes: a secret that begins in what is shown must be
// known as one.
const margin = 8 << 10

// Text returns a text without its secrets, of at most about limit bytes, in valid UTF-8; omitted is how many bytes of the text
// are left out at the end, and the text says so.
func (r *Redactor) Text(text string, limit int) (shown string, omitted int) {
	if r != nil && r.blind {
		return Mark, 0
	}
	c := r.clean(text, limit, 0)
	return strings.ToValidUTF8(c.text, ""), c.omitted
}

// cleaned is what is left of a text.
type cleaned struct {
	text    string
	omitted int  // bytes
	hidden  bool // a secret was in it
}

// clean takes the secrets out of a text, and what is more than limit bytes. So many bytes of the text are missing at its end
// already.
func (r *Redactor) clean(text string, limit, missing int) cleaned {
	if missing > 0 { // the last secret may be there in part
		limit = min(limit, max(0, len(text)-margin))
	}
	looked := text[:min(len(text), limit+margin)]
	spans := r.spans(looked, 0)
	if len(spans) == 0 && len(text) <= limit {
		return cleaned{text: text}
	}
	end := len(text)
	if end > limit {
		end = limit
		for end > 0 && end > limit-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var c cleaned
	var out strings.Builder
	at := 0
	for _, s := range spans {
		if s.from >= end {
			break
		}
		c.hidden = true
		if s.from >= at {
			out.WriteString(text[at:s.from])
			out.WriteString(Mark)
		}
		at = max(at, s.to)
	}
	if at < end {
		out.WriteString(text[at:end])
	}
	if c.omitted = len(text) - max(at, end) + missing; c.omitted > 0 {
		out.WriteString(more(c.omitted))
	}
	c.text = out.String()
	return c
}

// more says how much was left out.
func more(bytes int) string { return "… [" + strconv.Itoa(bytes) + " more bytes]" }

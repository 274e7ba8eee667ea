package redact

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// Bounds of what is written.
const (
	maxDepth  = 64  // of brackets inside of one another
	maxNested = 3   // texts that are JSON inside of one another
	maxNumber = 256 // bytes
	minRoom   = 16  // bytes of a text that are shown at least
)

// How much of a JSON text is read, as a multiple of what may be written, and at least in bytes: what is hidden is read, and
// not written.
const (
	readFactor  = 4
	minReadable = 16 << 10
	minNodes    = 256
)

// JSON returns a JSON value without its secrets, as compact JSON of about limit bytes at most; omitted is about how many bytes
// of the text are left out, which is said in their place. A text that is no JSON comes back as a string.
func (r *Redactor) JSON(text []byte, limit int) (shown json.RawMessage, omitted int) {
	if r != nil && r.blind {
		return json.RawMessage(`"` + Mark + `"`), 0
	}
	w := writer{redactor: r, limit: limit, whole: len(text)}
	src := string(text[:min(len(text), max(readFactor*limit, minReadable))])
	if w.write(src) {
		return w.out, w.omitted
	}
	c := r.clean(src, limit, len(text)-len(src))
	return jsontext.AppendString(nil, c.text), c.omitted
}

// writer copies JSON without its secrets.
type writer struct {
	redactor *Redactor
	*tree
	whole   int // bytes of the text, of which the tree may have only a part
	out     []byte
	limit   int
	omitted int
	hidden  bool // something
	full    bool // no more is written
	depth   int
	nested  int
}

// write copies what can be read of a text. It returns false for what is no JSON.
func (w *writer) write(text string) bool {
	t, ok := parseTree(text, len(text) == w.whole, w.limit+minNodes)
	if !ok {
		return false
	}
	w.tree = t
	w.value(0, public)
	return true
}

// value copies a value, of which its name says what it is.
func (w *writer) value(n int, of secrecy) {
	v := &w.nodes[n]
	switch {
	case v.kind == literalNode:
		w.literal(v, of)
	case of == private:
		if v.kind == stringNode && isNoSecret(w.decoded(v)) {
			w.show(w.decoded(v), w.limit, 0)
			return
		}
		w.mark()
	case v.kind == stringNode:
		w.string(v, of)
	case w.depth >= maxDepth:
		w.omitted += v.to - v.from
		w.out = append(w.out, `"[nested too deeply]"`...)
	default:
		w.depth++
		if v.kind == objectNode {
			w.object(n, of)
		} else {
			w.array(n, of)
		}
		w.depth--
	}
}

func (w *writer) mark() {
	w.hidden = true
	w.out = append(w.out, `"`+Mark+`"`...)
}

// ends says whether no more members are written from a place of the text on, and writes why.
func (w *writer) ends(at int, prefix string) bool {
	if !w.full && len(w.out) < w.limit {
		return false
	}
	if !w.full {
		w.leaveOut(at, prefix)
	}
	return true
}

// leaveOut writes how much there is from a place of the text on, instead of that.
func (w *writer) leaveOut(at int, prefix string) {
	w.full = true
	w.omitted += w.whole - at
	w.out = append(append(append(append(w.out, prefix...), `"[`...), strconv.Itoa(w.whole-at)...), ` more bytes]"`...)
}

func (w *writer) array(n int, of secrecy) {
	v := w.nodes[n]
	w.out = append(w.out, '[')
	after := public // what an element says of the next one
	for at := n + 1; at < v.after; at = w.nodes[at].after {
		mark := len(w.out)
		if at > n+1 {
			w.out = append(w.out, ',')
		}
		if w.full {
			w.out = w.out[:mark]
			break
		}
		if w.ends(w.nodes[at].from, "") {
			break
		}
		w.value(at, strictest(of, after))
		after = w.announced(at, n)
	}
	w.cutShort(&v, "")
	w.out = append(w.out, ']')
}

// cutShort says that the text ends before a container does.
func (w *writer) cutShort(v *node, prefix string) {
	if !v.cut || w.full {
		return
	}
	if c := w.out[len(w.out)-1]; c != '[' && c != '{' {
		w.out = append(w.out, ',')
	}
	w.leaveOut(v.to, prefix)
}

// announced says whether an element of an array is the name of the next one: a flag of a command line, a header of a list of
// them, or the first of two.
func (w *writer) announced(at, array int) secrecy {
	v := &w.nodes[at]
	if v.kind != stringNode || v.to-v.from > maxName {
		return public
	}
	name := w.decoded(v)
	first := at == array+1 && v.after < w.nodes[array].after
	if first {
		second := w.nodes[v.after]
		first = second.after == w.nodes[array].after
	}
	if first || strings.HasPrefix(name, "-") || isHeader(name) {
		return w.redactor.secrecyOf(name)
	}
	return public
}

func (w *writer) object(n int, of secrecy) {
	v := w.nodes[n]
	named := w.named(n)
	w.out = append(w.out, '{')
	for at := n + 1; at < v.after; {
		key, value := at, at+1
		if value >= v.after { // the text ends there
			break
		}
		mark := len(w.out)
		if at > n+1 {
			w.out = append(w.out, ',')
		}
		if w.full {
			w.out = w.out[:mark]
			break
		}
		if w.ends(w.nodes[key].from, `"…":`) {
			break
		}
		name := w.decoded(&w.nodes[key])
		w.show(name, maxKey, 0)
		w.out = append(w.out, ':')
		is := strictest(of, w.redactor.secrecyOf(name))
		if isValueKey(name) {
			is = strictest(is, named)
		}
		w.value(value, is)
		at = w.nodes[value].after
	}
	w.cutShort(&v, `"…":`)
	w.out = append(w.out, '}')
}

// maxKey is how much of a name is shown, in bytes.
const maxKey = 256

// named says what a pair of a name and a value says of the value: {"name": "Authorization", "value": "…"}. Where the text ends
// before the name may have come, it might be a secret.
func (w *writer) named(n int) secrecy {
	v := &w.nodes[n]
	is, known := public, false
	for at := n + 1; at+1 < v.after; at = w.nodes[at+1].after {
		value := &w.nodes[at+1]
		if !isNameKey(w.decoded(&w.nodes[at])) || value.kind != stringNode {
			continue
		}
		known = true
		if value.to-value.from <= maxName {
			is = strictest(is, w.redactor.secrecyOf(w.decoded(value)))
		}
	}
	if v.cut && !known {
		return private
	}
	return is
}

// What the members of pairs are called.
func isNameKey(key string) bool {
	switch strings.ToLower(key) {
	case "name", "key", "header", "field", "param", "parameter", "variable", "var", "env", "k":
		return true
	}
	return false
}

func isValueKey(key string) bool {
	switch strings.ToLower(key) {
	case "value", "values", "val", "v":
		return true
	}
	return false
}

// literal copies a number, true, false or null.
func (w *writer) literal(v *node, of secrecy) {
	text := w.text[v.from:v.to]
	number := text != "" && (text[0] == '-' || '0' <= text[0] && text[0] <= '9')
	switch {
	case v.cut:
		w.out = append(w.out, `null`...)
		if w.depth == 0 {
			w.omitted += w.whole
		}
	case number && (of == private || len(w.redactor.valuesIn(text, nil)) > 0):
		w.mark()
	case len(text) > maxNumber:
		w.omitted += len(text)
		w.out = append(append(append(w.out, `"[a number of `...), strconv.Itoa(len(text))...), ` bytes]"`...)
	default:
		w.out = append(w.out, text...)
	}
}

// string copies a string.
func (w *writer) string(v *node, of secrecy) {
	text, missing := w.decoded(v), 0
	if v.cut {
		missing = w.whole - v.to
	}
	switch {
	case of != public && !isNoSecret(text):
		w.mark()
		w.omitted += missing
	case !v.cut && w.inner(text):
	default:
		w.show(text, w.limit, missing)
	}
	w.full = w.full || v.cut
}

// show writes a text of at most so many bytes without its secrets.
func (w *writer) show(text string, limit, missing int) {
	c := w.redactor.clean(text, min(limit, max(w.limit-len(w.out), minRoom)), missing)
	w.omitted += c.omitted
	w.hidden = w.hidden || c.hidden
	w.out = jsontext.AppendString(w.out, c.text)
}

// inner writes a text that is itself JSON, be it only a string, if that hides anything.
func (w *writer) inner(text string) bool {
	text = strings.TrimSpace(text)
	if len(text) < 2 || strings.IndexByte(`{["`, text[0]) < 0 || w.nested == maxNested {
		return false
	}
	in := writer{redactor: w.redactor, whole: len(text), limit: max(w.limit-len(w.out), minRoom), nested: w.nested + 1, depth: w.depth}
	if !in.write(text) || !in.hidden {
		return false
	}
	// Once more as a text: a value that is a secret may lie across what is one by its place.
	c := w.redactor.clean(string(in.out), len(in.out), 0)
	w.hidden = true
	w.omitted += in.omitted
	w.out = jsontext.AppendString(w.out, c.text)
	return true
}

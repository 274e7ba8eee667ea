package bridge

import "unicode/utf8"

// truncateJSON cuts a compact JSON value down to at most limit bytes and keeps its structure (contract D8): arrays keep
// their first items, objects their first members, and the string in which room runs out its beginning. It returns the
// value and how many bytes went. A value that fits is returned as it is.
//
// It reads no further than it writes, whatever the value's size and depth: that much text comes from a cell.
func truncateJSON(value []byte, limit int) ([]byte, int64) {
	if len(value) <= limit {
		return value, 0
	}
	t := truncater{rest: value, limit: limit, out: make([]byte, 0, max(limit, 0))}
	for len(t.rest) > 0 && t.token() {
	}
	out := t.close()
	return out, int64(len(value) - len(out))
}

// truncater copies tokens while there is room for them and for what closes the brackets that are open.
type truncater struct {
	rest    []byte
	limit   int
	out     []byte
	closers []byte // of the open brackets, outermost first
	key     bool   // the next string is a member's name

	// The last place where the value could end: behind a whole value or an opening bracket.
	end      int
	endDepth int
}

func (t *truncater) fits(n int) bool { return len(t.out)+n+len(t.closers) <= t.limit }

func (t *truncater) mark() { t.end, t.endDepth = len(t.out), len(t.closers) }

// take copies the next n bytes.
func (t *truncater) take(n int) {
	t.out = append(t.out, t.rest[:n]...)
	t.rest = t.rest[n:]
}

// token copies one token and reports whether to go on.
func (t *truncater) token() bool {
	switch c := t.rest[0]; c {
	case '{', '[':
		return t.open(c)
	case '}', ']':
		if len(t.closers) == 0 {
			return false
		}
		t.closers = t.closers[:len(t.closers)-1]
		t.take(1)
		t.mark()
		return true
	case ',', ':':
		t.key = c == ',' && len(t.closers) > 0 && t.closers[len(t.closers)-1] == '}'
		t.take(1)
		return true
	case '"':
		return t.text()
	}
	return t.literal()
}

func (t *truncater) open(c byte) bool {
	if !t.fits(2) {
		return false
	}
	t.closers = append(t.closers, c+2) // in ASCII, ] and } stand two behind [ and {
	t.key = c == '{'
	t.take(1)
	t.mark()
	return true
}

func (t *truncater) literal() bool {
	n := 1
	for n < len(t.rest) && t.rest[n] != ',' && t.rest[n] != ']' && t.rest[n] != '}' {
		n++
	}
	if !t.fits(n) {
		return false
	}
	t.take(n)
	t.mark()
	return true
}

func (t *truncater) text() bool {
	room := t.limit - len(t.out) - len(t.closers)
	n, whole := stringPrefix(t.rest, room)
	switch {
	case whole:
		t.take(n)
		if !t.key {
			t.mark()
		}
		return true
	case t.key || n < 0:
		return false
	}
	t.take(n)
	t.out = append(t.out, '"')
	t.mark()
	return false
}

// stringPrefix returns the length of the string at the start of b if it is at most room bytes long, or else the length
// of its longest beginning, opening quote and all, that leaves room for a closing quote and cuts through no character;
// -1 if there is none.
func stringPrefix(b []byte, room int) (n int, whole bool) {
	n = -1
	for i := 1; i < len(b) && i < room; {
		if b[i] == '"' {
			return i + 1, true
		}
		n = i
		i += unitLen(b[i:])
	}
	return n, false
}

// unitLen returns how many bytes a character of a JSON string takes, escapes included.
func unitLen(b []byte) int {
	if b[0] != '\\' {
		_, size := utf8.DecodeRune(b)
		return size
	}
	if len(b) > 1 && b[1] == 'u' {
		return 6
	}
	return 2
}

// close returns what was copied up to the last place where it could end, with the open brackets closed.
func (t *truncater) close() []byte {
	if t.end == 0 {
		return []byte("null")
	}
	out := t.out[:t.end]
	for i := t.endDepth - 1; i >= 0; i-- {
		out = append(out, t.closers[i])
	}
	return out
}

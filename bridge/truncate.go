package bridge

import (
	"github.com/tidwall/gjson"
)

// truncateJSON cuts a JSON value down to at most limit bytes and keeps its structure (contract D8): arrays keep
// their first items, objects their first members, strings their beginning. It returns the value and how many bytes
// went. A value that fits is returned as it is.
func truncateJSON(value []byte, limit int) ([]byte, int64) {
	if len(value) <= limit {
		return value, 0
	}
	t := truncater{room: limit}
	out := t.append(nil, gjson.ParseBytes(value))
	if len(out) > limit { // not even the brackets fit
		out = []byte("null")
	}
	return out, int64(len(value) - len(out))
}

// truncater writes values while there is room. Brackets of what is open are paid for in advance.
type truncater struct{ room int }

func (t *truncater) append(dst []byte, v gjson.Result) []byte {
	switch {
	case len(v.Raw) <= t.room:
		t.room -= len(v.Raw)
		return append(dst, v.Raw...)
	case v.IsArray():
		return t.container(dst, v, '[', ']')
	case v.IsObject():
		return t.container(dst, v, '{', '}')
	case v.Type == gjson.String:
		return t.text(dst, v.Str)
	}
	t.room -= len("null")
	return append(dst, "null"...)
}

// least is the room below which another item is not worth beginning.
const least = 8

func (t *truncater) container(dst []byte, v gjson.Result, open, closing byte) []byte {
	t.room -= 2
	dst = append(dst, open)
	first := true
	v.ForEach(func(key, item gjson.Result) bool {
		head := len(key.Raw) + 2
		if open == '[' {
			head = 1
		}
		if t.room-head < min(len(item.Raw), least) {
			return false
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if open == '{' {
			dst = append(append(dst, key.Raw...), ':')
		}
		t.room -= head
		dst = t.append(dst, item)
		return true
	})
	return append(dst, closing)
}

func (t *truncater) text(dst []byte, s string) []byte {
	for n := min(len(s), t.room); n > 0; n -= max(n/8, 1) {
		cut := appendString(nil, s[:runeStart([]byte(s), n)])
		if len(cut) <= t.room {
			t.room -= len(cut)
			return append(dst, cut...)
		}
	}
	t.room -= 2
	return append(dst, '"', '"')
}

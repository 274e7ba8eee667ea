package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// maxDepth bounds the nesting of a body, because what reads it further on, here and in the guest, recurses.
const maxDepth = 1000

var byteOrderMark = []byte("\xEF\xBB\xBF")

// parseObject checks a body and returns its JSON object. The result holds a copy of the text, so it outlives the buffer
// that raw is in.
//
// A byte order mark in front of it is ignored, as RFC 8259, section 8.1, lets a parser do: some clients write one.
func parseObject(raw []byte) (gjson.Result, error) {
	raw = bytes.TrimPrefix(raw, byteOrderMark)
	if len(bytes.TrimSpace(raw)) == 0 {
		return gjson.Result{}, malformed(raw, 0, "the body is empty")
	}
	if !utf8.Valid(raw) {
		return gjson.Result{}, malformed(raw, firstInvalid(raw), "invalid UTF-8")
	}
	if at := tooDeep(raw); at >= 0 {
		return gjson.Result{}, malformed(raw, at, fmt.Sprintf("nested more than %d levels deep", maxDepth))
	}
	if !gjson.ValidBytes(raw) {
		return gjson.Result{}, syntaxProblem(raw)
	}
	doc := gjson.ParseBytes(raw)
	if !doc.IsObject() {
		return gjson.Result{}, invalid("", "The body must be a JSON object, not "+jsonType(doc)+".")
	}
	return doc, nil
}

// tooDeep returns the offset of the bracket that passes maxDepth, or -1. It runs before anything recursive and so must
// stand any input.
func tooDeep(raw []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			inString = !inString
		case c == '\\' && inString:
			i++
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

func firstInvalid(raw []byte) int {
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRune(raw[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(raw)
}

// syntaxProblem asks the slower parser, which knows where the error is.
func syntaxProblem(raw []byte) *problem {
	var (
		ignored json.RawMessage
		syntax  *json.SyntaxError
	)
	if errors.As(json.Unmarshal(raw, &ignored), &syntax) {
		return malformed(raw, int(syntax.Offset)-1, syntax.Error())
	}
	return malformed(raw, 0, "the text is not JSON")
}

// malformed reports the 0-based byte offset at and the 1-based line of it.
func malformed(raw []byte, at int, what string) *problem {
	at = max(0, min(at, len(raw)))
	line := 1 + bytes.Count(raw[:at], []byte{'\n'})
	return &problem{kind: kindMalformed, detail: fmt.Sprintf("%s, at byte %d (line %d).", what, at, line)}
}

// members is what a route takes from an object: the wanted keys by position, and the names of the others.
type members struct {
	want    []string
	values  []gjson.Result
	unknown []string
}

// pick reads the wanted members of an object. Key names are compared exactly, and one that is given twice is refused:
// parsers on the way here may have looked at the other one.
func pick(doc gjson.Result, prefix string, want ...string) (members, error) {
	m := members{want: want, values: make([]gjson.Result, len(want))}
	var twice string
	doc.ForEach(func(key, value gjson.Result) bool {
		i := indexOf(want, key.Str)
		switch {
		case i < 0:
			m.note(key.Str)
		case m.values[i].Exists():
			twice = key.Str
			return false
		default:
			m.values[i] = value
		}
		return true
	})
	if twice != "" {
		return m, invalid(prefix+twice, prefix+twice+" is given twice; send it once.")
	}
	return m, nil
}

// note keeps the first few unknown names, for a warning.
func (m *members) note(key string) {
	const most, longest = 8, 64
	if len(m.unknown) < most {
		m.unknown = append(m.unknown, key[:min(len(key), longest)])
	}
}

func indexOf(want []string, key string) int {
	for i, w := range want {
		if w == key {
			return i
		}
	}
	return -1
}

// raw returns a member as it was sent, nil if it was not.
func (m *members) raw(key string) json.RawMessage {
	v := m.values[indexOf(m.want, key)]
	if !v.Exists() {
		return nil
	}
	return json.RawMessage(v.Raw)
}

// text returns a string member; absent and null are empty.
func (m *members) text(prefix, key string) (string, error) {
	v := m.values[indexOf(m.want, key)]
	if v.Type == gjson.String || v.Type == gjson.Null {
		return v.Str, nil
	}
	return "", wrongType(prefix+key, "a string", v)
}

// flag returns a boolean member; absent and null are false.
func (m *members) flag(prefix, key string) (bool, error) {
	v := m.values[indexOf(m.want, key)]
	switch v.Type {
	case gjson.True, gjson.False, gjson.Null:
		return v.Type == gjson.True, nil
	}
	return false, wrongType(prefix+key, "true or false", v)
}

func wrongType(path, expected string, got gjson.Result) *problem {
	return invalid(path, path+" must be "+expected+", not "+jsonType(got)+".")
}

// elements calls each for every element of an array member, with its path; absent and null have none.
func (m *members) elements(key string, each func(path string, v gjson.Result) error) error {
	v := m.values[indexOf(m.want, key)]
	if v.Type == gjson.Null {
		return nil
	}
	if !v.IsArray() {
		return wrongType(key, "an array", v)
	}
	var err error
	i := 0
	v.ForEach(func(_, element gjson.Result) bool {
		err = each(key+"["+strconv.Itoa(i)+"]", element)
		i++
		return err == nil
	})
	return err
}

func jsonType(v gjson.Result) string {
	switch {
	case v.IsObject():
		return "an object"
	case v.IsArray():
		return "an array"
	case v.Type == gjson.String:
		return "a string"
	case v.Type == gjson.Number:
		return "a number"
	case v.Type == gjson.Null:
		return "null"
	}
	return "a boolean"
}

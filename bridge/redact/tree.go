package redact

import (
	"strings"

	"github.com/tidwall/gjson"
)

// kind is what a node is.
type kind byte

const (
	objectNode  kind = '{'
	arrayNode   kind = '['
	stringNode  kind = '"'
	literalNode kind = '1' // a number, true, false or null
)

// node is a value of a JSON text, or the name of a member, which comes before its value.
type node struct {
	kind     kind
	cut      bool // the text ends before it does
	from, to int  // of the text
	after    int  // the number of the node that follows it and all that is in it
}

// tree is a JSON text, of which the end may be missing. Its nodes are in the order of the text.
type tree struct {
	text  string
	nodes []node
	open  []int // containers that have not ended
}

// parseTree reads a text, or what there is of it, up to so many nodes; whole says that it is all. It returns false for what
// is no JSON. A part that is missing is a node that is cut, or the end of a container that is.
func parseTree(text string, whole bool, maxNodes int) (*tree, bool) {
	t := &tree{text: text, nodes: make([]node, 0, min(len(text)/4+2, 64))}
	at := 0
	value := true // is what comes next, not the name of a member
	for {
		at = t.space(at)
		if at == len(text) || len(t.nodes) >= maxNodes {
			return t, t.stop(at, !whole || at < len(text))
		}
		switch c := text[at]; {
		case value && (c == '{' || c == '['):
			t.open = append(t.open, len(t.nodes))
			t.nodes = append(t.nodes, node{kind: kind(c), from: at})
			at = t.space(at + 1)
			if at < len(text) && (text[at] == '}' || text[at] == ']') {
				break // an empty one
			}
			value = c == '['
			continue
		case c == '"':
			end, ok := stringEnd(text, at)
			t.leaf(stringNode, at, end, !ok)
			if !ok {
				return t, t.stop(end, !whole) && !whole
			}
			at = end
			if !value {
				if at = t.space(at); at == len(text) {
					return t, t.stop(at, !whole)
				}
				if text[at] != ':' {
					return nil, false
				}
				at++
				value = true
				continue
			}
		case value:
			end := at
			for end < len(text) && strings.IndexByte(",]}:\"[{ \t\r\n", text[end]) < 0 {
				end++
			}
			cut := end == len(text) && !whole
			if !cut && !gjson.Valid(text[at:end]) {
				return nil, false
			}
			t.leaf(literalNode, at, end, cut)
			at = end
		default:
			return nil, false
		}
		var ok, more bool
		if at, more, ok = t.closes(at); !ok {
			return nil, false
		}
		if !more {
			return t, t.stop(at, !whole && at == len(text))
		}
		value = t.nodes[t.open[len(t.open)-1]].kind == arrayNode
	}
}

// closes goes past what ends after a value: containers, and the comma. more says that another value or name must follow.
func (t *tree) closes(at int) (end int, more, ok bool) {
	for len(t.open) > 0 {
		if at = t.space(at); at == len(t.text) {
			return at, false, true
		}
		in := &t.nodes[t.open[len(t.open)-1]]
		switch c := t.text[at]; {
		case c == ',':
			return at + 1, true, true
		case c == '}' && in.kind == objectNode, c == ']' && in.kind == arrayNode:
			at++
			in.to, in.after = at, len(t.nodes)
			t.open = t.open[:len(t.open)-1]
		default:
			return at, false, false
		}
	}
	return t.space(at), false, true
}

// stop ends the tree. It returns false if the text should not have ended there.
func (t *tree) stop(at int, mayEnd bool) bool {
	if len(t.open) == 0 {
		return len(t.nodes) > 0 && (at == len(t.text) || mayEnd)
	}
	for _, n := range t.open {
		t.nodes[n].cut, t.nodes[n].to, t.nodes[n].after = true, at, len(t.nodes)
	}
	return mayEnd
}

func (t *tree) leaf(k kind, from, to int, cut bool) {
	t.nodes = append(t.nodes, node{kind: k, from: from, to: to, cut: cut, after: len(t.nodes) + 1})
}

func (t *tree) space(at int) int {
	for at < len(t.text) && (t.text[at] == ' ' || t.text[at] == '\n' || t.text[at] == '\t' || t.text[at] == '\r') {
		at++
	}
	return at
}

// stringEnd returns where the string that begins there ends, and whether it does.
func stringEnd(text string, at int) (int, bool) {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1, true
		}
	}
	return len(text), false
}

// decoded returns the text of a string.
func (t *tree) decoded(n *node) string {
	raw := t.text[n.from:n.to]
	if !n.cut && strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	if n.cut { // perhaps in the middle of an escape, which has twelve bytes at most
		tail := max(1, len(raw)-12)
		if i := strings.IndexByte(raw[min(tail, len(raw)):], '\\'); i >= 0 {
			raw = raw[:tail+i]
		}
		raw = strings.TrimRight(raw, `\`) + `"`
	}
	return gjson.Parse(raw).Str
}

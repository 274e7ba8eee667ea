package catalog

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/engine/typo"
)

// KeyError says which key of a tool can't be taken as it is, and what to send instead.
type KeyError struct {
	Key    string // a path below the tool: "descripton", "mcp.servername"
	Reason string
}

// Error is the reason, which names the key.
func (e *KeyError) Error() string { return e.Reason }

var (
	toolKeys = []string{
		"source", "owner", "name", "label", "description", "parameters", "outputSchema", "executor", "mcp", "annotations", "bundled",
	}
	mcpKeys = []string{"serverName", "toolName", "operation"}
)

// otherNames are what MCP, Anthropic, OpenAI and Gemini call keys of a tool (contract D5a).
var otherNames = map[string]string{
	"inputSchema": "parameters", "input_schema": "parameters", "parametersJsonSchema": "parameters",
	"output_schema": "outputSchema", "responseJsonSchema": "outputSchema",
	"title": "label",
}

// looksLike are words that stand for a key in other formats, or in nobody's, and don't look like it.
var looksLike = map[string]string{
	"schema": "parameters", "jsonSchema": "parameters", "json_schema": "parameters", "input": "parameters", "inputs": "parameters",
	"args": "parameters", "arguments": "parameters",
	"output": "outputSchema", "response": "outputSchema", "returns": "outputSchema",
	"docs": "description", "summary": "description",
	"url": "executor", "endpoint": "executor", "handler": "executor",
	"server": "mcp", "serverName": "mcp", "toolName": "mcp",
	"plugin": "owner", "pluginId": "owner", "namespace": "owner",
}

// ReadTool reads a tool as a gateway sends it (contract J). Beside the keys of Tool it takes the names that others have for
// them, and OpenAI's form in which the tool stands under "function" (contract D5a). A key that is likely to be a slip for one
// that is not there is a *KeyError: the tool would lose a part of what it is. Any other key that nobody reads becomes one of
// Catalog.Remarks. raw must be valid JSON of bounded depth.
func ReadTool(raw []byte) (Tool, error) {
	var r toolReader
	var t Tool
	doc := gjson.ParseBytes(raw)
	if doc.IsObject() {
		if err := r.read(doc); err != nil {
			return t, err
		}
	}
	if r.renamed {
		raw = r.plain()
	}
	err := json.Unmarshal(raw, &t)
	t.remarks = r.remarks
	return t, err
}

// toolReader sorts the members of a tool by what they mean.
type toolReader struct {
	members [11]gjson.Result // by the place of their key in toolKeys
	renamed bool             // some came under another name
	remarks []string
}

// read takes the members that have names of ours, then the others.
func (r *toolReader) read(doc gjson.Result) error {
	var others []gjson.Result // key and value in turn
	var err error
	doc.ForEach(func(key, value gjson.Result) bool {
		i := slices.IndexFunc(toolKeys, func(k string) bool { return strings.EqualFold(k, key.Str) })
		switch {
		case i < 0:
			others = append(others, key, value)
		case r.members[i].Exists():
			err = &KeyError{toolKeys[i], quoteKey(toolKeys[i]) + " is given twice; send it once"}
		default:
			r.members[i] = value
		}
		return err == nil
	})
	for i := 0; i < len(others) && err == nil; i += 2 {
		err = r.other(others[i].Str, others[i+1])
	}
	if m := r.members[slices.Index(toolKeys, "mcp")]; err == nil && m.IsObject() {
		err = r.mcp(m)
	}
	return err
}

// other takes a member that has no name of ours.
func (r *toolReader) other(key string, value gjson.Result) error {
	switch {
	case otherNames[key] != "":
		return r.alias(key, otherNames[key], value)
	case key == "function" && value.IsObject():
		return r.function(value)
	case key == "type" && (value.Str == "function" || value.Str == "custom"):
		return nil // what OpenAI and Anthropic call a tool of the caller's own
	}
	if near := typo.Nearest(key, toolKeys); near != "" && !r.members[slices.Index(toolKeys, near)].Exists() {
		return &KeyError{clip(key, maxShownKey), "unknown key " + quoteKey(key) + "; did you mean " + quoteKey(near) + "?"}
	}
	r.ignore(key, looksLike[key])
	return nil
}

// function takes OpenAI's form, {"type": "function", "function": {name, description, parameters, strict}}. Its members count
// as the tool's own.
func (r *toolReader) function(value gjson.Result) error {
	var err error
	value.ForEach(func(key, member gjson.Result) bool {
		if slices.Contains(toolKeys, key.Str) {
			err = r.alias("function."+key.Str, key.Str, member)
		} else if key.Str != "function" {
			err = r.other(key.Str, member)
		}
		return err == nil
	})
	return err
}

// alias takes a member under another name. Given under both, it must be the same.
func (r *toolReader) alias(key, known string, value gjson.Result) error {
	i := slices.Index(toolKeys, known)
	if r.members[i].Exists() && r.members[i].Type != gjson.Null {
		if known == "label" || equalJSON(r.members[i].Raw, value.Raw) {
			return nil
		}
		return &KeyError{key, quoteKey(key) + " is another name of " + quoteKey(known) + ", and the two differ; send one of them"}
	}
	r.members[i], r.renamed = value, true
	if !strings.HasPrefix(key, "function.") {
		r.remarks = append(r.remarks, fmt.Sprintf("key %q was read as %q", key, known))
	}
	return nil
}

// mcp looks at the keys of the "mcp" object.
func (r *toolReader) mcp(value gjson.Result) error {
	var err error
	value.ForEach(func(key, _ gjson.Result) bool {
		if slices.ContainsFunc(mcpKeys, func(k string) bool { return strings.EqualFold(k, key.Str) }) {
			return true
		}
		if near := typo.Nearest(key.Str, mcpKeys); near != "" && !value.Get(near).Exists() {
			err = &KeyError{"mcp." + clip(key.Str, maxShownKey), "unknown key " + quoteKey(key.Str) + " in mcp; did you mean " + quoteKey(near) + "?"}
			return false
		}
		r.ignore("mcp."+key.Str, "")
		return true
	})
	return err
}

// ignore notes a key that nobody reads.
func (r *toolReader) ignore(key, meant string) {
	if len(r.remarks) >= maxToolRemarks {
		return
	}
	remark := "unknown key " + quoteKey(key) + " was ignored"
	if meant != "" && !r.members[slices.Index(toolKeys, meant)].Exists() {
		remark += "; did you mean " + quoteKey(meant) + "?"
	}
	r.remarks = append(r.remarks, remark)
}

// plain is the tool with our names only.
func (r *toolReader) plain() []byte {
	out := []byte{'{'}
	for i, m := range r.members {
		if !m.Exists() {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(strconv.AppendQuote(out, toolKeys[i]), ':')
		out = append(out, m.Raw...)
	}
	return append(out, '}')
}

const (
	maxShownKey    = 64 // bytes
	maxToolRemarks = 8
	maxRemarks     = 20
)

func quoteKey(key string) string { return strconv.Quote(clip(key, maxShownKey)) }

// equalJSON tells whether two texts are the same JSON value.
func equalJSON(a, b string) bool {
	var x, y any
	return a == b || json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// remarksOn says what the tools have that nobody reads: a line for each kind, however many tools have it.
func remarksOn(tools []Tool) []string {
	var order []string
	first, count := map[string]int{}, map[string]int{}
	for i := range tools {
		for _, remark := range tools[i].remarks {
			if count[remark]++; count[remark] == 1 && len(order) < maxRemarks {
				first[remark] = i
				order = append(order, remark)
			}
		}
	}
	for i, remark := range order {
		where := "tools[" + strconv.Itoa(first[remark]) + "]"
		if n := count[remark]; n > 1 {
			where += " and " + strconv.Itoa(n-1) + " more"
		}
		order[i] = where + ": " + remark
	}
	return order
}

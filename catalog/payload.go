package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// maxPayloadDepth is the deepest nesting of a tool list that is looked at.
const maxPayloadDepth = 512

// Found is what a provider payload's tool list holds (contract A6).
type Found struct {
	OK    bool     `json:"ok"`
	Names []string `json:"names"` // in payload order; what has no name appears in angle brackets: <type web_search>
	// Problem is "" if OK, else says what was expected and what was there.
	Problem string `json:"problem,omitempty"`
}

// errPayload is for a list that can't be read at all.
var errPayload = errors.New("tools must be valid JSON, nested at most 512 levels deep")

// CheckPayload tells whether a final provider payload's tool list is exactly exec and wait, once each; their order is
// not judged. It reads all of Render's formats, also mixed, and fails closed: a built-in tool, a tool of a kind that
// the provider runs, a group with something else in it, or anything it doesn't understand is a finding. The error is
// for text that is no JSON.
func CheckPayload(tools json.RawMessage) (Found, error) {
	list, err := parsePayload(tools)
	if err != nil {
		return Found{}, err
	}
	found := Found{Names: []string{}}
	if !list.IsArray() {
		found.Problem = "Code mode payload tool surface violation: tools must be an array of exec and wait"
		return found, nil
	}
	odd := false
	list.ForEach(func(_, item gjson.Result) bool {
		for _, d := range declared(item) {
			found.Names = append(found.Names, d.name)
			odd = odd || d.odd
		}
		return true
	})
	n := found.Names
	found.OK = !odd && len(n) == 2 && (n[0] == "exec" && n[1] == "wait" || n[0] == "wait" && n[1] == "exec")
	if !found.OK {
		got := "nothing"
		if len(n) > 0 {
			got = strings.Join(n, ", ")
		}
		found.Problem = "Code mode payload tool surface violation: expected exec, wait; got " + clip(got, 1000)
	}
	return found, nil
}

// FilterPayload reduces a tool list to its first well-formed exec and wait, in their place and shape; groups that end
// up empty go. A list that holds neither becomes []. Check the result to learn whether both are there.
func FilterPayload(tools json.RawMessage) (json.RawMessage, error) {
	list, err := parsePayload(tools)
	if err != nil {
		return nil, err
	}
	f := filter{out: []byte{'['}}
	if list.IsArray() {
		list.ForEach(func(_, item gjson.Result) bool {
			f.item(item)
			return true
		})
	}
	return append(f.out, ']'), nil
}

// parsePayload checks before it parses: the list may come from anywhere.
func parsePayload(tools json.RawMessage) (gjson.Result, error) {
	tools = bytes.TrimSpace(tools)
	if depth(tools) > maxPayloadDepth || !gjson.ValidBytes(tools) {
		return gjson.Result{}, errPayload
	}
	return gjson.ParseBytes(tools), nil
}

// filter collects what may stay.
type filter struct {
	out        []byte
	exec, wait bool
}

// admit decides on one declaration; each of the two names is admitted once.
func (f *filter) admit(d declaration) bool {
	switch {
	case d.odd:
		return false
	case d.name == "exec" && !f.exec:
		f.exec = true
		return true
	case d.name == "wait" && !f.wait:
		f.wait = true
		return true
	}
	return false
}

// item keeps what may stay of one item, byte for byte; only a group is written anew, with nothing in it but the kept
// tools.
func (f *filter) item(item gjson.Result) {
	if !item.IsObject() {
		return
	}
	var kept []string
	for _, d := range declared(item) {
		if f.admit(d) {
			kept = append(kept, d.raw)
		}
	}
	if len(kept) == 0 {
		return
	}
	text := kept[0]
	if group := groupOf(item); group != "" {
		text = `{"` + group + `":[` + strings.Join(kept, ",") + `]}`
	}
	if len(f.out) > 1 {
		f.out = append(f.out, ',')
	}
	f.out = append(f.out, text...)
}

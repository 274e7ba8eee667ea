package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/tidwall/gjson"
)

// errMCPArgument is the text of contract E1 for everything that is no plain object.
//
//lint:ignore ST1005 the text, its full stop included, is the contract's
var errMCPArgument = errors.New("MCP namespace tools accept one object argument.")

// FillMCP completes the input of a call through the MCP namespace (contract E1): schema defaults for absent top-level
// keys, then a check that every required key is there. Empty input counts as {}. What is there is passed on byte for
// byte; types are not checked here.
func (e *Entry) FillMCP(input json.RawMessage) (json.RawMessage, error) {
	input = bytes.TrimSpace(input)
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	given := gjson.ParseBytes(input)
	if !given.IsObject() || !validInput(input) {
		return nil, errMCPArgument
	}
	has := map[string]bool{}
	given.ForEach(func(key, _ gjson.Result) bool {
		has[key.Str] = true
		return true
	})
	var added []byte
	var missing []string
	for _, p := range e.schema().properties {
		if has[p.name] {
			continue
		}
		if d := p.view.fallback; d != "" {
			added = append(added, ',')
			added = appendQuoted(added, p.name)
			added = append(added, ':')
			added = append(added, d...)
			continue
		}
		if p.required {
			missing = append(missing, p.name)
		}
	}
	if len(missing) > 0 {
		return nil, missingArguments(missing)
	}
	return insertMembers(input, added, len(has) == 0), nil
}

func missingArguments(names []string) error {
	noun := "argument: "
	if len(names) > 1 {
		noun = "arguments: "
	}
	return errors.New("Missing required MCP namespace " + noun + clip(strings.Join(names, ", "), 10*maxNameBytes))
}

// insertMembers adds `,"k":v…` before the closing brace of object.
func insertMembers(object, members []byte, empty bool) json.RawMessage {
	if len(members) == 0 {
		return object
	}
	if empty {
		members = members[1:]
	}
	out := make([]byte, 0, len(object)+len(members))
	out = append(out, object[:len(object)-1]...)
	out = append(out, members...)
	return append(out, '}')
}

// validInput guards the parsers that recurse: input comes from a cell.
func validInput(input []byte) bool {
	return depth(input) <= maxInputDepth && gjson.ValidBytes(input)
}

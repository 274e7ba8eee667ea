package script

import (
	"encoding/json"
	"strings"
)

// sentArguments returns the code of a cell that was sent as the arguments of exec, as JSON text, or as the whole call with them.
func sentArguments(code string) (string, bool) {
	text := strings.TrimSpace(code)
	if !strings.HasPrefix(text, "{") || !strings.HasSuffix(text, "}") || !strings.Contains(text, "code") && !strings.Contains(text, "command") {
		return "", false
	}
	if inner, ok := codeOf(text); ok {
		return inner, true
	}
	var call struct {
		Type, ID, Name, Tool               string
		Arguments, Args, Input, Parameters json.RawMessage
	}
	if !decodeWhole(text, &call) || !strings.HasSuffix(call.Name+call.Tool, "exec") {
		return "", false
	}
	for _, sent := range []json.RawMessage{call.Arguments, call.Args, call.Input, call.Parameters} {
		var inText string
		if json.Unmarshal(sent, &inText) != nil {
			inText = string(sent)
		}
		if inner, ok := codeOf(inText); ok {
			return inner, true
		}
	}
	return "", false
}

// codeOf returns what exec's arguments name as the code, if they are nothing else.
func codeOf(arguments string) (string, bool) {
	var sent struct {
		Code, Command *string
		Language      *string
	}
	if !decodeWhole(arguments, &sent) {
		return "", false
	}
	switch {
	case sent.Code != nil && sent.Command == nil:
		return *sent.Code, true
	case sent.Command != nil && sent.Code == nil:
		return *sent.Command, true
	}
	return "", false
}

// decodeWhole decodes a text that is one JSON object with known keys only.
func decodeWhole(text string, into any) bool {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into) == nil && !d.More()
}

package bridge

import (
	"context"
	"encoding/json"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/engine"
)

// lookUp finds the tool that is meant in the turn's own catalog, whatever the guest says, and reads its input: tools.* by
// id or unique name (contract D4), MCP.* by the exact id that the name stands for (contract E1).
func lookUp(_ context.Context, c *call) error {
	if c.method == engine.MethodNamespace {
		return lookUpNamespace(c)
	}
	c.run.turn.counts.describe.Add(1)
	e, err := c.run.turn.catalog.Lookup(c.target)
	if err != nil {
		return &refusalError{codeUnknownTool, err.Error()}
	}
	c.entry = e
	if string(c.input) == "null" {
		c.input = json.RawMessage("{}")
	}
	return nil
}

// lookUpNamespace reads a call through the MCP namespace: exactly one plain object, or none. Its defaults are filled in, and
// what is required and missing is refused, before the schema is asked.
func lookUpNamespace(c *call) error {
	c.entry = c.run.turn.catalog.ByID(c.target)
	if c.entry == nil {
		return errNotVisible(c.target)
	}
	arguments := gjson.ParseBytes(c.input).Array()
	c.input = json.RawMessage("{}")
	switch len(arguments) {
	case 0:
	case 1:
		c.input = json.RawMessage(arguments[0].Raw)
	default:
		return &refusalError{codeInvalidInput, "MCP namespace tools accept one object argument."}
	}
	return nil
}

func errNotVisible(target string) error {
	return &refusalError{codeUnknownTool, "namespace tool is not visible in the run catalog: " + target}
}

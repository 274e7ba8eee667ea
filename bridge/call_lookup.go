package bridge

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/namespaces"
)

// lookUp finds the tool that is meant in the turn's own catalog, whatever the guest says, and reads its input: tools.* by
// id or unique name (contract D4), MCP.* by the exact id that the name stands for (contract E1).
func lookUp(_ context.Context, c *call) error {
	if c.method == engine.MethodNamespace {
		return lookUpNamespace(c)
	}
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

// lookUpNamespace reads a call through a namespace. Those of plugins have names of their own; the rest is the MCP namespace:
// exactly one plain object, or none. Its defaults are filled in already here, so that hooks and people see what the tool
// would be called with, and what is required and missing is refused.
func lookUpNamespace(c *call) error {
	if strings.HasPrefix(c.target, namespaces.Prefix) {
		return lookUpScoped(c)
	}
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
	filled, err := c.entry.FillMCP(c.input)
	if err != nil {
		return &refusalError{codeInvalidInput, err.Error()}
	}
	c.input = filled
	return nil
}

// lookUpScoped reads a call of a plugin's namespace: which of the plugin's tools it is, and with what input, is what the
// scope said when the run began (contract F2).
func lookUpScoped(c *call) error {
	meant, err := c.run.scopes.Resolve(c.target, c.input)
	if err != nil {
		return &refusalError{codeInvalidInput, err.Error()}
	}
	c.entry = c.run.turn.pluginTool(meant.PluginID, meant.Tool)
	if c.entry == nil {
		return errNotVisible(meant.Tool)
	}
	c.input = meant.Input
	return nil
}

func errNotVisible(target string) error {
	return &refusalError{codeUnknownTool, "namespace tool is not visible in the run catalog: " + target}
}

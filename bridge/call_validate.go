package bridge

import (
	"context"
	"fmt"

	"github.com/codecell/codecell/engine"
)

// validateInput holds the input against the tool's schema (contract D5): what the cell sent, or what a hook or a person made
// of it.
func validateInput(ctx context.Context, c *call) error {
	c.run.turn.counts.call.Add(1)
	err := c.refill()
	if full := c.run.turn.weighSchema(c.entry); full != nil {
		return &refusalError{codeTooManyBytes, fmt.Sprintf("there is no room to check the input: %v", full)}
	}
	if err == nil {
		err = c.entry.ValidateContext(ctx, c.input)
	}
	switch {
	case err == nil:
		return nil
	case c.changedBy != "":
		return &refusalError{codeInvalidInput, fmt.Sprintf("the input, as %s changed it, is not valid: %v", c.changedBy, err)}
	}
	return &refusalError{codeInvalidInput, err.Error()}
}

// refill fills in the defaults of an MCP tool anew, if its input was changed since it was looked up.
func (c *call) refill() error {
	if c.changedBy == "" || c.method != engine.MethodNamespace || !c.entry.IsMCP() {
		return nil
	}
	filled, err := c.entry.FillMCP(c.input)
	if err != nil {
		return err
	}
	return c.run.requests.rewrite(c.request, filled)
}

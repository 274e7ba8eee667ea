package bridge

import (
	"context"

	"github.com/codecell/codecell/engine"
)

// validateInput holds the input against the tool's schema (contract D5), and decides who carries the call out.
func validateInput(ctx context.Context, c *call) error {
	if c.method == engine.MethodNamespace && c.entry.IsMCP() {
		filled, err := c.entry.FillMCP(c.input)
		if err != nil {
			return &refusalError{codeInvalidInput, err.Error()}
		}
		c.input = filled
	}
	c.run.turn.counts.call.Add(1)
	if err := c.entry.ValidateContext(ctx, c.input); err != nil {
		return &refusalError{codeInvalidInput, err.Error()}
	}
	if tool := c.run.turn.executor(c.entry); tool.ByCaller() {
		c.kind = callerRequest
	}
	return nil
}

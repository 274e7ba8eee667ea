package bridge

import (
	"context"

	"github.com/codecell/codecell/engine"
)

// validateInput holds the input against the tool's schema (contract D5): what the cell sent, or what a hook or a person made
// of it.
func validateInput(ctx context.Context, c *call) error {
	if c.method == engine.MethodNamespace && c.entry.IsMCP() {
		filled, err := c.entry.FillMCP(c.input)
		if err != nil {
			return &refusalError{codeInvalidInput, err.Error()}
		}
		if err := c.run.requests.rewrite(c.request, filled); err != nil {
			return err
		}
	}
	c.run.turn.counts.call.Add(1)
	if err := c.entry.ValidateContext(ctx, c.input); err != nil {
		return &refusalError{codeInvalidInput, err.Error()}
	}
	return nil
}

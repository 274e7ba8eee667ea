package bridge

import (
	"context"

	"github.com/codecell/codecell/engine"
)

// checkPolicy says whether the cell may call the tool in the way that it did. What the turn's allow and deny lists leave
// out is not in the catalog, so it is unknown already; what is left to check is that MCP tools are called through MCP and
// the others through tools, or a function that a namespace of the run has (contract E1, F2).
func checkPolicy(_ context.Context, c *call) error {
	if c.method == engine.MethodNamespace && !c.entry.IsMCP() && !c.run.scopes.Has(c.target) {
		c.decide("denied", "", "")
		c.entry = nil // the error must not tell that there is one
		return errNotVisible(c.target)
	}
	c.decide("allowed", "", "")
	return nil
}

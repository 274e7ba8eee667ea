package catalog_test

import (
	"encoding/json"
	"fmt"

	"github.com/codecell/codecell/catalog"
)

// A turn's tools become a catalog; a cell finds, describes and calls them by
// id or name, and its input is checked before anything runs.
func Example() {
	var tools []catalog.Tool
	err := json.Unmarshal([]byte(`[
		{"source":"openclaw","owner":"desk","name":"close_ticket","description":"Close a support ticket",
		 "parameters":{"type":"object","properties":{"number":{"type":"integer"}},"required":["number"]}},
		{"source":"openclaw","owner":"core","name":"exec","description":"Run a shell command"}]`), &tools)
	if err != nil {
		panic(err)
	}
	c, err := catalog.New(tools, catalog.Policy{Deny: []string{"openclaw:core:exec"}})
	if err != nil {
		panic(err)
	}
	hit := c.Search("closing tickets", 1)[0]
	fmt.Println(hit.ID())
	fmt.Println(hit.Signature())
	fmt.Println(hit.Validate([]byte(`{"number":"five"}`)))
	_, err = c.Lookup("exec")
	fmt.Println(err)
	// Output:
	// openclaw:desk:close_ticket
	// tools.close_ticket(input: { number: number }): Promise<unknown>
	// Invalid input for openclaw:desk:close_ticket: number: expected integer, got string. Expected { number: number }.
	// Unknown tool id: exec. Use tools.search to find a tool, tools.describe to inspect it, then tools.call with the exact id or name.
}

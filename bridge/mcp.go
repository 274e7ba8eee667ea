package bridge

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/engine"
)

// apiTarget is what a namespace request names when $api was called, on MCP itself or, after a colon, on a server.
const apiTarget = "$api"

// lookUpNamespace judges a call through the MCP namespace (contract E1): exactly one plain object, to a tool that
// is in the catalog as an MCP tool, whatever the guest says.
func (r *run) lookUpNamespace(it *item, q *engine.Request) {
	args := gjson.ParseBytes(q.Payload).Array()
	if server, ok := strings.CutPrefix(q.Name, apiTarget); ok && (server == "" || server[0] == ':') {
		r.describeAPI(it, strings.TrimPrefix(server, ":"), args)
		return
	}
	e := r.turn.catalog.ByID(q.Name)
	if e == nil || !e.IsMCP() {
		it.refuse(codeUnknownTool, "namespace tool is not visible in the run catalog: "+q.Name)
		return
	}
	input := json.RawMessage("{}")
	if len(args) > 0 {
		input = json.RawMessage(args[0].Raw)
	}
	if len(args) > 1 {
		it.refuse(codeInvalidInput, "MCP namespace tools accept one object argument.")
		return
	}
	filled, err := e.FillMCP(input)
	if err != nil {
		it.entry = e
		it.refuse(codeInvalidInput, err.Error())
		return
	}
	r.prepareCall(it, e, filled)
}

func (r *run) describeAPI(it *item, server string, args []gjson.Result) {
	selector, schema := "", false
	if len(args) > 0 && args[0].Type == gjson.String {
		selector = args[0].Str
	}
	if len(args) > 1 {
		schema = args[1].Get("schema").Bool()
	}
	payload, err := r.turn.catalog.MCPAPI(server, selector, schema)
	if err != nil {
		it.refuse(codeInvalidInput, err.Error())
		return
	}
	it.value(payload)
}

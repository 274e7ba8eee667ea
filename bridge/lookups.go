package bridge

import (
	"fmt"
	"math"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
)

// search answers tools.search (contract D3).
func (r *run) search(q *request, asked *engine.Request) error {
	r.turn.counts.search.Add(1)
	c := &r.turn.config
	limit, asking := c.SearchDefaultLimit, gjson.ParseBytes(asked.Payload)
	explain := asking.IsObject() && asking.Get("explain").Bool()
	if explain {
		asking = asking.Get("limit")
	}
	if asking.Type != gjson.Null {
		if asking.Num < 1 || asking.Num != math.Trunc(asking.Num) {
			return &refusalError{codeInvalidInput, "limit must be a positive integer."}
		}
		limit = int(min(asking.Num, float64(c.MaxSearchLimit)))
	}
	if err := r.turn.weighPart(searchIndex); err != nil {
		return &refusalError{codeTooManyBytes, fmt.Sprintf("there is no room to search the catalog: %v", err)}
	}
	if explain {
		hits := r.turn.catalog.Explain(asked.Name, limit)
		return r.answerHits(q, catalog.ExplainedSize(hits), func() []byte { return catalog.AppendExplained(nil, hits) })
	}
	hits := r.turn.catalog.Search(asked.Name, limit)
	return r.answerHits(q, catalog.JSONSize(hits), func() []byte { return catalog.AppendJSON(nil, hits) })
}

// answerHits resolves a search. Descriptions may be long: what there is no room for is not even built.
func (r *run) answerHits(q *request, size int, build func() []byte) error {
	if err := r.account.Hold(size); err != nil {
		return &refusalError{codeTooManyBytes, fmt.Sprintf("these hits have %d bytes, and %v. Ask for fewer, or await pending calls first.", size, err)}
	}
	r.account.Release(size) // the request holds it
	q.resolve(build())
	return nil
}

// describe answers tools.describe (contract D4).
func (r *run) describe(q *request, asked *engine.Request) error {
	r.turn.counts.describe.Add(1)
	e, err := r.turn.catalog.Lookup(asked.Name)
	if err != nil {
		return &refusalError{codeUnknownTool, err.Error()}
	}
	q.resolve(e.DescribeJSON())
	return nil
}

// apiTarget is what a namespace request names when $api was called, on MCP itself or, after a colon, on a server.
const apiTarget = "$api"

// isAPI says whether a namespace request asks for a description and is no call. It returns the server, "" for all.
func isAPI(asked *engine.Request) (server string, ok bool) {
	rest, ok := strings.CutPrefix(asked.Name, apiTarget)
	if !ok || rest != "" && rest[0] != ':' {
		return "", false
	}
	return strings.TrimPrefix(rest, ":"), true
}

// describeAPI answers MCP.$api() and MCP.<server>.$api(tool?, {schema?}) (contract E3).
func (r *run) describeAPI(q *request, server string, asked *engine.Request) error {
	args := gjson.ParseBytes(asked.Payload).Array()
	selector, schema := "", false
	if len(args) > 0 && args[0].Type == gjson.String {
		selector = args[0].Str
	}
	if len(args) > 1 {
		schema = args[1].Get("schema").Bool()
	}
	payload, err := r.turn.catalog.MCPAPI(server, selector, schema)
	if err != nil {
		return &refusalError{codeInvalidInput, err.Error()}
	}
	q.resolve(payload)
	return nil
}

package contracttest

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// spec is a turn about to be prepared. Zero fields are left out of the request, but code mode is on unless the config
// says otherwise.
type spec struct {
	context object
	config  object
	policy  object
	tools   []object
}

func (s spec) body() object {
	config := object{"enabled": true}
	maps.Copy(config, s.config)
	body := object{"config": config}
	if s.context != nil {
		body["context"] = s.context
	}
	if s.policy != nil {
		body["policy"] = s.policy
	}
	if s.tools != nil {
		body["tools"] = s.tools
	}
	return body
}

// turn is a prepared turn and the client that may use it.
type turn struct {
	*client
	id    string
	reply reply // to POST /v1/turns
}

// prepare makes a turn that ends with the test.
func (c *client) prepare(t testing.TB, s spec) *turn {
	t.Helper()
	r := c.post(t, "/v1/turns", s.body()).is(http.StatusOK)
	tn := &turn{client: c, id: r.str("turnId"), reply: r}
	require.NotEmpty(t, tn.id, r.story())
	t.Cleanup(func() {
		// The test's own context has ended by now.
		req, err := http.NewRequest(http.MethodDelete, c.target.Base+"/v1/turns/"+tn.id, nil)
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+c.key)
		resp, err := c.target.Client.Do(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	})
	return tn
}

// exec runs a JavaScript cell.
func (tn *turn) exec(t testing.TB, code string) reply {
	t.Helper()
	return tn.execInput(t, object{"code": code})
}

// execInput calls exec with any members.
func (tn *turn) execInput(t testing.TB, input object) reply {
	t.Helper()
	body := object{"turnId": tn.id, "toolCallId": "call-1"}
	maps.Copy(body, input)
	return tn.post(t, "/v1/exec", body)
}

// wait resumes a run, with results if there are any.
func (tn *turn) wait(t testing.TB, runID string, results ...object) reply {
	t.Helper()
	body := object{"turnId": tn.id, "runId": runID}
	if len(results) > 0 {
		body["results"] = results
	}
	return tn.post(t, "/v1/wait", body)
}

// deliver hands in results of calls that the caller ran (contract C10).
func (tn *turn) deliver(t testing.TB, runID string, results ...object) reply {
	t.Helper()
	return tn.post(t, "/v1/runs/"+runID+"/results", object{"turnId": tn.id, "results": results})
}

func ok(id string, value any) object    { return object{"id": id, "ok": true, "value": value} }
func notOK(id string, error any) object { return object{"id": id, "ok": false, "error": error} }

// cell is the commonest case: code, and the JSON of the value that it completes with.
type cell struct{ rule, code, value string }

func (tn *turn) completeAll(t *testing.T, cells []cell) {
	t.Helper()
	for _, c := range cells {
		t.Run(c.rule, func(t *testing.T) { tn.exec(t, c.code).completed(c.value) })
	}
}

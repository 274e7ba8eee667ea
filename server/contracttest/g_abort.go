package contracttest

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func aborts(t *testing.T, c *client) {
	build := func(t *testing.T, session string, config object) (*turn, *toolServer) {
		t.Helper()
		tool := newToolServer(t, stall)
		return c.prepare(t, spec{context: object{"sessionId": session}, config: config, tools: []object{remote("stall", tool.URL), asking("ask")}}), tool
	}
	ends := map[string]func(tn *turn, runID string) string{
		"the run":     func(_ *turn, runID string) string { return "/v1/runs/" + runID },
		"the turn":    func(tn *turn, _ string) string { return "/v1/turns/" + tn.id },
		"the session": func(_ *turn, _ string) string { return "/v1/sessions/abort-suspended" },
	}
	for what, path := range ends {
		t.Run("G7 deleting "+what+" ends a suspended run and cancels its calls", func(t *testing.T) {
			tn, tool := build(t, "abort-suspended", object{"drainMs": 20})
			r := tn.exec(t, `await tools.stall({})`).waiting("pending_tools")
			tool.holds(t, 1)
			require.Less(t, c.drop(t, path(tn, r.runID())).status, 300)
			tool.cancelled(t, 1)
			c.drop(t, "/v1/runs/"+r.runID()).problem(http.StatusNotFound)
		})
	}
	t.Run("G7 an aborted run can't be waited for", func(t *testing.T) {
		tn, _ := build(t, "s", nil)
		r := tn.exec(t, `await yield_control(); return 1`).waiting("yield")
		c.drop(t, "/v1/runs/"+r.runID()).is(http.StatusNoContent)
		tn.wait(t, r.runID()).refused(textUnavailable)
		tn.exec(t, `return 2`).completed(`2`)
	})
	t.Run("G7 deleting the turn ends a cell that drains", func(t *testing.T) {
		tn, tool := build(t, "s", object{"timeoutMs": 10000})
		open := inBackground(func() reply { return tn.exec(t, `text("seen"); await tools.stall({})`) })
		tool.holds(t, 1)
		c.drop(t, "/v1/turns/"+tn.id).is(http.StatusNoContent)
		r := (<-open).failed("aborted", "").has("output.#.text", `["seen"]`).within(5 * time.Second)
		require.Equal(t, "openclaw:lab:stall cancelled", effects(r), r.story())
		tool.cancelled(t, 1)
	})
	t.Run("G7 deleting the session ends a cell that computes", func(t *testing.T) {
		tn, tool := build(t, "abort-busy", object{"timeoutMs": 10000})
		open := inBackground(func() reply {
			return tn.exec(t, `tools.stall({}); await null; const end = Date.now() + 300; await new Promise(r => setTimeout(r)); for(;;);`)
		})
		tool.holds(t, 1)
		c.drop(t, "/v1/sessions/abort-busy").is(http.StatusOK).has("turnsDropped", `1`)
		(<-open).failed("aborted", "").within(5 * time.Second)
		tool.cancelled(t, 1)
	})
	t.Run("G7 deleting a run ends the wait that resumes it", func(t *testing.T) {
		tn, tool := build(t, "s", object{"timeoutMs": 10000, "drainMs": 20})
		r := tn.exec(t, `await tools.stall({})`).waiting("pending_tools")
		open := inBackground(func() reply { return tn.wait(t, r.runID()) })
		tool.holds(t, 1)
		c.drop(t, "/v1/runs/"+r.runID()).is(http.StatusNoContent)
		a := <-open
		// The wait may have come after the deletion.
		a.result("failed").within(5 * time.Second)
		require.Contains(t, []string{"aborted", "invalid_input"}, a.str("code"), a.story())
		tool.cancelled(t, 1)
	})
	t.Run("G7 aborted folds into the contract's six codes", func(t *testing.T) {
		tn, tool := build(t, "s", object{"timeoutMs": 10000, "errorCodes": "strict"})
		open := inBackground(func() reply { return tn.exec(t, `await tools.stall({})`) })
		tool.holds(t, 1)
		c.drop(t, "/v1/turns/"+tn.id).is(http.StatusNoContent)
		(<-open).failed("timeout", "")
	})
	t.Run("G7 a failing cell cancels what it left behind", func(t *testing.T) {
		tn, tool := build(t, "s", nil)
		tn.exec(t, `tools.stall({}); await new Promise(r => setTimeout(r, 200)); throw new Error("over")`).failed("internal_error", "Error: over")
		tool.cancelled(t, 1)
	})
	t.Run("G7 a cell that runs out of time cancels it too", func(t *testing.T) {
		tn, tool := build(t, "s", object{"timeoutMs": 300})
		tn.exec(t, `tools.stall({}); await new Promise(r => setTimeout(r, 100)); for(;;);`).failed("timeout", "")
		tool.cancelled(t, 1)
	})
	t.Run("G7 what is not there", func(t *testing.T) {
		for _, path := range []string{"/v1/runs/cm_nowhere", "/v1/turns/nowhere", "/v1/runs/__proto__", "/v1/turns/..%2f..%2fetc"} {
			c.drop(t, path).problem(http.StatusNotFound)
		}
		c.drop(t, "/v1/sessions/nowhere").is(http.StatusOK).has("turnsDropped", `0`)
	})
}

// hangUps needs the service to itself: it waits until nothing runs.
func hangUps(t *testing.T, c *client) {
	tool := newToolServer(t, stall)
	tn := c.prepare(t, spec{config: object{"timeoutMs": 10000}, tools: []object{remote("stall", tool.URL), asking("ask")}})
	for _, h := range []struct {
		rule, code string
		calls      int64
	}{
		{"while the guest computes", `for(;;);`, 0},
		{"while a tool works", `await tools.stall({})`, 1},
		{"while the guest sleeps", `await new Promise(r => setTimeout(r, 9000))`, 0},
		{"while the guest is deaf", `[].concat({length: 2 ** 53 - 2, [Symbol.isConcatSpreadable]: true})`, 0},
	} {
		t.Run("G7 the client hangs up "+h.rule, func(t *testing.T) {
			gone := tool.gone.Load()
			conn := c.dial(t, "/v1/exec", mustJSON(object{"turnId": tn.id, "code": h.code}))
			c.eventually(t, "running", 1)
			if h.calls > 0 {
				tool.holds(t, h.calls)
			}
			require.NoError(t, conn.Close())
			c.eventually(t, "running", 0)
			tool.cancelled(t, gone+h.calls)
			tn.exec(t, `return 1`).completed(`1`)
		})
	}
	t.Run("G7 the client hangs up in a wait: the run is freed", func(t *testing.T) {
		r := tn.exec(t, `await tools.ask({})`).waiting("pending_tools")
		conn := c.dial(t, "/v1/wait", mustJSON(object{"turnId": tn.id, "runId": r.runID()}))
		c.eventually(t, "running", 1)
		require.NoError(t, conn.Close())
		c.eventually(t, "running", 0)
		c.eventually(t, "suspended", 0)
		tn.wait(t, r.runID()).refused(textUnavailable)
	})
	t.Run("I3 the client hangs up in the middle of its request", func(t *testing.T) {
		conn := c.dial(t, "/v1/exec", `{"turnId":"`+tn.id+`","code":"ret`)
		require.NoError(t, conn.Close())
		c.eventually(t, "running", 0)
		tn.exec(t, `return 1`).completed(`1`)
	})
}

// dial sends a request over a connection of its own and leaves it open. The announced length is that of the body, or
// more if the body is cut short.
func (c *client) dial(t *testing.T, path, body string) net.Conn {
	t.Helper()
	host := strings.TrimPrefix(c.target.Base, "http://")
	conn, err := net.Dial("tcp", host)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	length := len(body)
	if !decodes([]byte(body)) {
		length += 100
	}
	_, err = io.WriteString(conn, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, host, c.key, length, body))
	require.NoError(t, err)
	return conn
}

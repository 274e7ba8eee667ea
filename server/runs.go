package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
)

// resumeRequest is what wait and results have in common.
type resumeRequest struct {
	turnID     string
	toolCallID string
	runID      json.RawMessage // raw: the bridge judges it (contract C5)
	results    []bridge.CallResult
}

// wait is POST /v1/wait (contract C3).
func (s *Server) wait(c echo.Context) error {
	return s.resume(c, "wait", func(ctx context.Context, turn Turn, req *resumeRequest, dst []byte) ([]byte, error) {
		result, err := turn.Wait(ctx, bridge.WaitInput{ToolCallID: req.toolCallID, RunID: req.runID, Results: req.results})
		if err != nil {
			return dst, err
		}
		return result.AppendJSON(dst), nil
	})
}

// deliver is POST /v1/runs/{runId}/results (contract C10).
func (s *Server) deliver(c echo.Context) error {
	return s.resume(c, "results", func(ctx context.Context, turn Turn, req *resumeRequest, dst []byte) ([]byte, error) {
		delivery, err := turn.Deliver(ctx, pathParam(c, "runId"), req.results)
		if err != nil {
			return dst, err
		}
		out, err := json.Marshal(withoutNulls(delivery))
		return append(dst, out...), err
	})
}

// withoutNulls makes both lists arrays, so that a client may count either.
func withoutNulls(d *bridge.Delivery) bridge.Delivery {
	return bridge.Delivery{
		Accepted: append([]string{}, d.Accepted...),
		Refused:  append([]bridge.Refusal{}, d.Refused...),
	}
}

// resume is the frame of both routes: read, check, look the turn up, act once. The turn is looked up only where an
// answer must be produced, so that a retry gets the first answer even if the turn has ended since (contract I3).
func (s *Server) resume(c echo.Context, route string,
	act func(context.Context, Turn, *resumeRequest, []byte) ([]byte, error),
) error {
	body, err := s.readBody(c, maxBody)
	if err != nil {
		return err
	}
	defer body.release()
	req, err := parseResume(body.bytes)
	if err != nil {
		return err
	}
	of := request{route: route, turn: req.turnID, path: c.Request().URL.Path, body: body.bytes}
	return s.answerOnce(c, of, func(ctx context.Context, dst []byte) ([]byte, error) {
		turn, err := s.backend.Turn(Tenant(c), req.turnID)
		if err != nil {
			return dst, err
		}
		return act(ctx, turn, req, dst)
	})
}

// parseResume takes a runId of any type and hands it on: what is wrong with it is a result and not a problem (contract
// C5).
func parseResume(raw []byte) (*resumeRequest, error) {
	doc, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	m, err := pick(doc, "", "turnId", "toolCallId", "runId", "run_id", "results")
	if err != nil {
		return nil, err
	}
	if err := m.slip(""); err != nil {
		return nil, err
	}
	req := &resumeRequest{runID: m.raw("runId")}
	if req.runID == nil {
		// Models spell it both ways; OpenClaw takes either.
		req.runID = m.raw("run_id")
	}
	if req.turnID, err = m.text("", "turnId"); err != nil {
		return nil, err
	}
	if req.toolCallID, err = m.text("", "toolCallId"); err != nil {
		return nil, err
	}
	if req.turnID == "" {
		return nil, invalid("turnId", "turnId is missing. Send the turnId that POST /v1/turns gave.")
	}
	err = m.elements("results", func(path string, v gjson.Result) error {
		result, err := parseCallResult(path, v)
		req.results = append(req.results, result)
		return err
	})
	return req, err
}

// parseCallResult reads {id, ok, value|error}.
func parseCallResult(path string, v gjson.Result) (bridge.CallResult, error) {
	if !v.IsObject() {
		return bridge.CallResult{}, wrongType(path, "an object such as {\"id\": …, \"ok\": true, \"value\": …}", v)
	}
	m, err := pick(v, path+".", "id", "ok", "value", "error")
	if err != nil {
		return bridge.CallResult{}, err
	}
	if err := m.lostValue(path + "."); err != nil {
		return bridge.CallResult{}, err
	}
	result := bridge.CallResult{Value: m.raw("value"), Error: m.raw("error")}
	if result.ID, err = m.text(path+".", "id"); err != nil {
		return result, err
	}
	if result.ID == "" {
		return result, invalid(path+".id", path+".id is missing. Send the id of a pending tool call.")
	}
	if !m.values[1].IsBool() {
		return result, invalid(path+".ok", path+".ok must be true (with value) or false (with error).")
	}
	result.OK = m.values[1].Bool()
	return result, nil
}

// abortRun is DELETE /v1/runs/{runId} (contract G7).
func (s *Server) abortRun(c echo.Context) error {
	if err := s.backend.AbortRun(Tenant(c), pathParam(c, "runId")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// lostValue refuses a result that says what the call came to under a key that nobody reads: the cell would get null.
func (m *members) lostValue(prefix string) error {
	if err := m.slip(prefix); err != nil {
		return err
	}
	wanted := "value"
	if m.values[indexOf(m.want, "ok")].Type == gjson.False {
		wanted = "error"
	}
	if len(m.unknown) == 0 || m.values[indexOf(m.want, wanted)].Exists() {
		return nil
	}
	return misspelt(prefix, m.unknown[0], wanted)
}

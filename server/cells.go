package server

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/labstack/echo/v4"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
)

// execRequest is the body of POST /v1/exec: a cell, and the turn that it runs in, by id or whole (contract J). Other
// keys are ignored (contract B1: models add some); one that looks like a slip is warned of.
type execRequest struct {
	turnID string
	turn   gjson.Result // exists for the one-call form
	input  bridge.ExecInput
	// slips are warnings of keys that were ignored and look like one that is not there.
	slips []string
}

// exec is POST /v1/exec.
func (s *Server) exec(c echo.Context) error {
	body, err := s.readBody(c, maxBody)
	if err != nil {
		return err
	}
	defer body.release()
	req, err := parseExec(body.bytes)
	if err != nil {
		return err
	}
	// A turn may be large; a cell alone may not.
	if !req.turn.Exists() && len(body.bytes) > s.maxExec {
		return tooLarge(c, s.maxExec)
	}
	return s.answerOnce(c, request{route: "exec", turn: req.turnID, body: body.bytes}, func(ctx context.Context, dst []byte) ([]byte, error) {
		return s.runExec(ctx, Tenant(c), req, dst)
	})
}

// parseExec judges only what names the turn. What is wrong with the cell itself is a result that the model gets to
// read, so it goes on as it came (contract B1).
func parseExec(raw []byte) (*execRequest, error) {
	doc, err := parseObject(raw)
	if err != nil {
		return nil, err
	}
	m, err := pick(doc, "", "turnId", "turn", "toolCallId", "code", "command", "language")
	if err != nil {
		return nil, err
	}
	req := &execRequest{turn: m.values[1], slips: m.slips()}
	if req.turnID, err = m.text("", "turnId"); err != nil {
		return nil, err
	}
	if req.input.ToolCallID, err = m.text("", "toolCallId"); err != nil {
		return nil, err
	}
	// An explicit null is as good as leaving turn out.
	if req.turn.Type == gjson.Null {
		req.turn = gjson.Result{}
	}
	req.input.Code, req.input.Command, req.input.Language = m.raw("code"), m.raw("command"), m.raw("language")
	switch {
	case req.turn.Exists() && !req.turn.IsObject():
		return nil, wrongType("turn", "an object", req.turn)
	case req.turn.Exists() && req.turnID != "":
		return nil, invalid("turn", "Send either turnId or turn, not both.")
	case !req.turn.Exists() && req.turnID == "":
		if err := m.slip(""); err != nil {
			return nil, err
		}
		return nil, invalid("turnId", "turnId is missing. Send the turnId that POST /v1/turns gave, or the turn itself as turn.")
	}
	return req, nil
}

// runExec appends the result to dst. dst comes back also with an error, because it is a pooled buffer.
func (s *Server) runExec(ctx context.Context, tenant string, req *execRequest, dst []byte) ([]byte, error) {
	if req.turn.Exists() {
		return s.runOneCall(ctx, tenant, req, dst)
	}
	turn, err := s.backend.Turn(tenant, req.turnID)
	if err != nil {
		return dst, err
	}
	result, err := turn.Exec(ctx, req.input)
	if err != nil {
		return dst, err
	}
	return appendResult(dst, "", req.slips, result), nil
}

// runOneCall prepares a turn for one cell. The turn lives on only if the cell waits: then the answer says its id, which
// wait needs.
func (s *Server) runOneCall(ctx context.Context, tenant string, req *execRequest, dst []byte) ([]byte, error) {
	spec, ignored, err := decodeTurn("turn.", req.turn)
	if err != nil {
		return dst, err
	}
	turn, err := s.backend.Prepare(ctx, tenant, spec)
	if err != nil {
		return dst, err
	}
	result, err := turn.Exec(ctx, req.input)
	if err != nil {
		s.discard(tenant, turn)
		return dst, err
	}
	warnings := slices.Concat(req.slips, turn.Catalog().Remarks(), ignored)
	if result.Status != bridge.Waiting {
		s.discard(tenant, turn)
		return appendResult(dst, "", warnings, result), nil
	}
	return appendResult(dst, turn.ID(), warnings, result), nil
}

// appendResult appends a result with what else the caller must know as its first members: the id of a turn that it can't know
// yet, and warnings of its request.
func appendResult(dst []byte, turnID string, warnings []string, r *bridge.Result) []byte {
	dst = append(dst, '{')
	if turnID != "" {
		dst = append(dst, `"turnId":`...)
		dst = append(appendString(dst, turnID), ',')
	}
	if len(warnings) > 0 {
		// Strings always encode.
		list, _ := json.Marshal(warnings)
		dst = append(append(append(dst, `"warnings":`...), list...), ',')
	}
	brace := len(dst)
	dst = r.AppendJSON(dst)
	return append(dst[:brace], dst[brace+1:]...) // without the result's own brace
}

// discard ends a turn whose id nobody was told.
func (s *Server) discard(tenant string, turn Turn) {
	if err := s.backend.DropTurn(tenant, turn.ID()); err != nil {
		// It expired or was dropped by somebody else: just as well.
		s.log.Debug("one-call turn was gone", "error", err)
	}
}

func appendString(dst []byte, text string) []byte {
	// A string always encodes.
	quoted, _ := json.Marshal(text)
	return append(dst, quoted...)
}

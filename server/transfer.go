package server

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/bridge"
)

// exportRun is POST /v1/runs/{runId}/export (contract H4): a suspended run leaves this process. A retry with the same
// Idempotency-Key gets the same snapshot, although the run is gone.
func (s *Server) exportRun(c echo.Context) error {
	return s.transfer(c, "export", func(ctx context.Context, turn Turn, _ []byte) (*bridge.Exported, error) {
		return turn.Export(ctx, pathParam(c, "runId"))
	})
}

// importRun is POST /v1/runs/{runId}/import: a suspended run goes on here.
func (s *Server) importRun(c echo.Context) error {
	return s.transfer(c, "import", func(ctx context.Context, turn Turn, snapshot []byte) (*bridge.Exported, error) {
		return turn.Import(ctx, pathParam(c, "runId"), snapshot)
	})
}

// transfer is the frame of both: read, check, look the turn up, act once.
func (s *Server) transfer(c echo.Context, route string, act func(context.Context, Turn, []byte) (*bridge.Exported, error)) error {
	body, err := s.readBody(c, maxBody)
	if err != nil {
		return err
	}
	defer body.release()
	turnID, snapshot, err := parseTransfer(body.bytes, route == "import")
	if err != nil {
		return err
	}
	of := request{route: route, turn: turnID, path: c.Request().URL.Path, body: body.bytes}
	return s.answerOnce(c, of, func(ctx context.Context, dst []byte) ([]byte, error) {
		turn, err := s.backend.Turn(Tenant(c), turnID)
		if err != nil {
			return dst, err
		}
		exported, err := act(ctx, turn, snapshot)
		if err != nil {
			return dst, err
		}
		out, err := json.Marshal(exported)
		return append(dst, out...), err
	})
}

// parseTransfer reads {turnId} and, for an import, {snapshot}, which is base64.
func parseTransfer(raw []byte, wanted bool) (string, []byte, error) {
	doc, err := parseObject(raw)
	if err != nil {
		return "", nil, err
	}
	m, err := pick(doc, "", "turnId", "snapshot")
	if err != nil {
		return "", nil, err
	}
	if err := m.slip(""); err != nil {
		return "", nil, err
	}
	turnID, err := m.text("", "turnId")
	if err != nil {
		return "", nil, err
	}
	if turnID == "" {
		return "", nil, invalid("turnId", "turnId is missing. Send the turnId that POST /v1/turns gave.")
	}
	text, err := m.text("", "snapshot")
	if err != nil || !wanted {
		return turnID, nil, err
	}
	snapshot, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(snapshot) == 0 {
		return "", nil, invalid("snapshot", "snapshot must be the base64 text that the export gave.")
	}
	return turnID, snapshot, nil
}

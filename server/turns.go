package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/catalog"
)

// turnAnswer is the answer of POST /v1/turns (contract J).
type turnAnswer struct {
	TurnID   string          `json:"turnId"`
	CodeMode bool            `json:"codeMode"`
	Tools    json.RawMessage `json:"tools"`
	Catalog  catalogSummary  `json:"catalog"`
	Warnings []string        `json:"warnings"`
}

type catalogSummary struct {
	Size    int             `json:"size"`
	Sources catalog.Sources `json:"sources"`
}

// createTurn is POST /v1/turns.
func (s *Server) createTurn(c echo.Context) error {
	body, err := s.readBody(c, maxBody)
	if err != nil {
		return err
	}
	defer body.release()
	req, ignored, err := DecodeTurn(body.bytes)
	if err != nil {
		return err
	}
	turn, err := s.backend.Prepare(c.Request().Context(), Tenant(c), req)
	if err != nil {
		return err
	}
	tools, err := turn.Tools(c.QueryParam("format"))
	if err != nil {
		// The turn would be out of reach: its id was never told.
		return errors.Join(asFormatProblem(err), s.backend.DropTurn(Tenant(c), turn.ID()))
	}
	s.showPayload(c, "turn "+turn.ID(), tools)
	entries := turn.Catalog()
	return sendValue(c, http.StatusOK, turnAnswer{
		TurnID: turn.ID(), CodeMode: turn.CodeMode(), Tools: tools,
		Catalog:  catalogSummary{Size: entries.Len(), Sources: entries.Sources()},
		Warnings: append(append([]string{}, turn.Warnings()...), ignored...),
	})
}

// asFormatProblem keeps the renderer's own text, which names the known formats.
func asFormatProblem(err error) error {
	var refusal *bridge.Error
	if errors.As(err, &refusal) {
		return err
	}
	return invalid("format", err.Error())
}

// dropTurn is DELETE /v1/turns/{id} (contract G7).
func (s *Server) dropTurn(c echo.Context) error {
	if err := s.backend.DropTurn(Tenant(c), pathParam(c, "id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// dropSession is DELETE /v1/sessions/{id} (contract G7). A session is only a name that turns share, so one without
// turns is no error.
func (s *Server) dropSession(c echo.Context) error {
	n, err := s.backend.DropSession(Tenant(c), pathParam(c, "id"))
	if err != nil {
		return err
	}
	return sendValue(c, http.StatusOK, map[string]int{"turnsDropped": n})
}

// pathParam undoes the escaping of a path segment. echo matches on the escaped path when there is one, and then hands
// out its segments as they are.
func pathParam(c echo.Context, name string) string {
	v := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return v
	}
	if plain, err := url.PathUnescape(v); err == nil {
		return plain
	}
	return v
}

// DecodeTurn reads the body of POST /v1/turns (contract J). warnings name keys that were ignored; the error says which
// key is wrong.
func DecodeTurn(raw []byte) (req *bridge.TurnRequest, warnings []string, err error) {
	doc, err := parseObject(raw)
	if err != nil {
		return nil, nil, err
	}
	return decodeTurn("", doc)
}

// decodeTurn reads the body of a turn. prefix is the path to it, for errors. Unknown keys come back as warnings: a
// gateway that is newer than this service still works, and one that made a slip is told.
func decodeTurn(prefix string, doc gjson.Result) (*bridge.TurnRequest, []string, error) {
	m, err := pick(doc, prefix, "context", "config", "policy", "tools", "mcpServers", "raw", "disableTools")
	if err != nil {
		return nil, nil, err
	}
	req := &bridge.TurnRequest{Config: m.raw("config")}
	for key, into := range map[string]any{
		"context": &req.Context, "policy": &req.Policy, "mcpServers": &req.MCPServers,
	} {
		if err := decodeMember(prefix+key, m.raw(key), into); err != nil {
			return nil, nil, err
		}
	}
	if req.Raw, err = m.flag(prefix, "raw"); err != nil {
		return nil, nil, err
	}
	if req.DisableTools, err = m.flag(prefix, "disableTools"); err != nil {
		return nil, nil, err
	}
	warnings, err := turnStrays(prefix, &m)
	if err != nil {
		return nil, nil, err
	}
	err = m.elements("tools", func(path string, v gjson.Result) error {
		tool, err := catalog.ReadTool([]byte(v.Raw))
		req.Tools = append(req.Tools, tool)
		return decodeProblem(prefix+path, err)
	})
	return req, warnings, err
}

// turnStrays looks for keys that nobody reads, in a turn and in what it holds beside config and tools. Most are warnings; what a
// policy says must not be lost.
func turnStrays(prefix string, m *members) ([]string, error) {
	policy := pickFolded(m.raw("policy"), "allow", "deny", "sandbox")
	sandbox := pickFolded(policy.raw("sandbox"), "allow", "alsoAllow", "deny")
	if err := errors.Join(policy.onlyKnown(prefix+"policy"), sandbox.onlyKnown(prefix+"policy.sandbox")); err != nil {
		return nil, err
	}
	of := pickFolded(m.raw("context"), "agentId", "sessionId", "sessionKey", "runId", "sender", "channel")
	return append(m.strays(prefix), of.strays(prefix+"context.")...), nil
}

// decodeMember decodes one member into a Go value and names the path that does not fit.
func decodeMember(path string, raw json.RawMessage, into any) error {
	if raw == nil {
		return nil
	}
	return decodeProblem(path, json.Unmarshal(raw, into))
}

// decodeProblem says where in the member at path a value has the wrong type or name.
func decodeProblem(path string, err error) error {
	var mismatch *json.UnmarshalTypeError
	var key *catalog.KeyError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &key):
		return invalid(path+"."+key.Key, path+": "+key.Reason+".")
	case errors.As(err, &mismatch):
		if mismatch.Field != "" {
			path += "." + mismatch.Field
		}
		return invalid(path, fmt.Sprintf("%s must be %s, not a JSON %s.", path, goType(mismatch), mismatch.Value))
	}
	return invalid(path, path+": "+err.Error())
}

// goType says in JSON's words what was expected.
func goType(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "slice", "array":
		return "an array"
	case "struct", "map", "ptr":
		return "an object"
	}
	return "a number"
}

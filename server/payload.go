package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/catalog"
)

// checkPayload is POST /v1/payload/check (contract A6). It fails closed: a list that it can't read is not exec and
// wait.
func (s *Server) checkPayload(c echo.Context) error {
	body, err := s.readBody(c, maxBody)
	if err != nil {
		return err
	}
	defer body.release()
	s.showPayload(c, "check", body.bytes)
	doc, err := parseObject(body.bytes)
	if err != nil {
		return err
	}
	m, err := pick(doc, "", "tools")
	if err != nil {
		return err
	}
	tools := m.raw("tools")
	if tools == nil {
		if err := m.slip(""); err != nil {
			return err
		}
		return invalid("tools", "tools is missing. Send the tool list of the provider payload as tools.")
	}
	if c.QueryParam("filter") == "1" {
		return filterPayload(c, tools)
	}
	found, err := catalog.CheckPayload(tools)
	if err != nil {
		return invalid("tools", err.Error())
	}
	if !found.OK {
		return surfaceProblem(found)
	}
	return sendValue(c, http.StatusOK, payloadAnswer{OK: true, Names: found.Names})
}

// showPayload shows what the model is shown to Options.Payload.
func (s *Server) showPayload(c echo.Context, where string, payload []byte) {
	if s.payload != nil {
		s.payload(Tenant(c), where, payload)
	}
}

// payloadAnswer says that the model sees exactly exec and wait.
type payloadAnswer struct {
	OK    bool     `json:"ok"`
	Names []string `json:"names"`
}

// filterPayload hands back what may be sent on in place of the list.
func filterPayload(c echo.Context, tools json.RawMessage) error {
	kept, err := catalog.FilterPayload(tools)
	if err != nil {
		return invalid("tools", err.Error())
	}
	return sendValue(c, http.StatusOK, map[string]json.RawMessage{"tools": kept})
}

// surfaceProblem names what was found, up to a length that a log can take.
func surfaceProblem(found catalog.Found) *problem {
	const most = 50
	names := found.Names[:min(len(found.Names), most)]
	detail := fmt.Sprintf("%s Expected exactly exec and wait, found %d: %s.",
		found.Problem, len(found.Names), strings.Join(names, ", "))
	return &problem{kind: kindSurface, key: "tools", detail: strings.TrimSpace(detail), found: names}
}

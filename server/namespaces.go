package server

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/namespaces"
)

// maxNamespaceBody bounds the body of PUT /v1/namespaces/{id}, in bytes: a scope and its texts, with escapes.
const maxNamespaceBody = 1 << 20

// declareNamespace is PUT /v1/namespaces/{id} (contract F1). The same body once more changes nothing.
func (s *Server) declareNamespace(c echo.Context) error {
	body, err := s.readBody(c, maxNamespaceBody)
	if err != nil {
		return err
	}
	defer body.release()
	doc, err := parseObject(body.bytes)
	if err != nil {
		return err
	}
	m, err := pick(doc, "", "pluginId", "globalName", "description", "prompt", "requiredToolNames", "scope")
	if err != nil {
		return err
	}
	if len(m.unknown) > 0 {
		return invalid(m.unknown[0], m.unknown[0]+" is no key of a namespace; it has pluginId, globalName, description, prompt, requiredToolNames and scope.")
	}
	d := namespaces.Declaration{Scope: m.raw("scope")}
	for key, into := range map[string]any{
		"pluginId": &d.PluginID, "globalName": &d.GlobalName, "description": &d.Description, "prompt": &d.Prompt,
		"requiredToolNames": &d.RequiredTools,
	} {
		if err := decodeMember(key, m.raw(key), into); err != nil {
			return err
		}
	}
	d.Scope = append(json.RawMessage(nil), d.Scope...) // the body's bytes are given back
	if err := s.backend.DeclareNamespace(Tenant(c), pathParam(c, "id"), d); err != nil {
		return err
	}
	return sendValue(c, http.StatusOK, namespaces.Declared{ID: pathParam(c, "id"), Declaration: d})
}

// listNamespaces is GET /v1/namespaces.
func (s *Server) listNamespaces(c echo.Context) error {
	return sendValue(c, http.StatusOK, map[string][]namespaces.Declared{"namespaces": s.backend.Namespaces(Tenant(c))})
}

// clearNamespaces is DELETE /v1/plugins/{pluginId}/namespaces (contract F1). A plugin without namespaces is no error.
func (s *Server) clearNamespaces(c echo.Context) error {
	n := s.backend.ClearNamespaces(Tenant(c), pathParam(c, "pluginId"))
	return sendValue(c, http.StatusOK, map[string]int{"cleared": n})
}

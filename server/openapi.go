package server

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"
)

// openAPISource is the description of every route (contract I4). It is written by hand; the tests hold the traffic of
// all routes against it.
//
//go:embed openapi.json
var openAPISource []byte

// compactOpenAPI is what goes over the wire. The source is part of the build, so one that is not JSON fails the first
// test.
func compactOpenAPI() ([]byte, error) {
	var out bytes.Buffer
	err := json.Compact(&out, openAPISource)
	return out.Bytes(), err
}

// openapi is GET /openapi.json.
func (s *Server) openapi(c echo.Context) error {
	return send(c, http.StatusOK, mimeJSON, s.openAPI)
}

package server

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

var mimeLines = []string{"application/x-ndjson"}

// trajectory is GET /v1/turns/{id}/trajectory (contract G5). It is sent as it is made: a whole one need not fit in memory.
func (s *Server) trajectory(c echo.Context) error {
	turn, err := s.backend.Turn(Tenant(c), pathParam(c, "id"))
	if err != nil {
		return err
	}
	lines, err := turn.Trajectory(c.QueryParam("format"))
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h["Content-Type"], h["X-Content-Type-Options"] = mimeLines, noSniff
	c.Response().WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	if _, err := lines.WriteTo(c.Response()); err != nil {
		s.log.Debug("trajectory not delivered", "error", err)
	}
	return nil
}

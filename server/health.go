package server

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// readiness is the answer of GET /readyz (contract H5).
type readiness struct {
	OK bool `json:"ok"`
	// Reason says why not.
	Reason string `json:"reason,omitempty"`
	Health
}

// healthz is GET /healthz: the process answers. Whether it can work is /readyz.
func (s *Server) healthz(c echo.Context) error {
	return send(c, http.StatusOK, mimeJSON, []byte(`{"ok":true}`))
}

// readyz is GET /readyz. It says no as soon as the service is told to stop, while running cells still finish, so that a
// load balancer looks elsewhere in time.
func (s *Server) readyz(c echo.Context) error {
	status := http.StatusOK
	answer := readiness{OK: true, Health: s.backend.Health()}
	if answer.Sandbox == nil {
		answer.Sandbox = []string{}
	}
	if err := s.ready(); err != nil {
		answer.OK, answer.Reason, status = false, err.Error(), http.StatusServiceUnavailable
	}
	return sendValue(c, status, answer)
}

func (s *Server) ready() error {
	if err := s.refusesWork(); err != nil {
		return err
	}
	return s.backend.Ready()
}

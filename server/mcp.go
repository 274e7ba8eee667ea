package server

import "github.com/labstack/echo/v4"

// serveMCP is POST /mcp (contract E5). Each request stands for itself: there is no session, and so nothing for GET and DELETE.
// The body is read here, within the tenant's share.
func (s *Server) serveMCP(c echo.Context) error {
	if s.mcp == nil {
		return echo.ErrNotFound
	}
	body, err := s.readBody(c, s.maxExec)
	if err != nil {
		return err
	}
	defer body.release()
	return s.mcp.ServeTenant(c.Response(), c.Request(), Tenant(c), body.bytes)
}

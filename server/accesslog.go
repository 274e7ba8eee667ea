package server

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// logRequest writes a line for a request: at debug level for each, else for those that Options.LogRequests chooses. A line an
// exec costs more than the exec.
func (s *Server) logRequest(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		share := s.logRequests()
		level := slog.LevelInfo
		if s.log.Enabled(context.Background(), slog.LevelDebug) {
			level, share = slog.LevelDebug, 1
		}
		if share <= 0 {
			return next(c)
		}
		start := time.Now()
		err := next(c)
		status := statusOf(c, err)
		// Not the generator that names things: nobody gains by guessing which requests are logged.
		if status < http.StatusInternalServerError && share < 1 && rand.Float64() >= share {
			return err
		}
		s.log.Log(c.Request().Context(), level, "request", "method", c.Request().Method, "route", c.Path(), "tenant", Tenant(c),
			"status", status, "took", time.Since(start), "bytes", c.Response().Size, "request", requestID(c.Request()))
		return err
	}
}

package server

import (
	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/bridge/tracecontext"
)

// passTrace has the calls that a request causes be part of the trace that the request is part of (contract I4).
func passTrace(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if trace, ok := tracecontext.FromHeader(r.Header); ok {
			c.SetRequest(r.WithContext(tracecontext.With(r.Context(), trace)))
		}
		return next(c)
	}
}

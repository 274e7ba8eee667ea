package server

import (
	"time"

	"github.com/labstack/echo/v4"
)

// Answered is told of each request once its answer is known: the route's pattern, empty where there is none, the status and
// how long it took. It must return at once.
type Answered func(method, route string, status int, took time.Duration)

// count tells Options.Answered.
func (s *Server) count(answered Answered) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			start := time.Now()
			err := next(c)
			route := c.Path()
			if !s.patterns[route] {
				route = "" // echo's own for what it doesn't know
			}
			answered(c.Request().Method, route, statusOf(c, err), time.Since(start))
			return err
		}
	}
}

// statusOf returns the status of an answer; that of a problem is written after all middleware.
func statusOf(c echo.Context, err error) int {
	if err != nil {
		return asProblem(err).status()
	}
	return c.Response().Status
}

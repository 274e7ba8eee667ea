package server

import (
	"crypto/rand"
	"net/http"
	"regexp"

	"github.com/labstack/echo/v4"
)

// headerRequestID is where a gateway says what it calls a request, and is answered the same.
const headerRequestID = "X-Request-Id"

var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._:/+=-]{1,128}$`)

// requestID is what a client calls its request, empty if it calls it nothing that could be logged.
func requestID(r *http.Request) string {
	id := r.Header.Get(headerRequestID)
	if id == "" || !requestIDs.MatchString(id) {
		return ""
	}
	return id
}

// nameRequest sends a request's id back. Requests without one get one only with a problem, to be found in the log by.
func nameRequest(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if id := requestID(c.Request()); id != "" {
			c.Response().Header()[headerRequestID] = []string{id}
		}
		return next(c)
	}
}

// instanceOf makes the name of one problem: two of them never have the same, whatever their requests are called.
func instanceOf(c echo.Context) string {
	id := rand.Text()
	if h := c.Response().Header(); h.Get(headerRequestID) == "" {
		h[headerRequestID] = []string{id}
	}
	return "urn:codecell:request:" + id
}

package server

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"

	"github.com/labstack/echo/v4"
)

// Header values as slices: assigning one allocates nothing.
var (
	mimeJSON    = []string{echo.MIMEApplicationJSON}
	mimeProblem = []string{"application/problem+json"}
	noSniff     = []string{"nosniff"}
)

// maxPooled bounds the buffers that are kept: one huge request must not pin its size for good.
const maxPooled = 256 << 10

// buffers holds scratch space for bodies and answers.
var buffers = sync.Pool{New: func() any {
	b := make([]byte, 0, 4<<10)
	return &b
}}

func takeBuffer() *[]byte { return buffers.Get().(*[]byte) }

func giveBuffer(b *[]byte) {
	if cap(*b) > maxPooled {
		return
	}
	*b = (*b)[:0]
	buffers.Put(b)
}

// send writes a whole answer at once, with its length, so that a client can tell a cut one. A HEAD gets the
// headers alone.
func send(c echo.Context, status int, mime []string, body []byte) error {
	h := c.Response().Header()
	h["Content-Type"] = mime
	body = compressed(c.Request(), h, body)
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	// Answers hold what a cell wrote; no browser may take them for anything else.
	h["X-Content-Type-Options"] = noSniff
	c.Response().WriteHeader(status)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	_, err := c.Response().Write(body)
	return err
}

// sendValue sends v as compact JSON.
func sendValue(c echo.Context, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return send(c, status, mimeJSON, body)
}

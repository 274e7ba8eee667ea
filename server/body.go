package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	// maxBody is the most that any route reads.
	maxBody = 16 << 20
	// execEnvelope is what an exec may weigh besides its source.
	execEnvelope = 1 << 20
	// escapeFactor is the most bytes that one byte of source takes in JSON: \u0000.
	escapeFactor = 6
	// freeBody is what each request may buffer without asking a budget: with the most connections, 32 MiB.
	freeBody = 8 << 10
)

// budget bounds the bytes of bodies that are in memory at once. It counts what has arrived, not what a Content-Length
// claims, so holding a share of it costs the sender the bytes.
type budget struct {
	left atomic.Int64
}

// take reserves n bytes if they are there.
func (b *budget) take(n int64) bool {
	if b.left.Add(-n) >= 0 {
		return true
	}
	b.left.Add(n)
	return false
}

// bodyBudgets bound the bodies of each tenant, and those of all.
type bodyBudgets struct {
	all     budget
	each    int64
	tenants sync.Map // of *budget, by tenant: no more than there ever were keys
}

func newBodyBudgets(all, each int64) *bodyBudgets {
	b := &bodyBudgets{each: each}
	b.all.left.Store(all)
	return b
}

// of returns a tenant's budget.
func (b *bodyBudgets) of(tenant string) *budget {
	if own, ok := b.tenants.Load(tenant); ok {
		return own.(*budget)
	}
	fresh := &budget{}
	fresh.left.Store(b.each)
	own, _ := b.tenants.LoadOrStore(tenant, fresh)
	return own.(*budget)
}

// take reserves n bytes for a tenant.
func (b *bodyBudgets) take(tenant string, n int64) error {
	own := b.of(tenant)
	if !own.take(n) {
		return &problem{
			kind: kindQuota, retryAfter: time.Second,
			detail: "Too many bytes of your tenant's request bodies are in flight. Send the request again later.",
		}
	}
	if !b.all.take(n) {
		own.left.Add(n)
		return &problem{
			kind: kindOverloaded, retryAfter: time.Second,
			detail: "Too many bytes of request bodies are in flight. Send the request again later.",
		}
	}
	return nil
}

func (b *bodyBudgets) giveBack(tenant string, n int64) {
	b.of(tenant).left.Add(n)
	b.all.left.Add(n)
}

// body is a request's body in memory. Its bytes are valid until release.
type body struct {
	bytes    []byte
	buffer   *[]byte
	reserved int64
	tenant   string
	budgets  *bodyBudgets
}

// newBody takes a buffer to read into. One that is larger than what is free is reserved or left alone.
func (s *Server) newBody(tenant string) *body {
	b := &body{buffer: takeBuffer(), tenant: tenant, budgets: s.bodies}
	b.bytes = *b.buffer
	if cap(b.bytes) > freeBody && b.reserve(int64(cap(b.bytes))) != nil {
		giveBuffer(b.buffer)
		fresh := make([]byte, 0, freeBody)
		b.buffer, b.bytes = &fresh, fresh
	}
	return b
}

// reserve makes the body's share of the budgets so large.
func (b *body) reserve(size int64) error {
	if err := b.budgets.take(b.tenant, size-b.reserved); err != nil {
		return err
	}
	b.reserved = size
	return nil
}

func (b *body) release() {
	*b.buffer = b.bytes
	giveBuffer(b.buffer)
	b.budgets.giveBack(b.tenant, b.reserved)
}

// readBody reads a JSON body of at most limit bytes, within the time that the server allows for it.
func (s *Server) readBody(c echo.Context, limit int) (*body, error) {
	r := c.Request()
	if err := checkMediaType(r); err != nil {
		return nil, err
	}
	if r.ContentLength > int64(limit) {
		return nil, tooLarge(c, limit)
	}
	// Not http.Server.ReadTimeout: that one also ends the watch for a client that hangs up (contract G7), and with it
	// the request. And a timer, not a deadline on every request: nearly all bodies have arrived with their headers. Not
	// every ResponseWriter can do it; then the server's own timeouts are all there is.
	control := http.NewResponseController(c.Response().Writer)
	late := time.AfterFunc(s.bodyTimeout, func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
	b := s.newBody(Tenant(c))
	err := b.fill(c, r.Body, limit)
	if !late.Stop() && err == nil {
		err = errSlowBody // the connection has no more time
	}
	if err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

// fill reads to the end of src, doubling the buffer as bytes arrive.
func (b *body) fill(c echo.Context, src io.Reader, limit int) error {
	for {
		if len(b.bytes) == cap(b.bytes) {
			if err := b.grow(limit); err != nil {
				return err
			}
		}
		n, err := src.Read(b.bytes[len(b.bytes):cap(b.bytes)])
		b.bytes = b.bytes[:len(b.bytes)+n]
		switch {
		case len(b.bytes) > limit:
			return tooLarge(c, limit)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return readProblem(err)
		}
	}
}

func (b *body) grow(limit int) error {
	// One byte more than the limit is enough to see that it is passed.
	size := min(2*cap(b.bytes), limit+1)
	if size > freeBody {
		if err := b.reserve(int64(size)); err != nil {
			return err
		}
	}
	grown := make([]byte, len(b.bytes), size)
	copy(grown, b.bytes)
	b.bytes = grown
	return nil
}

// checkMediaType wants an explicit JSON type. Browsers send anything else across origins without asking, so this is
// also what keeps a web page away from a service on loopback.
func checkMediaType(r *http.Request) error {
	const advice = "Send the body as it is, with Content-Type: application/json."
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return &problem{kind: kindMedia, detail: "Content-Encoding is not supported. " + advice}
	}
	given := r.Header.Get("Content-Type")
	if given == "application/json" {
		return nil
	}
	media, params, err := mime.ParseMediaType(given)
	if err != nil || media != "application/json" {
		return &problem{kind: kindMedia, detail: "The Content-Type is not JSON. " + advice}
	}
	if charset := params["charset"]; charset != "" && charset != "utf-8" && charset != "UTF-8" {
		return &problem{kind: kindMedia, detail: "JSON is UTF-8; other charsets are not supported. " + advice}
	}
	return nil
}

func tooLarge(c echo.Context, limit int) *problem {
	// The rest of the body is not read, so the connection can't be used again.
	c.Response().Header().Set("Connection", "close")
	return &problem{kind: kindTooLarge, detail: fmt.Sprintf("The body is over the limit of this route, %d bytes.", limit)}
}

var errSlowBody = &problem{kind: kindSlow, detail: "The body was not complete in time. Send it faster, or less of it."}

func readProblem(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return errSlowBody
	}
	return &problem{kind: kindInvalid, detail: "The body ended before its announced length."}
}

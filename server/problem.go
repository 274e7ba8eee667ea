package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/catalog"
)

// kind is the last part of a problem's type URI. A client may switch on it; the texts may change.
type kind string

const (
	kindMalformed    kind = "malformed-json"
	kindInvalid      kind = "invalid-request"
	kindUnauthorized kind = "unauthorized"
	kindForbidden    kind = "forbidden"
	kindNotFound     kind = "not-found"
	kindNoRoute      kind = "unknown-route"
	kindMethod       kind = "method-not-allowed"
	kindSlow         kind = "body-timeout"
	kindConflict     kind = "conflict"
	kindSurface      kind = "tool-surface"
	kindTooLarge     kind = "too-large"
	kindMedia        kind = "unsupported-media-type"
	kindReused       kind = "idempotency-key-reused"
	kindQuota        kind = "quota-exceeded"
	kindInternal     kind = "internal"
	kindOverloaded   kind = "overloaded"
	kindUnavailable  kind = "unavailable"
)

// problemTypePrefix makes a kind a URI (RFC 9457, section 3.1.1).
const problemTypePrefix = "urn:codecell:problem:"

// problemTable is the one place that says what each kind means on the wire.
var problemTable = map[kind]struct {
	status int
	title  string
}{
	kindMalformed:    {http.StatusBadRequest, "The body is not valid JSON"},
	kindInvalid:      {http.StatusBadRequest, "The request is not valid"},
	kindUnauthorized: {http.StatusUnauthorized, "A valid API key is required"},
	kindForbidden:    {http.StatusForbidden, "The request is not allowed"},
	kindNotFound:     {http.StatusNotFound, "There is no such thing"},
	kindNoRoute:      {http.StatusNotFound, "There is no such route"},
	kindMethod:       {http.StatusMethodNotAllowed, "The route does not take this method"},
	kindSlow:         {http.StatusRequestTimeout, "The body came too slowly"},
	kindConflict:     {http.StatusConflict, "The request contradicts the present state"},
	kindSurface:      {http.StatusConflict, "The model would not see exactly exec and wait"},
	kindTooLarge:     {http.StatusRequestEntityTooLarge, "The request is too large"},
	kindMedia:        {http.StatusUnsupportedMediaType, "The body has the wrong type"},
	kindReused:       {http.StatusConflict, "The idempotency key belongs to another request"},
	kindQuota:        {http.StatusTooManyRequests, "The tenant has used up its share"},
	kindInternal:     {http.StatusInternalServerError, "The service failed"},
	kindOverloaded:   {http.StatusServiceUnavailable, "The service is busy"},
	kindUnavailable:  {http.StatusServiceUnavailable, "The service can't run code now"},
}

// problem is an RFC 9457 document (contract I3) on its way to the client. Handlers return it as their error.
type problem struct {
	kind   kind
	detail string // what is wrong, where, what to do next
	key    string // the offending key or path of the request, may be empty
	// found are the tool names of a payload that was turned down (contract A6); nil elsewhere.
	found []string
	// retryAfter is sent as Retry-After, in whole seconds; zero sends none.
	retryAfter time.Duration
}

// Error is what a person should read.
func (p *problem) Error() string { return p.detail }

func (p *problem) status() int { return problemTable[p.kind].status }

// problemDocument is the wire form.
type problemDocument struct {
	Type     string   `json:"type"`
	Title    string   `json:"title"`
	Status   int      `json:"status"`
	Detail   string   `json:"detail,omitempty"`
	Instance string   `json:"instance"`
	Key      string   `json:"key,omitempty"`
	OK       *bool    `json:"ok,omitempty"`
	Names    []string `json:"names,omitempty"`
}

func invalid(key, detail string) *problem {
	return &problem{kind: kindInvalid, key: key, detail: detail}
}

// asProblem turns whatever a handler returned into a document. Errors that it does not know say nothing of themselves:
// their text may hold host detail.
func asProblem(err error) *problem {
	var (
		p       *problem
		refusal *bridge.Error
		tool    *catalog.Error
		routing *echo.HTTPError
	)
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refusal):
		return refused(refusal)
	case errors.As(err, &tool):
		return invalid(tool.Field, tool.Error())
	case errors.As(err, &routing):
		return misrouted(routing)
	}
	return &problem{kind: kindInternal, detail: "Nothing is known to be wrong with the request. The log of the service has the cause under this instance."}
}

// refused maps the backend's vocabulary; a kind added there is a 500 until it is given a status here.
func refused(e *bridge.Error) *problem {
	kinds := map[bridge.Kind]kind{
		bridge.KindInvalid:     kindInvalid,
		bridge.KindNotFound:    kindNotFound,
		bridge.KindConflict:    kindConflict,
		bridge.KindTooLarge:    kindTooLarge,
		bridge.KindOverloaded:  kindOverloaded,
		bridge.KindQuota:       kindQuota,
		bridge.KindUnavailable: kindUnavailable,
	}
	k, ok := kinds[e.Kind]
	if !ok {
		k = kindInternal
	}
	p := &problem{kind: k, detail: e.Msg, key: e.Key, retryAfter: e.RetryAfter}
	if k == kindOverloaded && p.retryAfter <= 0 {
		p.retryAfter = time.Second
	}
	return p
}

func misrouted(e *echo.HTTPError) *problem {
	switch e.Code {
	case http.StatusNotFound:
		return &problem{kind: kindNoRoute, detail: "GET /openapi.json lists the routes."}
	case http.StatusMethodNotAllowed:
		return &problem{kind: kindMethod, detail: "The Allow header lists the methods; GET /openapi.json describes them."}
	}
	return &problem{kind: kindInternal}
}

// fail is the one way out for requests that do not end in a result.
func (s *Server) fail(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	if errors.Is(err, context.Canceled) && c.Request().Context().Err() != nil {
		// Nobody is left to read an answer.
		return
	}
	p, instance := s.failed(c, err)
	if p.retryAfter > 0 {
		seconds := int(math.Ceil(p.retryAfter.Seconds()))
		c.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(seconds))
	}
	if sendErr := send(c, p.status(), mimeProblem, p.document(instance)); sendErr != nil {
		s.log.Debug("answer not delivered", "instance", instance, "error", sendErr)
	}
}

// failed logs a failure, and returns what the client is told of it.
func (s *Server) failed(c echo.Context, err error) (*problem, string) {
	p, instance := asProblem(err), instanceOf(c)
	s.logFailure(c, p, instance, err)
	return p, instance
}

func (p *problem) document(instance string) []byte {
	doc := problemDocument{
		Type: problemTypePrefix + string(p.kind), Title: problemTable[p.kind].title, Status: p.status(),
		Detail: p.detail, Instance: instance, Key: p.key,
	}
	if p.kind == kindSurface {
		no := false
		doc.OK, doc.Names = &no, p.found
	}
	// Strings and numbers alone always encode.
	out, _ := json.Marshal(doc)
	return out
}

func (s *Server) logFailure(c echo.Context, p *problem, instance string, cause error) {
	level := slog.LevelDebug
	if p.kind == kindInternal {
		level = slog.LevelError
	}
	s.log.Log(c.Request().Context(), level, "request failed", "instance", instance, "request", requestID(c.Request()),
		"method", c.Request().Method, "route", c.Path(), "status", p.status(), "error", cause)
}

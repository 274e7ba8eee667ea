package server

import (
	"strconv"

	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/codecell/codecell/bridge/tracecontext"
)

// Attributes of a request's span, by OpenTelemetry's conventions.
const (
	attrMethod    = attribute.Key("http.request.method")
	attrRoute     = attribute.Key("http.route")
	attrCode      = attribute.Key("http.response.status_code")
	attrErrorType = attribute.Key("error.type")
	attrTenant    = attribute.Key("codecell.tenant")
)

// passTrace has the calls that a request causes be part of the trace that the request is part of (contract I4). With a
// tracer, the request has a span in it.
func (s *Server) passTrace(next echo.HandlerFunc) echo.HandlerFunc {
	if s.tracer != nil {
		return func(c echo.Context) error { return s.record(c, next) }
	}
	return func(c echo.Context) error {
		r := c.Request()
		if parent, ok := tracecontext.FromHeader(r.Header); ok {
			c.SetRequest(r.WithContext(tracecontext.With(r.Context(), parent)))
		}
		return next(c)
	}
}

// record answers a request within a span.
func (s *Server) record(c echo.Context, next echo.HandlerFunc) error {
	r := c.Request()
	ctx := r.Context()
	if parent, ok := tracecontext.FromHeader(r.Header); ok {
		ctx = trace.ContextWithRemoteSpanContext(ctx, parent.SpanContext())
	}
	ctx, span := s.tracer.Start(ctx, r.Method+" "+c.Path(), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attrMethod.String(r.Method), attrRoute.String(c.Path())))
	defer span.End() // also when the handler panics
	if tenant := Tenant(c); tenant != "" {
		span.SetAttributes(attrTenant.String(tenant))
	}
	c.SetRequest(r.WithContext(ctx))
	err := next(c)
	status := statusOf(c, err)
	span.SetAttributes(attrCode.Int(status))
	if status >= 500 {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attrErrorType.String(strconv.Itoa(status)))
	}
	return err
}

package tracecontext

import (
	"context"
	"encoding/hex"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/trace"
)

// Names of the headers.
const (
	ParentHeader = "Traceparent"
	StateHeader  = "Tracestate"
)

// Trace is where in a trace a request is. The zero value is nowhere.
type Trace struct{ parent, state string }

// Parent is the value of the Traceparent header, in the version of the standard that is known here.
func (t Trace) Parent() string { return t.parent }

// State is the value of the Tracestate header; empty for none.
func (t Trace) State() string { return t.state }

// Bounds of what is passed on of a Tracestate, as the standard has them.
const (
	maxState   = 512
	maxMembers = 32
)

// The flags that the standard knows: sampled, and that the id is random.
const knownFlags = 0x03

// FromHeader reads the headers of a request. It is false if they name no trace, or not one in the form of the standard. A
// state that can't be passed on is left out.
func FromHeader(h http.Header) (Trace, bool) {
	parents := h[ParentHeader]
	if len(parents) != 1 {
		return Trace{}, false
	}
	t, ok := parse(parents[0])
	if !ok {
		return Trace{}, false
	}
	if state := strings.Join(h[StateHeader], ","); validState(state) {
		t.state = state
	}
	return t, true
}

// parse reads version, trace, span and flags. Later versions may have more behind a dash, and are passed on without it, as
// the first version.
func parse(text string) (t Trace, ok bool) {
	const size = len("00-") + 32 + 1 + 16 + 1 + 2
	if len(text) < size || text[2] != '-' || text[35] != '-' || text[52] != '-' {
		return t, false
	}
	var version, flags [1]byte
	var id [16]byte
	var span [8]byte
	ok = fromHex(version[:], text[:2]) && fromHex(id[:], text[3:35]) && fromHex(span[:], text[36:52]) && fromHex(flags[:], text[53:55])
	switch {
	case !ok, version[0] == 0xff, id == [16]byte{}, span == [8]byte{}:
		return t, false
	case len(text) > size && (version[0] == 0 || text[size] != '-'):
		return t, false
	}
	t.parent = "00" + text[2:53] + hex.EncodeToString([]byte{flags[0] & knownFlags})
	return t, true
}

// fromHex reads lower case digits, as the standard wants them.
func fromHex(to []byte, text string) bool {
	if strings.ToLower(text) != text {
		return false
	}
	_, err := hex.Decode(to, []byte(text))
	return err == nil
}

func validState(state string) bool {
	if len(state) > maxState || strings.Count(state, ",") >= maxMembers {
		return false
	}
	for n := range len(state) {
		if c := state[n]; (c < ' ' || c > '~') && c != '\t' {
			return false
		}
	}
	return true
}

// Inject puts the trace of a context, if it has one, into the headers of a request. One that is there already is kept: who
// configured it has a trace of its own.
func Inject(ctx context.Context, h http.Header) {
	t, ok := Of(ctx)
	if !ok || len(h[ParentHeader]) > 0 {
		return
	}
	h[ParentHeader] = []string{t.parent}
	delete(h, StateHeader)
	if t.state != "" {
		h[StateHeader] = []string{t.state}
	}
}

// ofSpan returns the place of a span.
func ofSpan(span trace.SpanContext) Trace {
	return Trace{
		parent: "00-" + span.TraceID().String() + "-" + span.SpanID().String() + "-" + (span.TraceFlags() & knownFlags).String(),
		state:  span.TraceState().String(),
	}
}

// SpanContext returns the trace as OpenTelemetry has it: that of a span in another process. A state that can't be read is
// left out.
func (t Trace) SpanContext() trace.SpanContext {
	if t.parent == "" {
		return trace.SpanContext{}
	}
	var flags [1]byte
	_, _ = hex.Decode(flags[:], []byte(t.parent[53:]))
	c := trace.SpanContextConfig{TraceFlags: trace.TraceFlags(flags[0]), Remote: true}
	_, _ = hex.Decode(c.TraceID[:], []byte(t.parent[3:35]))
	_, _ = hex.Decode(c.SpanID[:], []byte(t.parent[36:52]))
	c.TraceState, _ = trace.ParseTraceState(t.state)
	return trace.NewSpanContext(c)
}

type key struct{}

// With returns a context that carries the trace.
func With(ctx context.Context, t Trace) context.Context { return context.WithValue(ctx, key{}, t) }

// Of returns where in a trace a context is: at its span of OpenTelemetry's if it has one, else where With said.
func Of(ctx context.Context) (Trace, bool) {
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		return ofSpan(span), true
	}
	t, ok := ctx.Value(key{}).(Trace)
	return t, ok
}

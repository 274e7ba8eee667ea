package bridge

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/tracecontext"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// recorder keeps the spans of a service.
type recorder struct {
	*tracetest.SpanRecorder
	provider *sdktrace.TracerProvider
}

func newRecorder() *recorder {
	r := &recorder{SpanRecorder: tracetest.NewSpanRecorder()}
	r.provider = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.SpanRecorder))
	return r
}

func (r *recorder) tracer() trace.Tracer { return r.provider.Tracer("test") }

// take returns the spans that have ended, by name, and forgets them.
func (r *recorder) take() map[string][]sdktrace.ReadOnlySpan {
	all := map[string][]sdktrace.ReadOnlySpan{}
	for _, s := range r.Ended() {
		all[s.Name()] = append(all[s.Name()], s)
	}
	r.Reset()
	return all
}

// attributesOf are a span's, as text.
func attributesOf(s sdktrace.ReadOnlySpan) map[attribute.Key]string {
	all := map[attribute.Key]string{}
	for _, a := range s.Attributes() {
		all[a.Key] = a.Value.String()
	}
	return all
}

func TestTrace(t *testing.T) {
	var told trace.SpanContext
	own := executorFunc(func(ctx context.Context, _ executor.Call) (json.RawMessage, error) {
		place, _ := tracecontext.Of(ctx)
		told = place.SpanContext()
		return json.RawMessage("1"), nil
	})
	tool := catalog.Tool{Source: "openclaw", Owner: "lab", Name: "own", Executor: json.RawMessage(`{"type":"own"}`)}
	world := func(t *testing.T, steps ...enginetest.Step) (*world, *recorder) {
		r := newRecorder()
		return newWorld(t, enginetest.Always(steps...), Options{Tracer: r.tracer(), Executors: map[string]executor.Executor{"own": own}}), r
	}
	t.Run("I4 exec, step and nested call, one below the other", func(t *testing.T) {
		w, r := world(t, calls("own"), returns("1"))
		turn := w.turn("", tool)
		ctx, request := r.tracer().Start(t.Context(), "request")
		result, err := turn.Exec(ctx, ExecInput{ToolCallID: "parent", Code: quoted("x")})
		require.NoError(t, err)
		require.Equal(t, Completed, result.Status)
		spans := r.take()
		exec, step, call := spans["execute_tool exec"][0], spans["step"][0], spans["execute_tool own"][0]
		require.Len(t, spans["step"], 2)
		require.Equal(t, request.SpanContext().SpanID(), exec.Parent().SpanID())
		require.Equal(t, exec.SpanContext().SpanID(), step.Parent().SpanID())
		require.Equal(t, step.SpanContext().SpanID(), call.Parent().SpanID())
		require.Equal(t, call.SpanContext().SpanID(), told.SpanID(), "the executor's requests are part of the call's span")
		require.Equal(t, request.SpanContext().TraceID(), told.TraceID())
		of := attributesOf(exec)
		require.Equal(t, "execute_tool", of["gen_ai.operation.name"])
		require.Equal(t, "exec", of["gen_ai.tool.name"])
		require.Equal(t, "parent", of["gen_ai.tool.call.id"])
		require.Equal(t, "session", of["gen_ai.conversation.id"])
		require.Equal(t, "agent", of["gen_ai.agent.id"])
		require.Equal(t, "completed", of["codecell.status"])
		require.Equal(t, tenant, of["codecell.tenant"])
		of = attributesOf(call)
		require.Equal(t, "execute_tool", of["gen_ai.operation.name"])
		require.Equal(t, "own", of["gen_ai.tool.name"])
		require.Equal(t, "extension", of["gen_ai.tool.type"])
		require.Equal(t, "openclaw:lab:own", of["codecell.tool.id"])
		require.Equal(t, of["codecell.run.id"]+".1", of["gen_ai.tool.call.id"])
		require.Equal(t, codes.Unset, call.Status().Code)
		require.Equal(t, "1", attributesOf(step)["codecell.step.number"])
	})
	t.Run("I4 a wait is linked to what drove the run before", func(t *testing.T) {
		w, r := world(t, yields(1), yields(2), returns("1"))
		turn := w.turn("")
		id := w.exec(turn).RunID
		exec := r.take()["execute_tool exec"][0]
		require.Empty(t, exec.Links())
		w.wait(turn, id)
		first := r.take()["execute_tool wait"][0]
		require.Equal(t, exec.SpanContext().SpanID(), first.Links()[0].SpanContext.SpanID())
		w.wait(turn, id)
		second := r.take()["execute_tool wait"][0]
		require.Equal(t, first.SpanContext().SpanID(), second.Links()[0].SpanContext.SpanID())
		require.Equal(t, id, attributesOf(second)["codecell.run.id"])
	})
	t.Run("I4 what fails says why", func(t *testing.T) {
		// One after the other, so that the failing call has ended when the run does.
		w, r := world(t, calls("fail"), asks(func(out *records) { out.Call(2, "nobody", "{}") }), stops(engine.ErrTimeout))
		requireFailed(t, w.exec(w.turn("")), CodeTimeout, "")
		spans := r.take()
		require.Equal(t, "timeout", attributesOf(spans["execute_tool exec"][0])["error.type"])
		require.Equal(t, "tool_error", attributesOf(spans["execute_tool fail"][0])["error.type"])
		require.Equal(t, codes.Error, spans["execute_tool fail"][0].Status().Code)
		require.Equal(t, "unknown_tool", attributesOf(spans["execute_tool unknown"][0])["error.type"])
		require.Equal(t, "refused", attributesOf(spans["execute_tool unknown"][0])["codecell.call.state"])
	})
	t.Run("I4 a cell that is refused, and a service that is full", func(t *testing.T) {
		w, r := world(t)
		turn := w.turn("")
		requireFailed(t, w.execText(turn, ""), CodeInvalidInput, "")
		require.Equal(t, "invalid_input", attributesOf(r.take()["execute_tool exec"][0])["error.type"])
		w.engine.Fill(true)
		_, err := turn.Exec(t.Context(), ExecInput{Code: quoted("x")})
		requireKind(t, err, KindOverloaded)
		require.Equal(t, "overloaded", attributesOf(r.take()["execute_tool exec"][0])["error.type"])
	})
	t.Run("I4 a call that the caller carries out lasts until its result is there", func(t *testing.T) {
		w, r := world(t, calls("ask"), returns("1"))
		turn := w.turn("")
		id := w.exec(turn).RunID
		step := r.take()["step"][0]
		require.Equal(t, Completed, w.wait(turn, id, CallResult{ID: id + ".1", OK: true}).Status)
		call := r.take()["execute_tool ask"][0]
		require.Equal(t, "function", attributesOf(call)["gen_ai.tool.type"])
		require.Equal(t, step.SpanContext().SpanID(), call.Parent().SpanID())
	})
	t.Run("H6 a run has a bounded number of spans", func(t *testing.T) {
		const n = 2*maxSpans - 1
		steps := make([]enginetest.Step, n)
		for i := range steps {
			steps[i] = asks(func(out *records) { out.Call(uint32(i+1), "nobody", "{}") })
		}
		w, r := world(t, append(steps, returns("1"))...)
		require.Equal(t, Completed, w.exec(w.turn("")).Status)
		spans := r.take()
		require.Equal(t, maxSpans, len(spans["step"])+len(spans["execute_tool unknown"]))
		require.Equal(t, strconv.Itoa(2*n+1-maxSpans), attributesOf(spans["execute_tool exec"][0])["codecell.spans_left_out"])
	})
}

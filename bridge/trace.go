package bridge

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/codecell/codecell/engine"
)

// Spans (contract I4): one for each exec and wait, below it one for each step, and below that one for each nested call that
// the step asked for. Names and attributes are those of OpenTelemetry's conventions for generative AI where there are some;
// "codecell." is before the others. Without Options.Tracer a span is nil, and all methods below do nothing.

// maxSpans is how many spans of steps and calls one run has. A cell must not fill up the store of traces.
const maxSpans = 1000

// The attributes.
const (
	attrOperation    = attribute.Key("gen_ai.operation.name")
	attrToolName     = attribute.Key("gen_ai.tool.name")
	attrToolCallID   = attribute.Key("gen_ai.tool.call.id")
	attrToolType     = attribute.Key("gen_ai.tool.type")
	attrConversation = attribute.Key("gen_ai.conversation.id")
	attrAgentID      = attribute.Key("gen_ai.agent.id")
	attrErrorType    = attribute.Key("error.type")
	attrTenant       = attribute.Key("codecell.tenant")
	attrTurnID       = attribute.Key("codecell.turn.id")
	attrRunID        = attribute.Key("codecell.run.id")
	attrStatus       = attribute.Key("codecell.status")
	attrToolID       = attribute.Key("codecell.tool.id")
	attrCallState    = attribute.Key("codecell.call.state")
	attrStep         = attribute.Key("codecell.step.number")
	attrStepCPU      = attribute.Key("codecell.step.cpu_seconds")
	attrStepQueued   = attribute.Key("codecell.step.wait_seconds")
	attrHeap         = attribute.Key("codecell.heap_bytes")
	attrSpansLeftOut = attribute.Key("codecell.spans_left_out")
)

const (
	executeTool = "execute_tool"
	waitName    = "wait" // what the model goes on with
)

// The types of tools: one that the service carries out, and one that is left to the caller.
const (
	toolExtension = "extension"
	toolFunction  = "function"
)

// tracing is what a run knows of its spans. Its fields belong to the goroutine that drives the run, apart from spans.
type tracing struct {
	invocation trace.SpanContext // of the exec or wait that is served, or was last
	step       trace.SpanContext // the last one, under the same
	spans      atomic.Int32      // that the run has had
}

// invocationSpan is the span of an exec or wait.
type invocationSpan struct {
	trace.Span
	run *run
}

// startSpan begins the span of an exec or wait; nil if nobody records any.
func (t *Turn) startSpan(ctx context.Context, tool, callID string) (context.Context, *invocationSpan) {
	tracer := t.tracer
	if tracer == nil {
		return ctx, nil
	}
	attributes := []attribute.KeyValue{
		attrOperation.String(executeTool), attrToolName.String(tool), attrToolType.String(toolExtension), attrTurnID.String(t.id),
	}
	for _, optional := range []attribute.KeyValue{
		attrToolCallID.String(callID), attrConversation.String(t.context.SessionID), attrAgentID.String(t.context.AgentID),
		attrTenant.String(t.tenant),
	} {
		if optional.Value.AsString() != "" {
			attributes = append(attributes, optional)
		}
	}
	ctx, span := tracer.Start(ctx, executeTool+" "+tool, trace.WithAttributes(attributes...))
	return ctx, &invocationSpan{Span: span}
}

// of says which run the span is about, and links it to the exec or wait that drove the run before.
func (s *invocationSpan) of(r *run) {
	if s == nil {
		return
	}
	s.run = r
	if before := r.tracing.invocation; before.IsValid() {
		s.AddLink(trace.Link{SpanContext: before})
	}
	r.tracing.invocation, r.tracing.step = s.SpanContext(), trace.SpanContext{}
}

// done ends the span.
func (s *invocationSpan) done(result *Result, err error) {
	if s == nil {
		return
	}
	if err != nil {
		s.SetStatus(codes.Error, err.Error())
		s.SetAttributes(attrErrorType.String(errorType(err)))
	}
	if result != nil {
		s.SetAttributes(attrStatus.String(string(result.Status)))
		if result.Status == Failed {
			s.SetStatus(codes.Error, "")
			s.SetAttributes(attrErrorType.String(string(result.Code)))
		}
	}
	if s.run != nil {
		if s.run.id.given() {
			s.SetAttributes(attrRunID.String(s.run.id.String()))
		}
		if over := int(s.run.tracing.spans.Load()) - maxSpans; over > 0 {
			s.SetAttributes(attrSpansLeftOut.Int(over))
		}
	}
	s.End()
}

// errorType names a refusal in one word.
func errorType(err error) string {
	var refusal *Error
	if errors.As(err, &refusal) {
		return string(refusal.Kind)
	}
	return "_OTHER"
}

// mayTrace says whether there is a place for one more span of a step or call.
func (r *run) mayTrace() bool {
	return r.turn.tracer != nil && r.tracing.spans.Add(1) <= maxSpans
}

// traceStep records a step that is over.
func (r *run) traceStep(i *invocation, asked time.Time, e *engine.Effects, elapsed time.Duration, failed error) {
	if !r.mayTrace() {
		return
	}
	_, span := r.turn.tracer.Start(i.ctx, "step", trace.WithTimestamp(asked), trace.WithAttributes(
		attrStep.Int(r.usage.Steps), attrStepCPU.Float64(e.CPU.Seconds()),
		attrStepQueued.Float64(max(elapsed-e.Took, 0).Seconds()), attrHeap.Int(r.usage.Heap),
	))
	if failed != nil {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attrErrorType.String(stepError(failed)))
	}
	r.tracing.step = span.SpanContext()
	span.End(trace.WithTimestamp(asked.Add(elapsed)))
}

// stepError names in one word what ended a step from outside.
func stepError(err error) string {
	switch {
	case errors.Is(err, engine.ErrTimeout):
		return string(CodeTimeout)
	case errors.Is(err, engine.ErrStopped):
		return string(CodeAborted)
	case errors.Is(err, engine.ErrMemory):
		return string(CodeMemoryLimit)
	case errors.Is(err, engine.ErrOutput):
		return string(CodeOutputLimit)
	}
	return string(CodeRuntimeUnavailable)
}

// callTrace is what a call knows of its span.
type callTrace struct {
	step trace.SpanContext // that asked for the call
	span trace.Span        // once an executor is at work
}

// tracedCall returns what a call that a step has asked for needs for its span; nil if nobody records any.
func (r *run) tracedCall() *callTrace {
	if r.turn.tracer == nil {
		return nil
	}
	return &callTrace{step: r.tracing.step}
}

// startSpan begins the span of a call that an executor carries out, in the context for it.
func (c *call) startSpan(ctx context.Context) context.Context {
	if c.trace == nil || !c.run.mayTrace() {
		return ctx
	}
	ctx, c.trace.span = c.newSpan(ctx, toolExtension)
	return ctx
}

func (c *call) newSpan(ctx context.Context, toolType string, more ...trace.SpanStartOption) (context.Context, trace.Span) {
	name, callID := "unknown", c.callID
	if callID == "" {
		callID = c.run.id.call(c.id)
	}
	attributes := []attribute.KeyValue{
		attrOperation.String(executeTool), attrToolType.String(toolType), attrToolCallID.String(callID),
		attrTurnID.String(c.run.turn.id), attrRunID.String(c.run.id.String()),
	}
	if c.entry != nil {
		name = c.entry.Name()
		attributes = append(attributes, attrToolName.String(name), attrToolID.String(c.entry.ID()))
	}
	if c.trace.step.IsValid() {
		ctx = trace.ContextWithSpanContext(ctx, c.trace.step)
	}
	return c.run.turn.tracer.Start(ctx, executeTool+" "+name, append(more, trace.WithAttributes(attributes...))...)
}

// endSpan ends it with what the call came to. A call that no executor was at work on gets its span here: it was refused, or
// the caller carried it out, since the step asked for it.
func (c *call) endSpan(ctx context.Context, state, code string) {
	if c.trace == nil {
		return
	}
	span := c.trace.span
	if span == nil {
		if !c.run.mayTrace() {
			return
		}
		toolType := toolExtension
		if c.brought == callerRequest {
			toolType = toolFunction
		}
		_, span = c.newSpan(ctx, toolType, trace.WithTimestamp(c.began))
	}
	span.SetAttributes(attrCallState.String(state))
	if state != stateCompleted {
		span.SetStatus(codes.Error, "")
		span.SetAttributes(attrErrorType.String(code))
	}
	span.End()
}

package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/codecell/codecell/bridge"
)

// callMetrics are those of nested calls, and of who is asked about them.
type callMetrics struct {
	tools, hooks *names

	ended     *prometheus.CounterVec
	errors    *prometheus.CounterVec
	took      prometheus.Histogram
	approvals *prometheus.CounterVec
	answers   *prometheus.CounterVec
}

func newCallMetrics() callMetrics {
	return callMetrics{
		tools: newNames(maxTools, maxTenantTools), hooks: newNames(maxHooks, maxHooks),
		ended: counters("calls_total", "Nested tool calls by what came of them (completed, failed, refused, cancelled) and the tool's id, "+
			"which is other beyond a number of tools.", "tool", "outcome"),
		errors: counters("call_errors_total", "Nested tool calls that did not complete, by the code that the cell got.", "code"),
		took:   histogram("call_duration_seconds", "Time that an executor took for a nested call.", seconds),
		approvals: counters("approval_decisions_total", "Nested tool calls that a person was or would have been asked about, by what came of that.",
			"outcome"),
		answers: counters("hook_answers_total", "What hooks made of calls and cells: allowed, blocked, changed, failed, failOpen.", "hook", "outcome"),
	}
}

func (c *callMetrics) all() []prometheus.Collector {
	return []prometheus.Collector{c.ended, c.errors, c.took, c.approvals, c.answers}
}

// approvalStage is the stage at which people are asked, by its name in decisions.
const approvalStage = "approval"

func (c *callMetrics) observeCall(tenant string, e bridge.CallEnded) {
	tool := "unknown"
	if e.ToolID != "" {
		tool = c.tools.of(tenant, e.ToolID)
	}
	c.ended.WithLabelValues(tool, e.State).Inc()
	if e.Code != "" {
		c.errors.WithLabelValues(e.Code).Inc()
	}
	if e.Took > 0 {
		c.took.Observe(e.Took.Seconds())
	}
	for i := range e.Decisions {
		if d := &e.Decisions[i]; d.Stage == approvalStage {
			c.approvals.WithLabelValues(d.Outcome).Inc()
		}
	}
}

func (c *callMetrics) observeHook(e bridge.HookAnswered) {
	c.answers.WithLabelValues(c.hooks.of("", e.Hook), e.Outcome).Inc()
}

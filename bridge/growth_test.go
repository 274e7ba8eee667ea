package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bench/growth"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// wide is an operator's config under which a run may ask for as much as the contract allows.
func wide(t testing.TB) config.Config {
	t.Helper()
	c, err := config.Default().Merge([]byte(
		`{"enabled":true,"timeoutMs":60000,"maxPendingToolCalls":128,"maxQueuedToolCalls":100000,"maxHeldBytes":1073741824,"maxOutputBytes":10485760}`))
	require.NoError(t, err)
	return c
}

// asking is a run of a turn that has asked for n things, and an invocation that serves it.
func asking(t testing.TB, turn *Turn, n int, what func(n int) engine.Request) *run {
	t.Helper()
	r, err := newRun(turn, cell{})
	require.NoError(t, err)
	t.Cleanup(r.discard)
	r.invocation = newInvocation(t.Context(), &turn.config, "")
	fresh, err := r.admit(r.invocation, effectsOf(n, what))
	require.NoError(t, err)
	r.requests.start(r.callContext(), fresh)
	return r
}

func effectsOf(n int, what func(n int) engine.Request) *engine.Effects {
	e := &engine.Effects{}
	for i := range n {
		q := what(i)
		q.ID = uint32(i + 1)
		e.Requests = append(e.Requests, q)
	}
	return e
}

// The kinds of requests that stay: with the caller, and until a time.
func toCaller(n int) engine.Request {
	return engine.Request{Method: engine.MethodCallValue, Name: "ask", Payload: fmt.Appendf(nil, `{"n":%d}`, n)}
}

func aTimer(n int) engine.Request {
	return engine.Request{Method: engine.MethodTimer, Payload: fmt.Appendf(nil, "%d", 1_000_000+n*7919%1000)}
}

// resultsOf are results for what a run waits for, or for what named makes of the names.
func resultsOf(r *run, n int, named func(i int) string) []CallResult {
	results := make([]CallResult, n)
	for i := range results {
		results[i] = CallResult{ID: named(i), OK: true, Value: json.RawMessage(`{"a":[1,2,3]}`)}
	}
	return results
}

// toolsOf are n tools that have words in common.
func toolsOf(n int, source string) []catalog.Tool {
	words := strings.Fields("create update delete list read write send fetch invoice ticket issue customer order payment calendar")
	tools := make([]catalog.Tool, n)
	for i := range tools {
		a, b := words[i%len(words)], words[i/7%len(words)]
		tools[i] = catalog.Tool{
			Source: source, Owner: "lab", Name: fmt.Sprintf("%s_%s_%d", a, b, i), Description: "Will " + a + " the " + b + " of somebody.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"` + a + `":{"type":"string"},"` + b + `":{"type":"integer"}}}`),
			Executor:   json.RawMessage(`{"type":"echo"}`),
		}
	}
	return tools
}

func TestGrowthOfRuns(t *testing.T) {
	w := newWorld(t, enginetest.Always(returns("1")), Options{Config: wide(t), MemoryBytes: 16 << 30, TenantBytes: 16 << 30})
	turn := w.turn("")
	callsOf := func(n int) *run { return asking(t, turn, n, toCaller) }
	for _, g := range []struct {
		name    string
		n       int
		prepare func(n int) func()
	}{
		{"what a step asks for", 1000, func(n int) func() {
			r, e := callsOf(0), effectsOf(n, toCaller)
			return func() {
				_, err := r.admit(r.invocation, e)
				require.NoError(t, err)
			}
		}},
		{"what a result says is pending", 2000, func(n int) func() {
			r := callsOf(n)
			return func() {
				result := &Result{Status: Waiting, Pending: r.requests.pendingCalls()}
				require.NotEmpty(t, result.AppendJSON(nil))
			}
		}},
		{"results posted", 1000, func(n int) func() {
			r := callsOf(n)
			results := resultsOf(r, n, func(i int) string { return r.id.call(uint32(i + 1)) })
			return func() { require.Len(t, r.deliver(results).Accepted, n) }
		}},
		{"results posted again", 2000, func(n int) func() {
			r := callsOf(n)
			results := resultsOf(r, n, func(int) string { return r.id.call(uint32(n)) })
			return func() { require.Len(t, r.deliver(results).Refused, n-1) }
		}},
		{"results for nobody", 2000, func(n int) func() {
			r := callsOf(n)
			results := resultsOf(r, n, func(i int) string { return fmt.Sprintf("%s.%d", r.id.String(), 1_000_000+i) })
			return func() { require.Len(t, r.deliver(results).Refused, n) }
		}},
		{"answers that the guest gets", 2000, func(n int) func() {
			r := callsOf(n)
			r.deliver(resultsOf(r, n, func(i int) string { return r.id.call(uint32(i + 1)) }))
			return func() {
				answers, _, _ := r.requests.take(time.Now())
				require.Len(t, answers, n)
				require.NotEmpty(t, engine.AppendResume(nil, answers))
			}
		}},
		{"the end of a run", 2000, func(n int) func() {
			r := callsOf(n)
			return func() {
				r.requests.end()
				r.abandonCalls()
			}
		}},
		{"timers", 125, func(n int) func() {
			r, e := callsOf(0), effectsOf(n, aTimer)
			cleared := &engine.Effects{}
			for i := range n {
				cleared.Cancelled = append(cleared.Cancelled, uint32(i+1))
			}
			return func() {
				for range 10 {
					for _, step := range []*engine.Effects{e, cleared} {
						_, err := r.admit(r.invocation, step)
						require.NoError(t, err)
					}
				}
			}
		}},
		{"outputs", 4000, func(n int) func() {
			r := callsOf(0)
			return func() {
				for range n {
					r.output.add(engine.Output{Data: []byte("a line of output")})
				}
				items, _ := r.output.take(true)
				require.NotEmpty(t, (&Result{Status: Completed, Value: []byte("1"), Output: items}).AppendJSON(nil))
			}
		}},
		{"outputs that are cut", 4000, func(n int) func() {
			narrow := w.turn(`{"enabled":true,"outputOverflow":"truncate","maxOutputBytes":1024}`)
			r := asking(t, narrow, 0, toCaller)
			return func() {
				for range n {
					r.output.add(engine.Output{Data: []byte("a line of output")})
				}
			}
		}},
		{"an export", 1000, func(n int) func() {
			r := callsOf(n)
			return func() {
				state := r.hostState()
				require.NotEmpty(t, state.encode())
			}
		}},
		{"an import", 1000, func(n int) func() {
			r := callsOf(n)
			r.deliver(resultsOf(r, n/2, func(i int) string { return r.id.call(uint32(i + 1)) }))
			r.lifecycle.keepUntil(time.Now().Add(time.Minute))
			r.cell.code, r.cell.language = "return 1", "javascript"
			state := r.hostState()
			text := state.encode()
			return func() {
				var state hostState
				require.NoError(t, json.Unmarshal(text, &state))
				imported, err := turn.revive(t.Context(), "cm_imported", &state)
				require.NoError(t, err)
				imported.discard()
			}
		}},
	} {
		t.Run("H6 linear in what a cell or a client sizes: "+g.name, func(t *testing.T) { growth.Linear(t, g.n, g.prepare) })
	}
}

func TestGrowthOfTurns(t *testing.T) {
	w := newWorld(t, enginetest.Always(returns("1")), Options{Config: wide(t), MemoryBytes: 16 << 30, TenantBytes: 16 << 30})
	prepared := func(n int, source string) *Turn {
		turn := w.turn("", toolsOf(n, source)...)
		t.Cleanup(func() { _ = w.DropTurn(tenant, turn.ID()) })
		return turn
	}
	// asks has a run of a turn over n tools ask for the same thing many times.
	asks := func(source string, what func(n int) engine.Request) func(n int) func() {
		return func(n int) func() {
			r := asking(t, prepared(n, source), 0, toCaller)
			_, err := r.admit(r.invocation, effectsOf(1, func(int) engine.Request { return what(n) })) // which builds what is built once
			require.NoError(t, err)
			e := effectsOf(20, func(int) engine.Request { return what(n) })
			for i := range e.Requests {
				e.Requests[i].ID += 10
			}
			return func() {
				_, err := r.admit(r.invocation, e)
				require.NoError(t, err)
			}
		}
	}
	fixed := func(m engine.Method, name, payload string) func(int) engine.Request {
		return func(int) engine.Request { return engine.Request{Method: m, Name: name, Payload: []byte(payload)} }
	}
	long := func(m engine.Method, payload string) func(int) engine.Request {
		return func(n int) engine.Request {
			return engine.Request{Method: m, Name: strings.Repeat("creat_invoic ", n), Payload: []byte(payload)}
		}
	}
	few := func(what func(n int) engine.Request) func(n int) func() {
		return func(n int) func() {
			r := asking(t, prepared(100, "openclaw"), 0, toCaller)
			e := effectsOf(20, func(int) engine.Request { return what(n) })
			return func() {
				_, err := r.admit(r.invocation, e)
				require.NoError(t, err)
			}
		}
	}
	for _, g := range []struct {
		name    string
		n       int
		prepare func(n int) func()
	}{
		{"a turn's catalog", 200, func(n int) func() {
			tools := toolsOf(n, "openclaw")
			return func() {
				turn, err := w.Prepare(context.Background(), tenant, &TurnRequest{Tools: tools})
				require.NoError(t, err)
				require.NotEmpty(t, turn.guest())
				require.NotEmpty(t, turn.fingerprint())
				_, err = turn.Tools("openai")
				require.NoError(t, err)
				require.NoError(t, w.DropTurn(tenant, turn.ID()))
			}
		}},
		{"a turn's servers", 200, func(n int) func() {
			tools := toolsOf(n, "mcp")
			for i := range tools {
				tools[i].Owner = fmt.Sprintf("server-%d", i)
			}
			return func() {
				turn, err := w.Prepare(context.Background(), tenant, &TurnRequest{Tools: tools})
				require.NoError(t, err)
				require.NotEmpty(t, turn.guest())
				require.NoError(t, w.DropTurn(tenant, turn.ID()))
			}
		}},
		{"a session's turns", 30, func(n int) func() {
			c := someone()
			c.SessionID = fmt.Sprintf("session of %d", n)
			for range n {
				w.turnOf(tenant, c, "")
			}
			return func() {
				dropped, err := w.DropSession(tenant, c.SessionID)
				require.NoError(t, err)
				require.Equal(t, n, dropped)
			}
		}},
		{"searches of a catalog, explained", 200, asks("openclaw", fixed(engine.MethodSearch, "creat invoic of a customer", `{"limit":50,"explain":true}`))},
		{"searches that list a catalog", 200, asks("openclaw", fixed(engine.MethodSearch, "", "50"))},
		{"names that a catalog does not have", 200, asks("openclaw", fixed(engine.MethodDescribe, "openclaw:lab:creat_invoic", "null"))},
		{"a server's tools, described", 200, asks("mcp", fixed(engine.MethodNamespace, apiTarget+":lab", "[]"))},
		{"a long query, explained", 2000, few(long(engine.MethodSearch, `{"limit":50,"explain":true}`))},
		{"a long name of no tool", 2000, few(long(engine.MethodDescribe, "null"))},
		{"a long name of no tool, called", 2000, few(long(engine.MethodCall, "{}"))},
	} {
		t.Run("H6 linear in what a client sizes: "+g.name, func(t *testing.T) { growth.Linear(t, g.n, g.prepare) })
	}
}

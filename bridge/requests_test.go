package bridge

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// answerTo runs a cell that makes one request and returns the answer that the guest got.
func answerTo(t *testing.T, config string, ask func(out *records), tools ...catalog.Tool) engine.Answer {
	t.Helper()
	var got engine.Answer
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(ask), func(in *input, out *records) error {
			got = in.Answers[0]
			out.Fulfil("1", 0)
			return nil
		}), Options{})
		require.Equal(t, Completed, w.exec(w.turn(config, tools...)).Status)
	})
	require.True(t, json.Valid(got.Payload), "%s", got.Payload)
	return got
}

// guestError is what a rejected promise's error is made of (contract D7).
type guestError struct{ Name, Message, Code, ToolID, CallID string }

func errorOf(t *testing.T, a engine.Answer) guestError {
	t.Helper()
	require.Equal(t, engine.AnswerError, a.Kind, "%s", a.Payload)
	var e guestError
	require.NoError(t, json.Unmarshal(a.Payload, &e))
	return e
}

func TestRequests(t *testing.T) {
	request := func(m engine.Method, name, payload string) func(*records) {
		return func(out *records) { out.Request(1, m, name, payload) }
	}
	strict := catalog.Tool{
		Source: "openclaw", Owner: "core", Name: "strict", Executor: json.RawMessage(`{"type":"echo"}`),
		Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
	}
	needy := catalog.Tool{
		Source: "mcp", Owner: "hub", Name: "needy", Executor: json.RawMessage(`{"type":"echo"}`),
		Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","default":7}},"required":["a"]}`),
	}
	twin := catalog.Tool{Source: "openclaw", Owner: "plugin", Name: "echo", Executor: json.RawMessage(`{"type":"echo"}`)}
	for _, tc := range []struct {
		name string
		ask  func(*records)
		more []catalog.Tool
		code string
		text string
	}{
		{"D3 a limit that is no positive integer", request(engine.MethodSearch, "echo", "0"), nil, "invalid_input", "limit must be a positive integer."},
		{"D3 a fraction", request(engine.MethodSearch, "echo", "1.5"), nil, "invalid_input", "limit must be a positive integer."},
		{"D3 a limit that is text", request(engine.MethodSearch, "echo", `"3"`), nil, "invalid_input", "limit must be a positive integer."},
		{"D3 a limit that is an object", request(engine.MethodSearch, "echo", `{}`), nil, "invalid_input", "limit must be a positive integer."},
		{"D4 unknown", request(engine.MethodDescribe, "ecco", "null"), nil, "unknown_tool", "Unknown tool id: ecco."},
		{"D4 ambiguous", request(engine.MethodDescribe, "echo", "null"), []catalog.Tool{twin}, "unknown_tool", "Ambiguous tool name: echo; use an exact tool id."},
		{"G1 a tool that is not in the catalog", request(engine.MethodCall, "openclaw:core:denied", "{}"), nil, "unknown_tool", "Unknown tool id"},
		{"E1 an MCP tool is not callable by id", request(engine.MethodCall, "mcp:hub:issue", "{}"), nil, "unknown_tool", "Unknown tool id"},
		{"G8 exec is not reachable", request(engine.MethodCall, "exec", "{}"), nil, "unknown_tool", "Unknown tool id"},
		{"G1 the input must fit its schema", request(engine.MethodCall, "strict", `{"n":"x"}`), []catalog.Tool{strict}, "invalid_input", "n"},
		{"G1 the same for callValue", request(engine.MethodCallValue, "strict", `[]`), []catalog.Tool{strict}, "invalid_input", "strict"},
		{"F2 a forged namespace target", request(engine.MethodNamespace, "mcp:other:tool", "[{}]"), nil, "unknown_tool", "not visible in the run catalog: mcp:other:tool"},
		{"F2 a plain tool through the namespace", request(engine.MethodNamespace, "openclaw:core:echo", "[{}]"), nil, "unknown_tool", "not visible"},
		{"E1 two arguments", request(engine.MethodNamespace, "mcp:hub:issue", "[{},{}]"), nil, "invalid_input", "MCP namespace tools accept one object argument."},
		{"E1 an array", request(engine.MethodNamespace, "mcp:hub:issue", "[[]]"), nil, "invalid_input", "MCP namespace tools accept one object argument."},
		{"E1 null", request(engine.MethodNamespace, "mcp:hub:issue", "[null]"), nil, "invalid_input", "MCP namespace tools accept one object argument."},
		{"E1 a missing argument", request(engine.MethodNamespace, "mcp:hub:needy", "[{}]"), []catalog.Tool{needy}, "invalid_input", "Missing required MCP namespace argument: a"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := errorOf(t, answerTo(t, "", tc.ask, tc.more...))
			require.Equal(t, tc.code, e.Code)
			require.Contains(t, e.Message, tc.text)
			require.Equal(t, "Error", e.Name)
		})
	}
	t.Run("D7 a refused call names tool and call", func(t *testing.T) {
		e := errorOf(t, answerTo(t, "", request(engine.MethodCall, "strict", `{"n":"x"}`), strict))
		require.Equal(t, "openclaw:core:strict", e.ToolID)
		require.True(t, strings.HasSuffix(e.CallID, ".1"))
	})
	for _, tc := range []struct {
		name, limit, config string
		want                int
	}{
		{"the default", "null", `{"enabled":true,"searchDefaultLimit":2}`, 2},
		{"what was asked for", "3", ``, 3},
		{"clamped", "1000000", `{"enabled":true,"maxSearchLimit":1}`, 1},
		{"clamped from infinity", "1e999", `{"enabled":true,"maxSearchLimit":1}`, 1},
	} {
		t.Run("D3 limit: "+tc.name, func(t *testing.T) {
			a := answerTo(t, tc.config, request(engine.MethodSearch, "", tc.limit))
			require.Equal(t, engine.AnswerValue, a.Kind)
			var hits []struct{ ID string }
			require.NoError(t, json.Unmarshal(a.Payload, &hits))
			require.Len(t, hits, tc.want)
			require.Equal(t, "openclaw:core:echo", hits[0].ID)
		})
	}
	t.Run("D3 nothing found is an empty array", func(t *testing.T) {
		require.Equal(t, "[]", string(answerTo(t, "", request(engine.MethodSearch, "zzzzzz", "null")).Payload))
	})
	t.Run("D4 describe", func(t *testing.T) {
		a := answerTo(t, "", request(engine.MethodDescribe, " strict ", "null"), strict)
		require.Contains(t, string(a.Payload), `"parameters"`)
	})
	t.Run("D5 call gives tool and result", func(t *testing.T) {
		var got struct {
			Tool   struct{ ID string }
			Result struct {
				Details struct{ Input json.RawMessage }
			}
		}
		require.NoError(t, json.Unmarshal(answerTo(t, "", request(engine.MethodCall, "echo", `{"a":1}`)).Payload, &got))
		require.Equal(t, "openclaw:core:echo", got.Tool.ID)
		require.JSONEq(t, `{"a":1}`, string(got.Result.Details.Input))
	})
	t.Run("D5 callValue gives the useful value", func(t *testing.T) {
		require.JSONEq(t, `{"name":"echo","input":{"a":1}}`, string(answerTo(t, "", request(engine.MethodCallValue, "echo", `{"a":1}`)).Payload))
	})
	t.Run("D5 null input is {}", func(t *testing.T) {
		require.JSONEq(t, `{"name":"echo","input":{}}`, string(answerTo(t, "", request(engine.MethodCallValue, "echo", `null`)).Payload))
	})
	t.Run("E1 an MCP call gives the server's own result, with defaults filled in", func(t *testing.T) {
		var got struct {
			Details struct{ Input json.RawMessage }
		}
		require.NoError(t, json.Unmarshal(answerTo(t, "", request(engine.MethodNamespace, "mcp:hub:needy", `[{"a":"x"}]`), needy).Payload, &got))
		require.JSONEq(t, `{"a":"x","b":7}`, string(got.Details.Input))
	})
	t.Run("E3 $api answers without a call", func(t *testing.T) {
		require.Equal(t, engine.AnswerValue, answerTo(t, "", request(engine.MethodNamespace, "$api", "[]")).Kind)
		require.Equal(t, engine.AnswerValue, answerTo(t, "", request(engine.MethodNamespace, "$api:hub", `["issue",{"schema":true}]`)).Kind)
	})
	t.Run("D7 a failing tool rejects", func(t *testing.T) {
		e := errorOf(t, answerTo(t, "", request(engine.MethodCall, "fail", "{}")))
		require.Equal(t, "it broke", e.Message)
		require.Equal(t, "tool_error", e.Code)
		require.Equal(t, "openclaw:core:fail", e.ToolID)
		require.NotEmpty(t, e.CallID)
	})
	isError := catalog.Tool{
		Source: "openclaw", Owner: "core", Name: "bad",
		Executor: json.RawMessage(`{"type":"echo","result":{"isError":true,"content":[{"type":"text","text":"no luck"}]}}`),
	}
	t.Run("D5 callValue throws on isError", func(t *testing.T) {
		require.Equal(t, "no luck", errorOf(t, answerTo(t, "", request(engine.MethodCallValue, "bad", "{}"), isError)).Message)
	})
	t.Run("D5 call hands isError over", func(t *testing.T) {
		a := answerTo(t, "", request(engine.MethodCall, "bad", "{}"), isError)
		require.Equal(t, engine.AnswerValue, a.Kind)
		require.Contains(t, string(a.Payload), `"isError":true`)
	})
	t.Run("D9 a yield resolves to its reason", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Yield(1, `{"why":["x"]}`) }), returns("1")), Options{})
		turn := w.turn("")
		r := w.exec(turn)
		require.Equal(t, "yield", r.Reason)
		w.wait(turn, r.RunID)
		require.JSONEq(t, `{"status":"yielded","reason":{"why":["x"]}}`, string(w.lastInput().Answers[0].Payload))
	})
	t.Run("G6 each kind is counted, over the turn", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(asks(func(out *records) {
			out.Request(1, engine.MethodSearch, "x", "null").Request(2, engine.MethodSearch, "x", "null").
				Request(3, engine.MethodDescribe, "echo", "null").Call(4, "nobody", "{}")
		}), returns("1")), Options{})
		turn := w.turn("")
		w.exec(turn)
		tm := w.exec(turn).Telemetry
		require.Equal(t, []int64{4, 2, 0}, []int64{tm.SearchCount, tm.DescribeCount, tm.Calls}, "a call's look-up is no describe")
		require.Equal(t, len(someTools()), tm.CatalogSize)
	})
}

// FuzzRequest feeds whatever a guest may be made to ask: the run ends in a result.
func FuzzRequest(f *testing.F) {
	for m := byte(engine.MethodSearch); m <= byte(engine.MethodTimer); m++ {
		for _, name := range []string{"echo", "mcp:hub:issue", "$api", "$api:__proto__", "__proto__", ""} {
			f.Add(m, name, []byte(`[{"a":1}]`))
		}
		f.Add(m, "echo", []byte("1e400"))
	}
	f.Fuzz(func(t *testing.T, method byte, name string, payload []byte) {
		if !jsontext.Valid(payload) {
			return // the guest's adapter writes JSON
		}
		w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Request(1, engine.Method(method), name, string(payload)) }), func(in *input, out *records) error {
			for _, a := range in.Answers {
				if a.Kind != engine.AnswerFired && !json.Valid(a.Payload) {
					t.Errorf("not JSON: %q", a.Payload)
				}
			}
			out.Fulfil("1", 0)
			return nil
		}), Options{})
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r, err := w.turn(`{"enabled":true,"drainMs":20}`).Exec(ctx, ExecInput{Code: quoted("x")})
		if err != nil {
			t.Fatal(err)
		}
		w.checked(r)
	})
}

// A call may end between the end of its run and the recording of the calls that nobody is at work on.
func TestAbandoned(t *testing.T) {
	var s requests
	var id runID
	s.init(&id, 1, account.New("run", 1<<20))
	c := &call{request: &request{id: 1, kind: localRequest}}
	c.request.call = c
	require.NoError(t, s.add(c.request))
	s.start(t.Context(), []*request{c.request})
	require.Same(t, c, s.next())
	s.end()
	t.Run("G5 a call that is at work records itself", func(t *testing.T) { require.Empty(t, s.abandoned()) })
	s.finish(c)
	t.Run("G5 and is not recorded again once it has", func(t *testing.T) { require.Empty(t, s.abandoned()) })
}

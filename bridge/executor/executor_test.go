package executor

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/catalog"
)

// executorFunc is an executor as a function.
type executorFunc func(ctx context.Context, call Call) (json.RawMessage, error)

func (f executorFunc) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	return f(ctx, call)
}

// someone is whom calls are made for.
func someone() Context {
	return Context{AgentID: "agent", SessionID: "session", SessionKey: "key", RunID: "run", Sender: "sender"}
}

func TestBind(t *testing.T) {
	r := NewRegistry(Options{Echo: true, Outbound: toLoopback(t), Custom: map[string]Executor{
		"own":    executorFunc(func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage("1"), nil }),
		"echo":   executorFunc(func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(`"mine"`), nil }),
		"caller": executorFunc(func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(`"mine"`), nil }),
	}})
	defer r.Close()
	for _, tc := range []struct {
		name, executor string
		timeout        time.Duration // 0 if the caller runs it
	}{
		{"absent means the caller", ``, 0},
		{"null means the caller", `null`, 0},
		{"caller", `{"type":"caller"}`, 0},
		{"http, with the default timeout", `{"type":"http","url":"http://127.0.0.1:9/x"}`, 30 * time.Second},
		{"a timeout of its own", `{"type":"http","url":"https://h/x","timeoutMs":1500}`, 1500 * time.Millisecond},
		{"keys in another case", `{"type":"echo","TIMEOUTMS":1500,"delayms":1}`, 1500 * time.Millisecond},
		{"a timeout that is clamped", `{"type":"echo","timeoutMs":1e12}`, time.Hour},
		{"a timeout that no duration holds", `{"type":"echo","timeoutMs":1e300}`, time.Hour},
		{"a timeout of next to nothing", `{"type":"echo","timeoutMs":1e-9}`, time.Millisecond},
		{"a negative timeout is none", `{"type":"echo","timeoutMs":-5}`, 30 * time.Second},
		{"an executor of the operator's", `{"type":"own"}`, 30 * time.Second},
	} {
		t.Run("G3 "+tc.name, func(t *testing.T) {
			b, err := r.Bind("", json.RawMessage(tc.executor), catalog.Annotations{})
			require.NoError(t, err)
			require.Equal(t, tc.timeout, b.timeout)
			require.Equal(t, tc.timeout == 0, b.ByCaller())
		})
	}
	t.Run("G3 a built-in type can't be replaced", func(t *testing.T) {
		b, err := r.Bind("", json.RawMessage(`{"type":"echo"}`), catalog.Annotations{})
		require.NoError(t, err)
		require.IsType(t, echoExecutor{}, b.executor)
	})
	for _, tc := range []struct{ name, executor, text string }{
		{"an unknown type names the known ones", `{"type":"ftp"}`, `unknown type "ftp"; this service knows caller, echo, http, own`},
		{"no type", `{}`, `unknown type ""`},
		{"a type that is no string", `{"type":5}`, "not an executor object"},
		{"no object", `"http"`, "not an executor object"},
		{"http without a URL", `{"type":"http"}`, "url must be an http or https URL"},
		{"a file URL", `{"type":"http","url":"file:///etc/passwd"}`, "url must be an http or https URL"},
		{"a URL without a host", `{"type":"http","url":"http:///x"}`, "url must be an http or https URL"},
		{"a relative URL", `{"type":"http","url":"/x"}`, "url must be an http or https URL"},
		{"a header that is no name", `{"type":"http","url":"http://h/","headers":{"a b":"c"}}`, "a b"},
		{"a header with a line break", `{"type":"http","url":"http://h/","headers":{"X-A":"b\r\nc"}}`, "X-A"},
		{"a URL that is no string", `{"type":"http","url":5}`, "url"},
		{"a header's name", `{"type":"http","url":"http://h/","headers":{"a b":"c"}}`, `headers: "a b" is no name of an HTTP header`},
		{"an unknown key", `{"type":"http","url":"http://h/","method":"PUT"}`, `unknown key "method"; it has type, timeoutMs, retries, maxConcurrent, url, headers, maxResponseBytes`},
		{"a slip", `{"type":"http","url":"http://h/","timeout_ms":5}`, `unknown key "timeout_ms"; did you mean "timeoutMs"?`},
		{"a slip of the test executor's", `{"type":"echo","delayms2":5}`, `unknown key "delayms2"; did you mean "delayMs"?`},
		{"a key where the caller runs it", `{"type":"caller","url":"http://h/"}`, `unknown key "url"; it has type, timeoutMs`},
		{"a header's value", `{"type":"http","url":"http://h/","headers":{"ok":"1","x":"c\r\nd: e"}}`, "headers.x: the value has line breaks"},
	} {
		t.Run("G3 mistakes show at the turn: "+tc.name, func(t *testing.T) {
			_, err := r.Bind("", json.RawMessage(tc.executor), catalog.Annotations{})
			require.ErrorContains(t, err, tc.text)
		})
	}
	t.Run("G3 echo is off unless enabled", func(t *testing.T) {
		off := NewRegistry(Options{})
		defer off.Close()
		_, err := off.Bind("", json.RawMessage(`{"type":"echo"}`), catalog.Annotations{})
		require.ErrorContains(t, err, `unknown type "echo"; this service knows caller, http`)
	})
}

// entry makes the catalog entry of a tool.
func entry(t testing.TB, tool catalog.Tool) *catalog.Entry {
	t.Helper()
	c, err := catalog.New([]catalog.Tool{tool}, catalog.Policy{})
	require.NoError(t, err)
	return c.Entries()[0]
}

func TestEchoExecutor(t *testing.T) {
	call := Call{Tool: entry(t, catalog.Tool{Source: "openclaw", Owner: "core", Name: "echo"}), Input: json.RawMessage(`{"q":"a\"<b>"}`), Spec: json.RawMessage(`{}`)}
	with := func(spec string) Call {
		c := call
		c.Spec = json.RawMessage(spec)
		return c
	}
	ctx := context.Background()
	t.Run("J answers with what it was asked", func(t *testing.T) {
		got, err := echoExecutor{}.Execute(ctx, call)
		require.NoError(t, err)
		var result struct {
			Content []struct{ Type, Text string }
			Details json.RawMessage
		}
		require.NoError(t, json.Unmarshal(got, &result))
		require.Equal(t, `{"name":"echo","input":{"q":"a\"<b>"}}`, string(result.Details))
		require.Equal(t, "text", result.Content[0].Type)
		require.Equal(t, string(result.Details), result.Content[0].Text)
	})
	t.Run("J result", func(t *testing.T) {
		got, err := echoExecutor{}.Execute(ctx, with(`{"result":{"details":[1]}}`))
		require.NoError(t, err)
		require.JSONEq(t, `{"details":[1]}`, string(got))
	})
	t.Run("J error", func(t *testing.T) {
		_, err := echoExecutor{}.Execute(ctx, with(`{"error":"no","result":1}`))
		require.EqualError(t, err, "no")
	})
	t.Run("J delayMs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := echoExecutor{}.Execute(context.Background(), with(`{"delayMs":1500}`))
			require.NoError(t, err)
			require.Equal(t, 1500*time.Millisecond, time.Since(start))
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_, err = echoExecutor{}.Execute(ctx, with(`{"delayMs":1e300}`))
			require.ErrorIs(t, err, context.DeadlineExceeded)
		})
	})
}

func TestExecute(t *testing.T) {
	call := Call{Tool: entry(t, catalog.Tool{Source: "openclaw", Owner: "core", Name: "echo"})}
	execute := func(ctx context.Context, f executorFunc) (json.RawMessage, error) {
		b := Binding{executor: f, timeout: time.Second, spec: json.RawMessage(`{"mine":1}`)}
		return b.Execute(ctx, call)
	}
	gives := func(result string, err error) executorFunc {
		return func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(result), err }
	}
	untilDone := func(ctx context.Context, _ Call) (json.RawMessage, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	t.Run("G3 an executor that panics fails its call", func(t *testing.T) {
		_, err := execute(t.Context(), func(context.Context, Call) (json.RawMessage, error) { panic("host secret") })
		require.ErrorContains(t, err, "openclaw:core:echo")
		require.NotContains(t, err.Error(), "secret")
	})
	for _, bad := range []string{"", "{", "1 2", strings.Repeat("[", 1<<20)} {
		_, err := execute(t.Context(), gives(bad, nil))
		require.ErrorContains(t, err, "not JSON", "G3 what is no JSON never reaches a guest")
	}
	t.Run("D7 bytes that are no UTF-8 cost a character, not the call", func(t *testing.T) {
		// A guest's parser refuses them with an error that says nothing of the tool.
		got, err := execute(t.Context(), gives("{\"a\":\"x\xffy\"}", nil))
		require.NoError(t, err)
		require.Equal(t, "{\"a\":\"x\uFFFDy\"}", string(got))
	})
	t.Run("G3 the error of an executor is its own", func(t *testing.T) {
		_, err := execute(t.Context(), gives("{", io.EOF))
		require.ErrorIs(t, err, io.EOF)
		require.NotErrorIs(t, err, ErrTimeout)
	})
	t.Run("G3 an executor gets its tool's own spec", func(t *testing.T) {
		got, err := execute(t.Context(), func(_ context.Context, c Call) (json.RawMessage, error) { return c.Spec, nil })
		require.NoError(t, err)
		require.Equal(t, `{"mine":1}`, string(got))
	})
	t.Run("G3 a tool that takes too long is named, with its limit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, err := execute(t.Context(), untilDone)
			require.ErrorIs(t, err, ErrTimeout)
			require.EqualError(t, err, "tool openclaw:core:echo did not answer within 1s")
			require.Equal(t, time.Second, time.Since(start))
		})
	})
	t.Run("G7 a call that is called off has not timed out", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := execute(ctx, untilDone)
		require.ErrorIs(t, err, context.Canceled)
		require.NotErrorIs(t, err, ErrTimeout)
	})
}

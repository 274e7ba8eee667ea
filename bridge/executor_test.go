package bridge

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
	"github.com/codecell/codecell/engine/enginetest"
)

func TestToolSpecs(t *testing.T) {
	w := newWorld(t, enginetest.Always(returns("1")), Options{Executors: map[string]Executor{
		"own":  executorFunc(func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage("1"), nil }),
		"echo": executorFunc(func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(`"mine"`), nil }),
	}})
	specOf := func(executor string) (toolSpec, error) {
		c, err := catalog.New([]catalog.Tool{{Source: "openclaw", Owner: "core", Name: "t", Executor: json.RawMessage(executor)}}, catalog.Policy{})
		require.NoError(t, err)
		specs, err := w.toolSpecs(c)
		return specs["openclaw:core:t"], err
	}
	for _, tc := range []struct {
		name, executor string
		timeout        time.Duration // 0 if the caller runs it
	}{
		{"absent means the caller", ``, 0},
		{"null means the caller", `null`, 0},
		{"caller", `{"type":"caller"}`, 0},
		{"http, with the default timeout", `{"type":"http","url":"http://127.0.0.1:9/x"}`, 30 * time.Second},
		{"a timeout of its own", `{"type":"http","url":"https://h/x","timeoutMs":1500}`, 1500 * time.Millisecond},
		{"a timeout that is clamped", `{"type":"echo","timeoutMs":1e12}`, time.Hour},
		{"a timeout that no duration holds", `{"type":"echo","timeoutMs":1e300}`, time.Hour},
		{"a timeout of next to nothing", `{"type":"echo","timeoutMs":1e-9}`, time.Millisecond},
		{"a negative timeout is none", `{"type":"echo","timeoutMs":-5}`, 30 * time.Second},
		{"an executor of the operator's", `{"type":"own"}`, 30 * time.Second},
	} {
		t.Run("G3 "+tc.name, func(t *testing.T) {
			spec, err := specOf(tc.executor)
			require.NoError(t, err)
			require.Equal(t, tc.timeout, spec.timeout)
			require.Equal(t, tc.timeout != 0, spec.executor != nil)
		})
	}
	t.Run("G3 a built-in type can't be replaced", func(t *testing.T) {
		spec, err := specOf(`{"type":"echo"}`)
		require.NoError(t, err)
		require.IsType(t, echoExecutor{}, spec.executor)
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
		{"a header's value", `{"type":"http","url":"http://h/","headers":{"ok":"1","x":"c\r\nd: e"}}`, "headers.x: the value has line breaks"},
	} {
		t.Run("G3 mistakes show at the turn: "+tc.name, func(t *testing.T) {
			_, err := specOf(tc.executor)
			requireKind(t, err, KindInvalid)
			require.Contains(t, err.Error(), "openclaw:core:t")
			require.Contains(t, err.Error(), tc.text)
		})
	}
	t.Run("G3 echo is off unless enabled", func(t *testing.T) {
		s, err := New(Options{Engine: enginetest.Always()})
		require.NoError(t, err)
		defer func() { require.NoError(t, s.Close(context.Background())) }()
		_, err = s.Prepare(context.Background(), tenant, &TurnRequest{Config: json.RawMessage(`true`), Tools: someTools()})
		requireKind(t, err, KindInvalid)
		require.Contains(t, err.Error(), `unknown type "echo"`)
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
	call := Call{Tool: entry(t, someTools()[0]), Input: json.RawMessage(`{"q":"a\"<b>"}`), Spec: json.RawMessage(`{}`)}
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
	call := Call{Tool: entry(t, someTools()[0])}
	gives := func(result string, err error) executorFunc {
		return func(context.Context, Call) (json.RawMessage, error) { return json.RawMessage(result), err }
	}
	t.Run("G3 an executor that panics fails its call", func(t *testing.T) {
		_, err := execute(context.Background(), executorFunc(func(context.Context, Call) (json.RawMessage, error) {
			panic("host secret")
		}), call)
		require.ErrorContains(t, err, "openclaw:core:echo")
		require.NotContains(t, err.Error(), "secret")
	})
	for _, bad := range []string{"", "{", "1 2", strings.Repeat("[", 1<<20)} {
		_, err := execute(context.Background(), gives(bad, nil), call)
		require.ErrorContains(t, err, "not JSON", "G3 what is no JSON never reaches a guest")
	}
	t.Run("D7 bytes that are no UTF-8 cost a character, not the call", func(t *testing.T) {
		// A guest's parser refuses them with an error that says nothing of the tool.
		got, err := execute(context.Background(), gives("{\"a\":\"x\xffy\"}", nil), call)
		require.NoError(t, err)
		require.Equal(t, "{\"a\":\"x\uFFFDy\"}", string(got))
	})
	t.Run("G3 the error of an executor is its own", func(t *testing.T) {
		_, err := execute(context.Background(), gives("{", io.EOF), call)
		require.ErrorIs(t, err, io.EOF)
	})
}

package bridge

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
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
		{"a URL that is no string", `{"type":"http","url":5}`, "url"},
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

func TestHTTPExecutor(t *testing.T) {
	var handler atomic.Pointer[http.HandlerFunc]
	handle := func(f http.HandlerFunc) { handler.Store(&f) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load())(w, r) }))
	defer server.Close()
	key := []byte("signing key")
	executor := newHTTPExecutor(nil, key)
	defer executor.Close()
	tool := entry(t, catalog.Tool{Source: "openclaw", Owner: "core", Name: "remote", Executor: json.RawMessage(`{"type":"http"}`)})
	address, err := url.Parse(server.URL)
	require.NoError(t, err)
	specOf := func(rawURL, more string) json.RawMessage {
		return json.RawMessage(`{"type":"http","url":"` + rawURL + `"` + more + `}`)
	}
	call := Call{
		ID: "call", ParentID: "parent", RunID: "run", TurnID: "turn", Tool: tool, Input: json.RawMessage(`{"a":"<1>"}`),
		Context: someone(), Spec: specOf(server.URL+"/tool?x=1", `,"headers":{"X-Own":"v","Content-Type":"text/plain"}`),
	}
	answers := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	t.Run("G3 the request", func(t *testing.T) {
		handle(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			require.Equal(t, http.MethodPost, r.Method)
			require.Equal(t, "/tool?x=1", r.URL.String())
			require.Equal(t, "v", r.Header.Get("X-Own"))
			require.Equal(t, "application/json", r.Header.Get("Content-Type"))
			require.JSONEq(t, `{"callId":"call","parentCallId":"parent","runId":"run","turnId":"turn","toolId":"openclaw:core:remote","name":"remote",
				"input":{"a":"<1>"},"context":{"agentId":"agent","sessionId":"session","sessionKey":"key","runId":"run","sender":"sender"}}`, string(body))
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(r.Header.Get("X-Codecell-Timestamp") + "."))
			mac.Write(body)
			require.Equal(t, "v1="+hex.EncodeToString(mac.Sum(nil)), r.Header.Get("X-Codecell-Signature"))
			answers(200, `{"details":1}`)(w, r)
		})
		got, err := executor.Execute(context.Background(), call)
		require.NoError(t, err)
		require.JSONEq(t, `{"details":1}`, string(got))
	})
	t.Run("G3 unsigned without a key", func(t *testing.T) {
		handle(func(w http.ResponseWriter, r *http.Request) {
			require.Empty(t, r.Header.Get("X-Codecell-Signature"))
			answers(201, "1")(w, r)
		})
		unsigned := newHTTPExecutor(nil, nil)
		defer unsigned.Close()
		_, err := unsigned.Execute(context.Background(), call)
		require.NoError(t, err)
	})
	for _, tc := range []struct {
		name   string
		status int
		body   string
		text   string
	}{
		{"a server error", 500, "boom\n  happened", "tool openclaw:core:remote answered HTTP 500: boom happened"},
		{"a redirect is not followed", 302, "", "tool openclaw:core:remote answered HTTP 302: (empty)"},
		{"no JSON", 200, "<html>", "tool openclaw:core:remote did not answer with JSON: <html>"},
		{"nothing", 200, "", "tool openclaw:core:remote did not answer with JSON: (empty)"},
		{"too deep", 200, strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "did not answer with JSON"},
		{"a long text is cut", 400, strings.Repeat("é", 5000), "…"},
		{"no UTF-8", 400, "a\xffb", "a\uFFFDb"},
		{"too large", 200, `"` + strings.Repeat("x", maxToolResponse) + `"`, "answered with more than 16777216 bytes"},
	} {
		t.Run("G3 "+tc.name, func(t *testing.T) {
			handle(answers(tc.status, tc.body))
			_, err := executor.Execute(context.Background(), call)
			require.ErrorContains(t, err, tc.text)
			require.Less(t, len(err.Error()), 500)
		})
	}
	leaksNothing := func(t *testing.T, err error) {
		t.Helper()
		for _, secret := range []string{address.Host, address.Port(), "127.0.0.1", "http:", "dial", "tcp", "lookup"} {
			require.NotContains(t, err.Error(), secret)
		}
	}
	t.Run("B9 a tool that can't be reached: not where it is", func(t *testing.T) {
		gone := httptest.NewServer(nil)
		gone.Close()
		for _, u := range []string{gone.URL, "http://127.0.0.1:1/x", "http://no-such-host.invalid/x"} {
			c := call
			c.Spec = specOf(u, "")
			_, err := executor.Execute(context.Background(), c)
			require.ErrorContains(t, err, "tool openclaw:core:remote can't be reached")
			leaksNothing(t, err)
		}
	})
	t.Run("B9 a connection that breaks off: not where it was", func(t *testing.T) {
		handle(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"a":`)
			panic(http.ErrAbortHandler)
		})
		_, err := executor.Execute(context.Background(), call)
		require.ErrorContains(t, err, "can't be reached")
		leaksNothing(t, err)
	})
	t.Run("G3 a tool that does not answer in time", func(t *testing.T) {
		done := make(chan struct{})
		handle(func(http.ResponseWriter, *http.Request) { <-done })
		defer close(done)
		remote := catalog.Tool{Source: "openclaw", Owner: "core", Name: "remote", Executor: specOf(server.URL, `,"timeoutMs":50`)}
		var got guestError
		w := newWorld(t, enginetest.Always(calls("remote"), func(in *input, out *records) error {
			got = errorOf(t, in.Answers[0])
			out.Fulfil("1", 0)
			return nil
		}), Options{})
		require.Equal(t, Completed, w.exec(w.turn("", remote)).Status)
		require.Equal(t, "tool_timeout", got.Code)
		require.Equal(t, "tool openclaw:core:remote did not answer within 50ms", got.Message)
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
	t.Run("G3 the error of an executor is its own", func(t *testing.T) {
		_, err := execute(context.Background(), gives("{", io.EOF), call)
		require.ErrorIs(t, err, io.EOF)
	})
}

package executor

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/outbound"
	"github.com/codecell/codecell/catalog"
)

// remote is a tool behind HTTP, and an executor that signs with its key.
type remote struct {
	*httpExecutor
	url     string
	handler atomic.Pointer[http.HandlerFunc]
}

// toLoopback calls the public internet and this machine.
func toLoopback(t testing.TB) *outbound.Client {
	c, err := outbound.New(outbound.Options{Hosts: []string{outbound.Public, outbound.Loopback}})
	require.NoError(t, err)
	return c
}

func newRemote(t testing.TB) *remote {
	r := &remote{httpExecutor: newHTTPExecutor(Options{Outbound: toLoopback(t), Keys: SigningKeys{Master: []byte("signing key")}})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { (*r.handler.Load())(w, req) }))
	t.Cleanup(server.Close)
	t.Cleanup(r.Close)
	r.url = server.URL
	return r
}

// handle sets what the tool does from now on.
func (r *remote) handle(f http.HandlerFunc) { r.handler.Store(&f) }

// call is a call of the tool; more is added to its spec.
func (r *remote) call(t testing.TB, more string) Call {
	t.Helper()
	tool := catalog.Tool{Source: "openclaw", Owner: "core", Name: "remote", Executor: httpSpecOf(r.url+"/tool?x=1", more)}
	return Call{
		ID: "call", ParentID: "parent", RunID: "run", TurnID: "turn", Tenant: "acme", Tool: entry(t, tool), Input: json.RawMessage(`{"a":"<1>"}`),
		Context: someone(), Spec: tool.Executor,
	}
}

func httpSpecOf(rawURL, more string) json.RawMessage {
	return json.RawMessage(`{"type":"http","url":"` + rawURL + `"` + more + `}`)
}

func answers(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestHTTPRequest(t *testing.T) {
	r := newRemote(t)
	const more = `,"headers":{"X-Own":"v","Content-Type":"text/plain"}`
	t.Run("G3 the request", func(t *testing.T) {
		r.handle(func(w http.ResponseWriter, req *http.Request) {
			body, err := io.ReadAll(req.Body)
			require.NoError(t, err)
			require.Equal(t, http.MethodPost, req.Method)
			require.Equal(t, "/tool?x=1", req.URL.String())
			require.Equal(t, "v", req.Header.Get("X-Own"))
			require.Equal(t, "application/json", req.Header.Get("Content-Type"))
			require.JSONEq(t, `{"callId":"call","parentCallId":"parent","runId":"run","turnId":"turn","toolId":"openclaw:core:remote","name":"remote",
				"input":{"a":"<1>"},"context":{"agentId":"agent","sessionId":"session","sessionKey":"key","runId":"run","sender":"sender"}}`, string(body))
			require.Equal(t, "acme", req.Header.Get("X-Codecell-Tenant"))
			want := Signature(r.keys.Of("acme"), req.Header.Get("X-Codecell-Timestamp"), http.MethodPost, r.url+"/tool?x=1", "acme", body)
			require.Equal(t, "v2="+want, req.Header.Get("X-Codecell-Signature"))
			answers(200, `{"details":1}`)(w, req)
		})
		got, err := r.Execute(context.Background(), r.call(t, more))
		require.NoError(t, err)
		require.JSONEq(t, `{"details":1}`, string(got))
	})
	t.Run("G3 unsigned without a key", func(t *testing.T) {
		r.handle(func(w http.ResponseWriter, req *http.Request) {
			require.Empty(t, req.Header.Get("X-Codecell-Signature"))
			answers(201, "1")(w, req)
		})
		unsigned := newHTTPExecutor(Options{Outbound: toLoopback(t)})
		defer unsigned.Close()
		_, err := unsigned.Execute(context.Background(), r.call(t, more))
		require.NoError(t, err)
	})
}

func TestHTTPAnswers(t *testing.T) {
	r := newRemote(t)
	for _, tc := range []struct {
		name   string
		status int
		body   string
		text   string
	}{
		{"a server error", 500, "boom\n  happened", "tool openclaw:core:remote answered HTTP 500: boom happened"},
		{"a redirect is not followed", 302, "", "tool openclaw:core:remote answered HTTP 302: (empty) (redirects are not followed)"},
		{"no JSON", 200, "<html>", "tool openclaw:core:remote did not answer with JSON: <html>"},
		{"nothing", 200, "", "tool openclaw:core:remote did not answer with JSON: (empty)"},
		{"too deep", 200, strings.Repeat("[", 5000) + strings.Repeat("]", 5000), "did not answer with JSON"},
		{"a long text is cut", 400, strings.Repeat("é", 5000), "…"},
		{"no UTF-8", 400, "a\xffb", "a\uFFFDb"},
		{"too large", 200, `"` + strings.Repeat("x", maxResponse) + `"`, "answered with more than 16777216 bytes"},
	} {
		t.Run("G3 "+tc.name, func(t *testing.T) {
			r.handle(answers(tc.status, tc.body))
			_, err := r.Execute(context.Background(), r.call(t, ""))
			require.ErrorContains(t, err, tc.text)
			require.Less(t, len(err.Error()), 500)
		})
	}
}

func TestHTTPLeaksNothing(t *testing.T) {
	r := newRemote(t)
	address, err := url.Parse(r.url)
	require.NoError(t, err)
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
			c := r.call(t, "")
			c.Spec = httpSpecOf(u, "")
			_, err := r.Execute(context.Background(), c)
			require.ErrorContains(t, err, "tool openclaw:core:remote can't be reached")
			leaksNothing(t, err)
		}
	})
	t.Run("B9 a connection that breaks off: not where it was", func(t *testing.T) {
		for _, tc := range []struct {
			flush bool
			text  string
		}{
			{false, "tool openclaw:core:remote did not answer: the connection was lost"},
			{true, "tool openclaw:core:remote broke off its answer"},
		} {
			r.handle(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "100")
				_, _ = io.WriteString(w, `{"a":`)
				if tc.flush {
					w.(http.Flusher).Flush()
				}
				panic(http.ErrAbortHandler)
			})
			_, err := r.Execute(context.Background(), r.call(t, ""))
			require.EqualError(t, err, tc.text)
			leaksNothing(t, err)
		}
	})
}

func TestHTTPTimeout(t *testing.T) {
	r := newRemote(t)
	t.Run("G3 a tool that does not answer in time", func(t *testing.T) {
		done := make(chan struct{})
		r.handle(func(http.ResponseWriter, *http.Request) { <-done })
		defer close(done)
		registry := NewRegistry(Options{Outbound: toLoopback(t)})
		defer registry.Close()
		b, err := registry.Bind("", httpSpecOf(r.url, `,"timeoutMs":50`), catalog.Annotations{})
		require.NoError(t, err)
		_, err = b.Execute(t.Context(), r.call(t, ""))
		require.ErrorIs(t, err, ErrTimeout)
		require.EqualError(t, err, "tool openclaw:core:remote did not answer within 50ms")
	})
}

func TestSigningKeys(t *testing.T) {
	keys := SigningKeys{Master: []byte("master key of sixteen"), ByTenant: map[string][]byte{"own": []byte("a key of its own")}}
	t.Run("G3 each tenant has a key of its own", func(t *testing.T) {
		require.Equal(t, keys.Master, keys.Of(""))
		require.Equal(t, "a key of its own", string(keys.Of("own")))
		require.Len(t, keys.Of("a"), 32)
		require.Equal(t, keys.Of("a"), keys.Of("a"))
		require.NotEqual(t, keys.Of("a"), keys.Of("b"))
		require.NotEqual(t, keys.Master, keys.Of("a"))
	})
	t.Run("G3 without a master key only those are signed that have their own", func(t *testing.T) {
		alone := SigningKeys{ByTenant: keys.ByTenant}
		require.Nil(t, alone.Of("a"))
		require.NotNil(t, alone.Of("own"))
	})
	t.Run("G3 all that matters is under the signature", func(t *testing.T) {
		key := []byte("k")
		signed := Signature(key, "1", "POST", "http://h/x", "a", []byte("{}"))
		require.Len(t, signed, 64)
		for _, other := range []string{
			Signature([]byte("l"), "1", "POST", "http://h/x", "a", []byte("{}")),
			Signature(key, "2", "POST", "http://h/x", "a", []byte("{}")),
			Signature(key, "1", "PUT", "http://h/x", "a", []byte("{}")),
			Signature(key, "1", "POST", "http://h/y", "a", []byte("{}")),
			Signature(key, "1", "POST", "http://h/x", "b", []byte("{}")),
			Signature(key, "1", "POST", "http://h/x", "a", []byte("[]")),
			Signature(key, "1", "POST", "http://h/x", "", []byte("a\n{}")),
		} {
			require.NotEqual(t, signed, other)
		}
	})
}

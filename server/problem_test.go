package server

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/server/keyring"
)

const cell = `{"turnId":"turn-1","code":"return 1+1"}`

// TestBodies sends the same wrong bodies to every route that takes one.
func TestBodies(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	deep := strings.Repeat("[", 1_000_000)
	for _, route := range []string{"/v1/turns", "/v1/exec", "/v1/wait", "/v1/runs/run-1/results", "/v1/payload/check"} {
		for _, tc := range []struct {
			name   string
			call   call
			status int
			says   string
		}{
			{"malformed JSON says where", post(route, "{\n\"code\":\n}"), 400, "at byte 10 (line 3)"},
			{"cut JSON", post(route, `{"code":`), 400, "unexpected end"},
			{"no body", post(route, ``), 400, "empty"},
			{"blanks", post(route, " \n"), 400, "empty"},
			{"trailing garbage", post(route, `{} x`), 400, "after top-level value, at byte 3"},
			{"two values", post(route, `{}{}`), 400, "after top-level value"},
			{"an array", post(route, `[]`), 400, "must be a JSON object, not an array"},
			{"null", post(route, `null`), 400, "not null"},
			{"a string", post(route, `"x"`), 400, "not a string"},
			{"a raw NUL", post(route, "{\"code\":\"\x00\"}"), 400, "at byte 9"},
			{"NULs alone", post(route, "\x00\x00"), 400, "at byte 0"},
			{"invalid UTF-8 says where", post(route, "{\"code\":\"\xff\"}"), 400, "invalid UTF-8, at byte 9"},
			{"nesting without end", post(route, `{"a":`+deep), 400, "nested more than 1000 levels deep, at byte 1004"},
			{"deep and well-formed", post(route, `{"a":`+strings.Repeat("[", 1000)+strings.Repeat("]", 1000)+`}`), 400, "nested"},
			{"no content type", post(route, `{}`).with("Content-Type", ""), 415, "application/json"},
			{"a form", post(route, `{}`).with("Content-Type", "application/x-www-form-urlencoded"), 415, "application/json"},
			{"plain text", post(route, `{}`).with("Content-Type", "text/plain"), 415, "application/json"},
			{"another charset", post(route, `{}`).with("Content-Type", "application/json; charset=latin1"), 415, "UTF-8"},
			{"compressed", post(route, `{}`).with("Content-Encoding", "gzip"), 415, "Content-Encoding"},
		} {
			t.Run("I3 "+route+" "+tc.name, func(t *testing.T) {
				rec := do(t, s, tc.call)
				require.Equal(t, tc.status, rec.Code)
				require.Contains(t, problemOf(t, rec).Detail, tc.says)
			})
		}
	}
	t.Run("I3 a charset of UTF-8 is fine", func(t *testing.T) {
		require.Equal(t, 200, do(t, s, post("/v1/exec", cell).with("Content-Type", "application/json; charset=utf-8")).Code)
	})
	t.Run("I3 brackets in strings are not nesting", func(t *testing.T) {
		body := `{"turnId":"turn-1","code":"\"` + strings.Repeat("[", 2000) + `"}`
		require.Equal(t, 200, do(t, s, post("/v1/exec", body)).Code)
	})
}

func TestRouting(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	for _, tc := range []struct {
		name, method, path string
		status             int
		allow              string
	}{
		{"unknown route", http.MethodGet, "/nope", 404, ""},
		{"unknown route below /v1", http.MethodPost, "/v1/nope", 404, ""},
		{"the root", http.MethodGet, "/", 404, ""},
		{"another method", http.MethodGet, "/v1/exec", 405, "OPTIONS, POST"},
		{"another method on a parameter", http.MethodPost, "/v1/turns/x", 405, "OPTIONS, DELETE"},
		{"a method that does not exist", "BREW", "/v1/exec", 405, "OPTIONS, POST"},
	} {
		t.Run("I3 "+tc.name, func(t *testing.T) {
			rec := do(t, s, call{method: tc.method, path: tc.path})
			require.Equal(t, tc.status, rec.Code)
			require.Contains(t, problemOf(t, rec).Detail, "/openapi.json")
			require.Equal(t, tc.allow, rec.Header().Get("Allow"))
		})
	}
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name   string
		err    error
		status int
		kind   kind
		retry  string
	}{
		{"invalid", &bridge.Error{Kind: bridge.KindInvalid, Msg: "m", Key: "k"}, 400, kindInvalid, ""},
		{"not found", &bridge.Error{Kind: bridge.KindNotFound, Msg: "m", Key: "k"}, 404, kindNotFound, ""},
		{"conflict", &bridge.Error{Kind: bridge.KindConflict, Msg: "m", Key: "k"}, 409, kindConflict, ""},
		{"too large", &bridge.Error{Kind: bridge.KindTooLarge, Msg: "m", Key: "k"}, 413, kindTooLarge, ""},
		{"overload", &bridge.Error{Kind: bridge.KindOverloaded, Msg: "m", Key: "k", RetryAfter: 1500 * time.Millisecond}, 503, kindOverloaded, "2"},
		{"overload always says when", &bridge.Error{Kind: bridge.KindOverloaded, Msg: "m", Key: "k"}, 503, kindOverloaded, "1"},
		{"unavailable", &bridge.Error{Kind: bridge.KindUnavailable, Msg: "m", Key: "k"}, 503, kindUnavailable, ""},
		{"wrapped", errors.Join(&bridge.Error{Kind: bridge.KindConflict, Msg: "m", Key: "k"}), 409, kindConflict, ""},
		{"a bad tool", &catalog.Error{Tool: 2, Field: "k", Reason: "m"}, 400, kindInvalid, ""},
	} {
		t.Run("I3 "+tc.name, func(t *testing.T) {
			f := newFake()
			f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { return nil, tc.err }
			rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/exec", cell))
			doc := problemOf(t, rec)
			require.Equal(t, tc.status, rec.Code)
			require.Equal(t, problemTypePrefix+string(tc.kind), doc.Type)
			require.Equal(t, "k", doc.Key)
			require.Contains(t, doc.Detail, "m")
			require.Equal(t, tc.retry, rec.Header().Get("Retry-After"))
		})
	}
}

func TestFailures(t *testing.T) {
	for name, exec := range map[string]func(context.Context, bridge.ExecInput) (*bridge.Result, error){
		"an error nobody expected": func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
			return nil, errors.New("open /root/secret: permission denied")
		},
		"a kind without a status": func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
			return nil, &bridge.Error{Kind: "new", Msg: "x"}
		},
		"a panic":                 func(context.Context, bridge.ExecInput) (*bridge.Result, error) { panic("secret at 0xc000012345") },
		"a panic with an error":   func(context.Context, bridge.ExecInput) (*bridge.Result, error) { panic(errors.New("secret")) },
		"a nil pointer somewhere": func(context.Context, bridge.ExecInput) (*bridge.Result, error) { return nil, *new(error) },
	} {
		t.Run("B9 "+name, func(t *testing.T) {
			var log bytes.Buffer
			f := newFake()
			f.exec = exec
			s := newTestServer(t, Options{Backend: f, Logger: slog.New(slog.NewJSONHandler(&log, nil))})
			rec := do(t, s, post("/v1/exec", cell))
			require.Equal(t, 500, rec.Code)
			require.NotContains(t, rec.Body.String(), "secret")
			require.NotContains(t, rec.Body.String(), ".go")
			require.Contains(t, log.String(), problemOf(t, rec).Instance, "the log and the answer can be matched")
		})
	}
}

func TestLog(t *testing.T) {
	const secret = "sk-very-secret"
	logged := func(level slog.Level) string {
		var log bytes.Buffer
		f := newFake()
		f.add("a", "turn-1", nil)
		s := newTestServer(t, Options{
			Backend: f, Keys: ring(keyring.Key{ID: "a", SHA256: keyring.Hash(secret)}),
			Logger: slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: level})),
		})
		require.Equal(t, 200, do(t, s, post("/v1/exec", cell).with("Authorization", "Bearer "+secret)).Code)
		require.Equal(t, 401, do(t, s, post("/v1/exec", cell).with("Authorization", "Bearer x"+secret)).Code)
		return log.String()
	}
	t.Run("I4 no line an exec at info", func(t *testing.T) {
		require.Empty(t, logged(slog.LevelInfo))
	})
	t.Run("I4 a line a request at debug, without keys or source", func(t *testing.T) {
		log := logged(slog.LevelDebug)
		require.Contains(t, log, `"route":"/v1/exec","tenant":"a","status":200`)
		require.Contains(t, log, `"route":"/v1/exec","tenant":"","status":401`)
		require.NotContains(t, log, secret)
		require.NotContains(t, log, "return 1+1")
	})
}

func TestLogRequests(t *testing.T) {
	var log bytes.Buffer
	share := 0.0
	f := newFake()
	s := newTestServer(t, Options{
		Backend: f, Logger: slog.New(slog.NewJSONHandler(&log, nil)), LogRequests: func() float64 { return share },
	})
	lines := func(send func()) int {
		log.Reset()
		send()
		return strings.Count(log.String(), `"msg":"request"`)
	}
	exec := func() { do(t, s, post("/v1/exec", cell).with("X-Request-Id", "gateway-7")) }
	t.Run("I4 none unless they are wanted", func(t *testing.T) {
		require.Zero(t, lines(exec))
	})
	t.Run("I4 all, with the id that the client gave", func(t *testing.T) {
		share = 1
		require.Equal(t, 1, lines(exec))
		require.Contains(t, log.String(), `"request":"gateway-7"`)
		require.NotContains(t, log.String(), "return 1+1")
	})
	t.Run("I4 of a share those that the service failed in any case", func(t *testing.T) {
		share = 1e-300
		require.Zero(t, lines(exec))
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { return nil, errors.New("broken") }
		require.Equal(t, 1, lines(exec))
	})
}

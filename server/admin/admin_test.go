package admin

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/server/keyring"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func ring(t *testing.T, keys ...keyring.Key) *keyring.Ring {
	t.Helper()
	r, err := keyring.New(keys, "")
	require.NoError(t, err)
	return r
}

var (
	adminKey = keyring.Key{ID: "root", SHA256: keyring.Hash("admin-secret"), Role: keyring.RoleAdmin}
	runKey   = keyring.Key{ID: "gateway", SHA256: keyring.Hash("run-secret")}
)

// ask sends a request to an address on loopback or elsewhere.
func ask(a *Admin, onLoopback bool, method, path, key, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://127.0.0.1"+path, strings.NewReader(body))
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	rec := httptest.NewRecorder()
	a.Handler(onLoopback).ServeHTTP(rec, r)
	return rec
}

// drained is a Drainer that notes what it was told.
type drained struct{ on bool }

func (d *drained) Drain(on bool)         { d.on = on }
func (d *drained) Draining() (bool, int) { return d.on, 3 }

func TestGuard(t *testing.T) {
	hello := map[string]http.Handler{"GET /metrics": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "metrics") })}
	keyed := New(Options{Keys: ring(t, adminKey, runKey), Handlers: hello})
	open := New(Options{Keys: ring(t, runKey), Handlers: hello})
	for _, tc := range []struct {
		name     string
		admin    *Admin
		loopback bool
		key      string
		status   int
	}{
		{"the key of an administrator", keyed, false, "admin-secret", 200},
		{"no key", keyed, false, "", 401},
		{"an unknown key", keyed, false, "x", 401},
		{"a key that runs code", keyed, false, "run-secret", 403},
		{"on loopback too, where there is a key for it", keyed, true, "", 401},
		{"on loopback, where there is none", open, true, "", 200},
		{"elsewhere, where there is none any more", open, false, "", 401},
		{"elsewhere, with a key that runs code", open, false, "run-secret", 403},
	} {
		t.Run("I2 "+tc.name, func(t *testing.T) {
			rec := ask(tc.admin, tc.loopback, "GET", "/metrics", tc.key, "")
			require.Equal(t, tc.status, rec.Code, rec.Body)
			require.Equal(t, tc.status == 200, rec.Body.String() == "metrics")
			require.Equal(t, tc.status == 401, rec.Header().Get("WWW-Authenticate") != "")
		})
	}
	t.Run("I2 every route is guarded", func(t *testing.T) {
		a := New(Options{Keys: ring(t, adminKey), Service: &drained{}, Level: &slog.LevelVar{}})
		for _, path := range []string{"/", "/drain", "/log-level", "/debug/pprof/", "/debug/pprof/profile", "/debug/pprof/heap", "/nothing"} {
			for _, method := range []string{"GET", "PUT", "DELETE"} {
				require.Equal(t, 401, ask(a, true, method, path, "", "").Code, path)
			}
		}
	})
	t.Run("I2 no web page reaches it over a name that was rebound, or from another origin", func(t *testing.T) {
		r := httptest.NewRequest("GET", "http://evil.example/metrics", nil)
		rec := httptest.NewRecorder()
		open.Handler(true).ServeHTTP(rec, r)
		require.Equal(t, 403, rec.Code)
		d := &drained{}
		r = httptest.NewRequest("PUT", "http://127.0.0.1/drain", nil)
		r.Header.Set("Origin", "https://evil.example")
		rec = httptest.NewRecorder()
		New(Options{Service: d}).Handler(true).ServeHTTP(rec, r)
		require.Equal(t, 403, rec.Code)
		require.False(t, d.on)
	})
}

func TestListen(t *testing.T) {
	t.Run("I2 without a key of an administrator loopback only", func(t *testing.T) {
		_, err := New(Options{Keys: ring(t, runKey)}).Listen("0.0.0.0:0")
		require.ErrorIs(t, err, errNoKeys)
		l, err := New(Options{}).Listen("127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, l.Close())
		l, err = New(Options{Keys: ring(t, adminKey)}).Listen("0.0.0.0:0")
		require.NoError(t, err)
		require.NoError(t, l.Close())
	})
	t.Run("I1 it serves until it is told to end", func(t *testing.T) {
		a := New(Options{Level: &slog.LevelVar{}})
		l, err := a.Listen("127.0.0.1:0")
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- a.Serve(ctx, l) }()
		answer, err := http.Get("http://" + l.Addr().String() + "/log-level")
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.JSONEq(t, `{"level":"info"}`, string(text))
		http.DefaultClient.CloseIdleConnections()
		stop()
		require.NoError(t, <-done)
	})
}

func TestRoutes(t *testing.T) {
	d, level := &drained{}, &slog.LevelVar{}
	a := New(Options{Service: d, Level: level})
	t.Run("I1 drain and back", func(t *testing.T) {
		require.JSONEq(t, `{"draining":false,"running":3}`, ask(a, true, "GET", "/drain", "", "").Body.String())
		require.JSONEq(t, `{"draining":true,"running":3}`, ask(a, true, "PUT", "/drain", "", "").Body.String())
		require.True(t, d.on)
		require.JSONEq(t, `{"draining":false,"running":3}`, ask(a, true, "DELETE", "/drain", "", "").Body.String())
	})
	t.Run("I4 the log's level", func(t *testing.T) {
		require.JSONEq(t, `{"level":"debug"}`, ask(a, true, "PUT", "/log-level", "", `{"level":"debug"}`).Body.String())
		require.Equal(t, slog.LevelDebug, level.Level())
		for _, bad := range []string{``, `{}`, `{"level":"loud"}`, `{"level":"info","x":1}`, strings.Repeat(" ", maxBody+1)} {
			require.Equal(t, 400, ask(a, true, "PUT", "/log-level", "", bad).Code)
		}
		require.Equal(t, slog.LevelDebug, level.Level())
	})
	t.Run("I2 profiles", func(t *testing.T) {
		require.Contains(t, ask(a, true, "GET", "/debug/pprof/", "", "").Body.String(), "goroutine")
		require.Equal(t, 200, ask(a, true, "GET", "/debug/pprof/goroutine", "", "").Code)
	})
	t.Run("I3 what there is not", func(t *testing.T) {
		require.Equal(t, 404, ask(a, true, "GET", "/nothing", "", "").Code)
		require.Equal(t, 405, ask(a, true, "POST", "/drain", "", "").Code)
		require.Equal(t, 404, ask(New(Options{}), true, "GET", "/drain", "", "").Code)
	})
}

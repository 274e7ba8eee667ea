package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bench/growth"
)

func TestTrajectory(t *testing.T) {
	const lines = `{"type":"exec","callId":"c","name":"exec","outcome":"completed","resultBytes":1,"decisions":[]}` + "\n" +
		`{"type":"omitted","calls":3}` + "\n" +
		`{"role":"toolResult","toolCallId":"c","toolName":"exec","isError":false,"content":[{"type":"text","text":"x"}],"timestamp":1}` + "\n"
	f := newFake()
	f.add("", "turn-2", nil).trajectory = lines
	s := newTestServer(t, Options{Backend: f})
	for _, format := range []string{"", "?format=jsonl", "?format=transcript", "?other=1"} {
		t.Run("G5 JSON Lines"+format, func(t *testing.T) {
			get := call{method: http.MethodGet, path: "/v1/turns/turn-2/trajectory" + format}
			rec := do(t, s, get)
			require.Equal(t, http.StatusOK, rec.Code)
			require.Equal(t, "application/x-ndjson", rec.Header().Get("Content-Type"))
			require.Equal(t, "nosniff", rec.Header().Get("X-Content-Type-Options"))
			require.Equal(t, lines, rec.Body.String())
			get.method = http.MethodHead
			head := do(t, s, get)
			require.Equal(t, http.StatusOK, head.Code)
			require.Equal(t, rec.Header().Get("Content-Type"), head.Header().Get("Content-Type"))
		})
	}
	t.Run("G5 nothing yet", func(t *testing.T) {
		rec := do(t, s, call{method: http.MethodGet, path: "/v1/turns/turn-1/trajectory"})
		require.Equal(t, http.StatusOK, rec.Code)
		require.Empty(t, rec.Body.String())
	})
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		t.Run("G5 an unknown format, "+method, func(t *testing.T) {
			rec := do(t, s, call{method: method, path: "/v1/turns/turn-1/trajectory?format=yaml"})
			require.Equal(t, http.StatusBadRequest, rec.Code)
		})
		t.Run("A7 a turn of nobody, "+method, func(t *testing.T) {
			require.Equal(t, http.StatusNotFound, do(t, s, call{method: method, path: "/v1/turns/other/trajectory"}).Code)
		})
	}
	t.Run("I3 other methods", func(t *testing.T) {
		rec := do(t, s, post("/v1/turns/turn-1/trajectory", "{}"))
		require.Equal(t, http.StatusMethodNotAllowed, rec.Code)
	})
	t.Run("G5 a client that goes away ends the writing", func(t *testing.T) {
		rec := &leaving{ResponseRecorder: httptest.NewRecorder()}
		s.Handler().ServeHTTP(rec, call{method: http.MethodGet, path: "/v1/turns/turn-2/trajectory"}.request())
		require.Equal(t, 1, rec.writes)
	})
	t.Run("H6 a long format costs what it takes to read it", func(t *testing.T) {
		growth.Linear(t, 32<<10, func(n int) func() {
			get := call{method: http.MethodGet, path: "/v1/turns/turn-1/trajectory?format=" + strings.Repeat("x", n)}
			r, rec := get.request(), httptest.NewRecorder()
			return func() { s.Handler().ServeHTTP(rec, r) }
		})
	})
}

// leaving is a client that is not there any more.
type leaving struct {
	*httptest.ResponseRecorder
	writes int
}

func (l *leaving) Write([]byte) (int, error) {
	l.writes++
	return 0, http.ErrHandlerTimeout
}

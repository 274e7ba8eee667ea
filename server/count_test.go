package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

func TestAnswered(t *testing.T) {
	var told []string
	f := newFake()
	s := newTestServer(t, Options{Backend: f, Answered: func(method, route string, status int, took time.Duration) {
		require.GreaterOrEqual(t, took, time.Duration(0))
		told = append(told, fmt.Sprint(method, " ", route, " ", status))
	}})
	for _, tc := range []struct {
		name string
		call call
		want string
	}{
		{"an answer", call{method: http.MethodGet, path: "/healthz"}, "GET /healthz 200"},
		{"a problem", call{method: http.MethodDelete, path: "/v1/turns/nobody-knows"}, "DELETE /v1/turns/:id 404"},
		{"a path that is not there", call{method: http.MethodGet, path: "/v1/secret/stuff"}, "GET  404"},
		{"a method that a route has not", call{method: http.MethodGet, path: "/v1/exec"}, "GET /v1/exec 405"},
	} {
		t.Run("I4 "+tc.name, func(t *testing.T) {
			told = nil
			s.Handler().ServeHTTP(httptest.NewRecorder(), tc.call.request())
			require.Equal(t, []string{tc.want}, told)
		})
	}
	t.Run("I4 a handler that panics", func(t *testing.T) {
		told = nil
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { panic("bug") }
		s.Handler().ServeHTTP(httptest.NewRecorder(), post("/v1/exec", `{"turnId":"turn-1","code":"1"}`).request())
		require.Equal(t, []string{"POST /v1/exec 500"}, told)
	})
}

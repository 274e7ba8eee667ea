package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealth(t *testing.T) {
	status := http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/readyz", r.URL.Path)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(`{"ready":true}`))
	}))
	defer srv.Close()
	t.Run("I1 it prints what a ready service says", func(t *testing.T) {
		got := codecell(t, "", "health", "--server", srv.URL)
		require.Equal(t, exitOK, got.status)
		require.Contains(t, got.out, `"ready":true`)
	})
	t.Run("I1 it fails when the service is not ready", func(t *testing.T) {
		status = http.StatusServiceUnavailable
		got := codecell(t, "", "health", "--server", srv.URL)
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "503")
	})
	t.Run("I1 or not there", func(t *testing.T) {
		srv.Close()
		require.Equal(t, exitFailed, codecell(t, "", "health", "--server", srv.URL).status)
	})
	for listen, want := range map[string]string{
		"127.0.0.1:8080": "http://127.0.0.1:8080", "0.0.0.0:9": "http://127.0.0.1:9", ":80": "http://127.0.0.1:80",
		"[::]:7": "http://127.0.0.1:7", "gateway.internal:8080": "http://gateway.internal:8080",
	} {
		t.Run("I1 what listens on "+listen+" is asked where it can be reached", func(t *testing.T) {
			require.Equal(t, want, localURL(listen))
		})
	}
}

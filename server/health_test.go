package server

import (
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHealth(t *testing.T) {
	f := newFake()
	s := newTestServer(t, Options{Backend: f})
	get := func(path string) call { return call{method: http.MethodGet, path: path} }
	t.Run("H5 alive", func(t *testing.T) {
		require.JSONEq(t, `{"ok":true}`, do(t, s, get("/healthz")).Body.String())
	})
	t.Run("H5 ready, with its load", func(t *testing.T) {
		f.health = Health{Engine: "native", Sandbox: []string{"process"}, Running: 1, Queued: 2, Suspended: 3, Turns: 4, Parked: 5, Snapshots: 6, SnapshotBytes: 7, HeldBytes: 8, MemoryBytes: 9, TrajectoryBytes: 10}
		rec := do(t, s, get("/readyz"))
		require.Equal(t, http.StatusOK, rec.Code)
		require.JSONEq(t, `{"ok":true,"engine":"native","sandbox":["process"],"running":1,"queue":2,"suspended":3,"turns":4,"parked":5,"snapshots":6,"snapshotBytes":7,"heldBytes":8,"memoryBytes":9,"trajectoryBytes":10}`, rec.Body.String())
	})
	t.Run("H5 probes may ask with HEAD", func(t *testing.T) {
		for _, path := range []string{"/healthz", "/readyz"} {
			rec := do(t, s, call{method: http.MethodHead, path: path})
			require.Equal(t, http.StatusOK, rec.Code)
			require.Zero(t, rec.Body.Len())
		}
	})
	t.Run("A8 an engine that can't run is not ready, and alive", func(t *testing.T) {
		f.ready, f.health = errors.New("guest.wasm is missing"), Health{}
		rec := do(t, s, get("/readyz"))
		require.Equal(t, http.StatusServiceUnavailable, rec.Code)
		require.Contains(t, rec.Body.String(), `"reason":"guest.wasm is missing"`)
		require.Contains(t, rec.Body.String(), `"sandbox":[]`)
		require.Equal(t, http.StatusOK, do(t, s, get("/healthz")).Code)
	})
}

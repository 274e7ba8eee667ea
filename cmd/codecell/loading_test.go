package main

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/wasi"
)

// heldCache returns a directory of compiled code in which reading waits until release is called.
func heldCache(t *testing.T) (dir string, release func()) {
	t.Helper()
	dir = t.TempDir()
	e, err := wasi.New(wasi.Options{CacheDir: dir})
	require.NoError(t, err)
	require.NoError(t, e.Ready())
	require.NoError(t, e.Close())
	compiled := map[string][]byte{}
	require.NoError(t, filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		compiled[file], err = os.ReadFile(file)
		return err
	}))
	require.NotEmpty(t, compiled)
	for file := range compiled {
		require.NoError(t, os.Remove(file))
		require.NoError(t, syscall.Mkfifo(file, 0o600)) // a pipe: opening it waits for the other end
	}
	return dir, func() {
		var all sync.WaitGroup
		for file, code := range compiled {
			all.Go(func() {
				pipe, err := os.OpenFile(file, os.O_WRONLY, 0)
				if err == nil {
					err = os.WriteFile(file+".new", code, 0o600)
				}
				if err == nil {
					err = os.Rename(file+".new", file) // for whoever comes next
				}
				if err == nil {
					_, err = pipe.Write(code)
				}
				if err == nil {
					err = pipe.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	}
}

func TestLoading(t *testing.T) {
	if _, err := wasi.Module(); err != nil {
		require.NotEqual(t, "required", os.Getenv("CODECELL_GUEST"), "%v", err)
		return // nothing is loaded then
	}
	dir, release := heldCache(t)
	s := serveProcess(t, fmt.Sprintf(`{engine: {cacheDir: %q}, snapshot: {parkedHeaps: 1}}`, dir))
	turn := map[string]any{
		"context": map[string]any{"agentId": "a", "sessionId": "s", "sessionKey": "k", "runId": "r"},
		"config":  map[string]any{"enabled": true},
		"tools":   []any{map[string]any{"source": "client", "owner": "app", "name": "ask"}},
	}
	id := ask(t, http.StatusOK, s.base+"/v1/turns", turn)["turnId"]
	begin := func(id any) map[string]any {
		waiting := ask(t, http.StatusOK, s.base+"/v1/exec", map[string]any{"turnId": id, "code": keeper})
		require.Equal(t, "waiting", waiting["status"], "%v", waiting)
		return waiting
	}
	complete := func(id any, waiting map[string]any) {
		call := waiting["pendingToolCalls"].([]any)[0].(map[string]any)["id"]
		done := ask(t, http.StatusOK, s.base+"/v1/wait", map[string]any{
			"turnId": id, "runId": waiting["runId"], "results": []any{map[string]any{"id": call, "ok": true, "value": 2}},
		})
		require.Equal(t, "completed", done["status"], "%v", done)
	}
	parked := []map[string]any{begin(id), begin(id), begin(id)}
	t.Run("A8 cells run while the other engine is loaded, and /readyz says so", func(t *testing.T) {
		ready := s.readyz(t)
		require.True(t, ready.Get("ok").Bool(), ready.Raw)
		require.Contains(t, ready.Get("sandbox").Raw, "a worker with the wasi engine is being started")
		require.EqualValues(t, 3, ready.Get("parked").Int(), ready.Raw)
		complete(id, parked[0])
	})
	release()
	t.Run("A8 a turn that is to restore waits until it is", func(t *testing.T) {
		turn["config"] = map[string]any{"enabled": true, "snapshot": map[string]any{"resume": "restore"}}
		restoring := ask(t, http.StatusOK, s.base+"/v1/turns", turn)["turnId"]
		complete(restoring, begin(restoring))
		require.NotContains(t, s.readyz(t).Get("sandbox").Raw, "being started")
	})
	t.Run("C4 runs that were suspended before go on", func(t *testing.T) {
		complete(id, parked[1])
		complete(id, parked[2])
	})
}

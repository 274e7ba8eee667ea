package server_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/server"
)

func TestOverload(t *testing.T) {
	const clients = 1000
	e, err := native.New(native.Options{Threads: 2, Queue: 16, Heaps: clients / 5, HeapBytes: 16 << 20})
	require.NoError(t, err)
	service, err := bridge.New(bridge.Options{Engine: e})
	require.NoError(t, err)
	s, err := server.New(server.Options{Backend: server.FromBridge(service, nil)})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, service.Close(context.Background()))
		require.NoError(t, e.Close())
	})
	post := func(path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1"+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, r)
		return rec
	}
	turn := gjson.Get(post("/v1/turns", `{"config":{"enabled":true,"memoryLimitBytes":8388608}}`).Body.String(), "turnId").Str
	require.NotEmpty(t, turn)
	t.Run("H5 of five times as many clients as there is room for none loses anything", func(t *testing.T) {
		var refused, wrong atomic.Int64
		var all sync.WaitGroup
		for n := range clients {
			all.Go(func() {
				body := fmt.Sprintf(`{"turnId":%q,"code":"let n = 0; for (let i = 0; i < 20000; i++) n += i; return %d"}`, turn, n)
				for {
					rec := post("/v1/exec", body)
					switch {
					case rec.Code == http.StatusServiceUnavailable && rec.Header().Get("Retry-After") != "":
						refused.Add(1)
						<-time.After(20 * time.Millisecond)
						continue
					case rec.Code != http.StatusOK || gjson.Get(rec.Body.String(), "value").Raw != fmt.Sprint(n):
						wrong.Add(1)
						t.Log(rec.Code, rec.Body)
					}
					return
				}
			})
		}
		all.Wait()
		require.Zero(t, wrong.Load(), "every answer is the cell's own, or says when to come again")
		t.Log("refused", refused.Load())
	})
	t.Run("H5 and afterwards nothing of it is left", func(t *testing.T) {
		require.Equal(t, http.StatusOK, post("/v1/exec", fmt.Sprintf(`{"turnId":%q,"code":"return 1"}`, turn)).Code)
		stats := service.Stats()
		require.Equal(t, []int{0, 0, 0, 0}, []int{stats.Running, stats.Suspended, stats.Engine.Running, stats.Engine.Queued})
	})
}

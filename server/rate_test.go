package server

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRate(t *testing.T) {
	limits := map[string]Rate{"a": {PerSecond: 2, Burst: 3}, "b": {}}
	exec := post("/v1/payload/check", `{"tools":[]}`)
	as := func(c call, key string) call { return c.with("Authorization", "Bearer "+key) }
	started := func() *Server {
		return newTestServer(t, Options{
			Backend: newFake(), Keys: keysOf("a", "b"), Rate: func(tenant string) Rate { return limits[tenant] },
		})
	}
	t.Run("I2 a burst, then so many a second, and the answer says when", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := started()
			for range 3 {
				require.Equal(t, http.StatusConflict, do(t, s, as(exec, "a")).Code)
			}
			rec := do(t, s, as(exec, "a"))
			require.Equal(t, http.StatusTooManyRequests, rec.Code)
			require.Equal(t, "1", rec.Header().Get("Retry-After"))
			require.Equal(t, problemTypePrefix+"quota-exceeded", problemOf(t, rec).Type)
			time.Sleep(499 * time.Millisecond)
			require.Equal(t, http.StatusTooManyRequests, do(t, s, as(exec, "a")).Code)
			time.Sleep(time.Millisecond)
			require.Equal(t, http.StatusConflict, do(t, s, as(exec, "a")).Code)
			require.Equal(t, http.StatusTooManyRequests, do(t, s, as(exec, "a")).Code)
			time.Sleep(time.Hour)
			for range 3 {
				require.Equal(t, http.StatusConflict, do(t, s, as(exec, "a")).Code)
			}
			require.Equal(t, http.StatusTooManyRequests, do(t, s, as(exec, "a")).Code, "no more than a burst is saved up")
		})
	})
	t.Run("I2 nobody pays for another tenant's requests", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := started()
			for range 9 {
				do(t, s, as(exec, "a"))
				require.Equal(t, http.StatusConflict, do(t, s, as(exec, "b")).Code)
			}
		})
	})
	t.Run("I2 giving back is always allowed, and who is not known spends nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := started()
			for range 9 {
				require.Equal(t, http.StatusOK, do(t, s, as(call{method: http.MethodDelete, path: "/v1/sessions/s"}, "a")).Code)
				require.Equal(t, http.StatusUnauthorized, do(t, s, as(exec, "x")).Code)
			}
			require.Equal(t, http.StatusConflict, do(t, s, as(exec, "a")).Code)
		})
	})
	t.Run("I2 a rate that is changed counts at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := started()
			require.Equal(t, http.StatusConflict, do(t, s, as(exec, "b")).Code)
			limits["b"] = Rate{PerSecond: 0.1}
			require.Equal(t, http.StatusConflict, do(t, s, as(exec, "b")).Code)
			rec := do(t, s, as(exec, "b"))
			require.Equal(t, http.StatusTooManyRequests, rec.Code)
			require.Equal(t, "10", rec.Header().Get("Retry-After"))
		})
	})
}

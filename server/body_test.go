package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBodyBudget(t *testing.T) {
	big := post("/v1/turns", `{"x":"`+strings.Repeat("x", 700<<10)+`"}`)
	t.Run("H5 bodies in flight are bounded", func(t *testing.T) {
		s := newTestServer(t, Options{Backend: newFake(), MaxBodyBytes: 1 << 20})
		require.Equal(t, 200, do(t, s, big).Code)
		require.True(t, s.bodies.all.take(512<<10), "somebody else's body")
		rec := do(t, s, big)
		require.Equal(t, 503, rec.Code)
		require.Equal(t, "1", rec.Header().Get("Retry-After"))
		require.True(t, s.bodies.all.take(s.bodies.all.left.Load()), "all that was left")
		require.Equal(t, 200, do(t, s, post("/v1/exec", cell)).Code, "small ones need no share")
		s.bodies.all.left.Store(1 << 20)
		require.Equal(t, 200, do(t, s, big).Code)
	})
	t.Run("H6 those of one tenant too, and the others do not notice", func(t *testing.T) {
		f := newFake()
		s := newTestServer(t, Options{
			Backend: f, MaxBodyBytes: 4 << 20, MaxTenantBodyBytes: 1 << 20, Keys: keysOf("a", "b"),
		})
		require.NoError(t, s.bodies.take("a", 512<<10), "another body of the tenant's")
		rec := do(t, s, big.with("Authorization", "Bearer a"))
		require.Equal(t, 429, rec.Code)
		require.Equal(t, "1", rec.Header().Get("Retry-After"))
		require.Equal(t, 200, do(t, s, big.with("Authorization", "Bearer b")).Code)
		s.bodies.giveBack("a", 512<<10)
		require.Equal(t, 200, do(t, s, big.with("Authorization", "Bearer a")).Code)
	})
	t.Run("H5 every share is given back, whatever becomes of the request", func(t *testing.T) {
		s := newTestServer(t, Options{Backend: newFake(), MaxBodyBytes: 1 << 20})
		do(t, s, post("/v1/turns", `{"x":"`+strings.Repeat("x", 700<<10)))
		do(t, s, post("/v1/turns", `{"x":"`+strings.Repeat("x", 2<<20)+`"}`))
		require.EqualValues(t, 1<<20, s.bodies.all.left.Load())
		require.EqualValues(t, 1<<20, s.bodies.of("").left.Load())
	})
	t.Run("H6 by default a tenant may have half, or all when it is alone", func(t *testing.T) {
		require.EqualValues(t, 128<<20, Options{}.withDefaults().MaxTenantBodyBytes)
		require.EqualValues(t, 64<<20, Options{Keys: keysOf("a", "b")}.withDefaults().MaxTenantBodyBytes)
	})
}

package server

import (
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/server/keyring"
)

// ring has the keys.
func ring(keys ...keyring.Key) *keyring.Ring {
	r, err := keyring.New(keys, "")
	if err != nil {
		panic(err)
	}
	return r
}

// keysOf is a key for each tenant, which is its name.
func keysOf(tenants ...string) *keyring.Ring {
	var keys []keyring.Key
	for _, tenant := range tenants {
		keys = append(keys, keyring.Key{ID: tenant, SHA256: keyring.Hash(tenant)})
	}
	return ring(keys...)
}

func TestAuth(t *testing.T) {
	f := newFake()
	f.add("alice", "turn-a", nil)
	s := newTestServer(t, Options{Backend: f, Keys: ring(
		keyring.Key{ID: "first", Tenant: "alice", SHA256: keyring.Hash("key-a")},
		keyring.Key{ID: "second", Tenant: "alice", SHA256: keyring.Hash("key-a2")},
		keyring.Key{ID: "bob", SHA256: strings.ToUpper(keyring.Hash("key-b"))},
		keyring.Key{ID: "old", Tenant: "alice", SHA256: keyring.Hash("key-o"), Expires: time.Now().Add(-time.Second)},
		keyring.Key{ID: "root", Tenant: "alice", SHA256: keyring.Hash("key-r"), Role: keyring.RoleAdmin},
	)})
	exec := post("/v1/exec", `{"turnId":"turn-a","code":"1"}`)
	for _, tc := range []struct {
		name, header string
		status       int
		challenge    string
	}{
		{"the key of the turn's tenant", "Bearer key-a", 200, ""},
		{"another key of the turn's tenant", "Bearer key-a2", 200, ""},
		{"a key that has expired", "Bearer key-o", 401, `Bearer realm="codecell", error="invalid_token"`},
		{"a key that runs no code", "Bearer key-r", 403, ""},
		{"the scheme in another case", "bearer key-a", 200, ""},
		{"another tenant's key sees nothing of it", "Bearer key-b", 404, ""},
		{"no key", "", 401, `Bearer realm="codecell"`},
		{"an unknown key", "Bearer key-c", 401, `Bearer realm="codecell", error="invalid_token"`},
		{"a prefix of a key", "Bearer key-", 401, `Bearer realm="codecell", error="invalid_token"`},
		{"the hash instead of the key", "Bearer " + keyring.Hash("key-a"), 401, `Bearer realm="codecell", error="invalid_token"`},
		{"another scheme", "Basic key-a", 401, `Bearer realm="codecell", error="invalid_token"`},
		{"a scheme alone", "Bearer", 401, `Bearer realm="codecell", error="invalid_token"`},
		{"an empty key", "Bearer ", 401, `Bearer realm="codecell", error="invalid_token"`},
	} {
		t.Run("I2 "+tc.name, func(t *testing.T) {
			c := exec
			if tc.header != "" {
				c = c.with("Authorization", tc.header)
			}
			rec := do(t, s, c)
			require.Equal(t, tc.status, rec.Code)
			require.Equal(t, tc.challenge, rec.Header().Get("WWW-Authenticate"))
			if rec.Code != 200 {
				require.NotContains(t, rec.Body.String(), "key-", "no answer repeats a key")
				problemOf(t, rec)
			}
		})
	}
	t.Run("I2 two headers", func(t *testing.T) {
		c := exec.with("Authorization", "Bearer key-a")
		c.header.Add("Authorization", "Bearer key-b")
		require.Equal(t, 401, do(t, s, c).Code)
	})
	t.Run("I2 every route under /v1 is guarded", func(t *testing.T) {
		for _, r := range s.echo.Routes() {
			rec := do(t, s, call{method: r.Method, path: r.Path})
			guarded := strings.HasPrefix(r.Path, "/v1/") || r.Path == "/mcp"
			require.Equal(t, guarded, rec.Code == 401, r.Path)
		}
	})
	t.Run("I2 with keys any host name will do", func(t *testing.T) {
		require.Equal(t, 200, do(t, s, exec.with("Authorization", "Bearer key-a").with("Host", "codecell.example")).Code)
	})
}

func TestWithoutKeys(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	for host, status := range map[string]int{
		"127.0.0.1": 200, "127.0.0.1:8080": 200, "127.9.9.9": 200, "localhost": 200, "LOCALHOST:80": 200, "[::1]:8080": 200, "[::1]": 200,
		"[::ffff:127.0.0.1]:80": 200,
		"evil.example":          403, "localhost.evil.example": 403, "127.0.0.1.evil.example:8080": 403, "10.0.0.1": 403, "0.0.0.0": 403, "[::]:1": 403,
	} {
		t.Run("I2 only localhost is served, here "+host, func(t *testing.T) {
			require.Equal(t, status, do(t, s, post("/v1/exec", cell).with("Host", host)).Code)
		})
	}
	t.Run("I2 it refuses to listen to strangers", func(t *testing.T) {
		for _, ip := range []string{"0.0.0.0", "::", "10.0.0.1"} {
			err := s.authenticator.checkListen(&net.TCPAddr{IP: net.ParseIP(ip), Port: 80})
			require.True(t, errors.Is(err, errNoKeys))
			require.ErrorContains(t, err, "auth.keys")
		}
		require.Error(t, s.authenticator.checkListen(&net.TCPAddr{Port: 80}), "no address is all of them")
		for _, ip := range []string{"127.0.0.1", "::1"} {
			require.NoError(t, s.authenticator.checkListen(&net.TCPAddr{IP: net.ParseIP(ip)}))
		}
		require.NoError(t, s.authenticator.checkListen(&net.UnixAddr{Name: "/x"}), "file permissions guard it")
	})
	t.Run("I2 with keys it may", func(t *testing.T) {
		keyed := newTestServer(t, Options{Backend: newFake(), Keys: keysOf("a")})
		require.NoError(t, keyed.authenticator.checkListen(&net.TCPAddr{IP: net.IPv4zero}))
	})
}

func BenchmarkGate(b *testing.B) {
	g := &authenticator{keysOf("a", "b")}
	header := http.Header{"Authorization": {"Bearer b"}}
	b.ReportAllocs()
	for b.Loop() {
		if tenant, err := g.tenant(header["Authorization"]); err != nil || tenant != "b" {
			b.Fatal(tenant, err)
		}
	}
}

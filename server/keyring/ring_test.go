package keyring

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func newRing(t *testing.T, fixed []Key, path string) *Ring {
	t.Helper()
	r, err := New(fixed, path)
	require.NoError(t, err)
	return r
}

func add(t *testing.T, path string, k Key) (Key, string) {
	t.Helper()
	secret := Generate()
	k.SHA256 = Hash(secret)
	k, err := Add(path, k)
	require.NoError(t, err)
	return k, secret
}

func TestFind(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	_, second := add(t, path, Key{Tenant: "acme"})
	_, admin := add(t, path, Key{ID: "root", Tenant: "ops", Role: RoleAdmin})
	r := newRing(t, []Key{{ID: "gateway", SHA256: strings.ToUpper(Hash("first"))}}, path)
	t.Run("I2 a key of the config is its own tenant, and runs code", func(t *testing.T) {
		k, err := r.Find("first")
		require.NoError(t, err)
		require.Equal(t, Key{ID: "gateway", Tenant: "gateway", Role: RoleRun, SHA256: k.SHA256}, *k)
	})
	t.Run("I2 a key of the file belongs to whom it was given", func(t *testing.T) {
		k, err := r.Find(second)
		require.NoError(t, err)
		require.Equal(t, []string{"acme-1", "acme"}, []string{k.ID, k.Tenant})
		k, err = r.Find(admin)
		require.NoError(t, err)
		require.Equal(t, RoleAdmin, k.Role)
	})
	t.Run("I2 whose key runs no code is no tenant", func(t *testing.T) {
		require.Equal(t, []string{"acme", "gateway"}, r.Tenants())
	})
	t.Run("I2 what is no key", func(t *testing.T) {
		for _, text := range []string{"", "firs", "first ", Hash("first"), second[:len(second)-1]} {
			_, err := r.Find(text)
			require.ErrorIs(t, err, ErrUnknown)
		}
	})
	t.Run("I2 a key expires at its time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRing(t, []Key{{ID: "a", SHA256: Hash("k"), Expires: time.Now().Add(time.Hour)}}, "")
			time.Sleep(time.Hour - 1)
			_, err := r.Find("k")
			require.NoError(t, err)
			time.Sleep(time.Nanosecond)
			_, err = r.Find("k")
			require.ErrorIs(t, err, ErrExpired)
		})
	})
	t.Run("I2 where no keys are configured none are asked for, and a file without any lets nobody in", func(t *testing.T) {
		var none *Ring
		require.False(t, none.Required())
		require.False(t, newRing(t, nil, "").Required())
		empty := filepath.Join(t.TempDir(), "keys.json")
		require.NoError(t, os.WriteFile(empty, []byte(`{"keys":[]}`), 0o600))
		require.True(t, newRing(t, nil, empty).Required())
		require.True(t, r.Required())
	})
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	t.Run("I2 the key is not in its file, which only its owner reads", func(t *testing.T) {
		k, secret := add(t, path, Key{Tenant: "acme", Expires: time.Now().Add(time.Hour)})
		require.Equal(t, "acme-1", k.ID)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), secret)
		require.Contains(t, string(text), Hash(secret))
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.EqualValues(t, 0o600, info.Mode().Perm())
	})
	t.Run("I2 each key has an id of its own", func(t *testing.T) {
		k, _ := add(t, path, Key{Tenant: "acme"})
		require.Equal(t, "acme-2", k.ID)
		_, err := Add(path, Key{ID: "acme-2", Tenant: "other", SHA256: Hash("x")})
		require.ErrorContains(t, err, `has a key "acme-2" already`)
	})
	t.Run("I2 a revoked key is gone, and its number is free", func(t *testing.T) {
		require.NoError(t, Revoke(path, "acme-1"))
		require.ErrorContains(t, Revoke(path, "acme-1"), `no key "acme-1"`)
		keys, err := Read(path)
		require.NoError(t, err)
		require.Len(t, keys, 1)
		k, _ := add(t, path, Key{Tenant: "acme"})
		require.Equal(t, "acme-1", k.ID)
	})
	t.Run("I2 names that are none", func(t *testing.T) {
		for _, bad := range []string{"*", "-a", "a b", "a/b", strings.Repeat("a", 65), "ü"} {
			_, err := Add(path, Key{ID: "x", Tenant: bad, SHA256: Hash("x")})
			require.ErrorContains(t, err, "is not a name")
		}
	})
	t.Run("I2 keys that are added at the same time are all there", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "keys.json")
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() { add(t, path, Key{Tenant: "acme"}) })
		}
		all.Wait()
		keys, err := Read(path)
		require.NoError(t, err)
		require.Len(t, keys, 20)
	})
	t.Run("I2 a mode that somebody has given the file is kept", func(t *testing.T) {
		require.NoError(t, os.Chmod(path, 0o640))
		add(t, path, Key{Tenant: "acme"})
		info, err := os.Stat(path)
		require.NoError(t, err)
		require.EqualValues(t, 0o640, info.Mode().Perm())
	})
}

func TestMistakes(t *testing.T) {
	good := Hash("k")
	for _, tc := range []struct {
		name string
		keys []Key
		says string
	}{
		{"no id", []Key{{SHA256: good}}, "auth.keys[0].id is empty"},
		{"an id twice", []Key{{ID: "a", SHA256: good}, {ID: "a", SHA256: Hash("l")}}, `auth.keys[1].id: "a" is there twice`},
		{"a key twice", []Key{{ID: "a", SHA256: good}, {ID: "b", SHA256: good}}, `auth.keys[1].sha256: the same key is also "a"`},
		{"a key in the clear", []Key{{ID: "a", SHA256: "secret"}}, "auth.keys[0].sha256 must be 64 hex digits"},
		{"a short hash", []Key{{ID: "a", SHA256: good[:62]}}, "64 hex digits"},
		{"a role that there is not", []Key{{ID: "a", SHA256: good, Role: "king"}}, `auth.keys[0].role must be run or admin, not "king"`},
		{"the name of all tenants", []Key{{ID: "*", SHA256: good}}, "stands for all tenants"},
	} {
		t.Run("I2 "+tc.name, func(t *testing.T) {
			_, err := New(tc.keys, "")
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), "secret")
		})
	}
	t.Run("I2 a file that is none", func(t *testing.T) {
		_, err := New(nil, "/no/such/file")
		require.ErrorIs(t, err, os.ErrNotExist)
		path := filepath.Join(t.TempDir(), "keys.json")
		for text, says := range map[string]string{
			"{": "not a file of keys", `{"key":[]}`: `unknown field "key"`, `{"keys":[{}]}`: "keys.json: keys[0].id is empty",
		} {
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			_, err := New(nil, path)
			require.ErrorContains(t, err, says)
		}
	})
}

func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	k, secret := add(t, path, Key{Tenant: "acme"})
	r := newRing(t, nil, path)
	t.Run("I2 a file that has not changed is not read again", func(t *testing.T) {
		changed, err := r.Reload()
		require.NoError(t, err)
		require.False(t, changed)
	})
	_, other := add(t, path, Key{Tenant: "acme"})
	require.NoError(t, Revoke(path, k.ID))
	t.Run("I2 keys are added and revoked without a restart", func(t *testing.T) {
		changed, err := r.Reload()
		require.NoError(t, err)
		require.True(t, changed)
		_, err = r.Find(secret)
		require.ErrorIs(t, err, ErrUnknown)
		_, err = r.Find(other)
		require.NoError(t, err)
	})
	t.Run("I2 a file that can't be read changes nothing", func(t *testing.T) {
		require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
		_, err := r.Reload()
		require.Error(t, err)
		require.NoError(t, os.Remove(path))
		_, err = r.Reload()
		require.ErrorIs(t, err, os.ErrNotExist)
		_, err = r.Find(other)
		require.NoError(t, err)
	})
	t.Run("I2 the file is watched, and an error told once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			told := make(chan error, 9)
			done := make(chan bool)
			go func() { r.Watch(ctx, time.Second, func(err error) { told <- err }); close(done) }()
			time.Sleep(5 * time.Second)
			synctest.Wait()
			require.Len(t, told, 1)
			require.ErrorIs(t, <-told, os.ErrNotExist)
			_, fresh := add(t, path, Key{Tenant: "acme"})
			time.Sleep(5 * time.Second)
			synctest.Wait()
			require.Len(t, told, 1)
			require.NoError(t, <-told)
			_, err := r.Find(fresh)
			require.NoError(t, err)
			stop()
			<-done
		})
	})
}

func BenchmarkFind(b *testing.B) {
	r, err := New([]Key{{ID: "a", SHA256: Hash("a")}, {ID: "b", SHA256: Hash("b")}}, "")
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Find("b"); err != nil {
			b.Fatal(err)
		}
	}
}

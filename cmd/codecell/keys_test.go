package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/server/keyring"
)

func TestKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	t.Run("I2 a key is shown once, alone on the standard output", func(t *testing.T) {
		got := codecell(t, "", "keys", "add", "acme", "--file", path, "--expires", "90d")
		require.Equal(t, exitOK, got.status, got.err)
		require.Regexp(t, `^codecell_[A-Z2-7]{26}\n$`, got.out)
		require.Contains(t, got.err, "Key acme-1 of acme, role run, expires 2")
		require.NotContains(t, got.err, strings.TrimSpace(got.out))
		list := codecell(t, "", "keys", "list", "--file", path)
		require.Equal(t, exitOK, list.status)
		require.Regexp(t, `(?m)^acme-1 +acme +run +2\S+Z +2\S+Z$`, list.out)
		require.NotContains(t, list.out, strings.TrimSpace(got.out))
	})
	t.Run("I2 the config says where they are", func(t *testing.T) {
		config := file(t, "c.json5", `{auth: {keysFile: "`+path+`"}}`)
		got := codecell(t, "", "keys", "add", "ops", "--id", "root", "--role", "admin", "--config", config)
		require.Equal(t, exitOK, got.status, got.err)
		require.Regexp(t, `(?m)^root +ops +admin `, codecell(t, "", "keys", "list", "--config", config).out)
		got = codecell(t, "", "keys", "revoke", "root", "--config", config)
		require.Equal(t, exitOK, got.status, got.err)
		require.NotContains(t, codecell(t, "", "keys", "list", "--config", config).out, "root")
	})
	for name, tc := range map[string]struct {
		args []string
		exit int
		says string
	}{
		"no file":               {[]string{"add", "acme"}, exitUsage, "give --file"},
		"a tenant that is none": {[]string{"add", "a b", "--file", path}, exitFailed, "is not a name"},
		"an id that is taken":   {[]string{"add", "acme", "--id", "acme-1", "--file", path}, exitFailed, "already"},
		"no such role":          {[]string{"add", "acme", "--role", "king", "--file", path}, exitUsage, "--role"},
		"no such time":          {[]string{"add", "acme", "--expires", "soon", "--file", path}, exitUsage, `"soon" is neither`},
		"a time that is over":   {[]string{"add", "acme", "--expires", "2001-01-01", "--file", path}, exitUsage, "over already"},
		"an unknown key":        {[]string{"revoke", "x", "--file", path}, exitFailed, `no key "x"`},
	} {
		t.Run("I2 "+name, func(t *testing.T) {
			got := codecell(t, "", append([]string{"keys"}, tc.args...)...)
			require.Equal(t, tc.exit, got.status, got.err)
			require.Contains(t, got.err, tc.says)
			require.Empty(t, got.out)
		})
	}
}

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	for text, want := range map[string]string{
		"90d": "2026-04-02T03:04:05Z", "12h": "2026-01-02T15:04:05Z", "2027-01-31": "2027-01-31T00:00:00Z",
		"2027-01-31T12:00:00+01:00": "2027-01-31T11:00:00Z",
	} {
		at, err := expiry(text, now)
		require.NoError(t, err)
		require.Equal(t, want, at.Format(time.RFC3339))
	}
	for _, text := range []string{"d", "0d", "-1h", "90", "yesterday"} {
		_, err := expiry(text, now)
		require.Error(t, err, text)
	}
}

func TestKeysFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys.json")
	secret := keyring.Generate()
	_, err := keyring.Add(path, keyring.Key{Tenant: "acme", SHA256: keyring.Hash(secret)})
	require.NoError(t, err)
	base, _ := serving(t, "--config", file(t, "c.json5", `{auth: {keysFile: "`+path+`"}, tenants: {acme: {codeMode: {timeoutMs: 200}}}}`))
	status := func(key string) int {
		request, err := http.NewRequest(http.MethodGet, base+"/v1/namespaces", nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+key)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		return answer.StatusCode
	}
	t.Run("I2 a tenant's ceilings hold for its cells", func(t *testing.T) {
		got := codecell(t, "for (;;);", "exec", "-", "--server", base, "--key", secret)
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "timeout")
		require.Contains(t, got.err, "200")
	})
	t.Run("I2 keys come and go while the service runs", func(t *testing.T) {
		fresh := keyring.Generate()
		require.Equal(t, http.StatusUnauthorized, status(fresh))
		_, err := keyring.Add(path, keyring.Key{Tenant: "other", SHA256: keyring.Hash(fresh)})
		require.NoError(t, err)
		require.NoError(t, keyring.Revoke(path, "acme-1"))
		require.Eventually(t, func() bool { return status(fresh) == http.StatusOK }, waitLong, 50*time.Millisecond)
		require.Equal(t, http.StatusUnauthorized, status(secret))
	})
	t.Run("I2 a file that is not there", func(t *testing.T) {
		got := codecell(t, "", "serve", "--config", file(t, "c.json5", `{auth: {keysFile: "/no/such/file"}}`))
		require.Equal(t, exitUsage, got.status)
		require.Contains(t, got.err, "/no/such/file")
	})
	require.NoError(t, os.Remove(path))
}

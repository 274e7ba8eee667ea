package main

import (
	"context"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/server/keyring"
)

const (
	waitLong  = time.Minute
	waitShort = 2 * time.Millisecond
)

func TestServe(t *testing.T) {
	t.Run("I1 one line says where, a signal ends it", func(t *testing.T) {
		base, stop := serving(t)
		require.Contains(t, base, "http://127.0.0.1:")
		answer, err := http.Get(base + "/readyz")
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		answer.Body.Close()
		require.Contains(t, string(text), `"ok":true,"engine":"native"`)
		http.DefaultClient.CloseIdleConnections()
		got := stop()
		require.Equal(t, exitOK, got.status, got.err)
		require.Equal(t, 1, strings.Count(got.out, "\n"))
		require.Contains(t, got.err, `"msg":"stopping"`)
	})
	t.Run("I1 the environment sets what flags set", func(t *testing.T) {
		t.Setenv("CODECELL_TEST_EXECUTORS", "true")
		t.Setenv("CODECELL_GRACE", "1s")
		t.Setenv("CODECELL_LOG_LEVEL", "error")
		base, stop := serving(t)
		cell := file(t, "cell.js", `return (await tools.noop({a: 1})).input.a`)
		got := codecell(t, "", "exec", cell, "--server", base, "--catalog", file(t, "c.json5", echoCatalog))
		require.Equal(t, outcome{exitOK, "1\n", ""}, got)
		require.Empty(t, stop().err, "nothing above the log level happened")
	})
	t.Run("I2 without keys loopback only", func(t *testing.T) {
		got := codecell(t, "", "serve", "--listen", "0.0.0.0:0")
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "configure auth.keys")
		require.Empty(t, got.out)
	})
	t.Run("I2 a key that is no hash", func(t *testing.T) {
		got := codecell(t, "", "serve", "--config", file(t, "c.json5", `{auth: {keys: [{id: "a", sha256: "secret"}]}}`))
		require.Equal(t, exitUsage, got.status)
		require.Contains(t, got.err, "auth.keys[0].sha256")
	})
	t.Run("I1 an address that is taken", func(t *testing.T) {
		base, _ := serving(t)
		got := codecell(t, "", "serve", "--listen", strings.TrimPrefix(base, "http://"))
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "in use")
	})
	t.Run("I2 keys, from the config to the client", func(t *testing.T) {
		base, _ := serving(t, "--config", file(t, "c.json5", `{auth: {keys: [{id: "a", sha256: "`+keyring.Hash("k")+`"}]}}`))
		require.Equal(t, outcome{exitOK, "2\n", ""}, codecell(t, "return 2", "exec", "-", "--server", base, "--key", "k"))
		t.Setenv("CODECELL_KEY", "wrong")
		got := codecell(t, "return 2", "exec", "-", "--server", base)
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "401")
		require.NotContains(t, got.err, "wrong")
	})
}

func TestAdminListener(t *testing.T) {
	base, log, _ := servingLogged(t, "--admin-listen", "127.0.0.1:0")
	found := regexp.MustCompile(`"the admin listener is up","address":"([^"]+)"`).FindStringSubmatch(log.String())
	require.NotNil(t, found, log.String())
	ask := func(method, url, body string) (int, string) {
		request, err := http.NewRequest(method, url, strings.NewReader(body))
		require.NoError(t, err)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(text)
	}
	admin := "http://" + found[1]
	t.Run("I2 what is for administrators is there and not at the service", func(t *testing.T) {
		for _, path := range []string{"/metrics", "/debug/pprof/", "/drain", "/log-level"} {
			status, _ := ask(http.MethodGet, admin+path, "")
			require.Equal(t, http.StatusOK, status, path)
			status, _ = ask(http.MethodGet, base+path, "")
			require.Equal(t, http.StatusNotFound, status, path)
		}
	})
	t.Run("I1 a service that is drained refuses new work, and takes it again", func(t *testing.T) {
		cell := []string{"exec", "-", "--server", base}
		require.Equal(t, exitOK, codecell(t, "return 1", cell...).status)
		status, text := ask(http.MethodPut, admin+"/drain", "")
		require.Equal(t, http.StatusOK, status, text)
		require.Contains(t, codecell(t, "return 1", cell...).err, "being drained")
		status, text = ask(http.MethodGet, base+"/readyz", "")
		require.Equal(t, http.StatusServiceUnavailable, status)
		require.Contains(t, text, "the service is being drained")
		ask(http.MethodDelete, admin+"/drain", "")
		require.Equal(t, exitOK, codecell(t, "return 1", cell...).status)
	})
	t.Run("I4 the log's level counts at once", func(t *testing.T) {
		require.NotContains(t, log.String(), `"msg":"request"`)
		ask(http.MethodPut, admin+"/log-level", `{"level":"debug"}`)
		ask(http.MethodGet, base+"/v1/namespaces", "")
		require.Contains(t, log.String(), `"msg":"request"`)
	})
	t.Run("I2 elsewhere than on loopback it wants a key", func(t *testing.T) {
		got := codecell(t, "", "serve", "--listen", "127.0.0.1:0", "--admin-listen", "0.0.0.0:0")
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "keys add --role admin")
		require.Empty(t, got.out)
	})
	http.DefaultClient.CloseIdleConnections()
}

func TestReload(t *testing.T) {
	path := file(t, "c.json5", `{auth: {keys: [{id: "a", sha256: "`+keyring.Hash("k")+`"}]}, logLevel: "warn"}`)
	hangup := make(chan os.Signal)
	var out, errs lines
	ctx, cancel := context.WithCancel(context.Background())
	term := &terminal{in: strings.NewReader(""), out: &out, err: &errs, ctx: ctx, now: context.Background(), hangup: hangup}
	status := make(chan int, 1)
	go func() { status <- run(term, []string{"serve", "--listen", "127.0.0.1:0", "--config", path}) }()
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "\n") || len(status) > 0 }, waitLong, waitShort)
	_, base, _ := strings.Cut(strings.TrimSpace(out.String()), "listens on ")
	require.NotEmpty(t, base, errs.String())
	// again has the config be read, and waits until something was said of it.
	again := func(text, says string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		hangup <- syscall.SIGHUP
		require.Eventually(t, func() bool { return strings.Contains(errs.String(), says) }, waitLong, waitShort, says)
	}
	cell := func(key string) string {
		got := codecell(t, "return 2", "exec", "-", "--server", base, "--key", key)
		return got.out + got.err
	}
	t.Run("I1 a config that can't be used changes nothing, and its line is told", func(t *testing.T) {
		again("{\n logLevel: 'loud'}", `c.json5:2: logLevel must be`)
		require.Equal(t, "2\n", cell("k"))
	})
	t.Run("I1 what can be changed is, and what can't is told", func(t *testing.T) {
		again(`{auth: {keys: [{id: "b", sha256: "`+keyring.Hash("l")+`"}]}, logLevel: "info", engine: {threads: 3}, tenants: {b: {ratePerSecond: 0.001, rateBurst: 3}}}`,
			`need a restart","keys":["engine.threads"]`)
		require.Contains(t, errs.String(), `"changed":["auth.keys[0].id","auth.keys[0].sha256","logLevel","tenants","tenants.b.`)
		require.Contains(t, cell("k"), "401")
		require.Equal(t, "2\n", cell("l"))
		require.Contains(t, cell("l"), "429")
	})
	t.Run("I2 a service that asked for keys goes on to do so when there are none", func(t *testing.T) {
		again(`{logLevel: "info"}`, `"auth.keys","auth.keys[0].id"`)
		require.Contains(t, cell("l"), "401")
	})
	cancel()
	require.Equal(t, exitOK, <-status)
}

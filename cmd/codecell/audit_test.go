package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/server/keyring"
)

func TestAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	config := fmt.Sprintf(`{audit: {file: %q}, redact: {names: ["employeeNo"], values: ["nobody-may-see-this"]}, executors: {signingKey: "0123456789abcdef-signing"}, auth: {keys: [{id: "a", sha256: %q}]}}`,
		path, keyring.Hash("the-api-key"))
	cell := file(t, "cell.js", `await tools.noop({employeeNo: 7, list: ["nobody-may-see-this", "the-api-key", btoa("0123456789abcdef-signing")], kept: 1}); return 1`)
	call := func(t *testing.T, base string) {
		t.Helper()
		got := codecell(t, "", "exec", cell, "--server", base, "--key", "the-api-key", "--catalog", file(t, "c.json5", echoCatalog))
		require.Equal(t, exitOK, got.status, got.err)
	}
	t.Run("G5 what cells did, without secrets, over a process that is killed and one that ends", func(t *testing.T) {
		killed := serveProcess(t, config)
		call(t, killed.base)
		require.Eventually(t, func() bool { return len(auditLines(t, path, "exec")) == 1 }, waitLong, waitShort)
		killed.kill()
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, text[:len(text)-20], 0o600))
		got := codecell(t, "", "audit", "verify", path)
		require.Equal(t, exitCut, got.status)
		require.Contains(t, got.out, "is unfinished")

		base, stop := serving(t, "--test-executors", "--config", file(t, "c.json5", config))
		call(t, base)
		require.Contains(t, stop().err, "unfinished", "the log says so")
		calls := auditLines(t, path, "call")
		require.Len(t, calls, 2)
		require.JSONEq(t, `{"employeeNo":"[redacted]","list":["[redacted]","[redacted]","[redacted]"],"kept":1}`, calls[1].Get("input").Raw)
		require.Equal(t, "a", calls[1].Get("tenant").Str)
		require.NotEmpty(t, calls[1].Get("turnId").Str)
		got = codecell(t, "", "audit", "verify", path)
		require.Equal(t, exitOK, got.status, got.out)
		require.Contains(t, got.out, "is unfinished: the service was killed")
		require.Contains(t, got.out, "lines are sound")
	})
	t.Run("G5 a file that somebody changed", func(t *testing.T) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		changed := file(t, "changed.jsonl", strings.Replace(string(text), `"kept":1`, `"kept":2`, 1))
		got := codecell(t, "", "audit", "verify", changed)
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.out, "line 3 is broken")
		require.Empty(t, got.err)
	})
	t.Run("I1 no such file", func(t *testing.T) {
		require.Equal(t, exitUsage, codecell(t, "", "audit", "verify", "/no/such/file").status)
	})
	t.Run("G5 a service does not begin without its audit file", func(t *testing.T) {
		got := codecell(t, "", "serve", "--listen", "127.0.0.1:0", "--config", file(t, "c.json5", `{audit: {file: "/no/such/dir/audit.jsonl"}}`))
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "audit file: ")
	})
}

// auditLines are the whole lines of a type.
func auditLines(t *testing.T, path, kind string) (found []gjson.Result) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		if one := gjson.ParseBytes(line); bytes.HasSuffix(line, []byte("\n")) && one.Get("type").Str == kind {
			found = append(found, one)
		}
	}
	return found
}

func TestRedactor(t *testing.T) {
	t.Run("G5 every secret of a config is hidden", func(t *testing.T) {
		c, err := loadConfig(file(t, "c.json5", `{
			auth: {keys: [{id: "a", sha256: "`+keyring.Hash("secret-0")+`"}]},
			executors: {signingKey: "secret-1-secret-1", signingKeys: {a: "secret-2-secret-2"}},
			snapshot: {key: "secret-3-secret-3"}, redact: {values: ["secret-4"]}, traces: {endpoint: "https://example.com", headers: {"api-token": "secret-10"}},
			hooks: [{url: "https://user:secret-5@example.com/?token=secret-6", headers: {Authorization: "Bearer secret-7"}}],
			mcpServers: {a: {command: "x", env: {API_TOKEN: "secret-8", LANG: "english"}}, b: {url: "https://example.com", headers: {"X-Key": "secret-9"}}},
		}`))
		require.NoError(t, err)
		text := "english"
		for n := range 11 {
			text += fmt.Sprintf(" secret-%d", n)
		}
		ring, err := c.ring()
		require.NoError(t, err)
		shown, _ := c.redactor(ring).Text(text+" secret-1-secret-1 secret-2-secret-2 secret-3-secret-3", 10_000)
		require.Equal(t, "english [redacted] secret-1 secret-2 secret-3"+strings.Repeat(" [redacted]", 10), shown)
	})
	for name, tc := range map[string]struct{ text, says string }{
		"a name that is in every other":      {`{redact: {names: ["a"]}}`, "redact.names[0] must have at least 3"},
		"a value that is everywhere":         {`{redact: {values: ["long enough", "x"]}}`, "redact.values[1] must have at least 6"},
		"a host that is left alone for long": {`{executors: {breakerMs: 60001}}`, "executors.breakerMs must be at most 60000"},
		"a number of failures below zero":    {`{executors: {breakerFailures: -1}}`, "executors.breakerFailures must not be negative"},
	} {
		t.Run("I1 "+name, func(t *testing.T) {
			c, err := loadConfig(file(t, "c.json5", tc.text))
			if err == nil {
				err = c.WithDefaults().validate()
			}
			require.ErrorContains(t, err, tc.says)
		})
	}
}

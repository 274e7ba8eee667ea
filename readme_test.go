package codecell_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/config"
)

func readme(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	return string(text)
}

// blocks returns the contents of the fenced blocks in a language.
func blocks(text, language string) []string {
	var found []string
	for _, m := range regexp.MustCompile("(?s)\n```"+language+"\n(.*?)```\n").FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

// example is a request of the README and what it says of the answer.
type example struct{ body, path, answer string }

var curl = regexp.MustCompile("(?s)```sh\ncurl -s(?: --json '([^`]*?)')? '?http://127.0.0.1:8080([^'\\s]+)'?\n```\n\n```json\n(.*?)```")

func examples(t *testing.T) []example {
	var found []example
	for _, m := range curl.FindAllStringSubmatch(readme(t), -1) {
		found = append(found, example{m[1], m[2], m[3]})
	}
	require.Len(t, found, strings.Count(readme(t), "curl -s"), "every request is followed by its answer")
	return found
}

// send sends a body, or asks for what is there if there is none.
func send(t *testing.T, url, key, body string) (int, []byte) {
	t.Helper()
	method := http.MethodPost
	if body == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res.StatusCode, answer
}

// contains checks that got has everything that want has; objects may have more.
func contains(t *testing.T, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		have, _ := got.(map[string]any)
		for key, v := range want {
			contains(t, at+"."+key, v, have[key])
		}
	case []any:
		have, _ := got.([]any)
		require.Len(t, have, len(want), at)
		for i, v := range want {
			contains(t, fmt.Sprintf("%s[%d]", at, i), v, have[i])
		}
	default:
		require.Equal(t, want, got, at)
	}
}

func TestReadmeRequests(t *testing.T) {
	base := serve(t, "--test-executors")
	ids := map[string]string{}
	for _, e := range examples(t) {
		t.Run("J "+e.path, func(t *testing.T) {
			for name, id := range ids {
				e.body, e.path = strings.ReplaceAll(e.body, name, id), strings.ReplaceAll(e.path, name, id)
			}
			status, answer := send(t, base+e.path, "", e.body)
			require.Equal(t, http.StatusOK, status, "%s", answer)
			for name, path := range map[string]string{"TURN_ID": "turnId", "RUN_ID": "runId", "CALL_ID": "pendingToolCalls.0.id", "APPROVAL_ID": "approvals.0.id"} {
				if id := gjson.GetBytes(answer, path).Str; id != "" {
					ids[name] = id
				}
			}
			var want, got any
			require.NoError(t, json.Unmarshal([]byte(e.answer), &want))
			require.NoError(t, json.Unmarshal(answer, &got))
			contains(t, "answer", want, got)
		})
	}
}

var streamed = regexp.MustCompile("(?s)```sh\ncurl -N -H 'Accept: (\\S+)' --json '(.*?)' http://127.0.0.1:8080(\\S+)\n```")

func TestReadmeStream(t *testing.T) {
	found := streamed.FindStringSubmatch(readme(t))
	require.NotNil(t, found)
	req, err := http.NewRequest(http.MethodPost, serve(t)+found[3], strings.NewReader(found[2]))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", found[1])
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	stream, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	var names []string
	for _, m := range regexp.MustCompile("(?m)^event: (.*)$").FindAllSubmatch(stream, -1) {
		names = append(names, string(m[1]))
	}
	require.Equal(t, []string{"run.started", "output", "run.ended", "result"}, names, "%s", stream)
	for _, name := range names {
		require.Contains(t, readme(t), "`"+name+"`")
	}
}

// TestReadmeOperator does what the README says without Docker, in a folder of its own.
func TestReadmeOperator(t *testing.T) {
	var commands string
	for _, block := range blocks(readme(t), "sh") {
		if strings.HasPrefix(block, "make build\nbin/codecell keys") {
			commands = block
		}
	}
	commands, serving, ok := strings.Cut(strings.TrimPrefix(commands, "make build\n"), "bin/codecell serve ")
	require.True(t, ok)
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("docker/prometheus", 0o700))
	require.NoError(t, os.Mkdir("bin", 0o700))
	require.NoError(t, os.Symlink(binary, "bin/codecell"))
	sh := exec.Command("sh", "-ec", commands)
	key, err := sh.Output()
	require.NoError(t, err)
	base := serve(t, append(strings.Fields(serving), "--admin-listen", "127.0.0.1:0")...)
	const body = `{"turn": {"config": {"enabled": true}}, "code": "return 1"}`
	status, answer := send(t, base+"/v1/exec", strings.TrimSpace(string(key)), body)
	require.Equal(t, http.StatusOK, status, "%s", answer)
	status, _ = send(t, base+"/v1/exec", "", body)
	require.Equal(t, http.StatusUnauthorized, status)
	admin, err := os.ReadFile("docker/prometheus/admin.key")
	require.NoError(t, err)
	status, _ = send(t, base+"/v1/exec", strings.TrimSpace(string(admin)), body)
	require.Equal(t, http.StatusForbidden, status, "it runs no code")
}

func TestReadmeCells(t *testing.T) {
	turn := filepath.Join(t.TempDir(), "turn.json")
	require.NoError(t, os.WriteFile(turn, []byte(gjson.Get(examples(t)[0].body, "turn").Raw), 0o600))
	for _, cell := range blocks(readme(t), "js") {
		file := filepath.Join(t.TempDir(), "cell.js")
		require.NoError(t, os.WriteFile(file, []byte(cell), 0o600))
		lines := strings.Split(strings.TrimSpace(runCell(t, file, "--catalog", turn)), "\n")
		require.Equal(t, "true", lines[len(lines)-1])
	}
}

func TestReadmeConfig(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "config.json5")
	shown := strings.ReplaceAll(blocks(readme(t), "json5")[0], "/var/log/codecell", dir)
	require.NoError(t, os.WriteFile(config, []byte(shown), 0o600))
	base := serve(t, "--config", config)
	t.Run("I2 the key whose hash it shows is let in, no other", func(t *testing.T) {
		status, _ := send(t, base+"/v1/exec", "", `{"turn":{},"code":"return 1"}`)
		require.Equal(t, http.StatusUnauthorized, status)
		status, answer := send(t, base+"/v1/exec", "example-key", `{"turn":{},"code":"return 1"}`)
		require.Equal(t, http.StatusOK, status)
		require.EqualValues(t, 1, gjson.GetBytes(answer, "value").Int(), "%s", answer)
	})
	t.Run("G5 what it did is in the audit file", func(t *testing.T) {
		require.Eventually(t, func() bool {
			text, err := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
			return err == nil && strings.Contains(string(text), `"type":"exec"`)
		}, time.Minute, 10*time.Millisecond)
	})
	t.Run("A2 the table is the one of the code", func(t *testing.T) {
		shown := regexp.MustCompile(`(?m)^\| key \|.*\n(\|.*\n)*`).FindString(readme(t))
		require.Equal(t, configTable(), shown)
	})
}

// configTable renders the keys of tools.codeMode as README shows them.
func configTable() string {
	var table bytes.Buffer
	table.WriteString("| key | default | range or choices | |\n|---|---|---|---|\n")
	for _, k := range config.Keys() {
		value, choices := "", ""
		switch {
		case k.Key == "enabled":
			value = fmt.Sprint(config.Default().Enabled)
		case k.Key == "store.enabled":
			value = fmt.Sprint(config.Default().StoreEnabled)
		case k.Key == "languages":
			value = "`" + strings.Join(config.Default().Languages, "`, `") + "`"
		case k.Max > 0:
			value, choices = fmt.Sprint(k.Default), fmt.Sprintf("%d – %d", k.Min, k.Max)
		case len(k.Allowed) > 0:
			value, choices = "`"+k.Allowed[0]+"`", "`"+strings.Join(k.Allowed, "`, `")+"`"
		}
		if k.CappedBy != "" {
			choices += ", at most `" + k.CappedBy + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", k.Key, value, choices, k.Doc)
	}
	return table.String()
}

func TestReadmeCommands(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("`make ([a-z-]+)|\nmake ([a-z-]+)").FindAllStringSubmatch(readme(t), -1) {
		require.Regexp(t, "(?m)^"+m[1]+m[2]+":", string(makefile))
	}
}

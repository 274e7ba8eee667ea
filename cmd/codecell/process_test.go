package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// service is codecell serve in a process of its own.
type service struct {
	base string
	cmd  *exec.Cmd
	log  bytes.Buffer // to be read when it has ended
}

// serveProcess starts a service with a config file, and more in its environment.
func serveProcess(t *testing.T, config string, environment ...string) *service {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.json5")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	cmd := exec.Command(os.Args[0], "serve", "--listen", "127.0.0.1:0", "--config", file, "--test-executors")
	cmd.Env = append(append(os.Environ(), asCodecell+"=1"), environment...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	s := &service{cmd: cmd}
	cmd.Stderr = &s.log
	require.NoError(t, cmd.Start())
	t.Cleanup(s.kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	s.base = strings.TrimSpace(strings.TrimPrefix(line, "codecell listens on "))
	return s
}

func (s *service) kill() {
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait()
}

// workers are the process ids of its children.
func (s *service) workers(t *testing.T) []int {
	t.Helper()
	tasks := "/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/task"
	threads, err := os.ReadDir(tasks)
	require.NoError(t, err)
	var workers []int
	for _, thread := range threads {
		// A thread may be gone by now, and has no children then.
		children, _ := os.ReadFile(filepath.Join(tasks, thread.Name(), "children"))
		for _, pid := range strings.Fields(string(children)) {
			n, err := strconv.Atoi(pid)
			require.NoError(t, err)
			workers = append(workers, n)
		}
	}
	return workers
}

func (s *service) readyz(t *testing.T) gjson.Result {
	t.Helper()
	response, err := http.Get(s.base + "/readyz")
	require.NoError(t, err)
	defer http.DefaultClient.CloseIdleConnections()
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return gjson.ParseBytes(text)
}

func TestIsolation(t *testing.T) {
	turn := map[string]any{
		"context": map[string]any{"agentId": "a", "sessionId": "s", "sessionKey": "k", "runId": "r"},
		"config":  map[string]any{"enabled": true, "timeoutMs": 20000},
		"tools":   []any{map[string]any{"source": "client", "owner": "app", "name": "ask"}},
	}
	for _, config := range []string{"{}", `{engine: {mode: "native"}}`, `{tools: {codeMode: {snapshot: {resume: "restore"}}}}`} {
		t.Run("H3 who kills all workers ends no run, whether at rest or at work: "+config, func(t *testing.T) {
			s := serveProcess(t, config)
			id := ask(t, http.StatusOK, s.base+"/v1/turns", turn)["turnId"]
			waiting := ask(t, http.StatusOK, s.base+"/v1/exec", map[string]any{"turnId": id, "code": keeper})
			require.Equal(t, "waiting", waiting["status"], "%v", waiting)
			working := make(chan map[string]any, 1)
			go func() {
				working <- ask(t, http.StatusOK, s.base+"/v1/exec", map[string]any{
					"turnId": id, "code": "let n = 0; for (const end = Date.now() + 500; Date.now() < end;) n = 7; return n",
				})
			}()
			time.Sleep(100 * time.Millisecond)
			workers := s.workers(t)
			require.NotEmpty(t, workers)
			for _, pid := range workers {
				require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
			}
			require.EqualValues(t, 7, (<-working)["value"])
			call := waiting["pendingToolCalls"].([]any)[0].(map[string]any)["id"]
			done := ask(t, http.StatusOK, s.base+"/v1/wait", map[string]any{
				"turnId": id, "runId": waiting["runId"], "results": []any{map[string]any{"id": call, "ok": true, "value": 2}},
			})
			require.Equal(t, "completed", done["status"], "%v", done)
			require.True(t, s.readyz(t).Get("ok").Bool())
		})
	}
	t.Run("H1 /readyz says what holds the guests", func(t *testing.T) {
		require.Contains(t, serveProcess(t, `{engine: {sandbox: "require"}}`).readyz(t).Get("sandbox").Raw, "seccomp")
		s := serveProcess(t, `{engine: {isolation: "thread"}}`)
		require.Contains(t, s.readyz(t).Get("sandbox").Raw, "thread isolation")
		require.Empty(t, s.workers(t))
	})
	t.Run("H1 where the kernel lacks a layer, nothing runs if all are required, and the report says so", func(t *testing.T) {
		turn := map[string]any{"config": map[string]any{"enabled": true}}
		s := serveProcess(t, `{engine: {sandbox: "require"}}`, onOldKernel+"=1")
		ready := s.readyz(t)
		require.False(t, ready.Get("ok").Bool(), ready.Raw)
		require.Contains(t, ready.Raw, "the sandbox lacks Landlock")
		ask(t, http.StatusServiceUnavailable, s.base+"/v1/turns", turn)
		s = serveProcess(t, "{}", onOldKernel+"=1")
		ready = s.readyz(t)
		require.True(t, ready.Get("ok").Bool(), ready.Raw)
		require.Contains(t, ready.Get("sandbox").Raw, "lacks Landlock")
	})
	t.Run("H1 so it is with parsers, in whichever isolation", func(t *testing.T) {
		s := serveProcess(t, `{engine: {isolation: "thread", sandbox: "require"}}`, onOldKernel+"=1")
		run := func(status int, code string) map[string]any {
			return ask(t, status, s.base+"/v1/exec", map[string]any{
				"turn": map[string]any{"config": map[string]any{"enabled": true}}, "language": "typescript", "code": code,
			})
		}
		require.EqualValues(t, 1, run(http.StatusOK, "let n: number = 1; return n")["value"])
		refused := run(http.StatusServiceUnavailable, strings.Repeat("let n: number = 1;\n", 1000))
		require.Contains(t, refused["detail"], "the cell can't be parsed")
	})
	t.Run("H1 no worker outlives a service that was killed", func(t *testing.T) {
		s := serveProcess(t, "{}")
		workers := s.workers(t)
		require.NotEmpty(t, workers)
		s.kill()
		for _, pid := range workers {
			require.Eventually(t, func() bool { return gone(pid) }, waitLong, waitShort, "worker %d", pid)
		}
	})
	for _, name := range []string{workerName, parserName} {
		t.Run("I1 a "+name+" is not for people", func(t *testing.T) {
			cmd := exec.Command(os.Args[0], name)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), "is started by codecell itself")
		})
	}
}

func TestParsers(t *testing.T) {
	for _, isolation := range isolations {
		t.Run("H6 a cell that is parsed too long is over in time, and others' cells are not kept waiting: "+isolation, func(t *testing.T) {
			s := serveProcess(t, `{engine: {isolation: "`+isolation+`"}}`)
			turn := func(timeoutMs int) any {
				return ask(t, http.StatusOK, s.base+"/v1/turns", map[string]any{
					"context": map[string]any{"agentId": "a", "sessionId": "s", "sessionKey": "k", "runId": "r"},
					"config":  map[string]any{"enabled": true, "timeoutMs": timeoutMs},
				})["turnId"]
			}
			run := func(id any, code string) map[string]any {
				return ask(t, http.StatusOK, s.base+"/v1/exec", map[string]any{"turnId": id, "language": "typescript", "code": code})
			}
			slow := make(chan map[string]any, 1)
			id := turn(1000)
			go func() { slow <- run(id, "return {"+strings.Repeat("__proto__:1,", 20_000)+"}") }()
			honest := run(turn(20_000), "let n: number = 7;\n"+strings.Repeat("n = n as number;\n", 1000)+"return n")
			require.EqualValues(t, 7, honest["value"], "%v", honest)
			result := <-slow
			require.Equal(t, "timeout", result["code"], "%v", result)
			require.Contains(t, s.readyz(t).Get("sandbox").Raw, "are parsed in up to")
		})
	}
	t.Run("H6 codecell exec has no other parsers", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "turn.json5")
		require.NoError(t, os.WriteFile(file, []byte(`{config: {enabled: true, timeoutMs: 300}}`), 0o600))
		got := codecell(t, "return {"+strings.Repeat("__proto__:1,", 20_000)+"}", "exec", "-", "--language", "typescript", "--catalog", file, "--json")
		require.Equal(t, "timeout", gjson.Get(got.out, "code").Str, got)
	})
}

// gone says that a process has ended, whether or not anybody has asked how.
func gone(pid int) bool {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(status), ") ")
	return strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X")
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/codecell/codecell/bench"
	"github.com/codecell/codecell/bench/suite"
)

// subject is a service in a process of its own, and what it did.
type subject struct {
	name    string
	process *os.Process
	wait    func() error
	address string
	request string

	loads    map[int]*bench.Report // by connections
	spent    map[int]time.Duration // processor time
	cpu      map[int]time.Duration // of it, for each request
	resident int
}

// add adds a round.
func (s *subject) add(n int, r *bench.Report, spent time.Duration) {
	if s.loads[n] == nil {
		s.loads[n] = r
	} else {
		s.loads[n].Append(r)
	}
	s.spent[n] += spent
	s.cpu[n] = s.spent[n] / time.Duration(s.loads[n].Requests)
}

func (s *subject) stop() {
	_ = s.process.Signal(syscall.SIGTERM)
	_ = s.wait()
}

// completed is how each answer begins.
const completed = `{"status":"completed","value":2`

// noop is the argument that makes this command the handler that does nothing.
const noop = "noop"

// startAll starts the handler that does nothing and all services. Those that this binary can't be are told of.
func startAll(ctx context.Context, o options, dir string) (all []*subject, leftOut string, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	nothing, err := start(exec.CommandContext(ctx, self, noop), "no-op")
	if err != nil {
		return nil, "", err
	}
	nothing.request = request("turn_00000000000000000000000000")
	all = append(all, nothing)
	for _, mode := range []string{"native", "aot", "wasi"} {
		for _, isolation := range []string{"thread", "process"} {
			name := mode + "/" + isolation
			if len(o.Only) > 0 && !slices.Contains(o.Only, name) {
				continue
			}
			config := filepath.Join(dir, mode+"-"+isolation+".json5")
			text := fmt.Sprintf(`{ engine: { mode: %q, isolation: %q } }`, mode, isolation)
			if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
				return all, "", err
			}
			c := exec.CommandContext(ctx, o.Binary, "serve", "--listen", "127.0.0.1:0", "--test-executors", "--log-level", "error", "--grace", "1s")
			c.Env = append(os.Environ(), "CODECELL_CONFIG="+config)
			s, err := start(c, name)
			if err != nil {
				return all, "", err
			}
			if err := s.prepare(ctx); err != nil {
				s.stop()
				leftOut += fmt.Sprintf("\nLeft out: %s: %v\n", name, err)
				continue
			}
			all = append(all, s)
		}
	}
	return all, leftOut, nil
}

// start starts a service that says on its first line where it listens.
func start(c *exec.Cmd, name string) (*subject, error) {
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	says, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		return nil, err
	}
	s := &subject{
		name: name, process: c.Process, wait: c.Wait,
		loads: map[int]*bench.Report{}, spent: map[int]time.Duration{}, cpu: map[int]time.Duration{},
	}
	line, err := bufio.NewReader(says).ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), "http://")
	if err != nil || !found {
		s.stop()
		return nil, fmt.Errorf("%s says %q and not where it listens", name, line)
	}
	s.address = address
	return s, nil
}

func request(turn string) string {
	return `{"turnId":"` + turn + `","toolCallId":"call-1","code":"return 1+1","language":"javascript"}`
}

// prepare prepares the turn that is measured, with 50 tools.
func (s *subject) prepare(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{
		"context": map[string]string{"agentId": "bench", "sessionId": "s", "sessionKey": "k", "runId": "r"},
		"config":  true, "tools": suite.Tools(50),
	})
	if err != nil {
		return err
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.address+"/v1/turns", bytes.NewReader(body))
	if err != nil {
		return err
	}
	q.Header.Set("Content-Type", "application/json")
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer func() { _ = a.Body.Close() }()
	var turn struct {
		TurnID string `json:"turnId"`
		Detail string `json:"detail"`
	}
	if err := json.NewDecoder(a.Body).Decode(&turn); err != nil {
		return err
	}
	if turn.TurnID == "" {
		return errors.New(turn.Detail)
	}
	s.request = request(turn.TurnID)
	return nil
}

// serveNoop is a handler that only binds the request and writes an answer of the service's size.
func serveNoop() error {
	answer := json.RawMessage(completed + `,"output":[],"telemetry":{"catalogSize":50,"sources":{"openclaw":50,"mcp":0,"client":0},"searchCount":0,"describeCount":0,"callCount":0,"visibleTools":["exec","wait"],"runtime":{"engine":"native","steps":1,"guestMs":0.014,"cpuMs":0.014,"serviceMs":0.017,"waitMs":0.000,"heapBytes":193368}}}`)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("no-op listens on http://%s\n", l.Addr())
	return (&http.Server{Handler: bench.Noop(answer), ReadHeaderTimeout: time.Minute}).Serve(l)
}

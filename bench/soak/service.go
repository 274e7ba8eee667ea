package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/tidwall/gjson"
)

// service is codecell serve in a process of its own.
type service struct {
	base, admin string
	beside      string // the URL of a server that is no part of the service
	cmd         *exec.Cmd
	dir         string
	client      *http.Client
	ended       chan error
	reloads     int
}

// config is what the service is started with.
const config = `{
	listen: "127.0.0.1:0", admin: {listen: %q}, logLevel: "error",
	executors: {hosts: ["loopback"]},
	tools: {codeMode: {enabled: true, maxSuspendedRuns: 4096}},
}`

func startService(binary, beside string) (*service, error) {
	dir, err := os.MkdirTemp("", "codecell-soak")
	if err != nil {
		return nil, err
	}
	s := &service{dir: dir, beside: beside, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}, ended: make(chan error, 1)}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s.admin = "http://" + address
	file := filepath.Join(dir, "config.json5")
	if err := os.WriteFile(file, fmt.Appendf(nil, config, address), 0o600); err != nil {
		return nil, err
	}
	s.cmd = exec.Command(binary, "serve", "--config", file, "--test-executors")
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	line, err := lines.ReadString('\n')
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		s.ended <- s.cmd.Wait()
	}()
	if err != nil {
		return nil, fmt.Errorf("the service did not start: %w", err)
	}
	s.base = strings.TrimSpace(strings.TrimPrefix(line, "codecell listens on "))
	return s, nil
}

func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// disturb kills a worker, and has the service change how much it logs.
func (s *service) disturb() error {
	workers, err := children(s.cmd.Process.Pid)
	if err != nil {
		return err
	}
	if len(workers) > 0 {
		_ = syscall.Kill(workers[s.reloads%len(workers)], syscall.SIGKILL) // it may have ended by itself
	}
	s.reloads++
	return s.setLogLevel([]string{"error", "warn"}[s.reloads%2])
}

// setLogLevel has the log write more or less from now on.
func (s *service) setLogLevel(level string) error {
	r, err := http.NewRequest(http.MethodPut, s.admin+"/log-level", strings.NewReader(`{"level":"`+level+`"}`))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("the log level can't be set: %s: %.300s", answer.Status, text)
	}
	return err
}

// children are the process ids of a process's children.
func children(pid int) ([]int, error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread that has ended has started nothing that lives
		for _, field := range strings.Fields(string(text)) {
			n, err := strconv.Atoi(field)
			if err != nil {
				return nil, err
			}
			pids = append(pids, n)
		}
	}
	return pids, nil
}

// stop ends the service in order.
func (s *service) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case err := <-s.ended:
		s.ended <- err
		return err
	case <-time.After(time.Minute):
		return errors.New("the service did not stop")
	}
}

// kill ends it at once, if it is still there.
func (s *service) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
	_ = os.RemoveAll(s.dir)
}

// post returns the answer, which must have status 200 or 201.
func (s *service) post(ctx context.Context, path, body string) (gjson.Result, error) {
	return s.send(ctx, http.MethodPost, path, body)
}

func (s *service) delete(ctx context.Context, path string) error {
	_, err := s.send(ctx, http.MethodDelete, path, "")
	return err
}

func (s *service) send(ctx context.Context, method, path, body string) (gjson.Result, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.base+path, strings.NewReader(body))
	if err != nil {
		return gjson.Result{}, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return gjson.Result{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: %s: %.500s", method, path, answer.Status, text)
	}
	return gjson.ParseBytes(text), err
}

// metrics reads the service's metrics; those with labels are added up, or found by name{value of the label}.
func (s *service) metrics(ctx context.Context) (map[string]float64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.admin+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		return nil, err
	}
	all := map[string]float64{}
	for name, f := range families {
		for _, m := range f.Metric {
			v := m.GetGauge().GetValue() + m.GetCounter().GetValue()
			all[name] += v
			for _, l := range m.Label {
				all[name+"{"+l.GetValue()+"}"] += v
			}
		}
	}
	return all, nil
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// service is a running codecell.
type service struct {
	base string
	cmd  *exec.Cmd
	dir  string // has its config
}

// start starts the service on a free port.
func start(ctx context.Context, codecell string, config map[string]any) (*service, error) {
	dir, err := os.MkdirTemp("", "codecell-demo")
	if err != nil {
		return nil, err
	}
	s := &service{dir: dir}
	if err := s.listen(ctx, codecell, config); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *service) listen(ctx context.Context, codecell string, config map[string]any) error {
	text, err := json.Marshal(config)
	if err != nil {
		return err
	}
	path := filepath.Join(s.dir, "codecell.json5")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, codecell, "serve", "--listen", "127.0.0.1:0", "--config", path, "--log-level", "warn", "--grace", "2s")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.cmd = cmd
	// The service prints its address once whoever reads it may connect.
	line, err := bufio.NewReader(out).ReadString('\n')
	base, ok := strings.CutPrefix(strings.TrimSpace(line), "codecell listens on ")
	if err != nil || !ok {
		return fmt.Errorf("%s did not start listening", codecell)
	}
	s.base = base
	return nil
}

func (s *service) stop() {
	if s.cmd != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // or it has ended already
		_ = s.cmd.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

// send makes a request of the API.
func (s *service) send(ctx context.Context, method, path string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err = io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	if answer == nil {
		return nil
	}
	return json.Unmarshal(text, answer)
}

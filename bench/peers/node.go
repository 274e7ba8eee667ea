package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/codecell/codecell/bench/suite"
)

// node is the Node peer: a process that measures by itself and answers with what it found, a line for a line.
type node struct {
	mode          string
	cmd           *exec.Cmd
	in            io.WriteCloser
	out           *bufio.Reader
	version, node string
}

type nodeRequest struct {
	Mode string `json:"mode"`
	Task string `json:"task"` // empty: stored bytes
	Code string `json:"code,omitempty"`
	Ms   int64  `json:"ms,omitempty"`
}

type nodeAnswer struct {
	Version string  `json:"version"`
	Node    string  `json:"node"`
	Ns      float64 `json:"ns"` // of one time
	Bytes   int     `json:"bytes"`
	None    bool    `json:"none"` // not applicable
	Error   string  `json:"error"`
}

// startNode starts the peer; it fails if Node or the package is not there.
func startNode(dir, mode string) (*node, error) {
	if _, err := filepath.EvalSymlinks(filepath.Join(dir, "node_modules", "quickjs-wasi")); err != nil {
		return nil, fmt.Errorf("the npm package is not installed (npm install in %s)", filepath.Base(dir))
	}
	n := &node{mode: mode, cmd: exec.Command("node", "--expose-gc", "peer.mjs")}
	n.cmd.Dir = dir
	out, err := n.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if n.in, err = n.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := n.cmd.Start(); err != nil {
		return nil, err
	}
	n.out = bufio.NewReader(out)
	hello, err := n.read()
	if err != nil {
		_ = n.Close()
		return nil, err
	}
	n.version, n.node = hello.Version, hello.Node
	return n, nil
}

func (n *node) Name() string { return n.mode }

func (n *node) read() (nodeAnswer, error) {
	var a nodeAnswer
	line, err := n.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err == nil && a.Error != "" {
		err = fmt.Errorf("the Node peer: %s", a.Error)
	}
	if err == nil && a.None {
		err = suite.ErrNotApplicable
	}
	return a, err
}

func (n *node) ask(r nodeRequest) (nodeAnswer, error) {
	r.Mode = n.mode
	line, err := json.Marshal(r)
	if err != nil {
		return nodeAnswer{}, err
	}
	if _, err := n.in.Write(append(line, '\n')); err != nil {
		return nodeAnswer{}, err
	}
	return n.read()
}

// Measure implements suite.Subject.
func (n *node) Measure(_ context.Context, task string, d time.Duration) (time.Duration, error) {
	code := "return 1+1"
	for _, k := range suite.Kernels {
		if k.Name == task {
			code = k.Code
		}
	}
	a, err := n.ask(nodeRequest{Task: task, Code: "(function () { " + code + " })()", Ms: d.Milliseconds()})
	return time.Duration(a.Ns), err
}

// StoredBytes implements suite.Subject.
func (n *node) StoredBytes() (int, error) {
	a, err := n.ask(nodeRequest{})
	return a.Bytes, err
}

func (n *node) Close() error {
	_ = n.in.Close()
	return n.cmd.Wait()
}

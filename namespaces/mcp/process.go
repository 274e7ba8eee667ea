package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inherited are the variables that a server's process has of this one: what programs can't do without, and no secret.
var inherited = []string{"PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SHELL", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"}

// process is a transport to a child process. The child has a process group of its own, so that what it starts ends with it.
type process struct {
	config *Config
	log    *slog.Logger
}

// Connect implements mcp.Transport.
func (p *process) Connect(ctx context.Context) (mcp.Connection, error) {
	cmd := exec.Command(p.config.Command, p.config.Args...)
	cmd.Dir, cmd.Env = p.config.Dir, p.environment()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("can't be started: %w", err)
	}
	go p.logLines(said)
	t := mcp.IOTransport{Reader: messages(out, p.log), Writer: &child{WriteCloser: in, cmd: cmd}, MaxLineLength: maxMessage + 1}
	conn, err := t.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &stdioConn{Connection: conn}, nil
}

func (p *process) environment() []string {
	var env []string
	for _, key := range inherited {
		if value, ok := os.LookupEnv(key); ok && p.config.Env[key] == "" {
			env = append(env, key+"="+value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(p.config.Env)) {
		env = append(env, key+"="+p.config.Env[key])
	}
	return env
}

// logLines passes on what the server writes to stderr. A line that is too long is cut.
func (p *process) logLines(r io.Reader) {
	lines := bufio.NewReaderSize(r, 4<<10)
	for {
		line, more, err := lines.ReadLine()
		if len(line) > 0 {
			p.log.Debug("mcp server", "stderr", strings.ToValidUTF8(string(line), "\uFFFD"))
		}
		for more && err == nil {
			_, more, err = lines.ReadLine()
		}
		if err != nil {
			return
		}
	}
}

// child is a process's stdin; closing it ends the process.
type child struct {
	io.WriteCloser
	cmd *exec.Cmd
}

// How long a process may take to end by itself once its stdin is closed, and after SIGTERM.
const (
	patience      = 2 * time.Second
	patienceAfter = time.Second
)

// Close ends the process: a server should end when its stdin does, and is made to if it does not.
func (c *child) Close() error {
	err := c.WriteCloser.Close()
	ended := make(chan struct{})
	go func() {
		_ = c.cmd.Wait() // how it ended is nobody's concern any more
		close(ended)
	}()
	for _, then := range []struct {
		wait   time.Duration
		signal syscall.Signal
	}{{patience, syscall.SIGTERM}, {patienceAfter, syscall.SIGKILL}} {
		select {
		case <-ended:
			_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // what it left behind
			return err
		case <-time.After(then.wait):
			if e := syscall.Kill(-c.cmd.Process.Pid, then.signal); e != nil && !errors.Is(e, syscall.ESRCH) {
				err = errors.Join(err, e)
			}
		}
	}
	<-ended
	return err
}

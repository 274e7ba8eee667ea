package preparer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine/internal/child"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/script"
	"github.com/codecell/codecell/engine/worker/sandbox"
)

// What a child may have open beside its socket: standard streams, epoll, the runtime's own.
const maxDescriptors = 16

// Memory of a child, in bytes. Ordinary texts of 256 KiB take up to 150 MB, and hostile ones gigabytes, as esbuild keeps
// every prefix of a long sum of strings. Beyond the limit the child ends, and the text is refused.
const (
	memoryLimit = 512 << 20
	// From here on the collector works harder than usual.
	memoryTarget = 256 << 20
)

// ready is what a child says first.
type ready struct {
	Error   string         `json:"error,omitempty"` // why it can't serve
	Sandbox sandbox.Report `json:"sandbox"`
}

// errNotByHand is for a person who tries.
var errNotByHand = errors.New("a parser is started by codecell itself, which is not at the other end")

// Serve is a child's life: it returns when the parent closes the connection. It closes the sandbox around the process, so
// nothing else can be done afterwards but to exit.
func Serve() error {
	socket, err := child.Inherited(0)
	if err != nil {
		return fmt.Errorf("%w: %w", errNotByHand, err)
	}
	conn := &frame.Conn{Socket: socket}
	if kind, _, err := conn.ReadFrame(maxHello); kind != sayHello || err != nil {
		return errors.Join(errNotByHand, err)
	}
	// One text at a time, and one processor for it: that is what its tenant has a right to.
	runtime.GOMAXPROCS(1)
	debug.SetMemoryLimit(memoryTarget)
	var r ready
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: memoryLimit, Max: memoryLimit}); err != nil {
		r.Error = fmt.Sprintf("limit the memory: %v", err)
	}
	r.Sandbox = sandbox.Enter(maxDescriptors)
	text, err := json.Marshal(&r)
	if err != nil {
		return err
	}
	if err := conn.WriteFrame(append(conn.NewFrame(sayReady), text...)); err != nil {
		return err
	}
	return answer(conn)
}

// answer parses one text after the other.
func answer(conn *frame.Conn) error {
	for {
		kind, body, err := conn.ReadFrame(maxAsked)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var q question
		if err := q.parse(body); kind != askParse || err != nil {
			return fmt.Errorf("%w: kind %q", frame.ErrProtocol, kind)
		}
		source, err := script.Parse(q.text, q.language, script.Options{ShellTool: q.shellTool})
		if err := conn.WriteFrame(script.AppendOutcome(conn.NewFrame(tellResult), source, err)); err != nil {
			return err
		}
	}
}

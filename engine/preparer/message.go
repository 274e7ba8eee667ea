package preparer

import (
	"fmt"

	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/internal/wire"
	"github.com/codecell/codecell/engine/script"
)

// The kinds of frames. The parent greets, and the child says that it is ready; then it answers each text with an outcome.
const (
	sayHello   = 'h' // nothing, to the child
	sayReady   = 'r' // JSON of ready, to the parent
	askParse   = 'p' // a text, to the child
	tellResult = 'o' // what script.AppendOutcome makes, to the parent
)

// Bounds of frames, in bytes.
const (
	maxHello = 0
	maxReady = 64 << 10
	maxAsked = 1 << 30 // the parent has judged the size before
)

// question is what a child is asked.
type question struct {
	text      string
	language  script.Language
	shellTool string
}

func (q *question) append(b []byte) []byte {
	return append(wire.Text(wire.Text(b, string(q.language)), q.shellTool), q.text...)
}

func (q *question) parse(b []byte) error {
	r := wire.Read(b)
	q.language, q.shellTool, q.text = script.Language(r.Text()), string(r.Text()), string(r.Rest())
	if !r.Done() {
		return fmt.Errorf("%w: no question", frame.ErrProtocol)
	}
	return nil
}

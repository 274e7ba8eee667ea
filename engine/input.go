package engine

import (
	"encoding/binary"
	"slices"

	"github.com/codecell/codecell/engine/internal/wire"
)

// The wrapper makes the cell the body of an async arrow function. Its two lines are lines -1 and 0 to the guest, since
// the engine takes 0 for "not given", so the cell starts at line 1.
const (
	wrapperHead = "async () => {\n\n"
	wrapperTail = "\n}"
)

// Begin is the input of a run's first step.
type Begin struct {
	Source      string   // the cell's body, valid UTF-8
	TypeScript  bool     // the cell was written in TypeScript: names the file in error positions
	Truncate    bool     // beyond MaxOutput, drop output instead of ending the step
	MemoryLimit int      // bytes of heap
	MaxOutput   int      // bytes of text() and json() output, at least; the host counts exactly
	MaxValue    int      // bytes of the cell's value as JSON; with Truncate, of one output item too
	MaxRequests int      // requests other than timers that may be pending at once
	MaxTimers   int      // timers that may be pending at once
	Seed        [32]byte // of Math.random and crypto
	Namespaces  []byte   // JSON of the namespaces that the cell sees (package guest), empty for none
}

// Append appends the input's bytes to dst.
func (b *Begin) Append(dst []byte) []byte {
	var flags byte
	if b.TypeScript {
		flags |= 1
	}
	if b.Truncate {
		flags |= 2
	}
	dst = append(dst, 1, flags)
	for _, n := range []int{b.MemoryLimit, b.MaxOutput, b.MaxValue, b.MaxRequests, b.MaxTimers} {
		dst = wire.U32(dst, n)
	}
	dst = append(dst, b.Seed[:]...)
	dst = wire.U32(dst, len(wrapperHead)+len(b.Source)+len(wrapperTail))
	dst = append(dst, wrapperHead...)
	dst = append(dst, b.Source...)
	dst = append(dst, wrapperTail...)
	return appendText(append(dst, 0), b.Namespaces)
}

// AnswerKind says what an answer's payload is.
type AnswerKind byte

// The kinds of answers.
const (
	AnswerValue AnswerKind = 0 // JSON that the request's promise resolves to
	AnswerError AnswerKind = 1 // JSON object {message, name?, code?, toolId?, callId?} that it rejects with
	AnswerFired AnswerKind = 2 // a timer is due; no payload
)

// Answer settles one request. Payload must be valid JSON.
type Answer struct {
	ID      uint32
	Kind    AnswerKind
	Payload []byte
}

// AppendResume appends the bytes of a later step's input: answers in the order in which the guest sees them.
func AppendResume(dst []byte, answers []Answer) []byte {
	size := 5
	for _, a := range answers {
		size += len(a.Payload) + 10
	}
	dst = slices.Grow(dst, size)
	dst = append(dst, 2)
	dst = wire.U32(dst, len(answers))
	for _, a := range answers {
		dst = wire.U32(dst, int(a.ID))
		dst = append(dst, byte(a.Kind))
		dst = appendText(dst, a.Payload)
	}
	return dst
}

// Answers returns how many answers a step's input gives.
func Answers(input []byte) int {
	if len(input) < 5 || input[0] != 2 {
		return 0
	}
	return int(binary.LittleEndian.Uint32(input[1:]))
}

// AppendCatalog appends a turn's catalog as the guest keeps it: tool entries (JSON array), the lines of the convenience
// functions, MCP servers (JSON array or nothing), declaration files (JSON array or nothing).
func AppendCatalog(dst, entries, names, mcp, files []byte) []byte {
	for _, section := range [][]byte{entries, names, mcp, files} {
		dst = appendText(dst, section)
	}
	return dst
}

func appendText(dst, text []byte) []byte {
	return append(wire.Text(dst, text), 0)
}

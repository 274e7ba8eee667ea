package enginetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/codecell/codecell/engine"
)

// Input is a step's input, decoded. Exactly one of the first two is given.
type Input struct {
	Begin   *engine.Begin   // of the first step; Source is the cell's body without the wrapper around it
	Answers []engine.Answer // of a later step, in the order in which the guest sees them

	// Interrupted is closed when the step must end; a step that waits for it returns engine.ErrStopped then.
	Interrupted <-chan struct{}
}

// Answer returns the answer to a request, and whether there is one.
func (in *Input) Answer(id uint32) (engine.Answer, bool) {
	for _, a := range in.Answers {
		if a.ID == id {
			return a, true
		}
	}
	return engine.Answer{}, false
}

// The wrapper is the engine's own affair, so it is learnt from an encoded input instead of being repeated here.
var wrapperHead, wrapperTail = learnWrapper()

func learnWrapper() (head, tail []byte) {
	const mark = "\x01cell\x01"
	raw := (&engine.Begin{Source: mark}).Append(nil)
	size := int(binary.LittleEndian.Uint32(raw[beginHeader-4:]))
	head, tail, _ = bytes.Cut(raw[beginHeader:beginHeader+size], []byte(mark))
	return head, tail
}

// beginHeader is the size of what comes before the source: kind, flags, five numbers, the seed, the source's length.
const beginHeader = 2 + 5*4 + 32 + 4

// DecodeInput reads the bytes that engine.Begin.Append and engine.AppendResume make.
func DecodeInput(raw []byte) (*Input, error) {
	switch {
	case len(raw) > 0 && raw[0] == 1:
		begin, err := decodeBegin(raw)
		return &Input{Begin: begin}, err
	case len(raw) > 0 && raw[0] == 2:
		answers, err := decodeAnswers(raw[1:])
		return &Input{Answers: answers}, err
	}
	return nil, errors.New("enginetest: the input is neither the first nor a later one")
}

func decodeBegin(raw []byte) (*engine.Begin, error) {
	if len(raw) < beginHeader+1 {
		return nil, fmt.Errorf("enginetest: a first input of %d bytes is too short", len(raw))
	}
	number := func(i int) int { return int(binary.LittleEndian.Uint32(raw[2+4*i:])) }
	source, rest, err := cutText(raw[beginHeader-4:])
	if err != nil {
		return nil, fmt.Errorf("enginetest: the source: %w", err)
	}
	namespaces, rest, err := cutText(rest)
	if err != nil || len(rest) > 0 {
		return nil, fmt.Errorf("enginetest: the namespaces: %d bytes are left over, %w", len(rest), err)
	}
	if !bytes.HasPrefix(source, wrapperHead) || !bytes.HasSuffix(source, wrapperTail) {
		return nil, errors.New("enginetest: the source has no wrapper")
	}
	return &engine.Begin{
		Source:     string(source[len(wrapperHead) : len(source)-len(wrapperTail)]),
		TypeScript: raw[1]&1 != 0, Truncate: raw[1]&2 != 0,
		MemoryLimit: number(0), MaxOutput: number(1), MaxValue: number(2), MaxRequests: number(3), MaxTimers: number(4),
		Seed: [32]byte(raw[2+5*4:]), Namespaces: append([]byte(nil), namespaces...),
	}, nil
}

// cutText takes a text and the NUL behind it off the front of b.
func cutText(b []byte) (text, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, errors.New("its length is cut off")
	}
	size := uint64(binary.LittleEndian.Uint32(b))
	if b = b[4:]; uint64(len(b)) < size+1 || b[size] != 0 {
		return nil, nil, fmt.Errorf("it has %d bytes, its length says %d", len(b), size)
	}
	return b[:size], b[size+1:], nil
}

func decodeAnswers(b []byte) ([]engine.Answer, error) {
	if len(b) < 4 {
		return nil, errors.New("enginetest: a later input without a count")
	}
	answers := make([]engine.Answer, 0, 4)
	count := binary.LittleEndian.Uint32(b)
	b = b[4:]
	for range count {
		const head = 4 + 1 + 4
		if len(b) < head {
			return nil, errors.New("enginetest: an answer is cut off")
		}
		size := uint64(binary.LittleEndian.Uint32(b[5:]))
		if uint64(len(b)) < head+size+1 || b[head+size] != 0 {
			return nil, errors.New("enginetest: an answer's payload is cut off or not ended by NUL")
		}
		answers = append(answers, engine.Answer{
			ID: binary.LittleEndian.Uint32(b), Kind: engine.AnswerKind(b[4]), Payload: bytes.Clone(b[head : head+size]),
		})
		b = b[head+size+1:]
	}
	if len(b) > 0 {
		return nil, fmt.Errorf("enginetest: %d bytes after the last answer", len(b))
	}
	return answers, nil
}

package engine

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// Effects is what one step handed out. Byte slices share one buffer of the step's own.
type Effects struct {
	Outputs   []Output
	Requests  []Request
	Cancelled []uint32 // timers
	Unhandled []Thrown
	Omitted   int64 // bytes of output that were dropped
	Clock     []ClockRun
	Main      Main
	Took      time.Duration // of guest execution, by the wall clock
	CPU       time.Duration // of which it had a processor

	raw []byte
}

// Output is one item of a run's output: text with a level (0: text(), 1 to 5: the console's log, info, debug,
// warn, error), or JSON.
type Output struct {
	JSON  bool
	Level byte
	Data  []byte
}

// Method is what a request asks for.
type Method byte

// The methods. Anything else in a step's effects is refused.
const (
	MethodSearch    Method = 1 // name: query; payload: limit or null
	MethodDescribe  Method = 2 // name: id or name of a tool
	MethodCall      Method = 3 // name: id or name; payload: input
	MethodCallValue Method = 4 // the same, for the useful part of the result
	MethodNamespace Method = 5 // name: target; payload: array of arguments
	MethodYield     Method = 6 // payload: reason
	MethodTimer     Method = 7 // payload: milliseconds
)

var methodNames = [...]string{"", "search", "describe", "call", "call", "namespace", "yield", "timer"}

// String returns the method as pendingToolCalls names it (contract C2).
func (m Method) String() string {
	if int(m) < len(methodNames) {
		return methodNames[m]
	}
	return fmt.Sprintf("method %d", byte(m))
}

// Request is something that the cell wants of the host. IDs are unique within a run.
type Request struct {
	ID      uint32
	Method  Method
	Name    string
	Payload []byte
}

// Thrown is what a cell threw. For an error (IsError), Name, Message and Stack are its properties as far as they
// are text; for anything else Other is its text.
type Thrown struct {
	IsError              bool
	Name, Message, Stack string
	Other                string
}

// ClockRun is a number of clock reads in a row that got the same answer.
type ClockRun struct {
	Millis int64
	Count  uint32
}

// State is where the cell's promise is.
type State byte

// The states. Settled means that an earlier step handed out what the promise settled with.
const (
	Pending State = iota
	Fulfilled
	Rejected
	Settled
)

// Hint is a set of things that the adapter noticed about the cell's value.
type Hint uint32

// The hints.
const (
	HintPromise Hint = 1 << iota
	HintMapOrSet
	HintFunction
	HintUndefined
)

// Main is the cell's promise after a step.
type Main struct {
	State  State
	Value  []byte // JSON, if fulfilled
	Hints  Hint
	Thrown Thrown // if rejected
}

// Raw returns the records that the effects were decoded from. They must not be changed.
func (e *Effects) Raw() []byte { return e.raw }

// Hash identifies the step's effects, clock reads apart: two engines took the same step if it is equal.
func (e *Effects) Hash() [32]byte {
	h := sha256.New()
	for r := (reader{b: e.raw}); len(r.b) > 0; {
		from := r.b
		if kind, payload := r.record(); kind != 'C' {
			h.Write(from[:5+len(payload)])
		}
	}
	return [32]byte(h.Sum(nil))
}

// DecodeEffects reads the records of a step. It keeps raw. Complete says whether the step ended by itself: then
// the records must say where the cell's promise is. Whatever does not belong there is ErrProtocol: raw comes from
// where a guest has been.
func DecodeEffects(raw []byte, complete bool) (*Effects, error) {
	e := &Effects{raw: raw}
	r := reader{b: raw}
	seen := false
	for len(r.b) > 0 && !r.bad {
		kind, payload := r.record()
		if r.bad || !e.add(kind, payload) {
			return nil, fmt.Errorf("%w: bad record at byte %d of %d", ErrProtocol, len(raw)-len(r.b), len(raw))
		}
		seen = seen || kind == 'D'
	}
	if complete && !seen {
		return nil, fmt.Errorf("%w: nothing about the cell's promise", ErrProtocol)
	}
	return e, nil
}

// add takes in one record and reports whether it was one.
func (e *Effects) add(kind byte, payload []byte) bool {
	r := reader{b: payload}
	switch kind {
	case 'T':
		level := r.u8()
		e.Outputs = append(e.Outputs, Output{Level: level, Data: r.b})
		return !r.bad && level <= 5
	case 'J':
		e.Outputs = append(e.Outputs, Output{JSON: true, Data: payload})
		return len(payload) > 0
	case 'R':
		q := Request{ID: r.u32(), Method: Method(r.u8()), Name: r.text()}
		q.Payload = r.b
		e.Requests = append(e.Requests, q)
		return !r.bad && q.ID != 0 && q.Method >= MethodSearch && q.Method <= MethodTimer && len(q.Payload) > 0
	case 'X':
		e.Cancelled = append(e.Cancelled, r.u32())
	case 'U':
		e.Unhandled = append(e.Unhandled, r.thrown())
	case 'O':
		e.Omitted += int64(r.u64() & (1<<62 - 1))
	case 'C':
		for len(r.b) > 0 && !r.bad {
			e.Clock = append(e.Clock, ClockRun{Millis: int64(r.u64()), Count: r.u32()})
		}
	case 'D':
		return e.addMain(&r)
	default:
		return false
	}
	return !r.bad && len(r.b) == 0
}

func (e *Effects) addMain(r *reader) bool {
	e.Main = Main{State: State(r.u8())}
	switch e.Main.State {
	case Fulfilled:
		e.Main.Hints = Hint(r.u32())
		e.Main.Value, r.b = r.b, nil
		return !r.bad && len(e.Main.Value) > 0
	case Rejected:
		e.Main.Thrown = r.thrown()
	}
	return !r.bad && len(r.b) == 0 && e.Main.State <= Settled
}

// reader takes values off the front of bytes; once anything is missing it is bad and yields zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) bytes(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() byte {
	if b := r.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u32() uint32 {
	if b := r.bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) text() string { return string(r.bytes(int(r.u32()))) }

func (r *reader) record() (byte, []byte) {
	kind := r.u8()
	return kind, r.bytes(int(r.u32()))
}

func (r *reader) thrown() Thrown {
	if r.u8() == 0 {
		return Thrown{Other: r.text()}
	}
	return Thrown{IsError: true, Name: r.text(), Message: r.text(), Stack: r.text()}
}

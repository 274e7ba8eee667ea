package engine

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/codecell/codecell/engine/internal/wire"
)

// Effects is what one step handed out. Byte slices share one buffer of the step's own.
type Effects struct {
	Outputs   []Output
	Requests  []Request
	Cancelled []uint32 // timers
	Unhandled []Thrown
	Misused   []Misused // promises; told of from when the cell's promise has settled
	Omitted   int64     // bytes of output that were dropped
	Clock     []ClockRun
	Main      Main
	Took      time.Duration // of guest execution, by the wall clock
	CPU       time.Duration // of which it had a processor

	raw []byte
}

// Output is one item of a run's output: text with a level (0: text(), 1 to 5: the console's log, info, debug, warn,
// error), or JSON.
type Output struct {
	JSON  bool
	Level byte
	Data  []byte
}

// Method is what a request asks for.
type Method byte

// The methods. Anything else in a step's effects is refused.
const (
	MethodSearch    Method = 1 // name: query; payload: limit, {limit?, explain} or null
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

// Thrown is what a cell threw. For an error (IsError), Name, Message and Stack are its properties as far as they are
// text; for anything else Other is its text.
type Thrown struct {
	IsError              bool
	Name, Message, Stack string
	Reasons              string // lines below the message, each after a line break: causes, and the errors of an AggregateError
	Other                string
}

// Misuse is a way to use a promise as if it were its value, where an await is missing.
type Misuse byte

// The ways. Whether a call that nobody waited for, or was left, is a mistake is for the cell's text to tell.
const (
	MisuseTouched   Misuse = 1 // a property was read that promises don't have
	MisuseUnawaited Misuse = 2 // a call was answered, and nobody ever waited for it
	MisuseLeft      Misuse = 3 // a call was under way when the cell's promise was fulfilled
	MisuseTimer     Misuse = 4 // a timer was, which was set in the same step; Key is the text of its callback
)

// Misused is what a guest noticed about a promise. Use and Call are stack traces as in Thrown, of where the promise was
// touched and of where the call was made, empty if that is not known. Key is the property: an iterator or a text that
// was wanted of it is "@@iterator" or "@@toPrimitive".
type Misused struct {
	Misuse         Misuse
	Key, Use, Call string
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

// Hint is a set of things that the adapter noticed about the cell's value, or, of those that JSON has no form for, about
// anything that left the heap.
type Hint uint32

// The hints.
const (
	HintPromise Hint = 1 << iota
	HintMapOrSet
	HintFunction
	HintUndefined
	HintLocale    // a language other than English was asked for
	HintIterator  // an iterator was written as {}
	HintBytes     // an ArrayBuffer, or a view of one
	HintOpaque    // a RegExp, WeakMap, WeakSet or WeakRef was written as {}
	HintFunctions // an object of functions was written as {}, or a function in a list as null
	HintNumber    // NaN or an infinity was written as null
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
	for r := wire.Read(e.raw); r.Left() > 0; {
		from := e.raw[len(e.raw)-r.Left():]
		if kind, payload := takeRecord(&r); kind != 'C' {
			h.Write(from[:5+len(payload)])
		}
	}
	return [32]byte(h.Sum(nil))
}

// How many records of a kind a step can hand out, whatever a cell does: a run has less than 2^20 requests, and an output
// counts at least 25 bytes of at most 10 MiB. More is a forgery, which would take ten times its size when it is decoded.
const (
	maxRequests = 1 << 20
	maxOutputs  = 1 << 19
	maxMisused  = 1 << 7
)

// maxUnhandled is how many rejections are told of. Nothing bounds how many there are, so the others are left out.
const maxUnhandled = 8 << 10

// DecodeEffects reads the records of a step. It keeps raw. Complete says whether the step ended by itself: then the
// records must say where the cell's promise is. Whatever does not belong there is ErrProtocol: raw comes from where a
// guest has been.
func DecodeEffects(raw []byte, complete bool) (*Effects, error) {
	e := &Effects{raw: raw}
	r := wire.Read(raw)
	seen := false
	for r.Left() > 0 && !r.Bad() {
		kind, payload := takeRecord(&r)
		if r.Bad() || !e.add(kind, payload) || e.tooMany() {
			return nil, fmt.Errorf("%w: bad record at byte %d of %d", ErrProtocol, len(raw)-r.Left(), len(raw))
		}
		seen = seen || kind == 'D'
	}
	if complete && !seen {
		return nil, fmt.Errorf("%w: nothing about the cell's promise", ErrProtocol)
	}
	return e, nil
}

// tooMany says that there are more records than a step can hand out.
func (e *Effects) tooMany() bool {
	return len(e.Requests) > maxRequests || len(e.Cancelled) > maxRequests || len(e.Outputs) > maxOutputs ||
		len(e.Misused) > maxMisused
}

// add takes in one record and reports whether it was one.
func (e *Effects) add(kind byte, payload []byte) bool {
	r := wire.Read(payload)
	switch kind {
	case 'T':
		level := r.U8()
		e.Outputs = append(e.Outputs, Output{Level: level, Data: r.Rest()})
		return !r.Bad() && level <= 5
	case 'J':
		e.Outputs = append(e.Outputs, Output{JSON: true, Data: payload})
		return len(payload) > 0
	case 'R':
		q := Request{ID: r.U32(), Method: Method(r.U8()), Name: string(r.Text())}
		q.Payload = r.Rest()
		e.Requests = append(e.Requests, q)
		return !r.Bad() && q.ID != 0 && q.Method >= MethodSearch && q.Method <= MethodTimer && len(q.Payload) > 0
	case 'X':
		e.Cancelled = append(e.Cancelled, r.U32())
	case 'U':
		if t := takeThrown(&r); len(e.Unhandled) < maxUnhandled {
			e.Unhandled = append(e.Unhandled, t)
		}
	case 'A':
		m := Misused{Misuse: Misuse(r.U8())}
		m.Key, m.Use, m.Call = string(r.Text()), string(r.Text()), string(r.Text())
		e.Misused = append(e.Misused, m)
		return r.Done() && m.Misuse >= MisuseTouched && m.Misuse <= MisuseTimer
	case 'O':
		e.Omitted += int64(r.U64() & (1<<62 - 1))
	case 'C':
		for r.Left() > 0 && !r.Bad() {
			e.Clock = append(e.Clock, ClockRun{Millis: int64(r.U64()), Count: r.U32()})
		}
	case 'D':
		return e.addMain(&r)
	default:
		return false
	}
	return r.Done()
}

func (e *Effects) addMain(r *wire.Reader) bool {
	e.Main = Main{State: State(r.U8())}
	switch e.Main.State {
	case Fulfilled:
		e.Main.Hints = Hint(r.U32())
		e.Main.Value = r.Rest()
		return !r.Bad() && len(e.Main.Value) > 0
	case Rejected:
		e.Main.Thrown = takeThrown(r)
	}
	return r.Done() && e.Main.State <= Settled
}

// takeRecord takes a record: its kind, and a text.
func takeRecord(r *wire.Reader) (byte, []byte) {
	kind := r.U8()
	return kind, r.Text()
}

func takeThrown(r *wire.Reader) Thrown {
	if r.U8() == 0 {
		return Thrown{Other: string(r.Text())}
	}
	return Thrown{IsError: true, Name: string(r.Text()), Message: string(r.Text()), Stack: string(r.Text()), Reasons: string(r.Text())}
}

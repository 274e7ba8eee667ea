package enginetest

import (
	"encoding/binary"
	"time"

	"github.com/codecell/codecell/engine"
)

// Records builds the effects of a step, record by record in the order of the calls. The zero value is empty. The
// methods return their receiver, so that a step reads as one line. Nothing is checked here: forged effects are
// something to test with.
type Records struct {
	raw       []byte
	took, cpu time.Duration
}

// Decode returns the effects as the engine's own decoder reads them. Complete says whether the step ended by itself.
func (r *Records) Decode(complete bool) (*engine.Effects, error) {
	e, err := engine.DecodeEffects(r.raw, complete)
	if e != nil {
		e.Took, e.CPU = r.took, r.cpu
	}
	return e, err
}

// Took sets how long the guest is supposed to have run, with a processor all the time.
func (r *Records) Took(d time.Duration) *Records {
	r.took, r.cpu = d, d
	return r
}

// Waited adds time in which the guest had no processor.
func (r *Records) Waited(d time.Duration) *Records {
	r.took += d
	return r
}

// Raw adds a record of any kind.
func (r *Records) Raw(kind byte, payload []byte) *Records {
	r.raw = append(u32(append(r.raw, kind), len(payload)), payload...)
	return r
}

// Text adds output of text().
func (r *Records) Text(s string) *Records { return r.Console(0, s) }

// Console adds output of the console at a level: 1 to 5 are log, info, debug, warn, error.
func (r *Records) Console(level byte, s string) *Records {
	return r.Raw('T', append([]byte{level}, s...))
}

// JSON adds output of json().
func (r *Records) JSON(value string) *Records { return r.Raw('J', []byte(value)) }

// Omitted says that the guest dropped n bytes of output.
func (r *Records) Omitted(n int) *Records {
	return r.Raw('O', binary.LittleEndian.AppendUint64(nil, uint64(n)))
}

// Misused says of a promise that it was used as if it were its value. Use and call are stack traces.
func (r *Records) Misused(kind engine.Misuse, key, use, call string) *Records {
	return r.Raw('A', text(text(text([]byte{byte(kind)}, key), use), call))
}

// Request adds a request of any method.
func (r *Records) Request(id uint32, m engine.Method, name, payload string) *Records {
	b := append(u32(nil, int(id)), byte(m))
	return r.Raw('R', append(text(b, name), payload...))
}

// Call adds tools.call(name, input).
func (r *Records) Call(id uint32, name, input string) *Records {
	return r.Request(id, engine.MethodCall, name, input)
}

// CallValue adds tools.callValue(name, input).
func (r *Records) CallValue(id uint32, name, input string) *Records {
	return r.Request(id, engine.MethodCallValue, name, input)
}

// Yield adds yield_control(reason); reason is JSON.
func (r *Records) Yield(id uint32, reason string) *Records {
	return r.Request(id, engine.MethodYield, "", reason)
}

// Timer adds setTimeout; millis is JSON.
func (r *Records) Timer(id uint32, millis string) *Records {
	return r.Request(id, engine.MethodTimer, "", millis)
}

// Cancel adds clearTimeout.
func (r *Records) Cancel(id uint32) *Records { return r.Raw('X', u32(nil, int(id))) }

// Unhandled adds a rejection that the cell did not look at.
func (r *Records) Unhandled(t engine.Thrown) *Records { return r.Raw('U', thrown(nil, t)) }

// Clock adds clock reads in a row with the same answer.
func (r *Records) Clock(millis int64, count int) *Records {
	return r.Raw('C', u32(binary.LittleEndian.AppendUint64(nil, uint64(millis)), count))
}

// Pending says that the cell's promise has not settled yet.
func (r *Records) Pending() *Records { return r.Raw('D', []byte{byte(engine.Pending)}) }

// Fulfil says that the cell's promise was fulfilled with a value, which is JSON.
func (r *Records) Fulfil(value string, hints engine.Hint) *Records {
	return r.Raw('D', append(u32([]byte{byte(engine.Fulfilled)}, int(hints)), value...))
}

// Reject says that the cell's promise was rejected.
func (r *Records) Reject(t engine.Thrown) *Records {
	return r.Raw('D', thrown([]byte{byte(engine.Rejected)}, t))
}

// Settled says that an earlier step handed out what the promise settled with.
func (r *Records) Settled() *Records { return r.Raw('D', []byte{byte(engine.Settled)}) }

func thrown(dst []byte, t engine.Thrown) []byte {
	if !t.IsError {
		return text(append(dst, 0), t.Other)
	}
	return text(text(text(text(append(dst, 1), t.Name), t.Message), t.Stack), t.Reasons)
}

func text(dst []byte, s string) []byte { return append(u32(dst, len(s)), s...) }

func u32(dst []byte, n int) []byte { return binary.LittleEndian.AppendUint32(dst, uint32(n)) }

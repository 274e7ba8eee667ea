package purego

import (
	"encoding/binary"
	"fmt"
	"math/big"

	"github.com/codecell/codecell/engine"
)

// records collects the effects of a step, in the form that package guest describes.
type records struct {
	raw       []byte
	output    int // bytes of all steps, as the guest counts them
	maxOutput int
	truncate  bool
	omitted   uint64
	tooMuch   bool // more output than the run may have
	full      bool // the cell ran out of memory
}

func (r *records) record(kind byte, payload []byte) {
	r.raw = binary.LittleEndian.AppendUint32(append(r.raw, kind), uint32(len(payload)))
	r.raw = append(r.raw, payload...)
}

// put adds an output item unless the run has put out too much.
func (r *records) put(kind byte, payload []byte, size int) {
	r.output += size + 25
	if r.output > r.maxOutput {
		if !r.truncate {
			r.tooMuch = true
			return
		}
		if r.output-(size+25) > r.maxOutput {
			r.omitted += uint64(size + 25)
			return
		}
	}
	r.record(kind, payload)
}

func texts(dst []byte, all ...string) []byte {
	for _, s := range all {
		dst = append(binary.LittleEndian.AppendUint32(dst, uint32(len(s))), s...)
	}
	return dst
}

// emit is what host.js calls. Its arguments are host.js's own, not a cell's.
func (r *records) emit(args []any) (any, error) {
	number := func(n int) int { return toInt(args[n]) }
	text := func(n int) string { s, _ := args[n].(string); return s }
	if r.tooMuch {
		return nil, engine.ErrOutput
	}
	switch kind := text(0); kind {
	case "text":
		r.put('T', append([]byte{byte(number(1))}, text(2)...), len(text(2)))
	case "json":
		r.put('J', []byte(text(1)), len(text(1)))
	case "overflow":
		r.tooMuch = true
	case "memory":
		r.full = true
		return nil, engine.ErrMemory
	case "request":
		b := append(binary.LittleEndian.AppendUint32(nil, uint32(number(1))), byte(number(2)))
		r.record('R', append(texts(b, text(3)), text(4)...))
	case "cancel":
		r.record('X', binary.LittleEndian.AppendUint32(nil, uint32(number(1))))
	case "unhandled":
		r.record('U', thrown(nil, number(1), text(2), text(3), text(4), text(5)))
	case "misuse":
		r.record('A', texts([]byte{byte(number(1))}, text(2), place(text(3)), place(text(4))))
	case "main":
		r.record('D', []byte{byte(number(1))})
	case "value":
		r.record('D', append(binary.LittleEndian.AppendUint32([]byte{1}, uint32(number(1))), text(2)...))
	case "rejected":
		r.record('D', thrown([]byte{2}, number(1), text(2), text(3), text(4), text(5)))
	default:
		return nil, fmt.Errorf("unknown record %q", kind)
	}
	if r.tooMuch {
		return nil, engine.ErrOutput
	}
	return nil, nil
}

// thrown appends an error's name, message, stack and reasons, or the text of something else.
func thrown(dst []byte, isError int, a, b, c, d string) []byte {
	if isError == 0 {
		return texts(append(dst, 0), a)
	}
	return texts(append(dst, 1), a, b, place(c), d)
}

func toInt(v any) int {
	switch n := v.(type) {
	case int:
		return n
	case float64:
		return int(n)
	case *big.Int:
		return int(n.Int64())
	}
	return 0
}

package fuel

import (
	"errors"
	"fmt"
)

var errShort = errors.New("the module ends in the middle of something")

// reader takes values off the front of bytes. Once something is wrong it stays wrong, and yields zeros.
type reader struct {
	b   []byte
	at  int
	err error

	bulk int // instructions passed over that copy or fill memory
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.at = len(r.b)
}

func (r *reader) done() bool { return r.at >= len(r.b) }

func (r *reader) byte() byte {
	if r.done() {
		r.fail(errShort)
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) bytes(n int) []byte {
	if n < 0 || n > len(r.b)-r.at {
		r.fail(errShort)
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at]
}

// u32 reads an unsigned LEB128 number.
func (r *reader) u32() uint32 {
	var n uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7F) << shift
		if b < 0x80 {
			if n > 1<<32-1 {
				break
			}
			return uint32(n)
		}
	}
	r.fail(errors.New("a number is longer than it may be"))
	return 0
}

// leb passes over a LEB128 number of up to 64 bits.
func (r *reader) leb() {
	for range 10 {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail(errors.New("a number is longer than it may be"))
}

func (r *reader) name() string { return string(r.bytes(int(r.u32()))) }

// instruction passes over one instruction and returns its opcode.
func (r *reader) instruction() byte {
	op := r.byte()
	switch {
	case op == opBlock, op == opLoop, op == opIf:
		r.leb() // block type
	case op == opBrTable:
		for range r.u32() {
			r.u32()
			if r.err != nil {
				break
			}
		}
		r.u32()
	case op == opCallIndirect:
		r.u32()
		r.u32()
	case op >= 0x28 && op <= 0x3E: // loads and stores
		r.u32()
		r.u32()
	case op == 0x0C, op == 0x0D, op == 0x10, op >= 0x20 && op <= 0x26: // br, br_if, call, variables and tables
		r.u32()
	case op == 0x3F, op == 0x40: // memory.size, memory.grow
		r.byte()
	case op == 0x41, op == 0x42: // i32.const, i64.const
		r.leb()
	case op == 0x43:
		r.bytes(4)
	case op == 0x44:
		r.bytes(8)
	case op == opPrefix:
		r.prefixed()
	case op == 0x00, op == 0x01, op == opElse, op == opEnd, op == 0x0F, op == 0x1A, op == 0x1B, op >= 0x45 && op <= 0xC4:
	default:
		r.fail(fmt.Errorf("unknown instruction 0x%02x", op))
	}
	return op
}

// prefixed passes over the rest of a saturating conversion or a bulk operation on memory.
func (r *reader) prefixed() {
	switch sub := r.u32(); {
	case sub <= 7:
	case sub == 8: // memory.init
		r.bulk++
		r.u32()
		r.byte()
	case sub == 9: // data.drop
		r.u32()
	case sub == 10: // memory.copy
		r.bulk++
		r.bytes(2)
	case sub == 11: // memory.fill
		r.bulk++
		r.byte()
	default:
		r.fail(fmt.Errorf("unknown instruction 0xfc %d", sub))
	}
}

// The opcodes that matter here.
const (
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opElse         = 0x05
	opEnd          = 0x0B
	opBrTable      = 0x0E
	opCall         = 0x10
	opCallIndirect = 0x11
	opGlobalGet    = 0x23
	opGlobalSet    = 0x24
	opI32Const     = 0x41
	opI32Eqz       = 0x45
	opI32Sub       = 0x6B
	opPrefix       = 0xFC
	blockEmpty     = 0x40
)

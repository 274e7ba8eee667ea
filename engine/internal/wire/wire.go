// Package wire reads and writes the numbers and texts that inputs, effects and requests to workers are made of. Numbers are
// little-endian; a text is its length in 32 bits, then its bytes.
//
// It does not know what any of them mean.
package wire

import "encoding/binary"

// Reader takes values off the front of bytes. Once anything is missing it stays bad and yields zeros, so that a caller need
// only ask Done at the end. What it returns shares the bytes.
type Reader struct {
	left []byte
	bad  bool
}

// Read returns a reader of b.
func Read(b []byte) Reader { return Reader{left: b} }

// Left returns how many bytes are left.
func (r *Reader) Left() int { return len(r.left) }

// Bad says that something was missing, or wrong.
func (r *Reader) Bad() bool { return r.bad }

// Fail makes the reader bad.
func (r *Reader) Fail() { r.bad = true }

// Done says that there was all that was read, and nothing more.
func (r *Reader) Done() bool { return !r.bad && len(r.left) == 0 }

// Bytes takes n bytes, nil if there are fewer.
func (r *Reader) Bytes(n int) []byte {
	if r.bad || n < 0 || n > len(r.left) {
		r.bad = true
		return nil
	}
	b := r.left[:n:n]
	r.left = r.left[n:]
	return b
}

// Rest takes what is left.
func (r *Reader) Rest() []byte { return r.Bytes(len(r.left)) }

// U8 takes one byte.
func (r *Reader) U8() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// U32 takes 32 bits.
func (r *Reader) U32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 takes 64 bits.
func (r *Reader) U64() uint64 {
	if b := r.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Text takes a text.
func (r *Reader) Text() []byte { return r.Bytes(int(r.U32())) }

// Count takes the number of values that follow, size bytes each at least: there can't be more than fit.
func (r *Reader) Count(size int) int {
	n := int(r.U32())
	if r.bad || n > len(r.left)/size {
		r.bad = true
		return 0
	}
	return n
}

// U32 appends 32 bits.
func U32(b []byte, n int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(n)) }

// U64 appends 64 bits.
func U64(b []byte, n uint64) []byte { return binary.LittleEndian.AppendUint64(b, n) }

// Text appends a text.
func Text[T string | []byte](b []byte, text T) []byte { return append(U32(b, len(text)), text...) }

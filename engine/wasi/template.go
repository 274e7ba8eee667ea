package wasi

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/codecell/codecell/engine"
)

// template is a fresh guest: the bytes from the start of data to the end of the heap's used part. A guest's own state is
// in the heap alone, from heap on; what lies before is the runtime's code and tables, and where the last step left its
// effects.
type template struct {
	at    uint32
	bytes []byte
	heap  []byte // the last part of bytes
}

const (
	// Beyond the template, so much is wiped in place when a guest is closed, and so much of the stack's upper end and of
	// the input. The rest is returned to the system: a returned page costs a fault if the next guest touches it, and
	// nothing if it does not.
	keepBytes = 64 << 10
	keepEnds  = 32 << 10
	// A guest differs from the template by blocks of this size.
	blockBytes = 256
	osPage     = 4 << 10
)

// copyOut copies what a fresh guest consists of.
func (i *instance) copyOut() (template, error) {
	end := i.high()
	if end < i.layout.arena || int(end) > len(i.all()) {
		return template{}, errors.New("boot a guest: its heap's own numbers are wrong")
	}
	all := bytes.Clone(i.all()[i.layout.data:end])
	return template{i.layout.data, all, all[i.layout.arena-i.layout.data:]}, nil
}

// freshen makes the instance a fresh guest. Nothing that was in its memory is left: not beyond what the heap says it
// has used either, since a guest that broke its engine could have written there.
func (i *instance) freshen() {
	t, all := &i.module.template, i.all()
	stack, input := int(t.at)-keepEnds, int(i.inputAt)
	if string(all[stack:][:osPage]) != string(zeros[:]) {
		// Deep recursion may have left wazero's own stack large: that goes with the function.
		i.step = i.wasm.ExportedFunction("step")
	}
	discard(all[:stack])
	clear(all[stack:t.at])
	end := copy(all[t.at:], t.bytes) + int(t.at)
	kept := min((end+keepBytes+osPage-1)&^(osPage-1), input)
	clear(all[end:kept])
	discard(all[kept:input])
	clear(all[input : input+keepEnds])
	discard(all[input+keepEnds:])
	i.stop.Store(false)
}

// usedHeap returns the guest's heap as far as it is used, and at least as far as a fresh one.
func (i *instance) usedHeap() []byte {
	return i.all()[i.layout.arena:max(i.high(), i.layout.arena+uint32(len(i.module.template.heap)))]
}

// changed calls f with the number, the contents and the fresh contents of each block by which the guest at rest differs
// from a fresh one. Beyond a fresh heap's end everything is zero. Either may be shorter than a block.
func (i *instance) changed(f func(n int, now, fresh []byte)) {
	heap, fresh := i.usedHeap(), i.module.template.heap
	for from := 0; from < len(heap); from += osPage {
		now, was := cut(heap, from, osPage), cut(fresh, from, osPage)
		if same(now, was) {
			continue
		}
		for at := 0; at < len(now); at += blockBytes {
			if b, w := cut(now, at, blockBytes), cut(was, at, blockBytes); !same(b, w) {
				f((from+at)/blockBytes, b, w)
			}
		}
	}
}

// cut returns at most size bytes of b, from some place on.
func cut(b []byte, from, size int) []byte {
	from = min(from, len(b))
	return b[from:min(from+size, len(b))]
}

var zeros [osPage]byte

// same reports whether a piece is what it is in a fresh guest, where it may end earlier.
func same(now, fresh []byte) bool {
	return string(now[:len(fresh)]) == string(fresh) && string(now[len(fresh):]) == string(zeros[:len(now)-len(fresh)])
}

// footprint counts the bytes by which the guest differs from a fresh one, by words of eight.
func (i *instance) footprint() int {
	differing := 0
	i.changed(func(_ int, now, fresh []byte) {
		a, b := whole(now), whole(fresh)
		for w := range words {
			if word(a, w) != word(b, w) {
				differing++
			}
		}
	})
	return differing * 8
}

// ---- images
//
// An image is u32 bytes of heap that are used, then each block that differs, in order: u32 number, u32 which of its words of
// eight bytes differ (bit 0 for the first), and for each of those the word XOR what a fresh guest has there.

const (
	words = blockBytes / 8
	// An image is built in a buffer that the instance keeps if it is no larger than this.
	maxScratch = 256 << 10
)

// image returns the guest's image. It must be at rest. The catalog is zeroed meanwhile.
func (i *instance) image() ([]byte, error) {
	catalog, err := i.catalogText()
	if err != nil {
		return nil, err
	}
	kept := append(i.kept[:0], catalog...)
	clear(catalog)
	defer copy(catalog, kept)
	i.kept = kept
	image := i.scratch[:0]
	image = binary.LittleEndian.AppendUint32(image, i.high()-i.layout.arena)
	i.changed(func(n int, now, fresh []byte) {
		from := len(image)
		image = slices.Grow(image, 8+blockBytes)[:from+8+blockBytes]
		binary.LittleEndian.PutUint32(image[from:], uint32(n))
		which := pack((*[blockBytes]byte)(image[from+8:]), whole(now), whole(fresh))
		binary.LittleEndian.PutUint32(image[from+4:], which)
		image = image[:from+8+8*bits.OnesCount32(which)]
	})
	if cap(image) <= maxScratch {
		i.scratch = image
	}
	return bytes.Clone(image), nil
}

// whole returns a block of full length, with zeros where there was nothing.
func whole(b []byte) *[blockBytes]byte {
	if len(b) < blockBytes {
		b = append(b[:len(b):len(b)], zeros[:blockBytes-len(b)]...)
	}
	return (*[blockBytes]byte)(b)
}

// pack writes the words that differ, one after the other, and returns which they are.
func pack(dst, now, fresh *[blockBytes]byte) (which uint32) {
	at := 0
	for w := range words {
		if x := word(now, w) ^ word(fresh, w); x != 0 {
			which |= 1 << w
			binary.LittleEndian.PutUint64(dst[at:], x)
			at += 8
		}
	}
	return which
}

func word(b *[blockBytes]byte, n int) uint64 { return binary.LittleEndian.Uint64(b[n*8:][:8]) }

// restore makes a fresh guest the one that the image was made of. What is no image changes it, and is ErrImage.
func (i *instance) restore(image, catalog []byte) error {
	if err := i.apply(image); err != nil {
		return err
	}
	text, err := i.catalogText()
	if err != nil || len(text) != len(catalog) {
		return engine.ErrImage
	}
	copy(text, catalog)
	return nil
}

// apply changes what the image says has changed.
func (i *instance) apply(image []byte) error {
	if len(image) < 4 {
		return engine.ErrImage
	}
	end, last := binary.LittleEndian.Uint32(image), int64(-1)
	heap := i.all()[i.layout.arena:i.inputAt]
	for rest := image[4:]; len(rest) > 0; {
		if len(rest) < 8 {
			return engine.ErrImage
		}
		n, which := int64(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint32(rest[4:])
		rest = rest[8:]
		size := 8 * bits.OnesCount32(which)
		if n <= last || (n+1)*blockBytes > int64(len(heap)) || size > len(rest) || which == 0 {
			return engine.ErrImage
		}
		unpack(heap[n*blockBytes:][:blockBytes], which, rest)
		rest, last = rest[size:], n
	}
	if i.high()-i.layout.arena != end {
		return engine.ErrImage
	}
	return nil
}

// unpack applies the words of one block.
func unpack(block []byte, which uint32, changes []byte) {
	for ; which != 0; which &= which - 1 {
		at := block[8*bits.TrailingZeros32(which):]
		binary.LittleEndian.PutUint64(at, binary.LittleEndian.Uint64(at)^binary.LittleEndian.Uint64(changes))
		changes = changes[8:]
	}
}

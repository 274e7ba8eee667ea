package linear

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/codecell/codecell/engine"
)

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
	heap := i.Memory()[i.layout.arena:i.inputAt]
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

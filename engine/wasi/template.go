package wasi

import (
	"encoding/binary"
	"errors"

	"github.com/codecell/codecell/engine"
)

// template is a fresh guest: the bytes from the start of data to the end of the heap's used part.
type template struct {
	at    uint32
	bytes []byte
}

const (
	// Beyond the template, so much is wiped in place when a guest is over; the rest goes back to the system, since a page
	// that is given back costs a fault when the next guest touches it.
	keepBytes = 128 << 10
	// A guest differs from the template by blocks of this size.
	blockBytes = 256
	osPage     = 4 << 10
	// A step that has used so much of its stack has recursed deeply.
	deepBytes = 64 << 10
)

// copyOut copies what outlives a step.
func (i *instance) copyOut() (template, error) {
	end := i.high()
	if end < i.layout.arena || int(end) > len(i.all()) {
		return template{}, errors.New("boot a guest: its heap's books are wrong")
	}
	return template{i.layout.data, append([]byte(nil), i.all()[i.layout.data:end]...)}, nil
}

// freshen makes the instance a fresh guest. Nothing that was in its memory is left: not beyond what the heap says it
// has used either, since a guest that broke its engine could have written there.
func (i *instance) freshen() {
	t, all := &i.module.template, i.all()
	if string(all[t.at-deepBytes:][:osPage]) != string(zeros[:]) {
		// A deep recursion has left wazero's own stack large: that goes with the function.
		i.step = i.wasm.ExportedFunction("step")
	}
	discard(all[:t.at&^(osPage-1)])
	end := int(t.at) + len(t.bytes)
	kept := (end + keepBytes + osPage - 1) &^ (osPage - 1)
	copy(all[t.at:], t.bytes)
	clear(all[end:kept])
	discard(all[kept:])
	i.stop.Store(false)
	i.retaken, i.reads, i.used = false, nil, 0
}

// blocks calls f with the number and contents of each block, counted from data, by which the guest at rest may differ
// from a fresh one. The last one may be shorter.
func (i *instance) blocks(f func(n int, block []byte)) {
	guest := i.all()[i.layout.data:max(i.high(), i.layout.data+uint32(len(i.module.template.bytes)))]
	for n := 0; len(guest) > 0; n++ {
		size := min(blockBytes, len(guest))
		f(n, guest[:size])
		guest = guest[size:]
	}
}

// fresh returns what block n of a fresh guest has, nil beyond its end. It may be shorter than a block.
func (t *template) fresh(n int) []byte {
	from := n * blockBytes
	if from >= len(t.bytes) {
		return nil
	}
	return t.bytes[from:min(from+blockBytes, len(t.bytes))]
}

var zeros [osPage]byte

// changed reports whether a block differs from a fresh guest's, which is zero beyond its end.
func (t *template) changed(n int, block []byte) bool {
	fresh := t.fresh(n)
	k := min(len(fresh), len(block))
	return string(block[:k]) != string(fresh[:k]) || string(block[k:]) != string(zeros[:len(block)-k])
}

// footprint counts the bytes by which the guest differs from a fresh one, by words of eight.
func (i *instance) footprint() int {
	words := 0
	t := &i.module.template
	i.blocks(func(n int, block []byte) {
		if !t.changed(n, block) {
			return
		}
		var fresh, now [blockBytes]byte
		copy(fresh[:], t.fresh(n))
		copy(now[:], block)
		for w := 0; w < blockBytes; w += 8 {
			if binary.LittleEndian.Uint64(fresh[w:]) != binary.LittleEndian.Uint64(now[w:]) {
				words++
			}
		}
	})
	return words * 8
}

// ---- images
//
// An image is u32 end of the heap's used part, counted from data, then each block that differs, in order: u32 number,
// and the block XOR what a fresh guest has there, so that what is the same in a block is zero and compresses to nothing.

// image returns the guest's image. It must be at rest.
func (i *instance) image() []byte {
	t := &i.module.template
	image := binary.LittleEndian.AppendUint32(nil, i.high()-i.layout.data)
	i.blocks(func(n int, block []byte) {
		if !t.changed(n, block) {
			return
		}
		image = binary.LittleEndian.AppendUint32(image, uint32(n))
		at := len(image)
		image = append(image, zeros[:blockBytes]...)
		copy(image[at:], block)
		xor(image[at:], t.fresh(n))
	})
	return image
}

// xor changes dst by src, which is not longer.
func xor(dst, src []byte) {
	for n, b := range src {
		dst[n] ^= b
	}
}

// restore makes a fresh guest the one that the image was taken of. What is no image changes it, and is ErrImage.
func (i *instance) restore(image []byte) error {
	const header, record = 4, 4 + blockBytes
	if len(image) < header || (len(image)-header)%record != 0 {
		return engine.ErrImage
	}
	end := int64(binary.LittleEndian.Uint32(image))
	most := int64(i.layout.arena-i.layout.data) + int64(i.module.heap)
	if end > most {
		return engine.ErrImage
	}
	guest, last := i.all()[i.layout.data:], int64(-1)
	for rest := image[header:]; len(rest) > 0; rest = rest[record:] {
		n := int64(binary.LittleEndian.Uint32(rest))
		if n <= last || (n+1)*blockBytes > most {
			return engine.ErrImage
		}
		xor(guest[n*blockBytes:], rest[4:record])
		last = n
	}
	if int64(i.high()-i.layout.data) != end {
		return engine.ErrImage
	}
	return nil
}

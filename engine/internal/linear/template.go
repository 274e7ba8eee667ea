package linear

import (
	"bytes"
	"errors"
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
	if end < i.layout.arena || int(end) > len(i.Memory()) {
		return template{}, errors.New("boot a guest: its heap's own numbers are wrong")
	}
	all := bytes.Clone(i.Memory()[i.layout.data:end])
	return template{i.layout.data, all, all[i.layout.arena-i.layout.data:]}, nil
}

// freshen makes the instance a fresh guest, and says whether it could. Nothing that was in its memory is left: not beyond
// what the heap says it has used either, since a guest that broke its engine could have written there.
func (i *instance) freshen() bool {
	t, all := &i.module.template, i.Memory()
	stack, input := int(t.at)-keepEnds, int(i.inputAt)
	if deep := string(all[stack:][:osPage]) != string(zeros[:]); !i.Freshen(deep) {
		return false
	}
	discard(all[:stack])
	clear(all[stack:t.at])
	end := int(t.at) + len(t.bytes)
	from, to := i.Constant()
	if from == to {
		from, to = uint32(end), uint32(end)
	}
	copy(all[t.at:from], t.bytes)
	copy(all[to:end], t.bytes[to-t.at:])
	kept := min((end+keepBytes+osPage-1)&^(osPage-1), input)
	clear(all[end:kept])
	discard(all[kept:input])
	clear(all[input : input+keepEnds])
	discard(all[input+keepEnds:])
	i.trapped, i.ended = false, nil
	return true
}

// usedHeap returns the guest's heap as far as it is used, and at least as far as a fresh one.
func (i *instance) usedHeap() []byte {
	return i.Memory()[i.layout.arena:max(i.high(), i.layout.arena+uint32(len(i.module.template.heap)))]
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

package purego

import (
	"encoding/binary"

	"github.com/codecell/codecell/engine"
)

// reader takes values off the front of an input; once anything is missing it is bad and yields zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) bytes(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return make([]byte, min(max(n, 0), 64))
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) u8() byte { return r.bytes(1)[0] }

func (r *reader) u32() int { return int(binary.LittleEndian.Uint32(r.bytes(4))) }

// text reads u32 length, that many bytes, and NUL.
func (r *reader) text() string {
	b := r.bytes(r.u32())
	if r.u8() != 0 {
		r.bad = true
	}
	if r.bad {
		return ""
	}
	return string(b)
}

// begin is the input of a run's first step (see package guest).
type begin struct {
	typescript, truncate                    bool
	memory, output, value, requests, timers int
	seed                                    [32]byte
	source                                  string
}

func readBegin(r *reader) (begin, error) {
	flags := r.u8()
	b := begin{
		typescript: flags&1 != 0, truncate: flags&2 != 0,
		memory: r.u32(), output: r.u32(), value: r.u32(), requests: r.u32(), timers: r.u32(),
	}
	copy(b.seed[:], r.bytes(32))
	b.source = r.text()
	if r.bad || len(r.b) > 0 {
		return begin{}, engine.ErrProtocol
	}
	return b, nil
}

func readAnswers(r *reader) ([]engine.Answer, error) {
	var all []engine.Answer
	for range r.u32() {
		a := engine.Answer{ID: uint32(r.u32()), Kind: engine.AnswerKind(r.u8()), Payload: []byte(r.text())}
		if r.bad {
			return nil, engine.ErrProtocol
		}
		all = append(all, a)
	}
	return all, nil
}

// readCatalog reads the sections of a catalog; none is four empty ones.
func readCatalog(catalog []byte) ([4]string, error) {
	var sections [4]string
	if len(catalog) == 0 {
		return sections, nil
	}
	r := reader{b: catalog}
	for n := range sections {
		sections[n] = r.text()
	}
	if r.bad || len(r.b) > 0 {
		return sections, engine.ErrProtocol
	}
	return sections, nil
}

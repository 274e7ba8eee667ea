package purego

import (
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/wire"
)

// reader takes values off the front of an input.
type reader struct{ wire.Reader }

func read(b []byte) *reader { return &reader{wire.Read(b)} }

func (r *reader) number() int { return int(r.U32()) }

// text reads a text and the NUL behind it.
func (r *reader) text() string {
	text := r.Text()
	if r.U8() != 0 {
		r.Fail()
	}
	return string(text)
}

// begin is the input of a run's first step (see package guest).
type begin struct {
	typescript, truncate                    bool
	memory, output, value, requests, timers int
	seed                                    [32]byte
	source, namespaces                      string
}

func readBegin(r *reader) (begin, error) {
	flags := r.U8()
	b := begin{
		typescript: flags&1 != 0, truncate: flags&2 != 0,
		memory: r.number(), output: r.number(), value: r.number(), requests: r.number(), timers: r.number(),
	}
	copy(b.seed[:], r.Bytes(32))
	b.source, b.namespaces = r.text(), r.text()
	if !r.Done() {
		return begin{}, engine.ErrProtocol
	}
	return b, nil
}

func readAnswers(r *reader) ([]engine.Answer, error) {
	var all []engine.Answer
	for range r.number() {
		a := engine.Answer{ID: r.U32(), Kind: engine.AnswerKind(r.U8()), Payload: []byte(r.text())}
		if r.Bad() {
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
	r := read(catalog)
	for n := range sections {
		sections[n] = r.text()
	}
	if !r.Done() {
		return sections, engine.ErrProtocol
	}
	return sections, nil
}

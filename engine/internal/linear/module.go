package linear

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/codecell/codecell/engine/guest"
)

// Module is the guest's code, what executes it, and what a fresh guest looks like. It is safe for concurrent use.
type Module struct {
	build    string
	heap     int // bytes
	machine  func() (Machine, error)
	template template
}

// codeRoom is for the code of a short source, in bytes; a long one's is shorter than four times its text.
const codeRoom = 16 << 10

// Load boots the guest of a WebAssembly module, and returns what all of its guests have in common; heaps have so many
// bytes. machine makes a machine in whose memory is what the module's file says; keep takes the code of the runtime's
// sources, one after the other, which the guests ask for by their numbers.
func Load(wasm []byte, heap int, machine func() (Machine, error), keep func(code []byte)) (*Module, error) {
	m := &Module{build: buildOf(wasm), heap: heap, machine: machine}
	i, err := m.instantiate()
	if err != nil {
		return nil, err
	}
	defer i.Close()
	for n, source := range guest.Sources() {
		code, err := i.compile(n, source)
		if err != nil {
			return nil, fmt.Errorf("compile the guest's own source %d: %w", n, err)
		}
		keep(code)
	}
	if failed, err := i.Call(Boot, nil, 0, guest.Eager); err != nil || failed != 0 {
		return nil, fmt.Errorf("boot a guest: source %d: %w", int32(failed), errors.Join(err, i.fault()))
	}
	if err := i.wipe(); err != nil {
		return nil, fmt.Errorf("boot a guest: %w", err)
	}
	m.template, err = i.copyOut()
	return m, err
}

// compile returns the code of one of the runtime's sources.
func (i *instance) compile(n int, source string) ([]byte, error) {
	if err := i.write(source); err != nil {
		return nil, err
	}
	to := (i.inputAt + uint32(len(source)) + 16) &^ 15
	room := uint32(codeRoom + 4*len(source))
	if err := i.room(int(to-i.inputAt) + int(room)); err != nil {
		return nil, err
	}
	size, err := i.Call(Compile, nil, 0, uint32(n), i.inputAt, uint32(len(source)), to, room)
	code := i.read(to, uint64(size))
	if err != nil || len(code) == 0 {
		return nil, errors.Join(errors.New("no code"), err, i.fault())
	}
	return bytes.Clone(code), nil
}

// buildOf identifies a guest build by all that its images depend on.
func buildOf(wasm []byte) string {
	h := sha256.New()
	for _, part := range slices.Concat([]string{string(wasm)}, guest.Sources(), guest.FixedTables()) {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

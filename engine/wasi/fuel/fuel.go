package fuel

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
)

// Options say how a module is rewritten.
type Options struct {
	// Tick is the exported function, of no arguments and results, that is called when the fuel is used up.
	Tick string
	// Amount is how many iterations there are from one call to the next.
	Amount uint32
	// Bulk is how many instructions the module may have that copy or fill memory. They take no fuel, however much they
	// move, so each of them must be one that moves little and asks by itself.
	Bulk int
}

const header = "\x00asm\x01\x00\x00\x00"

// The sections that matter here.
const (
	sectionImport = 2
	sectionGlobal = 6
	sectionExport = 7
	sectionCode   = 10
)

type section struct {
	id   byte
	body []byte
}

// Add returns the module with fuel in its loops. The rest of it stays as it is, byte for byte.
func Add(wasm []byte, o Options) ([]byte, error) {
	sections, err := split(wasm)
	if err != nil {
		return nil, err
	}
	tick, err := exported(sections, o.Tick)
	if err != nil {
		return nil, err
	}
	var global uint32
	for i := range sections {
		s := &sections[i]
		switch s.id {
		case sectionGlobal:
			s.body, global, err = addGlobal(s.body, sections, o.Amount)
		case sectionCode:
			// The code section comes after that of the globals.
			s.body, err = rewriteCode(s.body, charge(global, tick, o.Amount), o.Bulk)
		}
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", s.id, err)
		}
	}
	out := []byte(header)
	for _, s := range sections {
		out = append(out, s.id)
		out = binary.AppendUvarint(out, uint64(len(s.body)))
		out = append(out, s.body...)
	}
	return out, nil
}

func split(wasm []byte) ([]section, error) {
	rest, ok := bytes.CutPrefix(wasm, []byte(header))
	if !ok {
		return nil, errors.New("not a WebAssembly module")
	}
	var sections []section
	r := reader{b: rest}
	seen := map[byte]bool{}
	for !r.done() {
		s := section{id: r.byte()}
		s.body = r.bytes(int(r.u32()))
		sections = append(sections, s)
		if s.id != 0 && seen[s.id] {
			r.fail(fmt.Errorf("two sections %d", s.id))
		}
		seen[s.id] = true
	}
	if r.err == nil && (!seen[sectionGlobal] || !seen[sectionCode] || !seen[sectionExport]) {
		return nil, errors.New("a module without globals, exports or code")
	}
	return sections, r.err
}

// exported returns the index of an exported function.
func exported(sections []section, name string) (uint32, error) {
	const function = 0
	for _, s := range sections {
		if s.id != sectionExport {
			continue
		}
		r := reader{b: s.body}
		for range r.u32() {
			found, kind, index := r.name(), r.byte(), r.u32()
			if r.err != nil {
				return 0, r.err
			}
			if found == name && kind == function {
				return index, nil
			}
		}
	}
	return 0, fmt.Errorf("the module exports no function %q", name)
}

// importedGlobals counts them: they come first in the numbering.
func importedGlobals(sections []section) (uint32, error) {
	n := uint32(0)
	for _, s := range sections {
		if s.id != sectionImport {
			continue
		}
		r := reader{b: s.body}
		for range r.u32() {
			r.name()
			r.name()
			switch kind := r.byte(); kind {
			case 0: // function
				r.u32()
			case 3: // global
				r.bytes(2)
				n++
			default:
				r.fail(fmt.Errorf("an import of kind %d", kind))
			}
			if r.err != nil {
				return 0, r.err
			}
		}
	}
	return n, nil
}

// addGlobal appends the fuel to the globals and returns its number.
func addGlobal(body []byte, sections []section, amount uint32) ([]byte, uint32, error) {
	imported, err := importedGlobals(sections)
	if err != nil {
		return nil, 0, err
	}
	r := reader{b: body}
	count := r.u32()
	if r.err != nil || count == 1<<32-1 {
		return nil, 0, errShort
	}
	out := binary.AppendUvarint(nil, uint64(count)+1)
	out = append(out, body[r.at:]...)
	const i32, mutable = 0x7F, 1
	out = append(out, i32, mutable, opI32Const)
	out = appendSigned(out, int64(int32(amount)))
	return append(out, opEnd), imported + count, nil
}

// charge is what every iteration begins with: fuel -= 1; if it is zero: tick, and fuel = amount.
func charge(global, tick, amount uint32) []byte {
	var c []byte
	get := func() { c = binary.AppendUvarint(append(c, opGlobalGet), uint64(global)) }
	set := func() { c = binary.AppendUvarint(append(c, opGlobalSet), uint64(global)) }
	get()
	c = append(c, opI32Const, 1, opI32Sub)
	set()
	get()
	c = append(c, opI32Eqz, opIf, blockEmpty, opCall)
	c = binary.AppendUvarint(c, uint64(tick))
	c = appendSigned(append(c, opI32Const), int64(int32(amount)))
	set()
	return append(c, opEnd)
}

func rewriteCode(body, charge []byte, bulk int) ([]byte, error) {
	r := reader{b: body}
	found := 0
	count := r.u32()
	out := binary.AppendUvarint(nil, uint64(count))
	for n := range count {
		function := r.bytes(int(r.u32()))
		if r.err != nil {
			return nil, r.err
		}
		rewritten, more, err := rewriteFunction(function, charge)
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", n, err)
		}
		out = binary.AppendUvarint(out, uint64(len(rewritten)))
		out = append(out, rewritten...)
		found += more
	}
	if found > bulk {
		return nil, fmt.Errorf("%d instructions that copy or fill memory, over %d: they take no fuel", found, bulk)
	}
	if !r.done() {
		return nil, errors.New("something after the last function")
	}
	return out, r.err
}

// rewriteFunction returns the function with fuel in its loops, and how many of its instructions copy or fill memory.
func rewriteFunction(body, charge []byte) ([]byte, int, error) {
	r := reader{b: body}
	for range r.u32() { // locals
		r.u32()
		r.byte()
		if r.err != nil {
			return nil, 0, r.err
		}
	}
	out := append(make([]byte, 0, len(body)+len(body)/8), body[:r.at]...)
	for !r.done() {
		from := r.at
		op := r.instruction()
		if r.err != nil {
			return nil, 0, r.err
		}
		out = append(out, body[from:r.at]...)
		if op == opLoop {
			out = append(out, charge...)
		}
	}
	return out, r.bulk, r.err
}

func appendSigned(dst []byte, n int64) []byte {
	for {
		b := byte(n & 0x7F)
		n >>= 7
		if n == 0 && b&0x40 == 0 || n == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

package linear

import "github.com/codecell/codecell/engine"

// Template returns the memory of a fresh guest.
func (e *Engine) Template() []byte {
	<-e.loaded
	return e.module.template.bytes
}

// Places are where in a guest's memory things are.
type Places struct{ Data, Writable, High int }

// MemoryOf returns the memory of a guest of an Engine.
func MemoryOf(guest engine.VM) ([]byte, Places) {
	i := guest.(*vm).instance
	_, writable := i.Constant()
	return i.Memory(), Places{int(i.layout.data), max(int(writable), int(i.layout.data)), int(i.high())}
}

package snapshot

import "encoding/binary"

// Snapshot is a suspended run at rest.
type Snapshot struct {
	// Host is what the host keeps of the run, as text of its own.
	Host []byte
	// Image is the guest.
	Image []byte
}

// Binding is what a snapshot belongs to (contract H4). It is sealed with it: opened for anything else, a snapshot does
// not open.
type Binding struct {
	Tenant  string // whose run it is
	Session string // the agent and session that own it
	Turn    string // what the turn is made of: context, limits and catalog
	Build   string // the engine build that made the image
	Run     string // the run's id
}

func (b *Binding) parts() [5]string { return [...]string{b.Tenant, b.Session, b.Turn, b.Build, b.Run} }

// partLength is the size of the length that stands before each part.
const partLength = 8

// append writes the binding, each part after its length: no two bindings have the same bytes.
func (b *Binding) append(out []byte) []byte {
	for _, part := range b.parts() {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

// size is how many bytes append writes.
func (b *Binding) size() (n int) {
	for _, part := range b.parts() {
		n += partLength + len(part)
	}
	return n
}

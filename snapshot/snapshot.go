package snapshot

import "encoding/binary"

// Snapshot is a suspended run at rest.
type Snapshot struct {
	// Host is what the host keeps of the run: its own text, empty where the run itself is still at hand.
	Host []byte
	// Image is the guest.
	Image []byte
}

// Binding is what a snapshot belongs to. It is sealed with it: opened for anything else, a snapshot does not open.
type Binding struct {
	Tenant  string // whose run it is
	Session string // the agent and session that own it
	Turn    string // the turn: context, limits and catalog
	Build   string // the engine build that made the image
	Run     string // the run's id
}

// bytes writes the binding so that no two have the same bytes.
func (b *Binding) bytes() []byte {
	var out []byte
	for _, part := range []string{b.Tenant, b.Session, b.Turn, b.Build, b.Run} {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(part)))
		out = append(out, part...)
	}
	return out
}

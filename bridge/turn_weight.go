package bridge

import "github.com/codecell/codecell/catalog"

// What a turn holds is counted in its tenant's account (contract H6): its tools' texts when it is prepared, and what is built of
// them before that is built. The factors are measured.

// catalogBytes is about what a catalog of these tools holds: their texts, as they came and as they are shown.
func catalogBytes(tools []catalog.Tool) int {
	n := 0
	for i := range tools {
		n += 1024 + 3*textBytes(&tools[i])
	}
	return n
}

func textBytes(t *catalog.Tool) int {
	return len(t.Name) + len(t.Label) + len(t.Description) + len(t.Parameters) + len(t.OutputSchema) + len(t.Executor)
}

// part is what is built of a turn's catalog when it is needed first.
type part int

const (
	searchIndex part = iota
	guestTexts       // the entries as a guest reads them
	guestFiles       // declaration files
	builtParts
)

// bytes is about how much a part holds at most. Words that no two tools have in common, and names of properties, cost an index
// the most.
func (p part) bytes(t *catalog.Tool) int {
	switch p {
	case searchIndex:
		return 512 + 6*len(t.Description) + 8*len(t.Parameters)
	case guestTexts:
		return 2 * textBytes(t)
	}
	return 3 * textBytes(t)
}

// compiledFactor is how many bytes a compiled schema holds for each byte of its text.
const compiledFactor = 24

// weighPart counts a part, if it was not. It fails with a *account.FullError if the tenant has no room for it.
func (t *Turn) weighPart(p part) error {
	if t.built[p].Load() {
		return nil
	}
	n := 0
	for _, e := range t.catalog.Entries() {
		n += p.bytes(e.Tool())
	}
	return t.weigh(n, func() bool { return !t.built[p].Swap(true) })
}

// weighSchema does the same for a tool's schema, which is compiled when an input is held against it.
func (t *Turn) weighSchema(e *catalog.Entry) error {
	if _, known := t.checked.Load(e); known {
		return nil
	}
	return t.weigh(compiledFactor*len(e.Tool().Parameters), func() bool {
		_, known := t.checked.LoadOrStore(e, struct{}{})
		return !known
	})
}

// weigh counts bytes more, for what is noted as the first to ask for them.
func (t *Turn) weigh(n int, first func() bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dropped {
		return nil // nothing is counted any more, and its runs end
	}
	if err := t.account.Hold(n); err != nil {
		return err
	}
	if !first() {
		t.account.Release(n)
		return nil
	}
	t.held += n
	return nil
}

// weight is what the turn holds.
func (t *Turn) weight() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.held
}

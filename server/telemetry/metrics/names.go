package metrics

import (
	"strings"
	"sync"
)

// other is the label of all that has none of its own.
const other = "other"

// maxName is how long a label's value may be, in bytes.
const maxName = 128

// names are the values that a label may have: the first that come, up to a number, of which each tenant may bring a part.
// The values of all others are "other". So whoever makes up names of tools can neither add series without end nor take the
// places of other tenants. It is safe for concurrent use.
type names struct {
	max, perTenant int

	mu      sync.RWMutex
	known   map[string]string // as it was seen, to the label
	brought map[string]int    // by tenant
}

func newNames(most, perTenant int) *names {
	return &names{max: most, perTenant: perTenant, known: map[string]string{}, brought: map[string]int{}}
}

// of returns the label for a name that a tenant has brought.
func (n *names) of(tenant, name string) string {
	if len(name) > maxName {
		return other
	}
	n.mu.RLock()
	label, ok := n.known[name]
	full := len(n.known) >= n.max
	n.mu.RUnlock()
	switch {
	case ok:
		return label
	case full:
		return other
	}
	return n.add(tenant, name)
}

func (n *names) add(tenant, name string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if label, ok := n.known[name]; ok {
		return label
	}
	if len(n.known) >= n.max || n.brought[tenant] >= n.perTenant {
		return other
	}
	name = strings.Clone(name) // which must not keep what it is a part of
	label := strings.ToValidUTF8(name, "\uFFFD")
	n.known[name] = label
	n.brought[strings.Clone(tenant)]++
	return label
}

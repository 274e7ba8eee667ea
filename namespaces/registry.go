package namespaces

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// MaxRegistered is how many namespaces a tenant may have, and as many those that are everybody's.
const MaxRegistered = 64

// Registry has the namespaces of a service: those that its embedder registers, which every tenant's turns may see, and those
// that a tenant declares, which only its own may. The zero value is empty and ready; it is safe for concurrent use.
type Registry struct {
	mu     sync.RWMutex
	shared []*namespace
	own    map[string][]*namespace // by tenant
}

// Register adds a namespace of a plugin for every tenant's turns. The error says what is wrong with it.
func (r *Registry) Register(pluginID string, registration Registration) error {
	n, err := accept(pluginID, registration)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, others := range r.own {
		if err := conflict(n, others); err != nil {
			return err
		}
	}
	if err := conflict(n, r.shared); err != nil {
		return err
	}
	if len(r.shared) >= MaxRegistered {
		return errFull
	}
	r.shared = append(r.shared, n)
	return nil
}

// Declare adds a namespace for a tenant's own turns. The same declaration once more changes nothing. hold is told how many
// bytes the namespace takes until it is cleared, and may refuse.
func (r *Registry) Declare(tenant, id string, d Declaration, hold func(bytes int) error) error {
	n, err := acceptDeclared(id, d)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.own[tenant], func(other *namespace) bool {
		return other.id == n.id && reflect.DeepEqual(other.declared, n.declared)
	}) {
		return nil
	}
	for _, others := range [][]*namespace{r.shared, r.own[tenant]} {
		if err := conflict(n, others); err != nil {
			return err
		}
	}
	if len(r.own[tenant]) >= MaxRegistered {
		return errFull
	}
	if err := hold(n.size); err != nil {
		return err
	}
	if r.own == nil {
		r.own = map[string][]*namespace{}
	}
	r.own[tenant] = append(r.own[tenant], n)
	return nil
}

var errFull = refuse("There are %d code mode namespaces already; clear those of a plugin that is not needed any more.", MaxRegistered)

// ConflictError is a registration whose id or global is another's.
type ConflictError struct{ text string }

func (e *ConflictError) Error() string { return e.text }

// conflict says that another namespace has the id or the global already.
func conflict(n *namespace, others []*namespace) error {
	for _, other := range others {
		if other.id == n.id {
			return &ConflictError{fmt.Sprintf("Code mode namespace id %q is already registered.", n.id)}
		}
	}
	for _, other := range others {
		if other.global == n.global {
			return &ConflictError{fmt.Sprintf("Code mode namespace globalName %q is already registered by %q.", n.global, other.id)}
		}
	}
	return nil
}

// Clear removes the namespaces that a plugin registered for everybody, and returns how many there were.
func (r *Registry) Clear(pluginID string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := len(r.shared)
	r.shared, _ = without(r.shared, pluginID)
	return before - len(r.shared)
}

// ClearDeclared removes the namespaces that a tenant declared for a plugin. It returns how many there were, and the bytes
// that they held.
func (r *Registry) ClearDeclared(tenant, pluginID string) (count, size int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	left, size := without(r.own[tenant], pluginID)
	count = len(r.own[tenant]) - len(left)
	if len(left) == 0 {
		delete(r.own, tenant)
	} else {
		r.own[tenant] = left
	}
	return count, size
}

// without returns a list of its own: who reads the old one may go on.
func without(all []*namespace, pluginID string) (left []*namespace, size int) {
	for _, n := range all {
		if n.plugin == pluginID {
			size += n.size
		} else {
			left = append(left, n)
		}
	}
	return left, size
}

// Declared is a namespace of a tenant, as GET /v1/namespaces lists it.
type Declared struct {
	ID string `json:"id"`
	Declaration
}

// Declared lists what a tenant has declared, by id.
func (r *Registry) Declared(tenant string) []Declared {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := []Declared{}
	for _, n := range r.own[tenant] {
		all = append(all, Declared{n.id, n.declared})
	}
	slices.SortFunc(all, func(a, b Declared) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// Owns says whether a turn's catalog has a tool of that name that belongs to the plugin.
type Owns func(pluginID, tool string) bool

// visible returns the namespaces that a turn may see, by id.
func (r *Registry) visible(tenant string, owns Owns) []*namespace {
	r.mu.RLock()
	shared, own := r.shared, r.own[tenant]
	r.mu.RUnlock()
	var all []*namespace
	for _, list := range [][]*namespace{shared, own} {
		for _, n := range list {
			if !slices.ContainsFunc(n.required, func(tool string) bool { return !owns(n.plugin, tool) }) {
				all = append(all, n)
			}
		}
	}
	slices.SortFunc(all, func(a, b *namespace) int { return strings.Compare(a.id, b.id) })
	return all
}

// Hint is how the model is told of a visible namespace (contract F3).
type Hint struct{ GlobalName, Description, Prompt string }

// Hints returns those of the namespaces that a turn may see.
func (r *Registry) Hints(tenant string, c Context, owns Owns) []Hint {
	var hints []Hint
	for _, n := range r.visible(tenant, owns) {
		hints = append(hints, n.hint(c))
	}
	return hints
}

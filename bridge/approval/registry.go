package approval

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
)

// Options bound a Registry. Zero values mean the defaults.
type Options struct {
	// Policy says which calls people are asked about.
	Policy *Policy
	// MaxPending is how many approvals may be pending at once, for all tenants. Default 10,000.
	MaxPending int
	// MaxTenantPending is how many of them may be one tenant's. Default 1,000. As many that are settled are kept.
	MaxTenantPending int
	// Retain is how long a settled approval can still be asked for. Default one hour.
	Retain time.Duration
	// Remember is how long a session remembers a decision. Default 24 hours.
	Remember time.Duration
}

func (o Options) withDefaults() Options {
	if o.MaxPending <= 0 {
		o.MaxPending = 10_000
	}
	if o.MaxTenantPending <= 0 {
		o.MaxTenantPending = 1_000
	}
	if o.Retain <= 0 {
		o.Retain = time.Hour
	}
	if o.Remember <= 0 {
		o.Remember = 24 * time.Hour
	}
	return o
}

// Registry keeps the approvals of all tenants. It is safe for concurrent use.
type Registry struct {
	options Options
	pending atomic.Int64 // of all tenants, with those that are reserved

	mu      sync.Mutex
	tenants map[string]*Tenant
}

// NewRegistry returns an empty registry.
func NewRegistry(o Options) *Registry {
	return &Registry{options: o.withDefaults(), tenants: map[string]*Tenant{}}
}

// Tenant returns a tenant's approvals. Their bytes are held in the account, which is the tenant's.
func (r *Registry) Tenant(name string, held *account.Account) *Tenant {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.tenants[name]
	if t == nil {
		t = newTenant(r, name, held)
		r.tenants[name] = t
	}
	return t
}

// Pending returns how many approvals of all tenants wait for a decision.
func (r *Registry) Pending() int { return int(r.pending.Load()) }

// reserve counts one more that is pending, unless there are too many.
func (r *Registry) reserve() bool {
	if r.pending.Add(1) <= int64(r.options.MaxPending) {
		return true
	}
	r.pending.Add(-1)
	return false
}

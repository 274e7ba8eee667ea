package bridge

import (
	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/store"
	"github.com/codecell/codecell/engine"
)

// tenancy is what is counted for all turns and runs of one tenant.
type tenancy struct {
	account *account.Account // bytes that are held
	share   *engine.Share    // of the machine
	stores  *store.Tenant    // of its sessions

	trajectories *account.Account // bytes of those of its turns
}

// trajectoryShare is how much trajectories may hold, as one part in so many of what turns and runs may. They have accounts of
// their own, so that they never keep a run from beginning.
const trajectoryShare = 8

// tenant returns what is counted for a tenant (contract H6). There are as many as there are API keys.
func (s *Service) tenant(name string) *tenancy {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tenants[name]
	if t == nil {
		held := s.account.Sub("tenant", s.options.TenantBytes)
		t = &tenancy{held, &engine.Share{}, store.NewTenant(held), s.trajectories.Sub("tenant", s.options.TenantBytes/trajectoryShare)}
		s.tenants[name] = t
	}
	return t
}

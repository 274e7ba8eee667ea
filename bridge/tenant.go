package bridge

import (
	"encoding/json"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/store"
	"github.com/codecell/codecell/engine"
)

// TenantLimits bound one tenant (contract I2), beside what bounds all of them. Zero values are no bound of its own.
type TenantLimits struct {
	// CodeMode is laid over the operator's config, and the agent's, as a turn's is: it lowers their numbers and takes
	// languages away, and is the ceiling of the tenant's turns in their place. A bare false switches code mode off for it.
	// Its maxSuspendedRuns bounds the tenant's suspended runs.
	CodeMode json.RawMessage
	// Running is how many execs and waits may be under way at once. More are refused (KindQuota).
	Running int
	// Steps is how many of those may execute a step at once. More wait for each other, and not in the way of other tenants.
	Steps int
	// Bytes is how many bytes may be held, in place of Options.TenantBytes.
	Bytes int64
}

// Check says what is wrong with the limits.
func (l TenantLimits) Check() error {
	_, err := config.Default().Narrow(l.CodeMode)
	return err
}

// tenancy is what is counted for all turns and runs of one tenant.
type tenancy struct {
	name    string
	account *account.Account // bytes that are held
	share   *engine.Share    // of the machine
	stores  *store.Tenant    // of its sessions
	steps   stepPlaces       // of which it may not have all

	approvals    *approval.Tenant
	trajectories *account.Account // bytes of those of its turns

	running int // execs and waits under way; Service.mu guards it
}

// trajectoryShare is how much trajectories may hold, as one part in so many of what turns and runs may. They have accounts of
// their own, so that they never keep a run from beginning.
const trajectoryShare = 8

// tenant returns what is counted for a tenant (contract H6). There are as many as there are API keys.
func (s *Service) tenant(name string) *tenancy {
	limit := s.options.Tenants(name).Bytes
	if limit <= 0 {
		limit = s.options.TenantBytes
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tenants[name]
	if t == nil {
		held := s.account.Sub("tenant", limit)
		t = &tenancy{
			name: name, account: held, share: &engine.Share{}, stores: store.NewTenant(held), approvals: s.approvals.Tenant(name, held),
			trajectories: s.trajectories.Sub("tenant", s.options.TenantBytes/trajectoryShare),
		}
		s.tenants[name] = t
	}
	t.account.SetLimit(limit)
	return t
}

// ceiling is what a tenant's turns may have of an agent (contract A2, I2).
func (s *Service) ceiling(tenant, agentID string) (config.Config, error) {
	return s.configOf(agentID).Narrow(s.options.Tenants(tenant).CodeMode)
}

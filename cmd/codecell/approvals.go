package main

import (
	"fmt"
	"time"

	"github.com/codecell/codecell/bridge/approval"
)

// ApprovalsConfig says which calls people are asked about (contract G4), and bounds what is asked and kept; zero leaves a
// bound to the bridge.
type ApprovalsConfig struct {
	// Rules are laid over each other from the last to the first: the first one that matches a tool counts.
	Rules []ApprovalRuleConfig `json:"rules"`
	// Destructive is when to ask about tools whose annotations say that they are, and that no rule matches: always (default),
	// first or never.
	Destructive string `json:"destructive"`
	// MaxPending is how many approvals may wait at once, and MaxTenantPending how many of one tenant. As many of a tenant's
	// that are settled can still be looked up.
	MaxPending       int `json:"maxPending"`
	MaxTenantPending int `json:"maxTenantPending"`
	// RetainSeconds is for how long. Default one hour.
	RetainSeconds int `json:"retainSeconds"`
	// RememberSeconds is how long a session remembers a decision that it is to remember. Default 24 hours.
	RememberSeconds int `json:"rememberSeconds"`
}

// ApprovalRuleConfig is one rule.
type ApprovalRuleConfig struct {
	// Tool is a glob over ids and names of tools.
	Tool string `json:"tool"`
	// Approval is always, first (until a call is approved in the session) or never.
	Approval string `json:"approval"`
	// Tenants are those whose calls the rule is about. Default: all.
	Tenants []string `json:"tenants"`
}

// approvals returns what the bridge is told; an error begins with the key.
func (c Config) approvals() (approval.Options, error) {
	a := &c.Approvals
	rules := make([]approval.TenantRule, len(a.Rules))
	for n, r := range a.Rules {
		for i, tenant := range r.Tenants {
			if !c.mayBeTenant(tenant) {
				return approval.Options{}, fmt.Errorf("approvals.rules[%d].tenants[%d]: no key in auth.keys has the tenant %q", n, i, tenant)
			}
		}
		rules[n] = approval.TenantRule{Rule: approval.Rule{Tool: r.Tool, Approval: approval.Mode(r.Approval)}, Tenants: r.Tenants}
	}
	policy, err := approval.NewPolicy(rules, approval.Mode(a.Destructive))
	if err != nil {
		return approval.Options{}, fmt.Errorf("approvals.%w", err)
	}
	return approval.Options{
		Policy: policy, MaxPending: a.MaxPending, MaxTenantPending: a.MaxTenantPending,
		Retain: time.Duration(a.RetainSeconds) * time.Second, Remember: time.Duration(a.RememberSeconds) * time.Second,
	}, nil
}

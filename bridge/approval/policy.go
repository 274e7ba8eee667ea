package approval

import (
	"fmt"
	"slices"
)

// TenantRule is an operator's rule, for some tenants or for all.
type TenantRule struct {
	Rule
	// Tenants are those whose calls it is about. None means all.
	Tenants []string
}

// Policy is what an operator wants people to be asked about. It does not change and is safe for concurrent use. Nil asks about
// the calls of destructive tools, always.
type Policy struct {
	rules       Rules
	tenants     [][]string // of each rule
	destructive Mode
}

// NewPolicy takes rules, of which the first that matches a tool counts, and the mode of destructive tools that none matches:
// empty means Always. An error's text begins with the key of what is wrong, such as "rules[3].approval must be …".
func NewPolicy(rules []TenantRule, destructive Mode) (*Policy, error) {
	p := &Policy{destructive: destructive}
	switch destructive {
	case "":
		p.destructive = Always
	case Never, First, Always:
	default:
		return nil, fmt.Errorf(`destructive must be "always", "first" or "never", not %.40q`, destructive)
	}
	list := make([]Rule, len(rules))
	for n, r := range rules {
		list[n] = r.Rule
		p.tenants = append(p.tenants, r.Tenants)
	}
	var err error
	if p.rules, err = NewRules(list); err != nil {
		return nil, fmt.Errorf("rules%w", err)
	}
	return p, nil
}

// of returns the rules for a tenant, and the mode of destructive tools.
func (p *Policy) of(tenant string) (Rules, Mode) {
	if p == nil {
		return Rules{}, Always
	}
	var own Rules
	for n, tenants := range p.tenants {
		if len(tenants) == 0 || slices.Contains(tenants, tenant) {
			own.globs, own.modes = append(own.globs, p.rules.globs[n]), append(own.modes, p.rules.modes[n])
		}
	}
	return own, p.destructive
}

// Mode returns when the tenant's operator wants calls of a tool approved.
func (t *Tenant) Mode(id, name string, destructive bool) Mode {
	if mode, ok := t.rules.Mode(id, name); ok {
		return mode
	}
	if destructive {
		return t.destructive
	}
	return Never
}

// HasRules says whether Mode depends on more than whether a tool is destructive.
func (t *Tenant) HasRules() bool { return !t.rules.None() }

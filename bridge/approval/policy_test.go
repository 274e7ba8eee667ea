package approval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/internal/account"
)

func TestPolicy(t *testing.T) {
	p, err := NewPolicy([]TenantRule{
		{Rule{"openclaw:mail:*", Never}, []string{"trusted"}},
		{Rule{"openclaw:mail:*", First}, nil},
	}, "")
	require.NoError(t, err)
	lenient, err := NewPolicy(nil, Never)
	require.NoError(t, err)
	for _, c := range []struct {
		rule        string
		policy      *Policy
		tenant      string
		tool        string
		destructive bool
		want        Mode
	}{
		{"without a policy a tool is never asked for", nil, "a", "openclaw:fs:read", false, Never},
		{"unless it is destructive", nil, "a", "openclaw:fs:rm", true, Always},
		{"or the operator says otherwise", lenient, "a", "openclaw:fs:rm", true, Never},
		{"a rule for all", p, "a", "openclaw:mail:send", false, First},
		{"a rule counts before the annotation", p, "a", "openclaw:mail:purge", true, First},
		{"one for some tenants", p, "trusted", "openclaw:mail:purge", true, Never},
		{"what no rule matches", p, "trusted", "openclaw:fs:rm", true, Always},
	} {
		t.Run("G4 "+c.rule, func(t *testing.T) {
			tenant := NewRegistry(Options{Policy: c.policy}).Tenant(c.tenant, account.New("tenant", 1<<20))
			require.Equal(t, c.want, tenant.Mode(c.tool, "", c.destructive))
			require.Equal(t, c.policy == p, tenant.HasRules())
		})
	}
	for says, make := range map[string]func() (*Policy, error){
		`destructive must be "always"`: func() (*Policy, error) { return NewPolicy(nil, "sometimes") },
		"rules[0].tool":                func() (*Policy, error) { return NewPolicy([]TenantRule{{Rule{"", Always}, nil}}, "") },
	} {
		t.Run("G4 refused: "+says, func(t *testing.T) {
			_, err := make()
			require.ErrorContains(t, err, says)
		})
	}
}

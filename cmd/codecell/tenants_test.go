package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/keyring"
)

// authOf is a key for each tenant.
func authOf(tenants ...string) AuthConfig {
	var a AuthConfig
	for _, tenant := range tenants {
		a.Keys = append(a.Keys, keyring.Key{ID: tenant, SHA256: keyring.Hash(tenant)})
	}
	return a
}

func TestTenants(t *testing.T) {
	c := Config{
		Auth: authOf("a", "b"), Engine: EngineConfig{Mode: modeAuto, Heaps: 11},
		Tenants: map[string]TenantConfig{
			"*": {RatePerSecond: 5, MaxBytes: 7, CodeMode: json.RawMessage(`{"timeoutMs":100}`)},
			"a": {RateBurst: 3, MaxRunning: 4, MaxSteps: 2, CodeMode: json.RawMessage(`false`)},
		},
	}
	limits := newTenants(c, config.Default())
	t.Run("I2 a tenant's own limits are laid over those of all", func(t *testing.T) {
		require.Equal(t, bridge.TenantLimits{CodeMode: json.RawMessage(`false`), Running: 4, Steps: 2, Bytes: 7}, limits.limits("a"))
		require.Equal(t, server.Rate{PerSecond: 5, Burst: 3}, limits.rate("a"))
	})
	t.Run("H6 of several tenants none may have all heaps", func(t *testing.T) {
		require.Equal(t, bridge.TenantLimits{CodeMode: json.RawMessage(`{"timeoutMs":100}`), Running: 6, Bytes: 7}, limits.limits("b"))
		require.Equal(t, server.Rate{PerSecond: 5, Burst: 10}, limits.rate("b"))
		c.Auth = authOf("a")
		require.Zero(t, newTenants(c, config.Default()).limits("b").Running)
	})
	t.Run("I2 nothing configured, nothing bounded", func(t *testing.T) {
		limits := newTenants(Config{}.WithDefaults(), config.Default())
		require.Equal(t, bridge.TenantLimits{}, limits.limits(""))
		require.Equal(t, server.Rate{}, limits.rate(""))
	})
}

func TestTenantCount(t *testing.T) {
	require.Equal(t, 1, Config{}.tenantCount())
	require.Equal(t, 2, Config{Auth: authOf("a", "b")}.tenantCount())
	rotated := authOf("a", "b")
	rotated.Keys[1].Tenant = "a"
	require.Equal(t, 1, Config{Auth: rotated}.tenantCount(), "two keys of one tenant")
	require.False(t, Config{Auth: rotated}.severalTenants())
	path := file(t, "keys.json", `{"keys": []}`)
	require.True(t, Config{Auth: AuthConfig{KeysFile: path}}.severalTenants(), "a file may bring any number")
	require.Equal(t, tenantsOfFile, Config{Auth: AuthConfig{KeysFile: path}}.tenantCount())
}

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/keyring"
)

// TenantConfig bounds a tenant; zero is no bound of its own (contract I2).
type TenantConfig struct {
	// RatePerSecond is how many requests a tenant may send in a second, in the long run.
	RatePerSecond float64 `json:"ratePerSecond"`
	// RateBurst is how many it may send at once after a rest. Default as many as in two seconds.
	RateBurst int `json:"rateBurst"`
	// MaxRunning is how many of its execs and waits may be under way at once; more are refused. Default half of the heaps if
	// there are several tenants.
	MaxRunning int `json:"maxRunning"`
	// MaxSteps is how many of its cells may compute at once; more wait.
	MaxSteps int `json:"maxSteps"`
	// MaxBytes is how many bytes its turns and runs may hold, in place of memory.maxTenantBytes.
	MaxBytes int64 `json:"maxBytes"`
	// CodeMode has ceilings of keys of tools.codeMode, of maxSuspendedRuns too; false switches code mode off.
	CodeMode json.RawMessage `json:"codeMode"`
}

// everyTenant is where tenants have what is for all of them.
const everyTenant = "*"

// over lays a tenant's own limits over those of all.
func (t TenantConfig) over(all TenantConfig) TenantConfig {
	if t.RatePerSecond == 0 {
		t.RatePerSecond = all.RatePerSecond
	}
	if t.RateBurst == 0 {
		t.RateBurst = all.RateBurst
	}
	if t.MaxRunning == 0 {
		t.MaxRunning = all.MaxRunning
	}
	if t.MaxSteps == 0 {
		t.MaxSteps = all.MaxSteps
	}
	if t.MaxBytes == 0 {
		t.MaxBytes = all.MaxBytes
	}
	if t.CodeMode == nil {
		t.CodeMode = all.CodeMode
	}
	return t
}

func (t TenantConfig) limits() bridge.TenantLimits {
	return bridge.TenantLimits{CodeMode: t.CodeMode, Running: t.MaxRunning, Steps: t.MaxSteps, Bytes: t.MaxBytes}
}

func (t TenantConfig) rate() server.Rate {
	burst := t.RateBurst
	if burst == 0 {
		burst = int(2 * t.RatePerSecond)
	}
	return server.Rate{PerSecond: t.RatePerSecond, Burst: burst}
}

// tenants are the limits of tenants as they are now.
type tenants struct {
	now atomic.Pointer[map[string]TenantConfig]
}

func newTenants(c Config, codeMode config.Config) *tenants {
	t := &tenants{}
	t.set(c, codeMode)
	return t
}

// set takes the limits of a config.
func (t *tenants) set(c Config, codeMode config.Config) {
	all := c.Tenants[everyTenant]
	if all.MaxRunning == 0 && c.severalTenants() {
		all.MaxRunning = (c.heaps(codeMode) + 1) / 2
	}
	resolved := map[string]TenantConfig{everyTenant: all}
	for name, own := range c.Tenants {
		resolved[name] = own.over(all)
	}
	t.now.Store(&resolved)
}

func (t *tenants) of(tenant string) TenantConfig {
	now := *t.now.Load()
	if own, ok := now[tenant]; ok {
		return own
	}
	return now[everyTenant]
}

// limits is bridge.Options.Tenants.
func (t *tenants) limits(tenant string) bridge.TenantLimits { return t.of(tenant).limits() }

// rate is server.Options.Rate.
func (t *tenants) rate(tenant string) server.Rate { return t.of(tenant).rate() }

// ring returns the keys of the config and of its file.
func (c Config) ring() (*keyring.Ring, error) { return keyring.New(c.Auth.Keys, c.Auth.KeysFile) }

// tenantNames are the tenants that there are when the config is read. A file of keys that can't be read is told elsewhere.
func (c Config) tenantNames() []string {
	ring, err := c.ring()
	if err != nil {
		return nil
	}
	return ring.Tenants()
}

// mayBeTenant says whether there is such a tenant, or may be.
func (c Config) mayBeTenant(name string) bool {
	return c.Auth.KeysFile != "" || slices.Contains(c.tenantNames(), name)
}

// severalTenants says whether there may be more than one.
func (c Config) severalTenants() bool { return c.Auth.KeysFile != "" || len(c.tenantNames()) > 1 }

// tenantsOfFile is how many tenants are expected where a file may bring more at any time.
const tenantsOfFile = 16

// tenantCount is for how many tenants there should be room.
func (c Config) tenantCount() int {
	n := max(1, len(c.tenantNames()))
	if c.Auth.KeysFile != "" {
		n = max(n, tenantsOfFile)
	}
	return n
}

// checkTenants names the first limit that can't be.
func (c Config) checkTenants() error {
	for _, name := range slices.Sorted(maps.Keys(c.Tenants)) {
		t := c.Tenants[name]
		at := "tenants." + name
		if name != everyTenant && !c.mayBeTenant(name) {
			return fmt.Errorf("%s: no key in auth.keys has that tenant", at)
		}
		if err := t.limits().Check(); err != nil {
			return fmt.Errorf("%s.codeMode: %w", at, err)
		}
	}
	return nil
}

// keysWatch is how often the file of keys is looked at.
const keysWatch = 2 * time.Second

// keysChanged tells the operator what became of a change of the file of keys.
func (a *app) keysChanged(err error) {
	if err != nil {
		a.logger.Error("the file of keys could not be read; the keys stay what they were", "error", err)
		return
	}
	a.logger.Info("the keys were read again", "tenants", len(a.keys.Tenants()))
}

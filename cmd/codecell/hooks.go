package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/bridge/outbound"
)

// HookConfig is one of the hooks that are asked over HTTP about calls (contract G1, G2), in the order of the list.
type HookConfig struct {
	// Name is what errors and the trajectory call it. Default hook1 for the first of the list, and so on.
	Name string `json:"name"`
	// URL is where to ask, on a host that executors.hosts allows.
	URL string `json:"url"`
	// Headers are sent along.
	Headers map[string]string `json:"headers" secret:"yes"`
	// Events are before_tool_call, the default, and after_tool_call.
	Events []string `json:"events"`
	// Tools are globs over ids and names of the tools whose calls it is asked about; exec is a cell itself. Default: all.
	Tools []string `json:"tools"`
	// Tenants are those whose calls it is asked about. Default: all.
	Tenants []string `json:"tenants"`
	// TimeoutMs is how long to wait for an answer. Default 5,000, at most 60,000.
	TimeoutMs int `json:"timeoutMs"`
	// Fail is closed (default: a call is refused where the hook fails) or open (it goes on).
	Fail string `json:"fail"`
}

// What becomes of calls where a hook fails.
const (
	failClosed = "closed"
	failOpen   = "open"
)

// hooks returns the hooks of the config, and checks them; errors begin with the key.
func (c Config) hooks(client *outbound.Client) ([]hook.Hook, error) {
	var hooks []hook.Hook
	for n, one := range c.Hooks {
		h, err := one.hook(n, client, c.Executors.signingKeys())
		if err != nil {
			return nil, fmt.Errorf("hooks[%d]%w", n, err)
		}
		if err := c.checkHook(&one, h.webhook); err != nil {
			return nil, fmt.Errorf("hooks[%d]%w", n, err)
		}
		hooks = append(hooks, h.Hook)
	}
	if _, err := hook.NewSet(hooks); err != nil {
		return nil, fmt.Errorf("hooks%w", err)
	}
	return hooks, nil
}

type configuredHook struct {
	hook.Hook
	webhook *hook.Webhook
}

func (c *HookConfig) hook(n int, client *outbound.Client, keys executor.SigningKeys) (configuredHook, error) {
	w := &hook.Webhook{URL: c.URL, Headers: c.Headers, Client: client, Keys: keys}
	h := configuredHook{webhook: w, Hook: hook.Hook{
		Name: c.Name, Tools: c.Tools, Tenants: c.Tenants, FailOpen: c.Fail == failOpen,
		Timeout: time.Duration(c.TimeoutMs) * time.Millisecond,
	}}
	if h.Name == "" {
		h.Name = fmt.Sprintf("hook%d", n+1)
	}
	if !slices.Contains([]string{"", failClosed, failOpen}, c.Fail) {
		return h, fmt.Errorf(".fail must be %s or %s, not %q", failClosed, failOpen, c.Fail)
	}
	if limit := int(hook.MaxTimeout.Milliseconds()); c.TimeoutMs < 0 || c.TimeoutMs > limit {
		return h, fmt.Errorf(".timeoutMs must be from 1 to %d", limit)
	}
	if len(c.Events) == 0 {
		h.Before = w
	}
	for _, event := range c.Events {
		switch event {
		case hook.BeforeToolCall:
			h.Before = w
		case hook.AfterToolCall:
			h.After = w
		default:
			return h, fmt.Errorf(".events has %q; the events are %s and %s", event, hook.BeforeToolCall, hook.AfterToolCall)
		}
	}
	return h, nil
}

// checkHook checks what depends on the tenants.
func (c Config) checkHook(one *HookConfig, w *hook.Webhook) error {
	tenants := one.Tenants
	for n, tenant := range tenants {
		if !c.mayBeTenant(tenant) {
			return fmt.Errorf(".tenants[%d]: no key in auth.keys has the tenant %q", n, tenant)
		}
	}
	if len(tenants) == 0 {
		tenants = c.tenantNames()
	}
	if len(tenants) == 0 {
		tenants = []string{""}
	}
	for _, tenant := range tenants {
		if err := w.Check(tenant); err != nil {
			return err
		}
	}
	return nil
}

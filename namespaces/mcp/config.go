package mcp

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/codecell/codecell/catalog"
)

// Config is one server as the operator names it: a command or a URL.
type Config struct {
	// Command is started with Args, in Dir, and speaks over stdin and stdout. It has Env, and of this process's environment
	// what any program needs (PATH, HOME, LANG and the like).
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env" secret:"yes"`
	Dir     string            `json:"dir"`
	// URL is a streamable HTTP endpoint, to which each request carries Headers.
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers" secret:"yes"`
	// TokenCommand prints a bearer token for the URL. It is asked when the server is connected to, and again when the
	// server no longer accepts the token.
	TokenCommand []string `json:"tokenCommand"`
	// Include and Exclude are globs over the names of the server's tools, and over resources_list, resources_read,
	// prompts_list and prompts_get. Empty includes all.
	Include []string `json:"include"`
	Exclude []string `json:"exclude"`
	// TimeoutMs is how long a call may take. Default 60,000.
	TimeoutMs int `json:"timeoutMs"`
	// StartupTimeoutMs is how long connecting and listing may take. Default 30,000.
	StartupTimeoutMs int `json:"startupTimeoutMs"`
	// Tenants are whose turns may use the server. Empty means all.
	Tenants []string `json:"tenants"`
}

// Defaults of Config.
const (
	defaultTimeout = time.Minute
	defaultStartup = 30 * time.Second
	maxTimeout     = time.Hour
)

// name is what a server may be called: it becomes a part of tool ids and of identifiers.
var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Check says what is wrong with the servers of a config.
func Check(servers map[string]Config) error {
	for _, id := range slices.Sorted(maps.Keys(servers)) {
		if !name.MatchString(id) {
			return fmt.Errorf("mcpServers: %q is no name: use letters, digits, '.', '_' and '-', at most 64", id)
		}
		c := servers[id]
		if err := c.check(); err != nil {
			return fmt.Errorf("mcpServers.%s: %w", id, err)
		}
	}
	return nil
}

func (c *Config) check() error {
	switch {
	case (c.Command == "") == (c.URL == ""):
		return fmt.Errorf("set either command or url")
	case c.Command == "" && (len(c.Args) > 0 || len(c.Env) > 0 || c.Dir != ""):
		return fmt.Errorf("args, env and dir go with command")
	case c.URL == "" && (len(c.Headers) > 0 || len(c.TokenCommand) > 0):
		return fmt.Errorf("headers and tokenCommand go with url")
	case c.TimeoutMs < 0 || c.StartupTimeoutMs < 0:
		return fmt.Errorf("timeoutMs and startupTimeoutMs must not be negative")
	}
	if u, err := url.Parse(c.URL); c.URL != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("url must be an http or https URL")
	}
	for _, header := range slices.Sorted(maps.Keys(c.Headers)) {
		if !httpguts.ValidHeaderFieldName(header) || !httpguts.ValidHeaderFieldValue(c.Headers[header]) {
			return fmt.Errorf("headers: %q can't be sent", header)
		}
	}
	return nil
}

func (c *Config) timeout() time.Duration { return duration(c.TimeoutMs, defaultTimeout) }
func (c *Config) startup() time.Duration { return duration(c.StartupTimeoutMs, defaultStartup) }

func duration(ms int, otherwise time.Duration) time.Duration {
	if ms == 0 {
		return otherwise
	}
	return min(time.Duration(min(ms, int(maxTimeout/time.Millisecond)))*time.Millisecond, maxTimeout)
}

// offers says whether a tool of the server, or an operation, may be used.
func (c *Config) offers(tool string) bool {
	match := func(pattern string) bool { return catalog.Matches(pattern, tool) }
	return (len(c.Include) == 0 || slices.ContainsFunc(c.Include, match)) && !slices.ContainsFunc(c.Exclude, match)
}

// allows says whether a tenant's turns may use the server.
func (c *Config) allows(tenant string) bool {
	return len(c.Tenants) == 0 || slices.Contains(c.Tenants, tenant)
}

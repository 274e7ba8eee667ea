package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/titanous/json5"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/outbound"
	"github.com/codecell/codecell/namespaces/mcp"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/keyring"
	"github.com/codecell/codecell/server/telemetry/logs"
	"github.com/codecell/codecell/server/telemetry/traces"
)

// Config is the config file of codecell serve, in JSON5. Every key may be left out; an unknown one is an error
// (contract A2, I1).
type Config struct {
	// Listen is the address to serve on. Default 127.0.0.1:8080. Anything but loopback needs auth.keys.
	Listen string `json:"listen"`
	// LogLevel is debug, info, warn or error. Default info.
	LogLevel string `json:"logLevel" live:"yes"`
	// LogRuns says which cells have a line in the log when they are over: all (default), failed or none.
	LogRuns string `json:"logRuns"`
	// LogRequests is which share of requests has a line in the log, from 0, the default, to 1. Above 0 those that the service
	// failed have one in any case.
	LogRequests float64 `json:"logRequests" live:"yes"`
	// GraceSeconds is how long running cells may take to finish when the service stops. Default 30.
	GraceSeconds int `json:"graceSeconds"`
	// TestExecutors enables the echo executor. Never in production: it lets any turn invent the answers of its tools.
	TestExecutors bool `json:"testExecutors"`
	// Admin is the listener for those who operate the service.
	Admin AdminConfig `json:"admin"`
	// Tools holds tools.codeMode.
	Tools ToolsConfig `json:"tools"`
	// Agents are configs of single agents, by agent id, laid over Tools field by field.
	Agents map[string]AgentConfig `json:"agents"`
	// Auth holds the API keys.
	Auth AuthConfig `json:"auth"`
	// Tenants bounds single tenants; "*" is for all, and a tenant's own limits are laid over it one by one.
	Tenants map[string]TenantConfig `json:"tenants" live:"yes"`
	// Executors are settings of what runs tools.
	Executors ExecutorsConfig `json:"executors"`
	// Hooks are asked over HTTP before and after calls, in this order.
	Hooks []HookConfig `json:"hooks"`
	// Approvals says which calls people are asked about.
	Approvals ApprovalsConfig `json:"approvals"`
	// Audit keeps what cells did in a file.
	Audit AuditConfig `json:"audit"`
	// Redact says what is hidden in trajectories and in the audit file besides what is known to be secret.
	Redact RedactConfig `json:"redact"`
	// MCPServers are the MCP servers that turns may name (contract E4), by name.
	MCPServers map[string]mcp.Config `json:"mcpServers"`
	// Engine chooses the engines and bounds the guests of the process.
	Engine EngineConfig `json:"engine"`
	// Traces says where spans go (contract I4).
	Traces traces.Config `json:"traces"`
	// Snapshot is for suspended runs that have left their heaps.
	Snapshot SnapshotConfig `json:"snapshot"`
	// HTTP bounds what clients may hold.
	HTTP HTTPConfig `json:"http"`
	// Memory bounds what the service holds for turns and runs beside heaps and snapshots (contract H6).
	Memory MemoryConfig `json:"memory"`
	// Idempotency bounds what is remembered for retries.
	Idempotency IdempotencyConfig `json:"idempotency"`
	// Turns bounds the turns that are kept.
	Turns TurnsConfig `json:"turns"`
}

// ToolsConfig is `tools`.
type ToolsConfig struct {
	// CodeMode is true, false or an object: defaults and ceilings of every turn.
	CodeMode json.RawMessage `json:"codeMode"`
}

// AgentConfig is what one agent has of its own (contract A2).
type AgentConfig struct {
	Tools ToolsConfig `json:"tools"`
}

// AdminConfig is the listener for those who operate the service.
type AdminConfig struct {
	// Listen is the address of metrics, profiles, draining and the log's level, such as 127.0.0.1:9090. Anything but loopback
	// needs a key with the role admin. Default: there is none.
	Listen string `json:"listen"`
}

// AuthConfig says who may call.
type AuthConfig struct {
	// Keys are the API keys, hashed. Each is a tenant of its own unless it names one.
	Keys []keyring.Key `json:"keys" live:"yes"`
	// KeysFile has more of them, as codecell keys writes it. Changes of it count within two seconds.
	KeysFile string `json:"keysFile"`
}

// ExecutorsConfig is for calls that leave the process.
type ExecutorsConfig struct {
	// SigningKey signs the requests of http executors, with a key derived from it for each tenant; empty sends them
	// unsigned. At least 16 bytes.
	SigningKey string `json:"signingKey" secret:"yes"`
	// SigningKeys are keys of tenants that have one of their own, by tenant. At least 16 bytes each.
	SigningKeys map[string]string `json:"signingKeys" secret:"yes"`
	// Hosts are those that executors and hooks may call, in the forms of outbound.ParseHosts. Default "public", and
	// "loopback" if the service listens on loopback.
	Hosts []string `json:"hosts"`
	// TenantHosts are lists of tenants that have one of their own, which counts instead, by tenant.
	TenantHosts map[string][]string `json:"tenantHosts"`
	// BreakerFailures is after how many failures in a row a host is left alone. Default 5.
	BreakerFailures int `json:"breakerFailures"`
	// BreakerMs is for how long at first. Default 2,000, at most 60,000.
	BreakerMs int `json:"breakerMs"`
}

// EngineConfig chooses and bounds the engines; zero leaves a bound to the engine.
type EngineConfig struct {
	// Mode is auto (default: native, and WASI for what leaves its heap), native (nothing leaves its heap unless a turn or
	// an export wants it), wasi, or purego, which is slow and not for hostile cells. What a mode needs and the binary
	// lacks is refused, never replaced (contract A8).
	Mode string `json:"mode"`
	// CacheDir keeps compiled code of the WASI engine between starts; it must belong to the service alone. By default a
	// directory in the user's cache; "none" compiles at each start.
	CacheDir string `json:"cacheDir"`
	// Isolation is process (default: guests run in sandboxed worker processes) or thread (inside the service: faster, and
	// a cell that breaks the native engine takes the service along).
	Isolation string `json:"isolation"`
	// Sandbox is report (default: what the kernel lacks for the workers' sandbox is told on /readyz and in the log) or
	// require (then code mode is refused).
	Sandbox string `json:"sandbox"`
	// Workers is how many processes of each engine serve at once; each has threads of its own for every step. Default 1.
	Workers int `json:"workers"`
	// RecycleSeconds is how old a worker gets before it is replaced. Default one hour.
	RecycleSeconds int `json:"recycleSeconds"`
	// RecycleBytes is how much memory a worker may hold before it is replaced. Default 1 GiB.
	RecycleBytes int64 `json:"recycleBytes"`
	// Threads is how many cells compute at once.
	Threads int `json:"threads"`
	// Queue is how many may wait for a thread before the service is overloaded.
	Queue int `json:"queue"`
	// Heaps is how many runs may have a heap, running or suspended. By default there is one for every suspended run
	// that codeMode allows, and some more.
	Heaps int `json:"heaps"`
}

// SnapshotConfig is for suspended runs that have left their heaps.
type SnapshotConfig struct {
	// Key seals snapshots, at least 16 bytes. Services with the same key take over each other's exported runs; without
	// one there is a new key at each start.
	Key string `json:"key" secret:"yes"`
	// MaxBytes is how many bytes of snapshots are kept. Default 1 GiB.
	MaxBytes int64 `json:"maxBytes"`
	// MaxTenantBytes is how many of those are kept for one tenant. Default half of maxBytes, or all with one key or none.
	MaxTenantBytes int64 `json:"maxTenantBytes"`
	// ParkedHeaps is how many suspended runs may keep their heaps, which resume fastest. Default 256.
	ParkedHeaps int `json:"parkedHeaps"`
}

// HTTPConfig bounds the HTTP side; zero leaves a bound to the server.
type HTTPConfig struct {
	// MaxConnections is how many clients may be connected at once.
	MaxConnections int `json:"maxConnections"`
	// MaxBodyBytes is how many bytes of request bodies may be in memory at once.
	MaxBodyBytes int64 `json:"maxBodyBytes"`
	// MaxTenantBodyBytes is how many of those may be one tenant's. Default half, or all with one key or none.
	MaxTenantBodyBytes int64 `json:"maxTenantBodyBytes"`
	// MaxStreams is how many streams of events may be open at once, each a connection. Default a quarter of maxConnections.
	MaxStreams int `json:"maxStreams"`
	// MaxTenantStreams is how many of those may be one tenant's. Default half, or all with one key or none.
	MaxTenantStreams int `json:"maxTenantStreams"`
	// H2C takes HTTP/2 without TLS as well, from clients that begin with it.
	H2C bool `json:"h2c"`
	// CertFile and KeyFile have the service speak TLS: a certificate with those that it depends on, and its key, in PEM. They
	// may be replaced at any time.
	CertFile string `json:"certFile"`
	KeyFile  string `json:"keyFile"`
}

// IdempotencyConfig bounds what is remembered of requests with an Idempotency-Key; zero leaves a bound to the server.
type IdempotencyConfig struct {
	// MaxEntries is how many keys are remembered, each for 15 minutes, and MaxTenantEntries how many of one tenant.
	MaxEntries       int `json:"maxEntries"`
	MaxTenantEntries int `json:"maxTenantEntries"`
	// MaxBytes is how many bytes of answers are kept, and MaxTenantBytes how many of one tenant.
	MaxBytes       int64 `json:"maxBytes"`
	MaxTenantBytes int64 `json:"maxTenantBytes"`
}

// bounds returns them as the server takes them.
func (c IdempotencyConfig) bounds() server.AnswerBounds {
	return server.AnswerBounds{
		Entries: c.MaxEntries, TenantEntries: c.MaxTenantEntries, Bytes: c.MaxBytes, TenantBytes: c.MaxTenantBytes,
	}
}

// MemoryConfig bounds what turns and runs make the service hold: catalogs, sources, inputs and answers of calls, output.
// Heaps and snapshots have bounds of their own.
type MemoryConfig struct {
	// MaxBytes is for all tenants together. Default 512 MiB.
	MaxBytes int64 `json:"maxBytes"`
	// MaxTenantBytes is for one tenant. Default half of that if there is more than one, else all.
	MaxTenantBytes int64 `json:"maxTenantBytes"`
}

// TurnsConfig bounds the turns; zero leaves a bound to the bridge.
type TurnsConfig struct {
	// Max is how many turns are kept at once.
	Max int `json:"max"`
	// TTLSeconds is how long one that nobody uses is kept.
	TTLSeconds int `json:"ttlSeconds"`
}

// maxBreakerMs is as long as a host is ever left alone between two trials.
const maxBreakerMs = 60_000

// certificate reads what the service shows for TLS, nil for none.
func (c HTTPConfig) certificate(logger *slog.Logger) (*server.Certificate, error) {
	switch {
	case c.CertFile == "" && c.KeyFile == "":
		return nil, nil
	case c.CertFile == "" || c.KeyFile == "":
		return nil, errors.New("http.certFile and http.keyFile go together")
	}
	certificate, err := server.LoadCertificate(c.CertFile, c.KeyFile, logger)
	if err != nil {
		return nil, fmt.Errorf("http.certFile: %w", err)
	}
	return certificate, nil
}

// minSigningKey keeps guessable signing keys out, in bytes.
const minSigningKey = 16

// loadConfig reads a config file and the environment; no path is an empty file.
func loadConfig(path string) (Config, error) {
	s, err := readSource(path)
	if err != nil {
		return Config{}, err
	}
	return s.config()
}

// plainJSON turns JSON5 into JSON, so that one decoder sets the rules for both.
func plainJSON(text []byte) ([]byte, error) {
	var value any
	if err := json5.Unmarshal(text, &value); err != nil {
		return nil, notJSON5(text, err)
	}
	return json.Marshal(value)
}

// WithDefaults fills what was left out and has no other owner.
func (c Config) WithDefaults() Config {
	if c.Listen == "" {
		c.Listen = "127.0.0.1:8080"
	}
	if c.LogLevel == "" {
		c.LogLevel = "info"
	}
	if c.LogRuns == "" {
		c.LogRuns = logs.All
	}
	if c.Engine.Mode == "" {
		c.Engine.Mode = modeAuto
	}
	if c.Engine.Isolation == "" {
		c.Engine.Isolation = isolationProcess
	}
	if c.Engine.Sandbox == "" {
		c.Engine.Sandbox = sandboxReport
	}
	if c.Snapshot.MaxBytes == 0 {
		c.Snapshot.MaxBytes = 1 << 30
	}
	if c.Snapshot.MaxTenantBytes == 0 {
		if c.Snapshot.MaxTenantBytes = c.Snapshot.MaxBytes; c.severalTenants() {
			c.Snapshot.MaxTenantBytes /= 2
		}
	}
	if c.Memory.MaxBytes == 0 {
		c.Memory.MaxBytes = bridge.DefaultMemoryBytes
	}
	if c.Memory.MaxTenantBytes == 0 {
		if c.Memory.MaxTenantBytes = c.Memory.MaxBytes; c.severalTenants() {
			c.Memory.MaxTenantBytes /= 2
		}
	}
	if c.Executors.Hosts == nil {
		c.Executors.Hosts = []string{outbound.Public}
		if server.IsLoopback(c.Listen) {
			c.Executors.Hosts = append(c.Executors.Hosts, outbound.Loopback)
		}
	}
	if c.GraceSeconds == 0 {
		c.GraceSeconds = 30
	}
	return c
}

// validate names the first key that can't be used.
func (c Config) validate() error {
	if _, err := c.level(); err != nil {
		return err
	}
	if c.LogRequests < 0 || c.LogRequests > 1 {
		return errors.New("logRequests must be from 0 to 1")
	}
	if _, err := c.agents(); err != nil {
		return err
	}
	if err := mcp.Check(c.MCPServers); err != nil {
		return err
	}
	if n := len(c.Executors.SigningKey); n > 0 && n < minSigningKey {
		return fmt.Errorf("executors.signingKey has %d bytes; use at least %d random ones", n, minSigningKey)
	}
	for _, tenant := range slices.Sorted(maps.Keys(c.Executors.SigningKeys)) {
		if n := len(c.Executors.SigningKeys[tenant]); n < minSigningKey {
			return fmt.Errorf("executors.signingKeys.%s has %d bytes; use at least %d random ones", tenant, n, minSigningKey)
		}
	}
	if _, err := c.ring(); err != nil {
		return err
	}
	if err := c.checkTenants(); err != nil {
		return err
	}
	if err := c.checkHosts(); err != nil {
		return err
	}
	client, err := c.Executors.outbound(nil)
	if err != nil {
		return err
	}
	if _, err := c.hooks(client); err != nil {
		return err
	}
	if err := c.Traces.Validate(); err != nil {
		return fmt.Errorf("traces.%w", err)
	}
	if _, err := c.approvals(); err != nil {
		return err
	}
	if _, err := c.HTTP.certificate(slog.New(slog.DiscardHandler)); err != nil {
		return err
	}
	if n := len(c.Snapshot.Key); n > 0 && n < minSigningKey {
		return fmt.Errorf("snapshot.key has %d bytes; use at least %d random ones", n, minSigningKey)
	}
	for _, choice := range []struct {
		key, value string
		of         []string
	}{
		{"logRuns", c.LogRuns, []string{logs.All, logs.Failed, logs.None}},
		{"engine.mode", c.Engine.Mode, engineModes},
		{"engine.isolation", c.Engine.Isolation, isolations},
		{"engine.sandbox", c.Engine.Sandbox, sandboxes},
	} {
		if !slices.Contains(choice.of, choice.value) {
			return fmt.Errorf("%s must be one of %s, not %q", choice.key, strings.Join(choice.of, ", "), choice.value)
		}
	}
	if c.Executors.BreakerMs > maxBreakerMs {
		return fmt.Errorf("executors.breakerMs must be at most %d", maxBreakerMs)
	}
	if err := c.Redact.check(); err != nil {
		return err
	}
	return nil
}

// checkHosts names the first list of hosts that can't be read, or is nobody's.
func (c Config) checkHosts() error {
	if _, err := outbound.ParseHosts(c.Executors.Hosts); err != nil {
		return fmt.Errorf("executors.hosts: %w", err)
	}
	for _, tenant := range slices.Sorted(maps.Keys(c.Executors.TenantHosts)) {
		if !c.mayBeTenant(tenant) {
			return fmt.Errorf("executors.tenantHosts.%s: no key in auth.keys has that tenant", tenant)
		}
		if _, err := outbound.ParseHosts(c.Executors.TenantHosts[tenant]); err != nil {
			return fmt.Errorf("executors.tenantHosts.%s: %w", tenant, err)
		}
	}
	return nil
}

func (c Config) level() (slog.Level, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return level, fmt.Errorf("logLevel must be debug, info, warn or error, not %q", c.LogLevel)
	}
	return level, nil
}

func (c Config) codeMode() (config.Config, error) {
	limits, err := config.Default().Merge(c.Tools.CodeMode)
	if err != nil {
		return limits, fmt.Errorf("tools.codeMode: %w", err)
	}
	return limits, nil
}

// agents resolves the configs of the agents that have one.
func (c Config) agents() (map[string]config.Config, error) {
	global, err := c.codeMode()
	if err != nil {
		return nil, err
	}
	all := make(map[string]config.Config, len(c.Agents))
	for _, id := range slices.Sorted(maps.Keys(c.Agents)) {
		if all[id], err = global.Merge(c.Agents[id].Tools.CodeMode); err != nil {
			return nil, fmt.Errorf("agents.%s.tools.codeMode: %w", id, err)
		}
	}
	return all, nil
}

// outbound returns the client that executors and hooks call with.
func (c ExecutorsConfig) outbound(logger *slog.Logger) (*outbound.Client, error) {
	return outbound.New(outbound.Options{Hosts: c.Hosts, TenantHosts: c.TenantHosts, Logger: logger})
}

// signingKeys returns what executors sign with.
func (c ExecutorsConfig) signingKeys() executor.SigningKeys {
	keys := executor.SigningKeys{Master: []byte(c.SigningKey), ByTenant: map[string][]byte{}}
	for tenant, key := range c.SigningKeys {
		keys.ByTenant[tenant] = []byte(key)
	}
	return keys
}

func (c Config) grace() time.Duration { return time.Duration(c.GraceSeconds) * time.Second }

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/keyring"
)

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestLoadConfig(t *testing.T) {
	t.Run("I1 JSON5 with every key", func(t *testing.T) {
		c, err := loadConfig(file(t, "c.json5", `// comments
		{
			listen: '0.0.0.0:9', admin: {listen: "127.0.0.1:9"}, logLevel: "debug", logRuns: "failed", graceSeconds: 5, testExecutors: true,
			tools: {codeMode: {enabled: true, timeoutMs: 5e3, snapshot: {resume: "restore"}}},
			auth: {keys: [{id: "a", sha256: "`+keyring.Hash("k")+`"}], keysFile: ""},
			tenants: {"*": {ratePerSecond: 1.5, rateBurst: 2}, a: {maxRunning: 3, maxSteps: 4, maxBytes: 5, codeMode: {timeoutMs: 6}}},
			executors: {signingKey: "0123456789abcdef", hosts: ["public", "10.0.0.0/8"], tenantHosts: {a: ["tools.example.com:8443"]}},
			hooks: [{
				name: "guard", url: "https://tools.example.com:8443/h", headers: {A: "b"}, events: ["before_tool_call", "after_tool_call"],
				tools: ["exec"], tenants: ["a"], timeoutMs: 9, fail: "open",
			}],
			approvals: {
				rules: [{tool: "openclaw:mail:*", approval: "first", tenants: ["a"]}], destructive: "never",
				maxPending: 1, maxTenantPending: 2, retainSeconds: 3, rememberSeconds: 4,
			},
			engine: {
				mode: "wasi", cacheDir: "/c", threads: 1, queue: 2, heaps: 3,
				isolation: "thread", sandbox: "require", workers: 4, recycleSeconds: 5, recycleBytes: 6,
			},
			snapshot: {key: "fedcba9876543210", maxBytes: 8, maxTenantBytes: 7, parkedHeaps: 9},
			http: {maxConnections: 4, maxBodyBytes: 5, maxTenantBodyBytes: 3, maxStreams: 2, maxTenantStreams: 1},
			idempotency: {maxEntries: 10, maxTenantEntries: 11, maxBytes: 12, maxTenantBytes: 13},
			turns: {max: 6, ttlSeconds: 7,},
			traces: {endpoint: "https://collector:4317", protocol: "grpc", headers: {a: "b"}, sample: 0.5},
		}`))
		require.NoError(t, err)
		require.NoError(t, c.validate())
		require.Equal(t, "0.0.0.0:9", c.Listen)
		require.True(t, c.TestExecutors)
		require.Equal(t, []keyring.Key{{ID: "a", SHA256: keyring.Hash("k")}}, c.Auth.Keys)
		require.Equal(t, EngineConfig{"wasi", "/c", "thread", "require", 4, 5, 6, 1, 2, 3}, c.Engine)
		require.Equal(t, SnapshotConfig{"fedcba9876543210", 8, 7, 9}, c.Snapshot)
		require.Equal(t, "failed", c.LogRuns)
		require.Equal(t, "grpc", c.Traces.Protocol)
		require.InDelta(t, 0.5, *c.Traces.Sample, 0)
		require.Equal(t, HTTPConfig{MaxConnections: 4, MaxBodyBytes: 5, MaxTenantBodyBytes: 3, MaxStreams: 2, MaxTenantStreams: 1}, c.HTTP)
		require.Equal(t, server.AnswerBounds{Entries: 10, TenantEntries: 11, Bytes: 12, TenantBytes: 13}, c.Idempotency.bounds())
		require.Equal(t, TurnsConfig{6, 7}, c.Turns)
		asked, err := c.approvals()
		require.NoError(t, err)
		require.Equal(t, []any{1, 2, 3 * time.Second, 4 * time.Second}, []any{asked.MaxPending, asked.MaxTenantPending, asked.Retain, asked.Remember})
		mode, err := c.codeMode()
		require.NoError(t, err)
		require.True(t, mode.Enabled)
		require.Equal(t, 5000, mode.TimeoutMs)
		require.Equal(t, "restore", mode.SnapshotResume)
	})
	t.Run("A2 nothing configured: code mode at its defaults, left to the turns", func(t *testing.T) {
		c, err := loadConfig("")
		require.NoError(t, err)
		c = c.WithDefaults()
		require.NoError(t, c.validate())
		require.Equal(t, Config{
			Listen: "127.0.0.1:8080", LogLevel: "info", LogRuns: "all", GraceSeconds: 30,
			Executors: ExecutorsConfig{Hosts: []string{"public", "loopback"}},
			Engine:    EngineConfig{Mode: "auto", Isolation: "process", Sandbox: "report"},
			Snapshot:  SnapshotConfig{MaxBytes: 1 << 30, MaxTenantBytes: 1 << 30},
			Memory:    MemoryConfig{MaxBytes: 512 << 20, MaxTenantBytes: 512 << 20},
		}, c)
		mode, err := c.codeMode()
		require.NoError(t, err)
		require.False(t, mode.Enabled)
		turn, err := mode.Narrow([]byte(`{"enabled":true}`))
		require.NoError(t, err)
		require.True(t, turn.Enabled)
	})
	t.Run("H6 of several tenants none may have all snapshots", func(t *testing.T) {
		c := Config{Auth: authOf("a", "b")}.WithDefaults()
		require.EqualValues(t, 1<<29, c.Snapshot.MaxTenantBytes)
		c = Config{Snapshot: SnapshotConfig{MaxBytes: 10, MaxTenantBytes: 9}}.WithDefaults()
		require.EqualValues(t, 9, c.Snapshot.MaxTenantBytes)
	})
	t.Run("G3 the machine itself is called only by a service that listens there", func(t *testing.T) {
		for listen, hosts := range map[string][]string{
			"localhost:1": {"public", "loopback"}, "[::1]:1": {"public", "loopback"}, "0.0.0.0:1": {"public"}, ":1": {"public"}, "10.0.0.1:1": {"public"},
		} {
			require.Equal(t, hosts, Config{Listen: listen}.WithDefaults().Executors.Hosts, listen)
		}
		require.Empty(t, Config{Executors: ExecutorsConfig{Hosts: []string{}}}.WithDefaults().Executors.Hosts, "none at all is a list too")
	})
	t.Run("A2 the short form", func(t *testing.T) {
		c, err := loadConfig(file(t, "c.json5", `{tools: {codeMode: true}}`))
		require.NoError(t, err)
		mode, err := c.codeMode()
		require.NoError(t, err)
		require.True(t, mode.Enabled)
	})
	for _, tc := range []struct{ name, text, says string }{
		{"an unknown key", `{lisen: "x"}`, `unknown key "lisen"`},
		{"an unknown nested key", `{engine: {thread: 1}}`, `unknown key "thread"`},
		{"an unknown key is told the known ones", `{x: 1}`, "the keys are listen, logLevel, "},
		{"a slip is told what was meant", `{engine: {thread: 1}}`, `did you mean "threads"?`},
		{"the line of it", "{\n  engine: {\n    // x: {\n    thread: 1}}", "c.json5:4: engine.thread"},
		{"in a list", `{hooks: [{}, {ulr: 1}]}`, "c.json5:1: hooks[1].ulr: unknown key"},
		{"a negative bound", `{turns: {max: -1}}`, "turns.max must not be negative"},
		{"half of something", `{turns: {max: 1.5}}`, "turns.max must be an integer"},
		{"a negative rate", `{tenants: {"*": {ratePerSecond: -1}}}`, "tenants.*.ratePerSecond must not be negative"},
		{"the wrong type", `{engine: {threads: "x"}}`, "engine.threads must be an integer, not negative, not a text"},
		{"an array", `[]`, "must be an object, not a list"},
		{"broken text says where", "{\n\n  listen: ,\n}", "line 3"},
		{"no text", ``, "not JSON5"},
	} {
		t.Run("I1 "+tc.name, func(t *testing.T) {
			_, err := loadConfig(file(t, "c.json5", tc.text))
			require.ErrorContains(t, err, tc.says)
			require.ErrorContains(t, err, "c.json5", "the file is named")
		})
	}
	t.Run("I1 no such file", func(t *testing.T) {
		_, err := loadConfig("/no/such/file")
		require.ErrorIs(t, err, os.ErrNotExist)
	})
}

func TestValidateConfig(t *testing.T) {
	for _, tc := range []struct{ name, text, says string }{
		{"A2 an unknown key of code mode", `{tools: {codeMode: {timeoutMS: 5}}}`, `did you mean "timeoutMs"`},
		{"A2 another runtime", `{tools: {codeMode: {runtime: "node"}}}`, "tools.codeMode: runtime must be"},
		{"I1 an unknown log level", `{logLevel: "loud"}`, `"loud"`},
		{"I1 a guessable signing key", `{executors: {signingKey: "secret"}}`, "at least 16"},
		{"G3 a host with a scheme", `{executors: {hosts: ["http://tools.example.com"]}}`, `executors.hosts: "http://tools.example.com"`},
		{"G1 a hook without a URL", `{hooks: [{}]}`, "hooks[0].url must be an http or https URL"},
		{"G1 a hook at an unknown event", `{hooks: [{url: "https://a.example", events: ["before_call"]}]}`, `hooks[0].events has "before_call"`},
		{"G1 a hook that fails in an unknown way", `{hooks: [{url: "https://a.example", fail: "shut"}]}`, "hooks[0].fail must be closed or open"},
		{"G1 a hook that may take too long", `{hooks: [{url: "https://a.example", timeoutMs: 60001}]}`, "hooks[0].timeoutMs must be"},
		{"G1 a hook of nobody", `{hooks: [{url: "https://a.example"}, {url: "https://a.example", tenants: ["a"]}]}`, `hooks[1].tenants[0]: no key`},
		{"G1 two hooks of one name", `{hooks: [{name: "a", url: "https://a.example"}, {name: "a", url: "https://a.example"}]}`, "hooks[1].name is that of another hook"},
		{"G4 a rule of approvals without a mode", `{approvals: {rules: [{tool: "*", approval: "never"}, {tool: "a"}]}}`, `approvals.rules[1].approval must be "always", "first" or "never"`},
		{"G4 a rule of approvals without a tool", `{approvals: {rules: [{approval: "always"}]}}`, "approvals.rules[0].tool must be a glob"},
		{"G4 a rule of approvals of nobody", `{approvals: {rules: [{tool: "*", approval: "always", tenants: ["a"]}]}}`, `approvals.rules[0].tenants[0]: no key in auth.keys has the tenant "a"`},
		{"G4 destructive tools in an unknown mode", `{approvals: {destructive: "ask"}}`, `approvals.destructive must be "always", "first" or "never"`},
		{"H6 fewer approvals than none", `{approvals: {maxTenantPending: -1}}`, "approvals.maxTenantPending must not be negative"},
		{"G3 a hook that may not be called", `{hooks: [{url: "http://10.0.0.1/"}]}`, "hooks[0].url: this service calls no private addresses"},
		{"G3 hosts of nobody", `{executors: {tenantHosts: {a: []}}}`, "executors.tenantHosts.a: no key"},
		{"I2 limits of nobody", `{tenants: {a: {}}}`, "tenants.a: no key"},
		{"I2 an unknown ceiling", `{tenants: {"*": {codeMode: {timeout: 1}}}}`, `tenants.*.codeMode: unknown key "timeout"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, err := loadConfig(file(t, "c.json5", tc.text))
			if err == nil {
				err = c.WithDefaults().validate()
			}
			require.ErrorContains(t, err, tc.says)
			require.NotContains(t, err.Error(), "secret", "a key is not repeated")
		})
	}
}

func TestParkedHeaps(t *testing.T) {
	for _, tc := range []struct {
		name, mode       string
		configured, want int
	}{
		{"the default", modeAuto, 0, bridge.DefaultParkedHeaps},
		{"as configured", modeAuto, 3, 3},
		{"the WebAssembly engine's guests leave it as well", modeWASI, 3, 3},
		{"all stay in an engine that was asked for by name", modeNative, 3, 2000},
		{"all stay in an engine that lets none go", modePureGo, 3, 2000},
	} {
		t.Run("C4 heaps of suspended runs: "+tc.name, func(t *testing.T) {
			c := Config{Engine: EngineConfig{Mode: tc.mode}, Snapshot: SnapshotConfig{ParkedHeaps: tc.configured}, Auth: authOf(strings.Split("abcdefghijklmnopqrst", "")...)}
			codeMode := config.Config{MaxSuspendedRuns: 100}
			require.Equal(t, tc.want, c.parkedHeaps(codeMode))
			require.Equal(t, max(1024, tc.want+spareHeaps), c.heaps(codeMode), "and there are heaps for them")
		})
	}
}

func TestServeConfig(t *testing.T) {
	path := file(t, "c.json5", `{listen: "127.0.0.1:1", logLevel: "warn", executors: {signingKey: "from-file-from-file"}}`)
	t.Run("I1 the file alone", func(t *testing.T) {
		c, err := (&configFlags{Config: path}).config()
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1:1", c.Listen)
		require.Equal(t, 30*time.Second, c.grace())
		require.False(t, c.TestExecutors)
	})
	t.Run("I1 flags win over the file", func(t *testing.T) {
		on := true
		c, err := (&configFlags{
			Config: path, Listen: "127.0.0.1:2", LogLevel: "error", TestExecutors: &on, SigningKey: "from-flag-from-flag",
		}).config()
		require.NoError(t, err)
		require.Equal(t, "127.0.0.1:2", c.Listen)
		require.Equal(t, "error", c.LogLevel)
		require.True(t, c.TestExecutors)
		require.Equal(t, "from-flag-from-flag", c.Executors.SigningKey)
	})
}

func TestAgentConfigs(t *testing.T) {
	t.Run("A2 an agent's object is laid over the global one", func(t *testing.T) {
		c := Config{
			Tools: ToolsConfig{CodeMode: json.RawMessage(`{"enabled":true,"timeoutMs":4000,"maxOutputBytes":2048}`)},
			Agents: map[string]AgentConfig{
				"slow": {Tools: ToolsConfig{CodeMode: json.RawMessage(`{"timeoutMs":9000}`)}},
				"off":  {Tools: ToolsConfig{CodeMode: json.RawMessage(`false`)}},
			},
		}
		agents, err := c.agents()
		require.NoError(t, err)
		require.Equal(t, 9000, agents["slow"].TimeoutMs)
		require.Equal(t, 2048, agents["slow"].MaxOutputBytes)
		require.True(t, agents["slow"].Enabled)
		require.False(t, agents["off"].Enabled)
	})
	t.Run("A2 a mistake names the agent and the key", func(t *testing.T) {
		c := Config{Agents: map[string]AgentConfig{"a1": {Tools: ToolsConfig{CodeMode: json.RawMessage(`{"timeoutMS":1}`)}}}}.WithDefaults()
		require.ErrorContains(t, c.validate(), "agents.a1.tools.codeMode")
		require.ErrorContains(t, c.validate(), "timeoutMS")
	})
}

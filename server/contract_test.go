package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/audit"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/bridge/outbound"
	"github.com/codecell/codecell/bridge/redact"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/aot"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/wasi"
	"github.com/codecell/codecell/engine/worker"
	"github.com/codecell/codecell/namespaces/mcp"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/contracttest"
	"github.com/codecell/codecell/server/keyring"
)

// TestContract holds the service as it is shipped to the contract, on each engine and in each isolation.
func TestContract(t *testing.T) {
	everywhere(t, func(t *testing.T, open func(*testing.T) engine.Engine) {
		contracttest.Run(t, startService(t, open(t), ""))
	})
}

// TestEndToEnd goes through the plan of the code mode page, on the same engines.
func TestEndToEnd(t *testing.T) {
	everywhere(t, func(t *testing.T, open func(*testing.T) engine.Engine) {
		contracttest.EndToEnd(t, func(t *testing.T, codeMode string) contracttest.Target { return startService(t, open(t), codeMode) })
	})
}

// everywhere runs a test on each engine, in each isolation.
func everywhere(t *testing.T, test func(t *testing.T, open func(*testing.T) engine.Engine)) {
	t.Helper()
	for _, name := range []string{"native", "aot", "wasi"} {
		settings := worker.Settings{Engine: name, Steps: 32, Heaps: 256, HeapBytes: 64 << 20, CacheDir: t.TempDir()}
		if _, err := wasi.Module(); err != nil && name == "wasi" {
			require.Empty(t, os.Getenv("CODECELL_GUEST"), "the guest on WebAssembly is not there")
			continue
		}
		if err := aot.Missing(); err != nil && name == "aot" {
			require.Empty(t, os.Getenv("CODECELL_AOT"), err)
			continue
		}
		for isolation, open := range map[string]func(*testing.T) engine.Engine{
			"threads": func(t *testing.T) engine.Engine {
				e, err := openEngine(settings)
				require.NoError(t, err)
				return e
			},
			"processes": func(t *testing.T) engine.Engine {
				w := worker.New(worker.Options{Settings: settings, Command: []string{asWorker}})
				require.NoError(t, w.Ready())
				if name != "native" {
					return worker.Portable{Engine: w}
				}
				return w
			},
		} {
			t.Run(name+" in "+isolation, func(t *testing.T) { test(t, open) })
		}
	}
}

// asWorker is the argument that makes the test's binary a worker.
const asWorker = "worker"

func openEngine(s worker.Settings) (engine.Engine, error) {
	switch s.Engine {
	case "aot":
		return aot.New(aot.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes})
	case "wasi":
		return wasi.New(wasi.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes, CacheDir: s.CacheDir})
	}
	return native.New(native.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes, Warm: 1})
}

// startService serves on a loopback port until the test ends, which closes the engine too.
func startService(t *testing.T, e engine.Engine, codeMode string) contracttest.Target {
	t.Helper()
	operator, err := config.Default().Merge(json.RawMessage(codeMode))
	require.NoError(t, err)
	signing := executor.SigningKeys{Master: []byte("a key that only this test knows")}
	client, err := outbound.New(outbound.Options{Hosts: []string{outbound.Public, outbound.Loopback}})
	require.NoError(t, err)
	asked := httptest.NewServer(contracttest.Hooks())
	t.Cleanup(asked.Close)
	webhook := &hook.Webhook{URL: asked.URL, Client: client, Keys: signing}
	partners := contracttest.NewPartners(t)
	servers := mcp.Open(map[string]mcp.Config{"wiki": {URL: partners.WikiURL}}, nil)
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	audited, err := audit.Open(path, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	guard := &hook.Webhook{URL: partners.GuardURL, Client: client, Keys: signing}
	service, err := bridge.New(bridge.Options{
		Engine: e, Config: operator, TestExecutors: true, SigningKeys: signing, Outbound: client,
		ToolServers: servers, Executors: map[string]executor.Executor{mcp.ExecutorType: servers},
		Audit:    audited,
		Redactor: redact.New(redact.Options{Values: []string{string(signing.Master)}, Known: func(word string) bool { return word == "key-one" }}),
		Hooks: []hook.Hook{
			{Name: "calls", Tools: contracttest.HookTools, Before: webhook, After: webhook},
			{Name: "cells", Tools: []string{hook.ExecKind}, Tenants: []string{"two"}, Before: webhook},
			{Name: "guard", Tenants: []string{"three"}, Before: guard, After: guard},
		},
	})
	require.NoError(t, err)
	var keys []keyring.Key
	for _, tenant := range []string{"one", "two", "three"} {
		keys = append(keys, keyring.Key{ID: tenant, SHA256: keyring.Hash("key-" + tenant)})
	}
	ring, err := keyring.New(keys, "")
	require.NoError(t, err)
	s, err := server.New(server.Options{
		Backend: server.FromBridge(service, nil),
		Keys:    ring,
	})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, context.Background(), l, time.Second) }()
	// Answers come as they are sent: Go's own decompression takes Content-Length off.
	transport := &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		stop()
		require.NoError(t, <-served)
		require.NoError(t, e.Close())
		requireSound(t, audited, path)
	})
	_, restores := e.(engine.Portable)
	return contracttest.Target{
		Base: "http://" + l.Addr().String(), Key: "key-one", OtherKey: "key-two", GuardedKey: "key-three", Partners: partners, Restores: restores, Tenant: "one", SigningKey: signing.Of("one"),
		Client: &http.Client{Transport: transport},
	}
}

// requireSound ends an audit file, which must have what cells did, and nothing that is secret.
func requireSound(t *testing.T, audited *audit.Log, path string) {
	t.Helper()
	require.NoError(t, audited.Close(context.Background()))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	report, err := audit.Verify(bytes.NewReader(text))
	require.NoError(t, err)
	require.Zero(t, report.Broken, report.Why)
	require.False(t, report.Cut)
	require.GreaterOrEqual(t, report.Lines, int64(3))
	for _, secret := range []string{"key-one", "hunter2", "a key that only this test knows"} {
		require.NotContains(t, string(text), secret)
	}
}

package server_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/bridge/outbound"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/wasi"
	"github.com/codecell/codecell/engine/worker"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/contracttest"
)

// TestContract holds the service as it is shipped to the contract, on each engine and in each isolation.
func TestContract(t *testing.T) {
	for _, name := range []string{"native", "wasi"} {
		settings := worker.Settings{Engine: name, Steps: 32, Heaps: 256, HeapBytes: 64 << 20, CacheDir: t.TempDir()}
		if _, err := wasi.Module(); err != nil && name == "wasi" {
			require.Empty(t, os.Getenv("CODECELL_GUEST"), "the guest on WebAssembly is not there")
			continue
		}
		t.Run(name+" in threads", func(t *testing.T) {
			e, err := openEngine(settings)
			require.NoError(t, err)
			contracttest.Run(t, startService(t, e))
		})
		t.Run(name+" in processes", func(t *testing.T) {
			w := worker.New(worker.Options{Settings: settings, Command: []string{asWorker}})
			require.NoError(t, w.Ready())
			var e engine.Engine = w
			if name == "wasi" {
				e = worker.Portable{Engine: w}
			}
			contracttest.Run(t, startService(t, e))
		})
	}
}

// asWorker is the argument that makes the test's binary a worker.
const asWorker = "worker"

func openEngine(s worker.Settings) (engine.Engine, error) {
	if s.Engine == "wasi" {
		return wasi.New(wasi.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes, CacheDir: s.CacheDir})
	}
	return native.New(native.Options{Threads: s.Steps, Heaps: s.Heaps, HeapBytes: s.HeapBytes, Warm: 1})
}

// startService serves on a loopback port until the test ends, which closes the engine too.
func startService(t *testing.T, e engine.Engine) contracttest.Target {
	t.Helper()
	signing := executor.SigningKeys{Master: []byte("a key that only this test knows")}
	client, err := outbound.New(outbound.Options{Hosts: []string{outbound.Public, outbound.Loopback}})
	require.NoError(t, err)
	asked := httptest.NewServer(contracttest.Hooks())
	t.Cleanup(asked.Close)
	webhook := &hook.Webhook{URL: asked.URL, Client: client, Keys: signing}
	service, err := bridge.New(bridge.Options{
		Engine: e, TestExecutors: true, SigningKeys: signing, Outbound: client,
		Hooks: []hook.Hook{
			{Name: "calls", Tools: contracttest.HookTools, Before: webhook, After: webhook},
			{Name: "cells", Tools: []string{hook.ExecKind}, Tenants: []string{"two"}, Before: webhook},
		},
	})
	require.NoError(t, err)
	s, err := server.New(server.Options{
		Backend: server.FromBridge(service, nil),
		Keys:    []server.Key{{ID: "one", SHA256: server.HashKey("key-one")}, {ID: "two", SHA256: server.HashKey("key-two")}},
	})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, context.Background(), l, time.Second) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 32}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		stop()
		require.NoError(t, <-served)
		require.NoError(t, e.Close())
	})
	return contracttest.Target{
		Base: "http://" + l.Addr().String(), Key: "key-one", OtherKey: "key-two", Tenant: "one", SigningKey: signing.Of("one"),
		Client: &http.Client{Transport: transport},
	}
}

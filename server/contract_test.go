package server_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/contracttest"
)

// TestContract holds the service as it is shipped, with the native engine and in
// this process, to the contract.
func TestContract(t *testing.T) {
	contracttest.Run(t, startService(t))
}

// startService serves on a loopback port until the test ends.
func startService(t *testing.T) contracttest.Target {
	t.Helper()
	engine, err := native.New(native.Options{Heaps: 256, Warm: 1})
	require.NoError(t, err)
	signing := []byte("a key that only this test knows")
	service, err := bridge.New(bridge.Options{Engine: engine, TestExecutors: true, SigningKey: signing})
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
		require.NoError(t, engine.Close())
	})
	return contracttest.Target{
		Base: "http://" + l.Addr().String(), Key: "key-one", OtherKey: "key-two", SigningKey: signing,
		Client: &http.Client{Transport: transport},
	}
}

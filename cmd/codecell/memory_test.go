package main

import (
	"context"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMemoryKeeper(t *testing.T) {
	running := 0
	k := &memoryKeeper{running: func() int { return running }}
	runtime.GC()
	k.level = heapObjects()

	t.Run("nothing to give back", func(t *testing.T) { require.False(t, k.look()) })
	burst := func() {
		b := make([]byte, 3*keepSlack)
		b[0] = 1
		runtime.KeepAlive(b)
	}
	t.Run("H5 a running cell is not disturbed", func(t *testing.T) {
		burst()
		running = 1
		require.False(t, k.look())
	})
	t.Run("H5 an idle service gives its peak back", func(t *testing.T) {
		running = 0
		burst()
		before := heapObjects()
		require.True(t, k.look())
		require.Less(t, heapObjects(), before-2*keepSlack)
		require.False(t, k.look())
	})
	t.Run("it ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		k.run(ctx)
	})
}

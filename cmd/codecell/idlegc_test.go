package main

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIdleGC(t *testing.T) {
	// Nobody else may collect meanwhile: services that other tests ran have left a limit of their own.
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	})
	running := 0
	g := &idleGC{running: func() int { return running }}
	runtime.GC()
	g.level = heapObjects()

	t.Run("nothing to collect", func(t *testing.T) { require.False(t, g.look()) })
	burst := func() {
		b := make([]byte, 3*idleGCSlack)
		b[0] = 1
		runtime.KeepAlive(b)
	}
	t.Run("H5 a running cell is not disturbed", func(t *testing.T) {
		burst()
		running = 1
		require.False(t, g.look())
	})
	t.Run("H5 an idle service returns the memory of its peak", func(t *testing.T) {
		running = 0
		burst()
		before := heapObjects()
		require.True(t, g.look())
		require.Less(t, heapObjects(), before-2*idleGCSlack)
		require.False(t, g.look())
	})
	t.Run("it ends with its context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		g.run(ctx)
	})
}

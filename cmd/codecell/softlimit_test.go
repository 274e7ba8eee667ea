package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSoftLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	var l softLimit
	for _, tc := range []struct {
		name        string
		alive, want int64
	}{
		{"with little alive it is the least", 1 << 20, minSoftLimit},
		{"it rises with what is alive", 400 << 20, 600 << 20},
		{"a small difference changes nothing", 404 << 20, 600 << 20},
		{"it falls again", 100 << 20, 150 << 20},
		{"to the least", 0, minSoftLimit},
	} {
		t.Run("H6 "+tc.name, func(t *testing.T) {
			l.adjust(uint64(tc.alive))
			require.Equal(t, tc.want, debug.SetMemoryLimit(-1))
		})
	}
	t.Run("H6 the collector's own count is read", func(t *testing.T) { require.Positive(t, heapAlive()) })
}

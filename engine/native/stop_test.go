//go:build cgo

package native

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/courtesy"
)

func TestStopBeforeStep(t *testing.T) {
	t.Run("G7 a stop that comes just before its step ends a builtin that never looks", func(t *testing.T) {
		h, err := newHeap(8<<20, &courtesy.Raiser{})
		require.NoError(t, err)
		defer h.free()
		begin := engine.Begin{Source: "return [].indexOf.call({length: 2 ** 53 - 1}, 1)", MemoryLimit: 8 << 20, MaxOutput: 1024, MaxValue: 1024}
		h.Arm()
		h.Stop()
		// Without the stop it would take an hour.
		h.step(begin.Append(nil), nil, time.Hour)
		_, ended := h.Effects()
		require.Error(t, ended)
	})
}

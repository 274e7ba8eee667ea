//go:build cgo

package courtesy

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/guest"
)

func TestStarved(t *testing.T) {
	t.Run("H6 a step that gets nowhere gives way no more for a while", func(t *testing.T) {
		control := make([]uint64, guest.ControlSize/8+1)
		c := Of(guest.NewControl(unsafe.Pointer(&control[0])), &Raiser{})
		c.Begin()
		now := time.Now()
		idle := func(after time.Duration) bool { return c.starved(now.Add(after)) }
		require.False(t, idle(0))
		require.False(t, idle(starvedAfter-1))
		require.True(t, idle(starvedAfter), "its thread did not run at all")
		require.True(t, idle(starvedAfter+sparedFor-1))
		require.False(t, idle(starvedAfter+sparedFor))
	})
}

//go:build cgo

package guest

import (
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	_ "github.com/codecell/codecell/engine/aot/code"
)

// TestSandboxStack lets a guest reach the end of its stack.
func TestSandboxStack(t *testing.T) {
	s, err := NewSandbox(64)
	if err != nil {
		require.Equal(t, SandboxMissing(), err)
		require.Empty(t, os.Getenv("CODECELL_AOT"))
		return
	}
	defer s.Free()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const boot = 2
	end := (*uintptr)(unsafe.Pointer(&s.c.stack_end))
	whole := *end
	*end = uintptr(unsafe.Pointer(s.c.reserved)) + 1<<20 + 1<<10
	for range 100 {
		_, err = s.Call(boot, SandboxArgs{0}, time.Minute)
		require.Equal(t, Trap(100), err)
	}
	*end = whole
	s.Freshen(true)
	require.True(t, s.Grow(8))
	_, err = s.Call(boot, SandboxArgs{0}, time.Minute)
	require.NoError(t, err, "it can be used again")
}

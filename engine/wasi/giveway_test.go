package wasi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/internal/linear"
)

func TestTurnTaking(t *testing.T) {
	t.Run("H6 a step rests as long as it has worked, while others want to go first", func(t *testing.T) {
		var turns turnTaking
		now := time.Now()
		turns.wanted.Store(true)
		turns.rest(now)
		require.Equal(t, now, turns.worked, "it begins to work")
		turns.rest(now.Add(restEvery - 1))
		require.Equal(t, now, turns.worked)
		before := time.Now()
		turns.rest(now.Add(restEvery))
		require.GreaterOrEqual(t, turns.worked.Sub(before), restEvery, "it has rested")
	})
	t.Run("H6 it does not where nobody does", func(t *testing.T) {
		var turns turnTaking
		turns.rest(time.Now())
		require.Zero(t, turns.worked)
		turns.wanted.Store(true)
		turns.rest(time.Now())
		turns.wanted.Store(false)
		turns.rest(time.Now().Add(time.Hour))
		require.Zero(t, turns.worked)
	})
}

func TestGiveWay(t *testing.T) {
	t.Run("H6 a step that gives way rests in its loops", func(t *testing.T) {
		wasm, err := Module()
		require.NoError(t, err)
		_, m, err := load(t.Context(), wasm, Options{}.withDefaults())
		require.NoError(t, err)
		defer func() { require.NoError(t, m.close()) }()
		made, err := m.newMachine()
		require.NoError(t, err)
		defer made.Close()
		require.True(t, made.Grow(64<<20/linear.WasmPage))
		_, err = made.Call(linear.Boot, nil, 0, guest.Eager)
		require.NoError(t, err)
		begin := engine.Begin{Source: "let n = 0; for (let i = 0; i < 3e6; i++) n += i % 7; return n", MemoryLimit: 8 << 20, MaxOutput: 1024, MaxValue: 1024}
		const at = 60 << 20
		size := copy(made.Memory()[at:], begin.Append(nil))
		made.Arm()
		made.BeginLast()
		_, err = made.Call(linear.Step, nil, time.Minute, at, uint32(size), 0, 0)
		require.NoError(t, err)
		require.NotZero(t, made.(*machine).turns.worked)
	})
}

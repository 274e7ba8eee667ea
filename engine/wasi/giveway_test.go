package wasi

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
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
	t.Run("H6 a step that gives way rests in its loops, and ends with the same value", func(t *testing.T) {
		e, err := New(Options{})
		require.NoError(t, err)
		defer func() { require.NoError(t, e.Close()) }()
		v, err := e.NewVM(nil)
		require.NoError(t, err)
		defer v.Close()
		begin := engine.Begin{Source: "let n = 0; for (let i = 0; i < 3e6; i++) n += i % 7; return n", MemoryLimit: 8 << 20, MaxOutput: 1024, MaxValue: 1024}
		i := v.(*vm).instance
		i.Arm()
		i.BeginLast()
		i.execute(begin.Append(nil), nil, nil, time.Minute)
		raw, ended := i.Effects()
		require.NoError(t, ended)
		effects, err := engine.DecodeEffects(raw, true)
		require.NoError(t, err)
		require.JSONEq(t, "8999994", string(effects.Main.Value))
		require.NotZero(t, i.turns.worked)
	})
}

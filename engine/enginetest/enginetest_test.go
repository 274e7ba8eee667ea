package enginetest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func TestDecodeInput(t *testing.T) {
	t.Run("Begin round-trips", func(t *testing.T) {
		b := engine.Begin{
			Source: "return '}\n'", TypeScript: true, Truncate: true, MemoryLimit: 1, MaxOutput: 2, MaxValue: 3,
			MaxRequests: 4, MaxTimers: 5, Seed: [32]byte{31: 9},
		}
		in, err := DecodeInput(b.Append(nil))
		require.NoError(t, err)
		require.Equal(t, &b, in.Begin)
	})
	t.Run("answers round-trip in order", func(t *testing.T) {
		answers := []engine.Answer{
			{ID: 7, Kind: engine.AnswerError, Payload: []byte(`{"message":"no"}`)},
			{ID: 1 << 31, Kind: engine.AnswerFired, Payload: []byte{}},
			{ID: 2, Payload: []byte("\"a\x00b\"")},
		}
		in, err := DecodeInput(engine.AppendResume(nil, answers))
		require.NoError(t, err)
		require.Equal(t, answers, in.Answers)
		a, ok := in.Answer(2)
		require.True(t, ok)
		require.Equal(t, answers[2], a)
	})
}

func FuzzDecodeInput(f *testing.F) {
	f.Add((&engine.Begin{Source: "return 1"}).Append(nil))
	f.Add(engine.AppendResume(nil, []engine.Answer{{ID: 1, Payload: []byte("1")}}))
	f.Add([]byte{2, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := DecodeInput(raw)
		if err == nil && in.Begin == nil {
			require.Equal(t, raw, engine.AppendResume(nil, in.Answers))
		}
	})
}

func TestRecords(t *testing.T) {
	thrown := engine.Thrown{IsError: true, Name: "TypeError", Message: "no", Stack: "    at f (cell.js:1:2)\n"}
	out := (&Records{}).Text("a").Console(5, "b").JSON("[1]").Omitted(12).Call(1, "t", "{}").Timer(2, "5").Cancel(2).
		Unhandled(engine.Thrown{Other: "x"}).Clock(99, 2).Reject(thrown).Took(time.Second)
	e, err := out.Decode(true)
	require.NoError(t, err)
	require.Equal(t, []engine.Output{{Data: []byte("a")}, {Level: 5, Data: []byte("b")}, {JSON: true, Data: []byte("[1]")}}, e.Outputs)
	require.Equal(t, []engine.Request{
		{ID: 1, Method: engine.MethodCall, Name: "t", Payload: []byte("{}")},
		{ID: 2, Method: engine.MethodTimer, Payload: []byte("5")},
	}, e.Requests)
	require.Equal(t, []uint32{2}, e.Cancelled)
	require.Equal(t, []engine.Thrown{{Other: "x"}}, e.Unhandled)
	require.Equal(t, []engine.ClockRun{{Millis: 99, Count: 2}}, e.Clock)
	require.Equal(t, int64(12), e.Omitted)
	require.Equal(t, engine.Main{State: engine.Rejected, Thrown: thrown}, e.Main)
	require.Equal(t, time.Second, e.Took)

	e, err = (&Records{}).Fulfil("{}", engine.HintMapOrSet).Decode(true)
	require.NoError(t, err)
	require.Equal(t, engine.Main{State: engine.Fulfilled, Value: []byte("{}"), Hints: engine.HintMapOrSet}, e.Main)
}

func done(_ *Input, out *Records) error {
	out.Fulfil("1", 0)
	return nil
}

func TestMisuse(t *testing.T) {
	begin := (&engine.Begin{Source: "x"}).Append(nil)
	ctx := context.Background()
	t.Run("a well used guest is no misuse", func(t *testing.T) {
		e := Always(done)
		v, err := e.NewVM([]byte("c"))
		require.NoError(t, err)
		effects, err := v.Step(ctx, begin, time.Second)
		require.NoError(t, err)
		require.Equal(t, engine.Fulfilled, effects.Main.State)
		require.Equal(t, 1, e.Stats().InUse)
		_, err = v.Step(ctx, engine.AppendResume(nil, nil), time.Second)
		require.ErrorIs(t, err, engine.ErrProtocol, "the script is over")
		v.Interrupt()
		_, err = v.Step(ctx, engine.AppendResume(nil, nil), time.Second)
		require.ErrorIs(t, err, engine.ErrStopped)
		v.Close()
		require.NoError(t, e.Close())
	})
	t.Run("an open guest", func(t *testing.T) {
		e := Always(done)
		_, err := e.NewVM(nil)
		require.NoError(t, err)
		require.ErrorContains(t, e.Close(), "closed 0 times")
	})
	t.Run("a step after Close, and Close twice", func(t *testing.T) {
		e := Always(done)
		v, err := e.NewVM(nil)
		require.NoError(t, err)
		v.Close()
		_, err = v.Step(ctx, begin, time.Second)
		require.ErrorIs(t, err, engine.ErrClosed)
		v.Close()
		err = e.Close()
		require.ErrorContains(t, err, "after it was closed")
		require.ErrorContains(t, err, "closed 2 times")
	})
	t.Run("full and broken engines", func(t *testing.T) {
		e := Always(done)
		e.Fill(true)
		_, err := e.NewVM(nil)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		e.Fill(false)
		e.Break(engine.ErrMemory)
		_, err = e.NewVM(nil)
		require.ErrorIs(t, err, engine.ErrMemory)
		require.NoError(t, e.Close())
	})
}

package hybrid

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/internal/journal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// waits asks in its first two steps, each of which takes so long, and returns the last answer.
func waits(took time.Duration) enginetest.Script {
	ask := func(id uint32) enginetest.Step {
		return func(_ *enginetest.Input, out *enginetest.Records) error {
			out.Yield(id, "null").Pending().Took(took)
			return nil
		}
	}
	return enginetest.Script{ask(1), ask(2), func(in *enginetest.Input, out *enginetest.Records) error {
		out.Fulfil(string(in.Answers[0].Payload), 0)
		return nil
	}}
}

// pair is a hybrid engine, and the fakes that it is made of.
type pair struct {
	*Engine
	primary  *enginetest.Engine
	portable *enginetest.Portable
}

func newPair(t *testing.T, steps ...enginetest.Step) *pair {
	t.Helper()
	portable := enginetest.NewPortable("b", func(string) enginetest.Script { return steps })
	p := &pair{primary: enginetest.Always(steps...), portable: portable}
	p.Engine = New(p.primary, p.portable)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

func (p *pair) open(t *testing.T) engine.Imager {
	t.Helper()
	guest, err := p.NewVM([]byte("catalog"))
	require.NoError(t, err)
	t.Cleanup(guest.Close)
	require.Implements(t, (*engine.Imager)(nil), guest)
	return guest.(engine.Imager)
}

func begin(t *testing.T, guest engine.VM) {
	t.Helper()
	b := engine.Begin{Source: "cell"}
	_, err := guest.Step(t.Context(), b.Append(nil), time.Second)
	require.NoError(t, err)
}

func resume(t *testing.T, guest engine.VM, id uint32, payload string) *engine.Effects {
	t.Helper()
	input := engine.AppendResume(nil, []engine.Answer{{ID: id, Payload: []byte(payload)}})
	effects, err := guest.Step(t.Context(), input, time.Second)
	require.NoError(t, err)
	return effects
}

func TestCapture(t *testing.T) {
	t.Run("C4 a guest goes on in the portable engine where it was captured", func(t *testing.T) {
		p := newPair(t, waits(0)...)
		guest := p.open(t)
		require.Equal(t, "fake", guest.EngineName())
		begin(t, guest)
		capture, err := guest.Capture()
		require.NoError(t, err)
		resume(t, guest, 1, "10") // which the image knows nothing of
		image, err := capture(t.Context())
		require.NoError(t, err)
		restored, err := p.Restore(t.Context(), image, []byte("catalog"))
		require.NoError(t, err)
		defer restored.Close()
		require.Equal(t, "portable", restored.EngineName())
		resume(t, restored, 1, "20")
		require.Equal(t, "30", string(resume(t, restored, 2, "30").Main.Value))
		require.Equal(t, "40", string(resume(t, guest, 2, "40").Main.Value))
	})
	t.Run("C4 it may be closed before its image is made", func(t *testing.T) {
		p := newPair(t, waits(0)...)
		guest, err := p.NewVM(nil)
		require.NoError(t, err)
		begin(t, guest)
		capture, err := guest.(engine.Imager).Capture()
		require.NoError(t, err)
		guest.Close()
		_, err = capture(t.Context())
		require.NoError(t, err)
	})
	t.Run("C4 a guest that can't be rebuilt exactly is pinned", func(t *testing.T) {
		p := newPair(t, waits(0)...)
		p.portable.Diverge.Store(1)
		guest := p.open(t)
		begin(t, guest)
		_, err := engine.Image(t.Context(), guest)
		require.ErrorIs(t, err, engine.ErrPinned)
		require.ErrorIs(t, err, engine.ErrDiverged)
	})
	t.Run("H5 so is one that has computed for long", func(t *testing.T) {
		guest := newPair(t, waits(maxReplayed/2+1)...).open(t)
		begin(t, guest)
		_, err := engine.Image(t.Context(), guest)
		require.NoError(t, err)
		resume(t, guest, 1, "1")
		_, err = guest.Capture()
		require.ErrorIs(t, err, engine.ErrPinned)
		require.NotErrorIs(t, err, engine.ErrDiverged)
	})
	t.Run("H5 and one that was given much", func(t *testing.T) {
		guest := newPair(t, waits(0)...).open(t)
		begin(t, guest)
		resume(t, guest, 1, `"`+strings.Repeat("x", journal.MaxBytes)+`"`)
		_, err := guest.Capture()
		require.ErrorIs(t, err, engine.ErrPinned)
	})
	t.Run("H5 one for which there is no room now is not", func(t *testing.T) {
		p := newPair(t, waits(0)...)
		guest := p.open(t)
		begin(t, guest)
		p.portable.Fill(true)
		_, err := engine.Image(t.Context(), guest)
		require.ErrorIs(t, err, engine.ErrOverloaded)
		require.NotErrorIs(t, err, engine.ErrPinned)
	})
	t.Run("H2 one whose step was ended is not copied out", func(t *testing.T) {
		guest := newPair(t, func(*enginetest.Input, *enginetest.Records) error { return engine.ErrMemory }).open(t)
		b := engine.Begin{Source: "cell"}
		_, err := guest.Step(t.Context(), b.Append(nil), time.Second)
		require.ErrorIs(t, err, engine.ErrMemory)
		_, err = guest.Capture()
		require.ErrorIs(t, err, engine.ErrClosed)
	})
	t.Run("C4 a guest that can be copied out as it is stays as it is", func(t *testing.T) {
		inner := enginetest.NewPortable("b", func(string) enginetest.Script { return waits(0) })
		e := New(inner, enginetest.NewPortable("other", func(string) enginetest.Script { return waits(0) }))
		guest, err := e.NewVM(nil)
		require.NoError(t, err)
		_, wrapped := guest.(*vm)
		require.False(t, wrapped)
		guest.Close()
		require.NoError(t, e.Close())
	})
}

// capable is an engine with every optional capability.
type capable struct {
	*enginetest.Engine
	err error
}

func (c *capable) Ready() error               { return c.err }
func (c *capable) Report() []string           { return []string{"noted"} }
func (c *capable) UnenforcedLimits() []string { return []string{engine.LimitFootprint} }

func TestEngine(t *testing.T) {
	portable := enginetest.NewPortable("b", nil)
	portable.FailToLoad(errors.New("still compiling"))
	t.Run("A8 no guest waits for the portable engine to begin", func(t *testing.T) {
		e := New(enginetest.Always(), portable)
		require.NoError(t, e.Ready())
		_, err := e.Build()
		require.ErrorContains(t, err, "still compiling")
		require.Empty(t, e.Report())
		require.Empty(t, e.UnenforcedLimits())
	})
	t.Run("A8 what the primary engine lacks is passed on", func(t *testing.T) {
		e := New(&capable{enginetest.Always(), errors.New("no worker")}, portable)
		require.ErrorContains(t, e.Ready(), "no worker")
		require.Equal(t, []string{"noted"}, e.Report())
		require.Equal(t, []string{engine.LimitFootprint}, e.UnenforcedLimits())
		require.Equal(t, "fake", e.Name())
	})
}

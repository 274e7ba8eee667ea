package worker

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/internal/frame/frametest"
	"github.com/codecell/codecell/engine/internal/wire"
)

// written is a frame as it goes over the wire.
func written(t testing.TB, kind byte, body []byte) []byte {
	p := &frametest.Pipe{}
	c := frame.Conn{Socket: p}
	require.NoError(t, c.WriteFrame(append(c.NewFrame(kind), body...)))
	return p.Bytes()
}

var steps = map[string]stepRequest{
	"a first step":   {guest: 7, until: time.Second, fresh: true, catalog: catalog{id: 3, text: []byte("c")}, closed: []uint64{1, 2}, input: []byte("in")},
	"a known one":    {guest: 7, fresh: true, catalog: catalog{id: 3, known: true}, input: []byte("in")},
	"a later step":   {guest: 1 << 60, until: time.Hour, input: []byte("in")},
	"a long run's":   {guest: 7, long: true, input: []byte("in")},
	"a replayed one": {guest: 7, replayed: true, clock: []engine.ClockRun{{Millis: -1, Count: 2}, {Millis: 1 << 60, Count: 1 << 31}}, input: []byte("in")},
}

var outcomesOfSteps = map[string]stepReply{
	"effects":           {wall: 2, cpu: 1, heap: 9, raw: []byte("raw")},
	"no effects":        {err: engine.ErrTimeout, closed: true},
	"effects of naught": {err: engine.ErrMemory, closed: true, raw: []byte{}},
}

func TestMessages(t *testing.T) {
	for name, want := range steps {
		t.Run("H1 "+name+" arrives", func(t *testing.T) {
			var got stepRequest
			require.NoError(t, got.parse(want.append(nil)))
			require.Equal(t, want, got)
		})
	}
	for name, want := range outcomesOfSteps {
		t.Run("H1 a step's outcome arrives: "+name, func(t *testing.T) {
			var got stepReply
			require.NoError(t, got.parse(want.append(nil)))
			require.Equal(t, want, got)
		})
	}
	t.Run("H1 what is to be restored arrives", func(t *testing.T) {
		want := restoreRequest{guest: 5, catalog: catalog{id: 1, text: []byte("c")}, image: []byte("image")}
		var got restoreRequest
		require.NoError(t, got.parse(want.append(nil)))
		require.Equal(t, want, got)
	})
	t.Run("B8 every error of an engine is the same one on the other side", func(t *testing.T) {
		for _, want := range outcomes {
			r := read(appendOutcome(nil, want))
			require.Equal(t, want, r.outcome())
			require.NoError(t, r.err())
		}
	})
	t.Run("B8 one with a text keeps it, for the log, within bounds", func(t *testing.T) {
		r := read(appendOutcome(nil, fmt.Errorf("%w: %s", engine.ErrBroken, strings.Repeat("x", 2*maxDetail))))
		got := r.outcome()
		require.ErrorIs(t, got, engine.ErrBroken)
		require.Len(t, got.Error(), maxDetail)
	})
	t.Run("B8 one without a name is the engine's", func(t *testing.T) {
		r := read(appendOutcome(nil, errors.New("odd")))
		require.ErrorIs(t, r.outcome(), errOther)
	})
	t.Run("H2 a forged count allocates nothing", func(t *testing.T) {
		r := read([]byte{0xff, 0xff, 0xff, 0xff, 1})
		require.Nil(t, r.guests())
		require.Error(t, r.err())
	})
}

// FuzzAnswers gives the parent's side whatever a worker might send.
func FuzzAnswers(f *testing.F) {
	for _, s := range outcomesOfSteps {
		f.Add(s.append(nil))
	}
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, body []byte) {
		var s stepReply
		if s.parse(body) != nil {
			return
		}
		require.LessOrEqual(t, s.wall, maxDuration)
		require.GreaterOrEqual(t, s.cpu, time.Duration(0))
		require.GreaterOrEqual(t, s.heap, 0)
		require.LessOrEqual(t, len(s.raw), len(body))
		if s.raw != nil {
			_, _ = engine.DecodeEffects(s.raw, s.err == nil)
		}
		// What was understood is what would be sent.
		var again stepReply
		require.NoError(t, again.parse(s.append(nil)))
		require.Equal(t, fmt.Sprint(s.err), fmt.Sprint(again.err))
		require.Equal(t, s.raw, again.raw)
	})
}

// FuzzAsk gives a worker whatever a parent might ask: it answers, or says that this is not the protocol.
func FuzzAsk(f *testing.F) {
	for _, s := range steps {
		s.input = begin("a b")
		f.Add(byte(requestStep), s.append(nil))
	}
	f.Add(byte(requestRestore), (&restoreRequest{guest: 1, image: []byte("{}")}).append(nil))
	f.Add(byte(requestImage), wire.U64(nil, 1))
	f.Add(byte('?'), []byte{})
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		e := enginetest.NewPortable("b", func(source string) enginetest.Script {
			return enginetest.Script{func(_ *enginetest.Input, out *enginetest.Records) error {
				out.Call(1, "next", "{}").Pending()
				return nil
			}}
		})
		s := newServer(e, 1<<20)
		conn := frametest.Reading(append(written(t, kind, body), written(t, requestFootprint, wire.U64(nil, 1))...))
		err := s.serveConn(&frame.Conn{Socket: conn})
		if !errors.Is(err, frame.ErrProtocol) {
			require.ErrorIs(t, err, io.EOF)
			require.NotZero(t, conn.Len())
		}
		var open []uint64
		for id := range s.guests {
			open = append(open, id)
		}
		s.close(open)
		// A parent that asks for anything may misuse guests, which Close reports; but none may be left open.
		_ = e.Close()
		for _, vm := range e.VMs() {
			require.EqualValues(t, 1, vm.Closed())
		}
	})
}

// FuzzControl gives a worker's control stream whatever a parent might say.
func FuzzControl(f *testing.F) {
	f.Add(byte(controlPing), appendGuests(nil, []uint64{1, 2, 3}))
	f.Add(byte(controlInterrupt), wire.U64(nil, 1))
	f.Add(byte(controlHello), []byte("{}"))
	f.Fuzz(func(t *testing.T, kind byte, body []byte) {
		e := enginetest.NewPortable("b", nil)
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		s := &server{engine: e, guests: map[uint64]*hostedGuest{1: {VM: vm}}}
		err = s.serveControl(&frame.Conn{Socket: frametest.Reading(written(t, kind, body))})
		if err != nil {
			require.ErrorIs(t, err, frame.ErrProtocol)
		}
		s.close([]uint64{1})
		require.NoError(t, e.Close())
	})
}

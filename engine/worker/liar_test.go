package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// lies are what a worker that was taken over may answer to a step. A nil answer ends the connection there.
var lies = map[string]func(l *stream) []byte{
	"longer than memory":   func(*stream) []byte { return []byte{0xff, 0xff, 0xff, 0xff, tellStep} },
	"another kind":         func(l *stream) []byte { return sealed(l.frame('?')) },
	"an empty step":        func(l *stream) []byte { return sealed(l.frame(tellStep)) },
	"no effects":           func(l *stream) []byte { return sealed((&stepped{}).append(l.frame(tellStep))) },
	"forged effects":       func(l *stream) []byte { return sealed((&stepped{raw: []byte("Zzzzz")}).append(l.frame(tellStep))) },
	"an unknown error":     func(l *stream) []byte { return sealed(append(l.frame(tellStep), 200, 0, 0, 0, 0)) },
	"catalogs without end": func(l *stream) []byte { return sealed(l.frame(tellCatalog)) },
	"two answers": func(l *stream) []byte {
		one := bytes.Clone(sealed(settled(l)))
		return append(one, one...)
	},
	"half a frame":      func(l *stream) []byte { return sealed(settled(l))[:12] },
	"half a frame head": func(l *stream) []byte { return sealed(settled(l))[:3] },
	"an image":          func(l *stream) []byte { return sealed(appendOutcome(l.frame(tellImage), nil)) },
	"years of time": func(l *stream) []byte {
		return sealed((&stepped{wall: 1 << 62, cpu: 1 << 62, heap: -1, raw: settledRecords}).append(l.frame(tellStep)))
	},
}

var settledRecords = []byte{'D', 1, 0, 0, 0, byte(engine.Settled)}

func settled(l *stream) []byte { return (&stepped{raw: settledRecords}).append(l.frame(tellStep)) }

func sealed(frame []byte) []byte {
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-frameHead))
	return frame
}

// lie is the life of a worker that does not keep to the protocol: the cell says how.
func lie() error {
	control, err := inherited(controlDescriptor)
	if err != nil {
		return err
	}
	_, body, err := control.read(maxControl)
	if err != nil {
		return err
	}
	var h hello
	if err := json.Unmarshal(body, &h); err != nil {
		return err
	}
	for i := range h.Lanes {
		lane, err := inherited(firstLane + i)
		if err != nil {
			return err
		}
		go func() {
			for {
				_, body, err := lane.read(h.mostAsked())
				if err != nil {
					return
				}
				answerWith(lane, body)
			}
		}()
	}
	if err := say(control, sayReady, &ready{Name: "liar"}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, control.socket.(*os.File))
	return err
}

func answerWith(lane *stream, body []byte) {
	for name, lie := range lies {
		if bytes.Contains(body, []byte(name)) {
			told := lie(lane)
			_, _ = lane.socket.Write(told)
			if len(told) < frameHead || len(told) == 12 {
				_ = lane.socket.Close()
			}
			return
		}
	}
	_, _ = lane.socket.Write(sealed(settled(lane)))
}

func TestH3Liars(t *testing.T) {
	e := workers(t, Options{Settings: Settings{Engine: "fake"}, Command: []string{"worker", "liar"}})
	for name := range lies {
		t.Run("H3 a worker that answers with "+name, func(t *testing.T) {
			vm := guest(t, e)
			effects, err := vm.Step(t.Context(), begin(name), longEnough)
			if name == "years of time" { // which it has not got
				require.NoError(t, err)
				require.Less(t, effects.Took, longEnough)
				require.LessOrEqual(t, effects.CPU, effects.Took)
				require.LessOrEqual(t, vm.HeapBytes(), 1<<40)
				return
			}
			require.ErrorIs(t, err, engine.ErrBroken)
			require.Nil(t, effects)
			effects, err = guest(t, e).Step(t.Context(), begin("an honest answer"), longEnough)
			require.NoError(t, err)
			require.Equal(t, engine.Settled, effects.Main.State)
		})
	}
	t.Run("H3 a worker that says nothing is ended", func(t *testing.T) {
		p := serving(t, e)
		p.heard.Store(int64(time.Since(p.born) - silence - time.Second))
		e.fleet.inspect()
		<-p.gone
		require.Contains(t, p.death.why, "did not say that it lives")
	})
}

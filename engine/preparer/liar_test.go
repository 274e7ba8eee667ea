package preparer

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/internal/child"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/internal/frame/frametest"
	"github.com/codecell/codecell/engine/internal/wire"
	"github.com/codecell/codecell/engine/script"
)

// lie is a process that somebody else has taken over.
func lie(how string) error {
	socket, err := child.Inherited(0)
	if err != nil {
		return err
	}
	conn := &frame.Conn{Socket: socket}
	if how == "die" {
		return errors.New("I can't")
	}
	if _, _, err := conn.ReadFrame(maxHello); err != nil {
		return err
	}
	text, _ := json.Marshal(&ready{})
	if err := conn.WriteFrame(append(conn.NewFrame(sayReady), text...)); err != nil {
		return err
	}
	for {
		if _, _, err := conn.ReadFrame(maxAsked); err != nil {
			return err
		}
		switch how {
		case "crash":
			os.Exit(2)
		case "hang up":
			_ = socket.Close()
			time.Sleep(time.Hour)
		case "size":
			_, err = socket.Write([]byte{255, 255, 255, 255, tellResult})
		case "kind":
			err = conn.WriteFrame(conn.NewFrame('x'))
		case "twice":
			err = conn.WriteFrame(append(conn.NewFrame(tellResult), bytes.Repeat([]byte{0, 0, 0, 0, tellResult}, 2)...))
		case "outcome":
			err = conn.WriteFrame(append(conn.NewFrame(tellResult), 77))
		case "beyond":
			err = conn.WriteFrame(wire.U32(append(conn.NewFrame(tellResult), 1, 0, 0), 1<<31-1))
		}
		if err != nil {
			return err
		}
	}
}

// H2: the parent believes nothing of what a child says.
func TestLiars(t *testing.T) {
	for _, how := range []string{"size", "kind", "twice", "outcome", "beyond"} {
		t.Run("H2 "+how, func(t *testing.T) {
			pool := newPool(t, Options{Command: []string{asLiar, how}})
			_, _, err := pool.Prepare(t.Context(), request("a", large, script.TypeScript))
			require.ErrorIs(t, err, script.ErrUnavailable)
			require.Zero(t, pool.Stats().Idle, "it is not asked again")
		})
	}
	t.Run("H2 a process that breaks its connection and lives on is ended", func(t *testing.T) {
		pool := newPool(t, Options{Command: []string{asLiar, "hang up"}})
		_, _, err := pool.Prepare(t.Context(), request("a", large, script.TypeScript))
		require.Error(t, err)
		require.Zero(t, pool.Stats().Idle)

		spawner := child.NewSpawner()
		defer spawner.Close()
		p, err := start(spawner, []string{asLiar, "hang up"}, false)
		require.NoError(t, err)
		v := p.parse(t.Context(), &question{text: large, language: script.TypeScript}, time.Minute)
		require.ErrorIs(t, v.err, errKilled)
		<-p.Exited()
		require.True(t, p.WasKilled())
	})
}

func FuzzExchange(f *testing.F) {
	say := func(kind byte, body []byte) []byte {
		return append(append(wire.U32(nil, len(body)), kind), body...)
	}
	source, err := script.Prepare("let a: number = 1", script.TypeScript, script.Options{})
	f.Add(say(tellResult, script.AppendOutcome(nil, source, err)))
	f.Add(say(tellResult, script.AppendOutcome(nil, nil, &script.Error{Text: "no", Line: 1, Column: 9})))
	f.Add(say(sayReady, []byte(`{"sandbox":{"Lacks":["all"]}}`)))
	f.Fuzz(func(t *testing.T, said []byte) {
		q := question{text: "let a: number = 1", language: script.TypeScript}
		p := &process{conn: frame.Conn{Socket: frametest.Reading(said)}}
		_ = p.greet(true)
		p.conn = frame.Conn{Socket: frametest.Reading(said)}
		body, err := p.exchange(&q)
		if err != nil {
			return
		}
		source, err := script.ReadOutcome(q.text, q.language, body)
		if err == nil {
			line, column := source.Position(1, 5)
			require.Equal(t, 1, line)
			require.LessOrEqual(t, column, len(q.text)+1)
		}
	})
}

package worker

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/frame"
)

// forgedReplies are what a worker that was taken over may answer to a step. One that is cut short ends the connection there.
var forgedReplies = map[string]func(l *frame.Conn) []byte{
	"longer than memory": func(*frame.Conn) []byte { return []byte{0xff, 0xff, 0xff, 0xff, replyStep} },
	"another kind":       func(l *frame.Conn) []byte { return sealed(l.NewFrame('?')) },
	"an empty step":      func(l *frame.Conn) []byte { return sealed(l.NewFrame(replyStep)) },
	"no effects":         func(l *frame.Conn) []byte { return sealed((&stepReply{}).append(l.NewFrame(replyStep))) },
	"forged effects": func(l *frame.Conn) []byte {
		return sealed((&stepReply{raw: []byte("Zzzzz")}).append(l.NewFrame(replyStep)))
	},
	"an unknown error":     func(l *frame.Conn) []byte { return sealed(append(l.NewFrame(replyStep), 200, 0, 0, 0, 0)) },
	"catalogs without end": func(l *frame.Conn) []byte { return sealed(l.NewFrame(replyCatalog)) },
	"two answers": func(l *frame.Conn) []byte {
		one := bytes.Clone(sealed(settled(l)))
		return append(one, one...)
	},
	"half a frame":      func(l *frame.Conn) []byte { return sealed(settled(l))[:12] },
	"half a frame head": func(l *frame.Conn) []byte { return sealed(settled(l))[:3] },
	"an image":          func(l *frame.Conn) []byte { return sealed(appendOutcome(l.NewFrame(replyImage), nil)) },
	"no processor time": func(l *frame.Conn) []byte {
		began := time.Now()
		for time.Since(began) < 200*time.Millisecond { // which it takes all the same
		}
		return sealed((&stepReply{wall: time.Since(began), raw: settledRecords}).append(l.NewFrame(replyStep)))
	},
	"a large reply": func(l *frame.Conn) []byte {
		text := make([]byte, 8<<20)
		records := append(binary.LittleEndian.AppendUint32([]byte{'T'}, uint32(1+len(text))), 0)
		records = append(append(records, text...), settledRecords...)
		return sealed((&stepReply{raw: records}).append(l.NewFrame(replyStep)))
	},
	"years of time": func(l *frame.Conn) []byte {
		return sealed((&stepReply{wall: 1 << 62, cpu: 1 << 62, heap: -1, raw: settledRecords}).append(l.NewFrame(replyStep)))
	},
}

var settledRecords = []byte{'D', 1, 0, 0, 0, byte(engine.Settled)}

func settled(l *frame.Conn) []byte {
	return (&stepReply{raw: settledRecords}).append(l.NewFrame(replyStep))
}

func sealed(b []byte) []byte {
	binary.LittleEndian.PutUint32(b, uint32(len(b)-frame.HeadBytes))
	return b
}

// greeted reads what the parent says first, and returns a worker's connections.
func greeted() (*frame.Conn, *hello, []*frame.Conn, error) {
	control, err := inherited(controlConn)
	if err != nil {
		return nil, nil, nil, err
	}
	_, body, err := control.ReadFrame(maxControl)
	if err != nil {
		return nil, nil, nil, err
	}
	var h hello
	if err := json.Unmarshal(body, &h); err != nil {
		return nil, nil, nil, err
	}
	conns := make([]*frame.Conn, h.Conns)
	for i := range conns {
		if conns[i], err = inherited(firstConn + i); err != nil {
			return nil, nil, nil, err
		}
	}
	return control, &h, conns, nil
}

// forge is a worker that does not keep to the protocol: the cell names the reply.
func forge() error {
	control, h, conns, err := greeted()
	if err != nil {
		return err
	}
	for _, conn := range conns {
		go func() {
			for {
				_, body, err := conn.ReadFrame(h.maxRequest())
				if err != nil {
					return
				}
				if bytes.Contains(body, []byte(noControl)) {
					_ = control.Close()
				}
				answerWith(conn, body)
			}
		}()
	}
	if err := sendJSON(control, controlReady, &ready{Name: "forger"}); err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, control)
	select {} // also when nobody controls it any more
}

// noControl has a forger close the connection on which it is told to end, and live on.
const noControl = "no control"

func answerWith(conn *frame.Conn, body []byte) {
	for name, reply := range forgedReplies {
		if bytes.Contains(body, []byte(name)) {
			told := reply(conn)
			_, _ = conn.Write(told)
			if len(told) < frame.HeadBytes || len(told) == 12 {
				_ = conn.Close()
			}
			return
		}
	}
	_, _ = conn.Write(sealed(settled(conn)))
}

func TestH3ForgedReplies(t *testing.T) {
	e := workers(t, Options{Settings: Settings{Engine: "fake"}, Command: []string{"worker", "forger"}})
	for name := range forgedReplies {
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
			switch name {
			case "no processor time":
				require.NoError(t, err)
				// How much of its time it had a processor is up to the machine, but it had one.
				require.Greater(t, effects.CPU, 20*time.Millisecond, "the kernel knows better")
				return
			case "a large reply":
				require.NoError(t, err)
				require.Len(t, effects.Outputs[0].Data, 8<<20)
				requireNothingHeld(t, e)
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
		p.lastHeartbeat.Store(int64(time.Since(p.born) - heartbeatTimeout - time.Second))
		e.pool.inspect()
		<-p.exited
		require.Contains(t, p.reason.text, "did not say that it lives")
	})
}

func TestLivesOn(t *testing.T) {
	for name, cell := range map[string]string{
		"a step's connection": "half a frame", "the connection on which it is controlled": noControl,
	} {
		t.Run("H3 a worker that closes "+name+" and lives on is ended", func(t *testing.T) {
			e := workers(t, Options{Settings: Settings{Engine: "fake"}, Command: []string{"worker", "forger"}})
			p := serving(t, e)
			_, _ = guest(t, e).Step(t.Context(), begin(cell), longEnough)
			<-p.exited
			require.Equal(t, "it closed its connection and lived on", p.reason.text)
			require.True(t, p.reason.crashed)
			require.True(t, p.WasKilled())
		})
	}
}

// requireNothingHeld checks that no connection keeps a large buffer, and that no bytes are reserved for one.
func requireNothingHeld(t *testing.T, e *Engine) {
	t.Helper()
	b := e.pool.replies
	b.mu.Lock()
	defer b.mu.Unlock()
	require.Equal(t, largeReplyBytes, b.free)
}

func TestReplyBudget(t *testing.T) {
	t.Run("H6 large replies wait for one another, and the sum is bounded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newReplyBudget()
			require.Equal(t, largeReplyBytes, b.acquire(4*largeReplyBytes), "one that is larger than all takes all")
			got := make(chan int)
			go func() { got <- b.acquire(10) }()
			synctest.Wait()
			select {
			case <-got:
				t.Fatal("there was no room")
			default:
			}
			b.release(largeReplyBytes)
			require.Equal(t, 10, <-got)
			require.Equal(t, largeReplyBytes-10, b.free)
		})
	})
}

func TestThreads(t *testing.T) {
	t.Run("H1 the threads of a worker are counted", func(t *testing.T) {
		e := workers(t, Options{Settings: Settings{Engine: "fake"}})
		require.NoError(t, e.Ready())
		e.pool.mu.Lock()
		n := e.pool.all()[0].Threads()
		e.pool.mu.Unlock()
		require.Greater(t, n, 1)
		require.Less(t, n, maxThreads(e.pool.hello.Conns))
	})
}

package worker

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/internal/wire"
)

// lieMark is in the input of a step that a lying worker is to lie about; hexadecimal digits and a full stop follow.
const lieMark = "lie:"

// lies are what a lying worker does instead of answering, or before it. Each says whether an honest answer follows.
var lies = []func(l *lying, conn *frame.Conn, honest []byte) bool{
	func(*lying, *frame.Conn, []byte) bool { return true }, // the truth
	func(l *lying, conn *frame.Conn, honest []byte) bool { // some bytes are others
		forged := bytes.Clone(honest)
		for range 1 + l.random.IntN(4) {
			forged[l.random.IntN(len(forged))] = byte(l.random.Uint32())
		}
		_, _ = conn.Write(forged)
		return false
	},
	func(_ *lying, conn *frame.Conn, honest []byte) bool { // two answers
		_, _ = conn.Write(append(bytes.Clone(honest), honest...))
		return false
	},
	func(_ *lying, conn *frame.Conn, honest []byte) bool { // half of one
		_, _ = conn.Write(honest[:len(honest)/2])
		return false
	},
	func(l *lying, conn *frame.Conn, _ []byte) bool { // noise
		_, _ = conn.Write(l.noise(1 + l.random.IntN(1<<l.random.IntN(16))))
		return false
	},
	func(l *lying, conn *frame.Conn, _ []byte) bool { // a length without a body
		_, _ = conn.Write(wire.U32(nil, l.maxReply-l.random.IntN(2)*l.random.IntN(l.maxReply)))
		return false
	},
	func(l *lying, conn *frame.Conn, _ []byte) bool { // as much as is allowed
		_, _ = conn.Write(append(append(wire.U32(nil, l.maxReply), replyStep), make([]byte, l.maxReply)...))
		return false
	},
	func(l *lying, conn *frame.Conn, _ []byte) bool { // as many records as are allowed
		var one, all enginetest.Records
		one.Call(1, "x", "1").Text("").Unhandled(engine.Thrown{}).Cancel(1)
		raw := rawOf(&one)
		_, _ = conn.Write(sealed((&stepReply{
			raw: append(bytes.Repeat(raw, l.maxReply/2/len(raw)), rawOf(all.Pending())...),
		}).append(conn.NewFrame(replyStep))))
		return false
	},
	func(_ *lying, conn *frame.Conn, honest []byte) bool { // byte by byte, and never to the end
		for _, b := range honest[:len(honest)-1] {
			if _, err := conn.Write([]byte{b}); err != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		return false
	},
	func(*lying, *frame.Conn, []byte) bool { return false }, // nothing
	func(_ *lying, conn *frame.Conn, _ []byte) bool { // no connection
		_ = conn.Close()
		return false
	},
	func(l *lying, _ *frame.Conn, _ []byte) bool { // heartbeats without end
		for range 10_000 {
			l.say(controlPong, wire.U32(nil, int(l.random.Uint32())))
		}
		return true
	},
	func(l *lying, _ *frame.Conn, _ []byte) bool { // noise on the control stream
		l.say(byte(l.random.Uint32()), l.noise(l.random.IntN(1<<12)))
		return true
	},
	func(l *lying, _ *frame.Conn, _ []byte) bool { // a length on the control stream
		l.controlMu.Lock()
		defer l.controlMu.Unlock()
		_, _ = l.control.Write([]byte{0xff, 0xff, 0xff, 0xff, controlPong})
		return true
	},
	func(l *lying, conn *frame.Conn, _ []byte) bool { // an answer to something else
		kinds := []byte{replyStep, replyRestored, replyImage, replyFootprint, replyCatalog}
		_, _ = conn.Write(sealed(appendOutcome(conn.NewFrame(kinds[l.random.IntN(len(kinds))]), outcomes[l.random.IntN(len(outcomes))])))
		return false
	},
	func(l *lying, conn *frame.Conn, _ []byte) bool { // times and sizes that can't be
		_, _ = conn.Write(sealed((&stepReply{
			wall: time.Duration(l.random.Uint64()), cpu: time.Duration(l.random.Uint64()), heap: int(l.random.Uint64()),
			closed: l.random.IntN(2) == 0, raw: settledRecords,
		}).append(conn.NewFrame(replyStep))))
		return false
	},
}

func rawOf(r *enginetest.Records) []byte {
	effects, err := r.Decode(false)
	if err != nil {
		panic(err)
	}
	return effects.Raw()
}

// liar is a worker that serves honestly, but for the steps whose input says how to lie.
type liar struct {
	*server
	maxReply  int
	controlMu sync.Mutex // held while a lie writes to control
	control   *frame.Conn
}

// lying is a liar at one lie.
type lying struct {
	*liar
	random *rand.Rand
}

// answer answers one request.
func (l *liar) answer(conn *frame.Conn, kind byte, body []byte) error {
	script := lieIn(body)
	honest, closed, err := l.handle(conn, kind, body)
	if err != nil {
		return err
	}
	honest = bytes.Clone(sealed(honest))
	for n, lie := range script {
		now := &lying{l, rand.New(rand.NewPCG(uint64(lie), uint64(n)))}
		if !lies[int(lie)%len(lies)](now, conn, honest) {
			return nil
		}
	}
	_, err = conn.Write(honest)
	l.close(closed)
	return err
}

// lieIn returns how to lie, nil for not at all.
func lieIn(body []byte) []byte {
	_, after, found := bytes.Cut(body, []byte(lieMark))
	digits, _, ended := bytes.Cut(after, []byte("."))
	script, err := hex.DecodeString(string(digits))
	if !found || !ended || err != nil {
		return nil
	}
	return script
}

func (l *lying) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(l.random.Uint32())
	}
	return b
}

func (l *liar) say(kind byte, body []byte) {
	l.controlMu.Lock()
	defer l.controlMu.Unlock()
	_ = l.control.WriteFrame(append(l.control.NewFrame(kind), body...))
}

// serveLiar is what a lying worker does from beginning to end.
func serveLiar() error {
	control, h, conns, err := greeted()
	if err != nil {
		return err
	}
	e, err := open(h.Settings)
	if err != nil {
		return err
	}
	l := &liar{server: newServer(e, h.maxRequest()), control: control, maxReply: (&pool{hello: *h}).maxReply()}
	for _, conn := range conns {
		go func() {
			for {
				kind, body, err := conn.ReadFrame(h.maxRequest())
				if err != nil || l.answer(conn, kind, body) != nil {
					return
				}
			}
		}()
	}
	if err := sendJSON(control, controlReady, &ready{Name: "liar", Build: "fake build"}); err != nil {
		return err
	}
	if err := l.serveControl(control); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, control)
	return err
}

// heapWatch notes the largest size of this process's heap until it is stopped.
type heapWatch struct {
	stop chan struct{}
	most chan uint64
}

func heapBytes() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func watchHeap() *heapWatch {
	w := &heapWatch{make(chan struct{}), make(chan uint64)}
	go func() {
		var most uint64
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				most = max(most, heapBytes())
			case <-w.stop:
				w.most <- most
				return
			}
		}
	}()
	return w
}

func (w *heapWatch) peak() uint64 {
	close(w.stop)
	return <-w.most
}

const (
	liarHeap = 4 << 20
	// lieTimeout is what a step has that is lied about.
	lieTimeout = 50 * time.Millisecond
	// lieMemory is what the parent may take for one lie, with what the collector has not found yet: a reply as long as is
	// allowed, and what it is decoded to.
	lieMemory = 24 * liarHeap
)

func liars(t testing.TB) *Engine {
	return workers(t, Options{
		Settings: Settings{Engine: "fake", Steps: 4, HeapBytes: liarHeap}, Command: []string{"worker", "liar"}, Workers: 2,
	})
}

// requireBounded has a guest's worker lie about its first or second step, and checks what it costs: the step ends, no more
// workers are lost than may be, the memory is bounded, and a guest that was there before goes on.
func requireBounded(t testing.TB, e *Engine, script []byte, second bool) {
	t.Helper()
	e.pool.mu.Lock()
	e.pool.crashes, e.pool.nextStart = 0, time.Time{} // no pause: the test is not about that
	e.pool.mu.Unlock()
	other, err := e.NewVM(nil)
	require.NoError(t, err)
	defer other.Close()
	_, err = other.Step(t.Context(), begin("a b c"), longEnough)
	require.NoError(t, err)
	liar, err := e.NewVM(nil)
	require.NoError(t, err)
	defer liar.Close()

	debug.FreeOSMemory()
	before, lost, heap := heapBytes(), e.Workers().Lost, watchHeap()
	lie := fmt.Sprintf("%s%x.", lieMark, script)
	first, timeout := lie, lieTimeout
	if second {
		first, timeout = "a b", longEnough
	}
	effects, err := liar.Step(t.Context(), begin(first), timeout)
	if second {
		require.NoError(t, err)
		effects, err = liar.Step(t.Context(), answer(1, `"`+lie+`"`), lieTimeout)
	}
	peak := heap.peak()
	require.True(t, err != nil || effects != nil)
	if effects != nil {
		require.LessOrEqual(t, effects.CPU, effects.Took)
		require.Less(t, effects.Took, longEnough)
	}
	require.LessOrEqual(t, e.Workers().Lost-lost, int64(maxLosses+1))
	require.Less(t, int64(peak)-int64(before), int64(lieMemory))

	_, err = other.Step(t.Context(), answer(1, "1"), longEnough)
	require.NoError(t, err, "another guest goes on")
}

func TestLiar(t *testing.T) {
	e := liars(t)
	for n := range lies {
		for _, second := range []bool{false, true} {
			t.Run(fmt.Sprintf("H1 H3 H6 lie %d, in a later step: %t", n, second), func(t *testing.T) {
				requireBounded(t, e, []byte{byte(n)}, second)
			})
		}
	}
	t.Run("H3 lies at once from many guests end, and guests that are not lied about go on", func(t *testing.T) {
		var done sync.WaitGroup
		for n := range lies {
			vm := guest(t, e)
			done.Go(func() {
				_, _ = vm.Step(t.Context(), begin(fmt.Sprintf("%s%x.", lieMark, []byte{byte(n)})), lieTimeout)
			})
		}
		done.Wait()
		_, err := guest(t, e).Step(t.Context(), begin("a"), longEnough)
		require.NoError(t, err)
	})
}

// FuzzLiar has living workers lie to the parent, in whatever order.
func FuzzLiar(f *testing.F) {
	for n := 0; n < len(lies); n += 3 {
		f.Add([]byte{11, byte(n), byte(len(lies) + n)}, n%2 == 0)
	}
	e := liars(f)
	f.Fuzz(func(t *testing.T, script []byte, second bool) {
		requireBounded(t, e, script[:min(len(script), 8)], second)
	})
}

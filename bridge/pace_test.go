package bridge

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// paced is a run of a turn of a tenant, and one invocation of it.
type paced struct {
	*run
	*invocation
}

func pacedOf(tenant *engine.Share) *paced {
	ctx, cancel := context.WithCancel(context.Background())
	t := &Turn{share: tenant.Sub(), of: &tenancy{share: tenant}}
	return &paced{&run{turn: t, ctx: ctx, cancel: cancel}, &invocation{limit: 100 * time.Millisecond, left: 100 * time.Millisecond}}
}

// rests returns for how long the invocation rests.
func (p *paced) rests(pace *pace) time.Duration {
	began := time.Now()
	pace.rest(p.run, p.invocation)
	return time.Since(began)
}

func TestPace(t *testing.T) {
	inTime := func(name string, f func(*testing.T, *pace)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPace()
				f(t, &p)
			})
		})
	}
	shortOne := func(p *pace, tenant *engine.Share) {
		short := pacedOf(tenant)
		p.ended(short.run, short.invocation)
	}
	longOne := func(tenant *engine.Share) *paced {
		long := pacedOf(tenant)
		long.used = longInvocation + time.Millisecond
		return long
	}

	inTime("H6 a long invocation rests while short ones come and go", func(t *testing.T, p *pace) {
		long := longOne(&engine.Share{})
		require.Zero(t, long.rests(p), "nobody else is there")
		shortOne(p, &engine.Share{})
		require.Equal(t, maxRest, long.rests(p))
		require.Zero(t, long.rests(p), "it has not worked since")
		long.used += time.Millisecond
		require.Equal(t, restFactor*time.Millisecond, long.rests(p))
		time.Sleep(shortsFollow)
		long.used += time.Millisecond
		require.Zero(t, long.rests(p), "nobody has come for a while")
	})
	inTime("H6 a short one does not", func(t *testing.T, p *pace) {
		shortOne(p, &engine.Share{})
		short := pacedOf(&engine.Share{})
		short.used = longInvocation
		require.Zero(t, short.rests(p))
	})
	inTime("H6 rests are paid from what it may work", func(t *testing.T, p *pace) {
		long, began := longOne(&engine.Share{}), time.Now()
		for range 10_000 {
			shortOne(p, &engine.Share{})
			long.rests(p)
			long.used += time.Millisecond
		}
		require.Equal(t, time.Since(began), long.resting)
		require.InDelta(t, long.limit, long.resting, float64(time.Millisecond), "what is left is too little to rest for")
	})
	inTime("H6 whose turn's invocations usually are long is one from the beginning", func(t *testing.T, p *pace) {
		long := longOne(&engine.Share{})
		long.used = time.Second
		p.ended(long.run, long.invocation)
		next := &invocation{}
		is, _ := p.long(long.run, next)
		require.False(t, is, "nobody else is there")
		shortOne(p, &engine.Share{})
		is, wanted := p.long(long.run, next)
		require.True(t, is && wanted)
		for range 100 {
			p.ended(long.run, next)
		}
		is, _ = p.long(long.run, next)
		require.False(t, is, "they were short lately")
	})
	inTime("H6 many short ones of a tenant that has much of the machine give way to others, not to each other", func(t *testing.T, p *pace) {
		greedy := &engine.Share{}
		short := pacedOf(greedy)
		greedy.Charge(muchOfMachine + time.Second)
		shortOne(p, greedy)
		is, _ := p.long(short.run, short.invocation)
		require.False(t, is)
		shortOne(p, &engine.Share{})
		shortOne(p, greedy)
		is, wanted := p.long(short.run, short.invocation)
		require.True(t, is && wanted)
	})
	inTime("G7 a rest ends with the run", func(t *testing.T, p *pace) {
		long := longOne(&engine.Share{})
		shortOne(p, &engine.Share{})
		long.cancel()
		require.Zero(t, long.rests(p))
	})
	inTime("H6 the service does not work for long ones on all processors", func(t *testing.T, p *pace) {
		long := longOne(&engine.Share{})
		for range cap(p.busy) {
			require.True(t, p.enter(long.run, long.invocation))
		}
		short := pacedOf(&engine.Share{})
		require.False(t, p.enter(short.run, short.invocation), "a short one needs no place, and waits for none")
		entered := make(chan bool, 1)
		go func() { entered <- p.enter(long.run, long.invocation) }()
		synctest.Wait()
		require.Empty(t, entered)
		p.leave(true)
		require.True(t, <-entered)
		long.cancel()
		require.False(t, p.enter(long.run, long.invocation), "the run has ended")
	})
}

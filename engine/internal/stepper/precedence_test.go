package stepper

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// yieldingHeap notes what it is told.
type yieldingHeap struct {
	*heap
	told []bool
	last bool
}

func (h *yieldingHeap) BeginLast()       { h.last = true }
func (h *yieldingHeap) GiveWay(yes bool) { h.told = append(h.told, yes) }

// scene is a precedence whose looks are the test's own.
type scene struct {
	precedence
	*testing.T
}

func newScene(t *testing.T) *scene { return &scene{precedence{watched: true}, t} }

func (s *scene) begins(long bool) (*yieldingHeap, *place) {
	h, at := &yieldingHeap{heap: newHeap()}, &place{}
	s.begin(at, h, long)
	return h, at
}

func (s *scene) looks(n int) {
	for range n {
		s.look()
	}
}

func (s *scene) shortStep() {
	_, at := s.begins(false)
	s.end(at)
}

func TestPrecedence(t *testing.T) {
	t.Run("H6 a long step gives way while there are short ones", func(t *testing.T) {
		s := newScene(t)
		h, at := s.begins(false)
		s.looks(longTicks)
		require.Equal(t, []bool{false}, h.told, "nobody else is there")
		s.shortStep()
		s.looks(1)
		require.Equal(t, []bool{false, true}, h.told)
		s.looks(wantedTicks)
		require.False(t, h.told[len(h.told)-1], "nobody has come for a while")
		s.end(at)
		told := len(h.told)
		s.looks(1)
		require.Len(t, h.told, told, "a step that is over is told nothing")
	})
	t.Run("H6 a step is not long at first", func(t *testing.T) {
		s := newScene(t)
		s.shortStep()
		h, _ := s.begins(false)
		s.looks(longTicks - 1)
		require.Empty(t, h.told)
	})
	t.Run("H6 one of a long run gives way from its beginning", func(t *testing.T) {
		s := newScene(t)
		h, _ := s.begins(true)
		require.False(t, h.last, "nobody else is there")
		s.shortStep()
		h, at := s.begins(true)
		require.True(t, h.last)
		s.looks(1)
		require.Equal(t, []bool{true}, h.told)
		s.looks(wantedTicks)
		s.end(at)
		s.looks(1)
		require.False(t, s.wanted(), "its end is not that of a short one")
	})
	t.Run("H6 whichever of several steps ends, the others are told", func(t *testing.T) {
		s := newScene(t)
		var heaps []*yieldingHeap
		var places []*place
		for range 3 {
			h, at := s.begins(false)
			heaps, places = append(heaps, h), append(places, at)
		}
		s.looks(longTicks)
		s.end(places[0])
		s.looks(1)
		require.Equal(t, []int{1, 2, 2}, []int{len(heaps[0].told), len(heaps[1].told), len(heaps[2].told)})
		s.end(places[2])
		s.end(places[1])
		require.Empty(t, s.underWay)
	})
	t.Run("H6 nobody looks on when there have been no steps for a while", func(t *testing.T) {
		s := newScene(t)
		s.shortStep()
		s.looks(idleTicks - 1)
		require.True(t, s.watched)
		s.looks(1)
		require.False(t, s.watched)
	})
	t.Run("H6 a heap that can't give way is left alone", func(t *testing.T) {
		s := newScene(t)
		at := &place{}
		s.begin(at, newHeap(), true)
		require.Empty(t, s.underWay)
		s.end(at)
	})
}

func TestWatch(t *testing.T) {
	t.Run("H6 a step that takes long is told without the test's help", func(t *testing.T) {
		threads := NewThreads(2, 1)
		s, h := New(threads, false), &signallingHeap{newHeap(), make(chan bool, 1)}
		_, err := s.Execute(engine.WithClaim(t.Context(), &engine.Claim{}), h, func() { <-h.told })
		require.NoError(t, err)
	})
	t.Run("H6 a long run's step begins last", func(t *testing.T) {
		threads := NewThreads(2, 1)
		threads.precedence.short = 1
		s, h := New(threads, false), &yieldingHeap{heap: newHeap()}
		_, err := s.Execute(engine.WithClaim(context.Background(), &engine.Claim{Long: true}), h, func() {})
		require.NoError(t, err)
		require.True(t, h.last)
	})
}

// signallingHeap says when it is told something.
type signallingHeap struct {
	*heap
	told chan bool
}

func (h *signallingHeap) BeginLast() {}

func (h *signallingHeap) GiveWay(yes bool) {
	select {
	case h.told <- yes:
	default:
	}
}

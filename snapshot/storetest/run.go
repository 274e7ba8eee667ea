package storetest

import (
	"testing"
	"time"

	"github.com/codecell/codecell/snapshot"
)

// Subject is a kind of store to be tested.
type Subject struct {
	// Open returns an empty store with these bounds. The tests close it.
	Open func(t testing.TB, b snapshot.Bounds) snapshot.Store
	// Within runs one test: for a store in this process synctest.Test, so that time costs nothing. Default: the test as
	// it is.
	Within func(t *testing.T, test func(*testing.T))
	// Tick is the unit of time of the tests. A store must act on what is due within a quarter of it. Default one second.
	Tick time.Duration
	// Sleep lets time pass. Default time.Sleep.
	Sleep func(time.Duration)
}

// Run tests the store.
func Run(t *testing.T, s Subject) {
	if s.Within == nil {
		s.Within = func(t *testing.T, test func(*testing.T)) { test(t) }
	}
	if s.Tick == 0 {
		s.Tick = time.Second
	}
	if s.Sleep == nil {
		s.Sleep = time.Sleep
	}
	for _, group := range [][]testCase{records, claims, expiry, bounds, crowds, models} {
		for _, c := range group {
			t.Run(c.name, func(t *testing.T) {
				s.Within(t, func(t *testing.T) {
					store := s.Open(t, c.bounds)
					defer closeStore(t, store)
					c.test(&world{T: t, Store: store, subject: &s})
				})
			})
		}
	}
}

// testCase is one test with a store of its own.
type testCase struct {
	name   string
	bounds snapshot.Bounds
	test   func(w *world)
}

func closeStore(t testing.TB, store snapshot.Store) {
	if err := store.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

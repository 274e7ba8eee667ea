package server

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

// answersAt is a store whose clock the test sets.
func answersAt(b AnswerBounds) (*answers, *time.Time) {
	a, now := newAnswers(b.withDefaults(true)), time.Unix(0, 0)
	a.now = func() time.Time { return now }
	return a, &now
}

// answer does what a request does, with an answer of that size. It tells whether it ran.
func (a *answers) answer(t testing.TB, tenant, key string, size int) bool {
	t.Helper()
	at := slot{tenant: tenant, key: key}
	_, mine, err := a.claim(at, [32]byte{})
	require.NoError(t, err)
	if mine {
		a.finish(at, make([]byte, size), nil)
	}
	return mine
}

// kept tells whether an answer is there, and sees that the request does not run.
func (a *answers) kept(t testing.TB, tenant, key string) bool {
	t.Helper()
	o, mine, err := a.claim(slot{tenant: tenant, key: key}, [32]byte{})
	require.NoError(t, err)
	require.False(t, mine, "it would run twice")
	_, err = o.await(context.Background())
	return err == nil
}

// requireBalance counts anew what the store has counted.
func (a *answers) requireBalance(t testing.TB) {
	t.Helper()
	entries, bytes, all := map[string]int{}, map[string]int64{}, int64(0)
	for at, e := range a.bySlot {
		entries[at.tenant]++
		if e.kept != nil {
			bytes[at.tenant] += int64(len(e.outcome.body))
			all += int64(len(e.outcome.body))
		}
	}
	require.Len(t, a.tenants, len(entries))
	for tenant, own := range a.tenants {
		require.Equal(t, entries[tenant], own.entries)
		require.Equal(t, bytes[tenant], own.bytes)
		require.LessOrEqual(t, own.bytes, a.bounds.TenantBytes)
		require.LessOrEqual(t, own.entries, a.bounds.TenantEntries)
	}
	require.Equal(t, all, a.bytes)
	require.LessOrEqual(t, all, a.bounds.Bytes)
	require.LessOrEqual(t, len(a.bySlot), a.bounds.Entries)
}

func TestAnswersBounds(t *testing.T) {
	t.Run("I3 answers expire, and make room for others", func(t *testing.T) {
		a, now := answersAt(AnswerBounds{Entries: 1000, TenantEntries: 1000})
		for n := range 1000 {
			a.answer(t, "t", fmt.Sprint(n), 10)
		}
		*now = now.Add(answerTTL - 1)
		require.True(t, a.kept(t, "t", "0"))
		_, _, err := a.claim(slot{tenant: "t", key: "new"}, [32]byte{})
		require.Error(t, err)
		*now = now.Add(1)
		require.True(t, a.answer(t, "t", "new", 10))
		for a.expire() {
		}
		require.Len(t, a.bySlot, 1)
		a.requireBalance(t)
	})
	t.Run("H6 the oldest answers of a tenant make room for its own", func(t *testing.T) {
		a, _ := answersAt(AnswerBounds{Bytes: 100, TenantBytes: 50})
		a.answer(t, "u", "u", 50)
		for n := range 8 {
			a.answer(t, "t", fmt.Sprint(n), 10)
			a.requireBalance(t)
		}
		for n := range 8 {
			require.Equal(t, n >= 3, a.kept(t, "t", fmt.Sprint(n)))
		}
		require.True(t, a.kept(t, "u", "u"))
	})
	t.Run("H6 an answer larger than the share takes nothing else along", func(t *testing.T) {
		a, _ := answersAt(AnswerBounds{Bytes: 100, TenantBytes: 50})
		a.answer(t, "t", "small", 10)
		a.answer(t, "t", "large", 51)
		require.True(t, a.kept(t, "t", "small"))
		require.False(t, a.kept(t, "t", "large"))
		a.requireBalance(t)
	})
	t.Run("H6 no tenant takes another's, also when all is full", func(t *testing.T) {
		a, _ := answersAt(AnswerBounds{Bytes: 100, TenantBytes: 80})
		a.answer(t, "t", "t", 70)
		a.answer(t, "u", "0", 20)
		a.answer(t, "u", "1", 30)
		require.True(t, a.kept(t, "t", "t"))
		require.False(t, a.kept(t, "u", "0"), "its own make room first")
		require.True(t, a.kept(t, "u", "1"))
		a.requireBalance(t)
	})
	t.Run("H6 one large answer drops a batch of small ones at most", func(t *testing.T) {
		a, _ := answersAt(AnswerBounds{Bytes: 10 * answerBatch, TenantBytes: 10 * answerBatch})
		for n := range 10 * answerBatch {
			a.answer(t, "t", fmt.Sprint(n), 1)
		}
		a.answer(t, "t", "large", 10*answerBatch)
		require.False(t, a.kept(t, "t", "large"))
		require.True(t, a.kept(t, "t", fmt.Sprint(answerBatch)))
		a.requireBalance(t)
	})
	t.Run("I3 who waits has the answer, also when it is not kept", func(t *testing.T) {
		a, _ := answersAt(AnswerBounds{Bytes: 10, TenantBytes: 10})
		at := slot{tenant: "t", key: "k"}
		_, _, err := a.claim(at, [32]byte{})
		require.NoError(t, err)
		second, mine, err := a.claim(at, [32]byte{})
		require.NoError(t, err)
		require.False(t, mine)
		a.finish(at, make([]byte, 11), nil)
		body, err := second.await(context.Background())
		require.NoError(t, err)
		require.Len(t, body, 11)
	})
	t.Run("I3 a refusal is forgotten with its entry", func(t *testing.T) {
		a, _ := answersAt(AnswerBounds{})
		at := slot{tenant: "t", key: "k"}
		_, _, err := a.claim(at, [32]byte{})
		require.NoError(t, err)
		a.finish(at, nil, errors.Join(&bridge.Error{Kind: bridge.KindNotFound}))
		require.Empty(t, a.bySlot)
		require.Empty(t, a.tenants)
	})
	t.Run("H6 by default a tenant may have half, or all when it is alone", func(t *testing.T) {
		require.Equal(t, AnswerBounds{1 << 16, 1 << 15, 64 << 20, 32 << 20}, AnswerBounds{}.withDefaults(true))
		require.Equal(t, AnswerBounds{1 << 16, 1 << 16, 64 << 20, 64 << 20}, AnswerBounds{}.withDefaults(false))
	})
}

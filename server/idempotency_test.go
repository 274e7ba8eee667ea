package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

// counting makes each exec answer with how often one has run.
func counting(f *fakeBackend) *atomic.Int64 {
	var n atomic.Int64
	f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
		return completed(fmt.Sprint(n.Add(1))), nil
	}
	return &n
}

func TestIdempotency(t *testing.T) {
	keyed := func(key string) call { return post("/v1/exec", cell).with("Idempotency-Key", key) }
	t.Run("I3 a retry gets the first answer and runs nothing", func(t *testing.T) {
		f := newFake()
		runs := counting(f)
		s := newTestServer(t, Options{Backend: f})
		first, second := do(t, s, keyed("k")), do(t, s, keyed("k"))
		require.Equal(t, first.Body.String(), second.Body.String())
		require.EqualValues(t, 1, runs.Load())
		require.Empty(t, first.Header().Get("Idempotency-Replayed"))
		require.Equal(t, "true", second.Header().Get("Idempotency-Replayed"))
	})
	t.Run("I3 also after the turn is gone", func(t *testing.T) {
		f := newFake()
		s := newTestServer(t, Options{Backend: f})
		do(t, s, keyed("k"))
		require.NoError(t, f.DropTurn("", "turn-1"))
		require.Equal(t, http.StatusOK, do(t, s, keyed("k")).Code)
		require.Equal(t, http.StatusNotFound, do(t, s, keyed("other")).Code)
	})
	t.Run("I3 no key, another key, turn, tenant or route runs again", func(t *testing.T) {
		f := newFake()
		runs := counting(f)
		f.wait = func(ctx context.Context, _ bridge.WaitInput) (*bridge.Result, error) {
			return f.exec(ctx, bridge.ExecInput{})
		}
		f.turns["a/turn-1"], f.turns["b/turn-1"], f.turns["a/turn-2"] = f.turns["/turn-1"], f.turns["/turn-1"], f.turns["/turn-1"]
		s := newTestServer(t, Options{Backend: f, Keys: []Key{{"a", HashKey("a")}, {"b", HashKey("b")}}})
		for _, c := range []call{
			keyed("k"), post("/v1/exec", cell), post("/v1/exec", cell), keyed("K"),
			post("/v1/exec", `{"turnId":"turn-2","code":"return 1+1"}`).with("Idempotency-Key", "k"),
			post("/v1/wait", cell).with("Idempotency-Key", "k"),
		} {
			require.Equal(t, http.StatusOK, do(t, s, c.with("Authorization", "Bearer a")).Code)
		}
		require.Equal(t, http.StatusOK, do(t, s, keyed("k").with("Authorization", "Bearer b")).Code)
		require.EqualValues(t, 7, runs.Load())
	})
	t.Run("I3 the same key with another body", func(t *testing.T) {
		s := newTestServer(t, Options{Backend: newFake()})
		do(t, s, keyed("k"))
		rec := do(t, s, post("/v1/exec", `{"turnId":"turn-1","code":"return 3"}`).with("Idempotency-Key", "k"))
		require.Equal(t, http.StatusConflict, rec.Code)
		require.Equal(t, "Idempotency-Key", problemOf(t, rec).Key)
	})
	t.Run("I3 the same results for another run", func(t *testing.T) {
		s := newTestServer(t, Options{Backend: newFake()})
		body := `{"turnId":"turn-1","results":[]}`
		require.Equal(t, 200, do(t, s, post("/v1/runs/r1/results", body).with("Idempotency-Key", "k")).Code)
		require.Equal(t, 409, do(t, s, post("/v1/runs/r2/results", body).with("Idempotency-Key", "k")).Code)
	})
	t.Run("I3 a refusal is not kept: nothing ran", func(t *testing.T) {
		f := newFake()
		busy := true
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
			if busy {
				return nil, &bridge.Error{Kind: bridge.KindOverloaded, Msg: "busy"}
			}
			return completedTwo, nil
		}
		s := newTestServer(t, Options{Backend: f})
		require.Equal(t, 503, do(t, s, keyed("k")).Code)
		busy = false
		require.Equal(t, 200, do(t, s, keyed("k")).Code)
	})
	t.Run("I3 a crash is kept: something may have run", func(t *testing.T) {
		f := newFake()
		var runs int
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
			runs++
			panic("boom")
		}
		s := newTestServer(t, Options{Backend: f})
		require.Equal(t, 500, do(t, s, keyed("k")).Code)
		require.Equal(t, 500, do(t, s, keyed("k")).Code)
		require.Equal(t, 1, runs)
	})
	t.Run("G7 a request that was given up is not run again", func(t *testing.T) {
		f := newFake()
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { return nil, context.Canceled }
		s := newTestServer(t, Options{Backend: f})
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		s.Handler().ServeHTTP(httptest.NewRecorder(), keyed("k").request().WithContext(gone))
		rec := do(t, s, keyed("k"))
		require.Equal(t, http.StatusConflict, rec.Code)
		require.Contains(t, problemOf(t, rec).Detail, "take a new key")
	})
	for name, key := range map[string]string{"empty": "", "long": strings.Repeat("k", 256), "control": "a\tb", "not ASCII": "clé"} {
		t.Run("I3 a bad key: "+name, func(t *testing.T) {
			require.Equal(t, 400, do(t, newTestServer(t, Options{Backend: newFake()}), keyed(key)).Code)
		})
	}
	t.Run("I3 the longest key", func(t *testing.T) {
		require.Equal(t, 200, do(t, newTestServer(t, Options{Backend: newFake()}), keyed(strings.Repeat("k", 255))).Code)
	})
}

func TestIdempotencyConcurrent(t *testing.T) {
	t.Run("I3 a retry at the same time waits for the first", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			var runs atomic.Int64
			f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
				runs.Add(1)
				time.Sleep(time.Second)
				return completedTwo, nil
			}
			s := newTestServer(t, Options{Backend: f})
			var all sync.WaitGroup
			for range 20 {
				all.Go(func() {
					rec := httptest.NewRecorder()
					s.Handler().ServeHTTP(rec, post("/v1/exec", cell).with("Idempotency-Key", "k").request())
					if rec.Code != 200 || rec.Body.String() != text(completedTwo) {
						t.Errorf("answer %d: %s", rec.Code, rec.Body)
					}
				})
			}
			all.Wait()
			require.EqualValues(t, 1, runs.Load())
		})
	})
	t.Run("G7 one that waits may go away", func(t *testing.T) {
		store := newAnswers()
		e, mine, err := store.claim(slot{key: "k"}, [32]byte{})
		require.NoError(t, err)
		require.True(t, mine)
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = e.await(gone)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestAnswersBounds(t *testing.T) {
	put := func(a *answers, key string, size int) {
		e, mine, err := a.claim(slot{key: key}, [32]byte{})
		if err == nil && mine {
			a.finish(e, make([]byte, size), nil)
		}
	}
	has := func(a *answers, key string) bool {
		_, mine, _ := a.claim(slot{key: key}, [32]byte{})
		return !mine
	}
	t.Run("I3 answers expire", func(t *testing.T) {
		a, now := newAnswers(), time.Unix(0, 0)
		a.now = func() time.Time { return now }
		put(a, "k", 10)
		now = now.Add(answerTTL - 1)
		require.True(t, has(a, "k"))
		now = now.Add(1)
		require.False(t, has(a, "k"))
		require.Zero(t, a.bytes)
		require.Zero(t, a.finished.Len())
	})
	t.Run("I3 the oldest go when there are too many", func(t *testing.T) {
		a := newAnswers()
		for i := range maxAnswers + 5 {
			put(a, fmt.Sprint(i), 1)
		}
		require.Equal(t, maxAnswers, a.finished.Len())
		require.False(t, has(a, "4"))
		require.True(t, has(a, "5"))
	})
	t.Run("I3 the oldest go when they are too large", func(t *testing.T) {
		a := newAnswers()
		for i := range 20 {
			put(a, fmt.Sprint(i), 10<<20)
		}
		require.LessOrEqual(t, a.bytes, maxAnswerBytes)
		require.False(t, has(a, "0"))
		require.True(t, has(a, "19"))
	})
	t.Run("I3 the books balance", func(t *testing.T) {
		a := newAnswers()
		for i := range 100 {
			put(a, fmt.Sprint(i), i)
		}
		e, _, _ := a.claim(slot{key: "refused"}, [32]byte{})
		a.finish(e, nil, errors.Join(&bridge.Error{Kind: bridge.KindNotFound}))
		for a.finished.Len() > 0 {
			a.remove(a.finished.Front())
		}
		require.Zero(t, a.bytes)
		require.Empty(t, a.bySlot)
	})
}

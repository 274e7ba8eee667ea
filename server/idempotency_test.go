package server

import (
	"context"
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
		s := newTestServer(t, Options{Backend: f, Keys: keysOf("a", "b")})
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
		store := newAnswers(AnswerBounds{}.withDefaults(false))
		first, mine, err := store.claim(slot{key: "k"}, [32]byte{})
		require.NoError(t, err)
		require.True(t, mine)
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = first.await(gone)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestIdempotencyQuota(t *testing.T) {
	keyed := func(tenant, key string) call {
		return post("/v1/exec", cell).with("Idempotency-Key", key).with("Authorization", "Bearer "+tenant)
	}
	open := func(t *testing.T, b AnswerBounds) (*Server, *atomic.Int64) {
		f := newFake()
		f.turns["a/turn-1"], f.turns["b/turn-1"] = f.turns["/turn-1"], f.turns["/turn-1"]
		return newTestServer(t, Options{Backend: f, Answers: b, Keys: keysOf("a", "b")}), counting(f)
	}
	t.Run("H6 a tenant that has used up its keys is refused, and nothing of anybody is forgotten", func(t *testing.T) {
		s, runs := open(t, AnswerBounds{Entries: 4, TenantEntries: 2})
		require.Equal(t, 200, do(t, s, keyed("b", "0")).Code)
		first := do(t, s, keyed("a", "0"))
		require.Equal(t, 200, do(t, s, keyed("a", "1")).Code)
		for _, key := range []string{"2", "3"} {
			rec := do(t, s, keyed("a", key))
			require.Equal(t, 429, rec.Code)
			require.Equal(t, "60", rec.Header().Get("Retry-After"))
			require.Contains(t, problemOf(t, rec).Detail, "without an Idempotency-Key")
		}
		require.EqualValues(t, 3, runs.Load(), "what was refused did not run")
		require.Equal(t, first.Body.String(), do(t, s, keyed("a", "0")).Body.String())
		require.Equal(t, 200, do(t, s, keyed("b", "1")).Code, "the other has its share")
		require.Equal(t, 503, do(t, newlyFull(t), keyed("b", "1")).Code)
	})
	t.Run("H6 an answer that had to make room is not run again", func(t *testing.T) {
		size := int64(len(text(completed("1"))))
		s, runs := open(t, AnswerBounds{Bytes: 4 * size, TenantBytes: 2 * size})
		for _, key := range []string{"0", "1", "2"} {
			require.Equal(t, 200, do(t, s, keyed("a", key)).Code)
		}
		require.Equal(t, 200, do(t, s, keyed("b", "0")).Code)
		rec := do(t, s, keyed("a", "0"))
		require.Equal(t, 409, rec.Code)
		require.Contains(t, problemOf(t, rec).Detail, "not run again")
		for _, key := range []string{"1", "2"} {
			require.Equal(t, 200, do(t, s, keyed("a", key)).Code)
		}
		require.EqualValues(t, 4, runs.Load())
	})
}

// newlyFull is a server whose only entry another tenant has.
func newlyFull(t *testing.T) *Server {
	f := newFake()
	f.turns["a/turn-1"], f.turns["b/turn-1"] = f.turns["/turn-1"], f.turns["/turn-1"]
	s := newTestServer(t, Options{
		Backend: f, Answers: AnswerBounds{Entries: 1, TenantEntries: 1}, Keys: keysOf("a", "b"),
	})
	require.Equal(t, 200, do(t, s, post("/v1/exec", cell).with("Idempotency-Key", "k").with("Authorization", "Bearer a")).Code)
	return s
}

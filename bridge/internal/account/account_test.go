package account

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestHold(t *testing.T) {
	service := New("service", 100)
	tenant := service.Sub("tenant", 60)
	run := tenant.Sub("run", 50)
	held := func() []int64 { return []int64{service.Held(), tenant.Held(), run.Held()} }

	t.Run("H6 what is held counts all the way up", func(t *testing.T) {
		require.NoError(t, run.Hold(40))
		require.Equal(t, []int64{40, 40, 40}, held())
	})
	t.Run("H6 each limit on the way holds, and is named", func(t *testing.T) {
		for _, tc := range []struct {
			account *Account
			n       int
			name    string
		}{{run, 11, "run"}, {tenant.Sub("other run", 50), 21, "tenant"}, {service.Sub("other tenant", 70), 61, "service"}} {
			err := tc.account.Hold(tc.n)
			var full *FullError
			require.ErrorAs(t, err, &full)
			require.Equal(t, tc.name, full.Account)
			require.ErrorContains(t, err, tc.name)
		}
		require.Equal(t, []int64{40, 40, 40}, held(), "what was refused is not counted")
	})
	t.Run("H6 up to the limit itself", func(t *testing.T) {
		require.NoError(t, run.Hold(10))
		run.Release(10)
	})
	t.Run("H6 a closed account has released what was left", func(t *testing.T) {
		run.Close()
		require.Equal(t, []int64{0, 0, 0}, held())
	})
}

func TestModel(t *testing.T) {
	t.Run("H6 no account is ever over its limit, and the sums agree", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			top := New("top", 1000)
			subs := []*Account{top.Sub("a", 600), top.Sub("b", 600)}
			model := []int{0, 0}
			t.Repeat(map[string]func(*rapid.T){
				"hold": func(t *rapid.T) {
					i, n := rapid.IntRange(0, 1).Draw(t, "i"), rapid.IntRange(0, 700).Draw(t, "n")
					fits := model[i]+n <= 600 && model[0]+model[1]+n <= 1000
					require.Equal(t, fits, subs[i].Hold(n) == nil)
					if fits {
						model[i] += n
					}
				},
				"release": func(t *rapid.T) {
					i := rapid.IntRange(0, 1).Draw(t, "i")
					n := rapid.IntRange(0, model[i]).Draw(t, "n")
					subs[i].Release(n)
					model[i] -= n
				},
				"": func(t *rapid.T) {
					require.EqualValues(t, model[0]+model[1], top.Held())
				},
			})
		})
	})
}

func TestConcurrent(t *testing.T) {
	t.Run("H6 whoever comes at once, nothing is lost", func(t *testing.T) {
		top := New("top", 500)
		var all sync.WaitGroup
		for range 8 {
			a := top.Sub("a", 200)
			all.Go(func() {
				for range 2000 {
					n := rand.IntN(100)
					if a.Hold(n) == nil {
						a.Release(n)
					}
				}
				_ = a.Hold(1)
				a.Close()
			})
		}
		all.Wait()
		require.Zero(t, top.Held())
	})
}

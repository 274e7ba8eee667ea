package store

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/internal/account"
)

var limits = Limits{MaxKeys: 3, MaxBytes: 100, TTL: time.Minute}

func kept(t *Tenant, s Scope) map[string]string {
	all := map[string]string{}
	for _, item := range t.View(s) {
		all[item.Key] = item.JSON
	}
	return all
}

func TestTenant(t *testing.T) {
	session := Scope{AgentID: "a", SessionID: "s", SessionKey: "k"}
	full := func(t *testing.T, err error, says string) {
		t.Helper()
		var e *FullError
		require.ErrorAs(t, err, &e)
		require.ErrorContains(t, err, says)
	}
	t.Run("D10 keeps, replaces and deletes", func(t *testing.T) {
		held := account.New("tenant", 1<<20)
		of := NewTenant(held)
		require.NoError(t, of.Set(session, "a", `1`, limits))
		require.NoError(t, of.Set(session, "a", `[2,3]`, limits))
		require.NoError(t, of.Set(session, "__proto__", `{}`, limits))
		require.Equal(t, map[string]string{"a": `[2,3]`, "__proto__": `{}`}, kept(of, session))
		require.True(t, of.Delete(session, "a"))
		require.False(t, of.Delete(session, "a"))
		require.True(t, of.Delete(session, "__proto__"))
		require.Empty(t, of.View(session))
		require.Zero(t, held.Held())
		require.False(t, of.Delete(session, "a"))
	})
	t.Run("D10 each session its own", func(t *testing.T) {
		of := NewTenant(account.New("tenant", 1<<20))
		all := []Scope{session, {AgentID: "b", SessionID: "s", SessionKey: "k"}, {AgentID: "a", SessionID: "t", SessionKey: "k"}, {AgentID: "a", SessionID: "s"}, {TurnID: "s"}}
		for n, scope := range all {
			require.NoError(t, of.Set(scope, "a", fmt.Sprint(n), limits))
		}
		for n, scope := range all {
			require.Equal(t, map[string]string{"a": fmt.Sprint(n)}, kept(of, scope))
		}
	})
	t.Run("D10 no more keys and bytes than the limits say", func(t *testing.T) {
		held := account.New("tenant", 1<<20)
		of := NewTenant(held)
		full(t, of.Set(session, "a", strings.Repeat("1", 100), limits), "key and value have 101 bytes, the session's other ones 0, and it may keep 100")
		require.Zero(t, held.Held())
		require.NoError(t, of.Set(session, "a", strings.Repeat("1", 99), limits))
		full(t, of.Set(session, "b", "1", limits), "key and value have 2 bytes, the session's other ones 100")
		require.NoError(t, of.Set(session, "a", "1", limits))
		require.NoError(t, of.Set(session, "b", "1", limits))
		require.NoError(t, of.Set(session, "c", "1", limits))
		full(t, of.Set(session, "d", "1", limits), "the session may keep 3 keys")
		require.NoError(t, of.Set(session, "c", "2", limits))
	})
	t.Run("H6 what there is no room for changes nothing", func(t *testing.T) {
		held := account.New("tenant", 4*900)
		of := NewTenant(held)
		require.NoError(t, of.Set(session, "a", "1", limits))
		before := held.Held()
		err := of.Set(session, "b", strings.Repeat("1", 90), Limits{MaxKeys: 3, MaxBytes: 1 << 20, TTL: time.Minute})
		require.NoError(t, err)
		err = of.Set(session, "c", strings.Repeat("1", 90), Limits{MaxKeys: 3, MaxBytes: 1 << 20, TTL: time.Minute})
		var e *account.FullError
		require.True(t, errors.As(err, &e), "%v", err)
		require.Equal(t, "tenant's session stores", e.Account)
		require.Len(t, of.View(session), 2)
		of.Delete(session, "b")
		require.Equal(t, before, held.Held())
	})
	t.Run("H6 no more sessions than a tenant may have", func(t *testing.T) {
		of := NewTenant(account.New("tenant", 1<<30))
		for n := range maxSessions {
			require.NoError(t, of.Set(Scope{SessionID: fmt.Sprint(n)}, "a", "1", limits))
		}
		full(t, of.Set(session, "a", "1", limits), "too many sessions")
		of.Forget("17")
		require.NoError(t, of.Set(session, "a", "1", limits))
	})
	t.Run("G7 an ended session is forgotten", func(t *testing.T) {
		held := account.New("tenant", 1<<20)
		of := NewTenant(held)
		require.NoError(t, of.Set(session, "a", "1", limits))
		require.NoError(t, of.Set(Scope{AgentID: "b", SessionID: "s"}, "a", "1", limits))
		require.NoError(t, of.Set(Scope{SessionID: "t"}, "a", "1", limits))
		require.NoError(t, of.Set(Scope{TurnID: "turn"}, "a", "1", limits))
		of.Forget("s")
		require.Empty(t, of.View(session))
		require.Len(t, of.View(Scope{SessionID: "t"}), 1)
		of.Forget("t")
		of.Forget("")
		of.ForgetTurn(Scope{SessionID: "t"})
		require.Len(t, of.View(Scope{TurnID: "turn"}), 1)
		of.ForgetTurn(Scope{TurnID: "turn"})
		require.Zero(t, held.Held())
	})
}

func TestExpiry(t *testing.T) {
	session := Scope{SessionID: "s"}
	t.Run("D10 each value until its time is over, from when it was set last", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			held := account.New("tenant", 1<<20)
			of := NewTenant(held)
			require.NoError(t, of.Set(session, "a", "1", limits))
			require.NoError(t, of.Set(session, "b", "1", limits))
			time.Sleep(40 * time.Second)
			require.NoError(t, of.Set(session, "a", "2", limits))
			time.Sleep(20 * time.Second)
			require.Equal(t, map[string]string{"a": "2"}, kept(of, session))
			require.False(t, of.Delete(session, "b"))
			time.Sleep(39 * time.Second)
			require.Len(t, of.View(session), 1)
			time.Sleep(time.Second)
			require.Empty(t, of.View(session))
			require.Zero(t, held.Held())
		})
	})
	t.Run("D10 also where nobody looks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			held := account.New("tenant", 1<<20)
			of := NewTenant(held)
			require.NoError(t, of.Set(session, "a", "1", limits))
			time.Sleep(30 * time.Second)
			require.NoError(t, of.Set(session, "b", "1", limits))
			time.Sleep(61 * time.Second)
			synctest.Wait()
			require.Zero(t, held.Held())
		})
	})
	t.Run("D10 what has expired makes room", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			of := NewTenant(account.New("tenant", 1<<20))
			long := limits
			long.TTL = time.Hour
			require.NoError(t, of.Set(session, "a", "1", long))
			require.NoError(t, of.Set(session, "b", "1", limits))
			require.NoError(t, of.Set(session, "c", "1", limits))
			time.Sleep(time.Minute)
			require.NoError(t, of.Set(session, "d", "1", long))
			require.Len(t, of.View(session), 2)
			of.Forget("s")
		})
	})
}

// TestHammer is for the race detector; what is held must be nothing in the end.
func TestHammer(t *testing.T) {
	held := account.New("tenant", 1<<20)
	of := NewTenant(held)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for k := range 500 {
				scope := Scope{SessionID: fmt.Sprint(k % 3)}
				switch (k + n) % 5 {
				case 0:
					of.Delete(scope, fmt.Sprint(k%7))
				case 1:
					of.View(scope)
				case 2:
					of.Forget(fmt.Sprint(n % 3))
				default:
					_ = of.Set(scope, fmt.Sprint(k%7), strings.Repeat("1", k%60+1), limits)
				}
			}
		})
	}
	all.Wait()
	for n := range 3 {
		of.Forget(fmt.Sprint(n))
	}
	require.Zero(t, held.Held())
}

package approval

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/internal/account"
)

// asker is a Call that remembers what it was told.
type asker struct {
	mu   sync.Mutex
	told []Approval
	edit func(json.RawMessage) (json.RawMessage, error)
}

func (a *asker) Edit(_ context.Context, input json.RawMessage) (json.RawMessage, error) {
	if a.edit == nil {
		return input, nil
	}
	return a.edit(input)
}

func (a *asker) Settled(settled Approval) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = append(a.told, settled)
}

// tells is a Call that hands on what it is told.
type tells func(Approval)

func (tells) Edit(_ context.Context, input json.RawMessage) (json.RawMessage, error) {
	return input, nil
}
func (f tells) Settled(a Approval) { f(a) }

func (a *asker) states() []State {
	a.mu.Lock()
	defer a.mu.Unlock()
	var states []State
	for _, t := range a.told {
		states = append(states, t.State)
	}
	return states
}

// office is a tenant with an account that has so much room.
type office struct {
	*Tenant
	t       testing.TB
	account *account.Account
}

func newOffice(t testing.TB, o Options) *office {
	held := account.New("tenant", 64<<20)
	return &office{NewRegistry(o).Tenant("acme", held), t, held}
}

var (
	session = executor.Context{AgentID: "a", SessionID: "s", SessionKey: "k"}
	scope   = ScopeOf(session, "turn")
)

func ask(tool string, mode Mode) Approval {
	return Approval{
		Mode: mode, TurnID: "turn", RunID: "run", CallID: "run.1", ToolID: "openclaw:lab:" + tool, Name: tool,
		Input: json.RawMessage(`{"a":1}`), Context: session, ExpiresAt: time.Now().Add(time.Minute),
	}
}

// open asks for an approval.
func (o *office) open(a Approval) (*Ticket, *asker) {
	o.t.Helper()
	who := &asker{}
	k, err := o.Reserve(a, ScopeOf(a.Context, a.TurnID), who)
	require.NoError(o.t, err)
	k.Open()
	return k, who
}

func (o *office) state(k *Ticket) State {
	o.t.Helper()
	a, err := o.Get(k.ID())
	require.NoError(o.t, err)
	return a.State
}

var yes, no = Decision{Verdict: Approve, Who: "ada"}, Decision{Verdict: Deny, Reason: "too risky", Who: "ada"}

func TestDecide(t *testing.T) {
	for _, c := range []struct {
		rule     string
		decision Decision
		state    State
	}{{"approved", yes, Approved}, {"denied", no, Denied}} {
		t.Run("G4 "+c.rule+", once", func(t *testing.T) {
			o := newOffice(t, Options{})
			k, who := o.open(ask("send", Always))
			got, err := o.Decide(t.Context(), k.ID(), c.decision)
			require.NoError(t, err)
			require.Equal(t, c.state, got.State)
			require.Equal(t, c.decision.Reason, got.Decision.Reason)
			require.Equal(t, []State{c.state}, who.states())
			var settled *SettledError
			for _, again := range []Decision{yes, no} {
				_, err = o.Decide(t.Context(), k.ID(), again)
				require.ErrorAs(t, err, &settled)
				require.Equal(t, c.state, settled.Approval.State)
				require.ErrorContains(t, err, string(c.state))
				require.ErrorContains(t, err, "ada")
			}
			require.Len(t, who.states(), 1)
		})
	}
	t.Run("G4 of two deciders at once one wins", func(t *testing.T) {
		for range 200 {
			o := newOffice(t, Options{})
			k, who := o.open(ask("send", Always))
			won := make(chan State, 8)
			var all sync.WaitGroup
			for n := range 8 {
				all.Go(func() {
					d := yes
					if n%2 == 0 {
						d = no
					}
					if got, err := o.Decide(context.Background(), k.ID(), d); err == nil {
						won <- got.State
					}
				})
			}
			all.Wait()
			close(won)
			require.Len(t, won, 1)
			require.Equal(t, []State{<-won}, who.states())
		}
	})
	t.Run("G4 what nobody asked, and what nobody may see yet", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, err := o.Reserve(ask("send", Always), scope, &asker{})
		require.NoError(t, err)
		for _, id := range []string{"", "ap_", k.ID(), newID()} {
			_, err := o.Get(id)
			require.ErrorIs(t, err, ErrUnknown)
			_, err = o.Decide(t.Context(), id, yes)
			require.ErrorIs(t, err, ErrUnknown)
		}
		require.Empty(t, o.List(Query{}).Approvals)
	})
	t.Run("A7 another tenant's is none", func(t *testing.T) {
		r := NewRegistry(Options{})
		mine, others := r.Tenant("a", account.New("a", 1<<20)), r.Tenant("b", account.New("b", 1<<20))
		k, err := mine.Reserve(ask("send", Always), scope, &asker{})
		require.NoError(t, err)
		k.Open()
		_, err = others.Get(k.ID())
		require.ErrorIs(t, err, ErrUnknown)
		_, err = others.Decide(t.Context(), k.ID(), yes)
		require.ErrorIs(t, err, ErrUnknown)
		require.Empty(t, others.List(Query{}).Approvals)
	})
}

func TestEdit(t *testing.T) {
	t.Run("G4 an edited input goes to the call as it was judged", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, who := o.open(ask("send", Always))
		who.edit = func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"a":2,"b":0}`), nil }
		d := yes
		d.Input = json.RawMessage(`{"a":2}`)
		got, err := o.Decide(t.Context(), k.ID(), d)
		require.NoError(t, err)
		require.True(t, got.Decision.Edited)
		require.JSONEq(t, `{"a":2,"b":0}`, string(who.told[0].Decision.Input))
		require.JSONEq(t, `{"a":1}`, string(got.Input), "what was asked stays")
	})
	t.Run("G4 an invalid one leaves the approval open", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, who := o.open(ask("send", Always))
		wrong := errors.New("wrong")
		who.edit = func(json.RawMessage) (json.RawMessage, error) { return nil, wrong }
		d := yes
		d.Input = json.RawMessage(`{}`)
		_, err := o.Decide(t.Context(), k.ID(), d)
		require.ErrorIs(t, err, wrong)
		require.Equal(t, Pending, o.state(k))
		require.Empty(t, who.states())
	})
	t.Run("G4 decided while the edit was judged: the other one counts", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, who := o.open(ask("send", Always))
		who.edit = func(in json.RawMessage) (json.RawMessage, error) {
			_, err := o.Decide(context.Background(), k.ID(), no)
			require.NoError(t, err)
			return in, nil
		}
		d := yes
		d.Input = json.RawMessage(`{}`)
		_, err := o.Decide(t.Context(), k.ID(), d)
		var settled *SettledError
		require.ErrorAs(t, err, &settled)
		require.Equal(t, []State{Denied}, who.states())
	})
}

func TestExpiry(t *testing.T) {
	t.Run("G4 nobody decides", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, Options{Retain: time.Hour})
			k, who := o.open(ask("send", Always))
			time.Sleep(time.Minute - 1)
			synctest.Wait()
			require.Empty(t, who.states())
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.Equal(t, []State{Expired}, who.states())
			_, err := o.Decide(t.Context(), k.ID(), yes)
			var settled *SettledError
			require.ErrorAs(t, err, &settled)
			require.Equal(t, Expired, settled.Approval.State)
			time.Sleep(time.Hour)
			synctest.Wait()
			_, err = o.Get(k.ID())
			require.ErrorIs(t, err, ErrUnknown, "it is kept for a while, not for good")
			require.Zero(t, o.account.Held())
		})
	})
	t.Run("G4 at the last moment the decision or the timer wins, not both", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, Options{})
			k, who := o.open(ask("send", Always))
			time.Sleep(time.Minute)
			_, err := o.Decide(t.Context(), k.ID(), yes)
			require.Error(t, err)
			synctest.Wait()
			require.Equal(t, []State{Expired}, who.states())
		})
	})
}

func TestWithdraw(t *testing.T) {
	t.Run("G7 the end of the run", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, who := o.open(ask("send", Always))
		k.Withdraw("its run has ended")
		k.Withdraw("again")
		_, err := o.Decide(t.Context(), k.ID(), yes)
		require.ErrorContains(t, err, "its run has ended")
		require.Equal(t, Withdrawn, o.state(k))
		require.Empty(t, who.states())
		require.Zero(t, o.registry.pending.Load())
	})
	t.Run("G7 before anybody saw it", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, err := o.Reserve(ask("send", Always), scope, &asker{})
		require.NoError(t, err)
		k.Withdraw("the run failed")
		k.Open()
		require.Empty(t, o.List(Query{}).Approvals)
		require.Zero(t, o.account.Held())
		require.Zero(t, o.pending)
	})
	t.Run("G4 the same call has its id again, another one has not", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, _ := o.open(ask("send", Always))
		back := ask("send", Always)
		back.ID = k.ID()
		other, _ := o.open(back)
		require.NotEqual(t, k.ID(), other.ID(), "it is pending already")
		k.Withdraw("its run has left")
		thief := back
		thief.CallID = "run.2"
		stolen, _ := o.open(thief)
		require.NotEqual(t, k.ID(), stolen.ID())
		again, _ := o.open(back)
		require.Equal(t, k.ID(), again.ID())
		require.Equal(t, Pending, o.state(again))
	})
	for name, id := range map[string]string{"a decided one's": "", "an odd one": "ap_../../etc", "a long one": "ap_" + strings.Repeat("A", 1<<20), "another kind of": "cm_ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		t.Run("G4 an id that can't be had: "+name, func(t *testing.T) {
			o := newOffice(t, Options{})
			if id == "" {
				k, _ := o.open(ask("send", Always))
				_, err := o.Decide(t.Context(), k.ID(), no)
				require.NoError(t, err)
				id = k.ID()
			}
			forged := ask("send", Always)
			forged.ID = id
			k, _ := o.open(forged)
			require.NotEqual(t, id, k.ID())
			require.True(t, soundID(k.ID()))
		})
	}
}

func TestPause(t *testing.T) {
	t.Run("G4 it is shown and can't be decided until it goes on", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, who := o.open(ask("send", Always))
		require.True(t, k.Pause())
		_, err := o.Decide(t.Context(), k.ID(), yes)
		require.ErrorIs(t, err, ErrPaused)
		require.Equal(t, Pending, o.state(k))
		k.Resume()
		_, err = o.Decide(t.Context(), k.ID(), yes)
		require.NoError(t, err)
		require.Equal(t, []State{Approved}, who.states())
		require.False(t, k.Pause())
		k.Resume()
		require.Equal(t, Approved, o.state(k))
	})
	t.Run("G4 what the session has learnt meanwhile counts then", func(t *testing.T) {
		o := newOffice(t, Options{})
		other, _ := o.open(ask("send", Always))
		k, who := o.open(ask("send", Always))
		require.True(t, k.Pause())
		d := yes
		d.Remember = RememberSession
		_, err := o.Decide(t.Context(), other.ID(), d)
		require.NoError(t, err)
		require.Empty(t, who.states())
		k.Resume()
		require.Equal(t, []State{Approved}, who.states())
	})
	t.Run("G4 its time may be over then", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			o := newOffice(t, Options{})
			k, who := o.open(ask("send", Always))
			require.True(t, k.Pause())
			time.Sleep(time.Hour)
			synctest.Wait()
			require.Empty(t, who.states())
			k.Resume()
			synctest.Wait()
			require.Equal(t, []State{Expired}, who.states())
		})
	})
	t.Run("G4 before anybody saw it, and withdrawn", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, err := o.Reserve(ask("send", Always), scope, &asker{})
		require.NoError(t, err)
		require.True(t, k.Pause())
		k.Resume()
		k.Open()
		require.True(t, k.Pause())
		k.Withdraw("over")
		k.Resume()
		require.Equal(t, Withdrawn, o.state(k))
	})
}

func TestBounds(t *testing.T) {
	t.Run("H6 so many are pending", func(t *testing.T) {
		r := NewRegistry(Options{MaxPending: 3, MaxTenantPending: 2})
		a, b := r.Tenant("a", account.New("a", 1<<20)), r.Tenant("b", account.New("b", 1<<20))
		reserve := func(of *Tenant) (*Ticket, error) { return of.Reserve(ask("send", Always), scope, &asker{}) }
		first, err := reserve(a)
		require.NoError(t, err)
		_, err = reserve(a)
		require.NoError(t, err)
		var full *TooManyError
		_, err = reserve(a)
		require.ErrorAs(t, err, &full)
		require.True(t, full.Tenant)
		_, err = reserve(b)
		require.NoError(t, err)
		_, err = reserve(b)
		require.ErrorAs(t, err, &full)
		require.False(t, full.Tenant)
		first.Withdraw("over")
		_, err = reserve(b)
		require.NoError(t, err)
	})
	t.Run("H6 settled ones make room for those that are asked", func(t *testing.T) {
		held := account.New("tenant", 3*(overhead+200))
		o := &office{NewRegistry(Options{}).Tenant("acme", held), t, held}
		for range 10 {
			k, _ := o.open(ask("send", Always))
			_, err := o.Decide(t.Context(), k.ID(), no)
			require.NoError(t, err)
		}
		for range 3 {
			o.open(ask("send", Always))
		}
		_, err := o.Reserve(ask("send", Always), scope, &asker{})
		var full *account.FullError
		require.ErrorAs(t, err, &full)
		require.Len(t, o.List(Query{State: Pending}).Approvals, 3)
	})
	t.Run("H6 as many settled ones are kept as may be pending", func(t *testing.T) {
		o := newOffice(t, Options{MaxTenantPending: 3})
		for range 10 {
			k, _ := o.open(ask("send", Always))
			k.Withdraw("over")
		}
		require.Len(t, o.List(Query{}).Approvals, 3)
		require.Len(t, o.byID, 3)
	})
	t.Run("H6 settled ones hold a part of what the tenant may", func(t *testing.T) {
		o := newOffice(t, Options{})
		o.account.SetLimit(10 * settledShare * overhead)
		for range 30 {
			k, _ := o.open(ask("send", Always))
			_, err := o.Decide(t.Context(), k.ID(), no)
			require.NoError(t, err)
			require.LessOrEqual(t, o.account.Held(), int64(10*overhead))
		}
		require.NotEmpty(t, o.List(Query{State: Denied}).Approvals)
		require.EqualValues(t, o.account.Held(), o.kept)
	})
	t.Run("H6 a settled one keeps no large input", func(t *testing.T) {
		o := newOffice(t, Options{})
		large := ask("send", Always)
		large.Input = json.RawMessage(`"` + strings.Repeat("x", keptInput) + `"`)
		k, who := o.open(large)
		d := yes
		d.Input = large.Input
		got, err := o.Decide(t.Context(), k.ID(), d)
		require.NoError(t, err)
		require.Len(t, who.told[0].Decision.Input, len(large.Input))
		kept, err := o.Get(k.ID())
		require.NoError(t, err)
		require.Equal(t, got, kept)
		require.Nil(t, kept.Input)
		require.Equal(t, keptInput+2, kept.InputBytes)
		require.Nil(t, kept.Decision.Input)
		require.True(t, kept.Decision.Edited)
	})
}

package approval

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
)

func TestRemember(t *testing.T) {
	remember := yes
	remember.Remember = RememberSession
	t.Run("G4 the session is not asked again, and what it waits for is settled", func(t *testing.T) {
		o := newOffice(t, Options{})
		first, _ := o.open(ask("send", Always))
		second, waits := o.open(ask("send", Always))
		other, _ := o.open(ask("post", Always))
		_, known := o.Remembered(scope, "openclaw:lab:send", Always)
		require.False(t, known)
		_, err := o.Decide(t.Context(), first.ID(), remember)
		require.NoError(t, err)
		require.Equal(t, []State{Approved}, waits.states())
		require.Equal(t, first.ID(), waits.told[0].Decision.By)
		require.Equal(t, Approved, o.state(second))
		require.Equal(t, Pending, o.state(other), "another tool")
		d, known := o.Remembered(scope, "openclaw:lab:send", Always)
		require.True(t, known)
		require.Equal(t, "ada", d.Who)
	})
	t.Run("G4 any number of calls, in the order in which they were asked", func(t *testing.T) {
		o := newOffice(t, Options{})
		first, _ := o.open(ask("send", Always))
		var order []string
		for n := range 5*decidesAtOnce + 1 {
			a := ask("send", Always)
			a.CallID = fmt.Sprint(n)
			k, err := o.Reserve(a, scope, tells(func(a Approval) { order = append(order, a.CallID) }))
			require.NoError(t, err)
			k.Open()
		}
		_, err := o.Decide(t.Context(), first.ID(), remember)
		require.NoError(t, err)
		require.Len(t, order, 5*decidesAtOnce+1)
		for n, id := range order {
			require.Equal(t, fmt.Sprint(n), id)
		}
		require.Empty(t, o.asked)
	})
	t.Run("G4 what is asked for once says nothing about what is always asked for", func(t *testing.T) {
		o := newOffice(t, Options{})
		first, _ := o.open(ask("send", First))
		always, alwaysAsker := o.open(ask("send", Always))
		_, second := o.open(ask("send", First))
		_, err := o.Decide(t.Context(), first.ID(), yes)
		require.NoError(t, err)
		require.Equal(t, []State{Approved}, second.states())
		require.Equal(t, Pending, o.state(always))
		_, known := o.Remembered(scope, "openclaw:lab:send", Always)
		require.False(t, known)
		_, known = o.Remembered(scope, "openclaw:lab:send", First)
		require.True(t, known)
		_, err = o.Decide(t.Context(), always.ID(), remember)
		require.NoError(t, err)
		require.Equal(t, []State{Approved}, alwaysAsker.states())
		_, known = o.Remembered(scope, "openclaw:lab:send", Always)
		require.True(t, known)
	})
	t.Run("G4 what somebody wanted to be remembered stays so", func(t *testing.T) {
		o := newOffice(t, Options{})
		paused, _ := o.open(ask("send", First))
		require.True(t, paused.Pause())
		always, _ := o.open(ask("send", Always))
		_, err := o.Decide(t.Context(), always.ID(), remember)
		require.NoError(t, err)
		o.mu.Lock()
		o.memory.put(paused.about, Scope{}, yes, true)
		o.mu.Unlock()
		_, known := o.Remembered(scope, "openclaw:lab:send", Always)
		require.True(t, known)
	})
	t.Run("G4 an edited input is that call's alone", func(t *testing.T) {
		o := newOffice(t, Options{})
		first, _ := o.open(ask("send", Always))
		_, waits := o.open(ask("send", Always))
		d := remember
		d.Input = json.RawMessage(`{"edited":true}`)
		_, err := o.Decide(t.Context(), first.ID(), d)
		require.NoError(t, err)
		require.Nil(t, waits.told[0].Decision.Input)
		require.False(t, waits.told[0].Decision.Edited)
	})
	t.Run("G4 first asks until one is approved", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, _ := o.open(ask("send", First))
		_, err := o.Decide(t.Context(), k.ID(), no)
		require.NoError(t, err)
		_, known := o.Remembered(scope, "openclaw:lab:send", First)
		require.False(t, known, "a denial is for one call")
		k, _ = o.open(ask("send", First))
		_, err = o.Decide(t.Context(), k.ID(), yes)
		require.NoError(t, err)
		_, known = o.Remembered(scope, "openclaw:lab:send", First)
		require.True(t, known)
	})
	t.Run("G4 a denial is remembered if asked to", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, _ := o.open(ask("send", Always))
		d := no
		d.Remember = RememberSession
		_, err := o.Decide(t.Context(), k.ID(), d)
		require.NoError(t, err)
		got, _ := o.Remembered(scope, "openclaw:lab:send", Always)
		require.Equal(t, Deny, got.Verdict)
	})
	t.Run("G4 learnt between asking and showing", func(t *testing.T) {
		o := newOffice(t, Options{})
		k, _ := o.open(ask("send", Always))
		who := &asker{}
		late, err := o.Reserve(ask("send", Always), scope, who)
		require.NoError(t, err)
		_, err = o.Decide(t.Context(), k.ID(), remember)
		require.NoError(t, err)
		late.Open()
		require.Equal(t, []State{Approved}, who.states())
	})
	for name, other := range map[string]executor.Context{
		"another agent":   {AgentID: "b", SessionID: "s", SessionKey: "k"},
		"another session": {AgentID: "a", SessionID: "t", SessionKey: "k"},
		"another key":     {AgentID: "a", SessionID: "s", SessionKey: "l"},
		"moved over":      {AgentID: "as", SessionID: "k", SessionKey: ""},
		"no key":          {AgentID: "a", SessionID: "s"},
		"no session":      {AgentID: "a", SessionKey: "k"},
	} {
		t.Run("G4 "+name+" is asked for itself", func(t *testing.T) {
			o := newOffice(t, Options{})
			k, _ := o.open(ask("send", Always))
			_, err := o.Decide(t.Context(), k.ID(), remember)
			require.NoError(t, err)
			_, known := o.Remembered(ScopeOf(other, "turn"), "openclaw:lab:send", Always)
			require.False(t, known)
		})
	}
	t.Run("G4 without a session the turn is one", func(t *testing.T) {
		require.Equal(t, ScopeOf(executor.Context{}, "t1"), ScopeOf(executor.Context{SessionID: "s"}, "t1"))
		require.NotEqual(t, ScopeOf(executor.Context{}, "t1"), ScopeOf(executor.Context{}, "t2"))
	})
	for name, forget := range map[string]func(*office){
		"the session's end": func(o *office) { o.ForgetSession("s") },
		"time":              func(*office) { time.Sleep(24 * time.Hour) },
	} {
		t.Run("G4 forgotten: "+name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newOffice(t, Options{})
				k, _ := o.open(ask("send", Always))
				_, err := o.Decide(t.Context(), k.ID(), remember)
				require.NoError(t, err)
				forget(o)
				_, known := o.Remembered(scope, "openclaw:lab:send", Always)
				require.False(t, known)
				time.Sleep(25 * time.Hour)
				synctest.Wait()
				require.Zero(t, o.account.Held())
			})
		})
	}
	t.Run("G4 the end of a turn is that of its own session, and of no other", func(t *testing.T) {
		o := newOffice(t, Options{})
		alone := ask("send", Always)
		alone.Context = executor.Context{AgentID: "a"}
		for _, a := range []Approval{alone, ask("send", Always)} {
			k, _ := o.open(a)
			_, err := o.Decide(t.Context(), k.ID(), remember)
			require.NoError(t, err)
		}
		o.ForgetTurn("turn")
		_, known := o.Remembered(scope, "openclaw:lab:send", Always)
		require.True(t, known)
		_, known = o.Remembered(ScopeOf(alone.Context, "turn"), "openclaw:lab:send", Always)
		require.False(t, known)
	})
	t.Run("H6 so much is remembered, the newest", func(t *testing.T) {
		o := newOffice(t, Options{})
		for n := range 2 * maxLessons {
			k, _ := o.open(ask(fmt.Sprint(n), Always))
			_, err := o.Decide(t.Context(), k.ID(), remember)
			require.NoError(t, err)
		}
		require.Equal(t, maxLessons, o.memory.order.Len())
		_, known := o.Remembered(scope, fmt.Sprint("openclaw:lab:", 2*maxLessons-1), Always)
		require.True(t, known)
		_, known = o.Remembered(scope, "openclaw:lab:0", Always)
		require.False(t, known)
	})
}

package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestList(t *testing.T) {
	o := newOffice(t, Options{})
	var ids []string
	for n := range 25 {
		a := ask("send", Always)
		if n%2 == 1 {
			a.TurnID, a.RunID, a.Context.SessionID = "turn2", "run2", "s2"
			a.ToolID, a.Name = "openclaw:lab:post", "post"
		}
		k, _ := o.open(a)
		if n%5 == 0 {
			k.Withdraw("over")
		}
		ids = append(ids, k.ID())
	}
	all := func(q Query) (found []string, pages int) {
		for {
			page := o.List(q)
			for _, a := range page.Approvals {
				found = append(found, a.ID)
			}
			if pages++; page.Next == 0 {
				return found, pages
			}
			q.After = page.Next
		}
	}
	t.Run("G4 all, in the order in which they were asked", func(t *testing.T) {
		for limit, wantPages := range map[int]int{0: 1, 1: 25, 7: 4, 25: 1, 1000: 1} {
			found, pages := all(Query{Limit: limit})
			require.Equal(t, ids, found)
			require.Equal(t, wantPages, pages, "limit %d", limit)
		}
	})
	for _, c := range []struct {
		by    string
		query Query
		count int
	}{
		{"state", Query{State: Withdrawn}, 5},
		{"turn", Query{TurnID: "turn2"}, 12},
		{"run", Query{RunID: "run"}, 13},
		{"tool's id", Query{Tool: "openclaw:lab:post"}, 12},
		{"tool's name", Query{Tool: "send"}, 13},
		{"session", Query{SessionID: "s2"}, 12},
		{"several", Query{SessionID: "s2", State: Pending}, 10},
		{"nothing that there is", Query{TurnID: "turn3"}, 0},
	} {
		t.Run("G4 by "+c.by, func(t *testing.T) {
			c.query.Limit = 3
			found, _ := all(c.query)
			require.Len(t, found, c.count)
		})
	}
	t.Run("G4 a page goes on after what is gone meanwhile", func(t *testing.T) {
		o := newOffice(t, Options{MaxTenantPending: 10})
		var tickets []*Ticket
		for range 10 {
			k, _ := o.open(ask("send", Always))
			tickets = append(tickets, k)
		}
		page := o.List(Query{Limit: 4})
		for _, k := range tickets[:8] {
			k.Withdraw("over")
		}
		rest := o.List(Query{Limit: 10, After: page.Next, State: Pending})
		require.Len(t, rest.Approvals, 2)
		require.Empty(t, o.List(Query{After: 1 << 60}).Approvals)
	})
	t.Run("H6 a page has so many bytes", func(t *testing.T) {
		o := newOffice(t, Options{})
		large := ask("send", Always)
		large.Context.Sender = strings.Repeat("x", 400<<10)
		for range 10 {
			o.open(large)
		}
		page := o.List(Query{})
		require.Len(t, page.Approvals, 3)
		require.Len(t, o.List(Query{After: page.Next}).Approvals, 3)
	})
	t.Run("H6 a list has no large inputs, and says how large they are", func(t *testing.T) {
		o := newOffice(t, Options{})
		for _, size := range []int{keptInput, keptInput + 1} {
			a := ask("send", Always)
			a.Input = json.RawMessage(`"` + strings.Repeat("x", size-2) + `"`)
			k, _ := o.open(a)
			whole, err := o.Get(k.ID())
			require.NoError(t, err)
			require.Len(t, whole.Input, size)
			require.Zero(t, whole.InputBytes)
		}
		listed := o.List(Query{}).Approvals
		require.Len(t, listed[0].Input, keptInput)
		require.Nil(t, listed[1].Input)
		require.Equal(t, []int{0, keptInput + 1}, []int{listed[0].InputBytes, listed[1].InputBytes})
	})
}

func TestGrowth(t *testing.T) {
	// The work that a log does is the entries that it moves.
	t.Run("H6 removing moves each entry a few times at most, in whichever order", func(t *testing.T) {
		const n = 1 << 14
		for name, order := range map[string]func(i uint64) uint64{
			"oldest first": func(i uint64) uint64 { return i + 1 },
			"newest first": func(i uint64) uint64 { return n - i },
			"odd ones":     func(i uint64) uint64 { return (i*7919)%n + 1 },
		} {
			var l log
			for range n {
				l.add(&Ticket{})
			}
			moved, before := 0, len(l.entries)
			for i := range uint64(n) {
				l.remove(order(i))
				if len(l.entries) != before {
					moved += before
					before = len(l.entries)
				}
			}
			require.Empty(t, l.entries, name)
			require.LessOrEqual(t, moved, 3*n, name)
		}
	})
}

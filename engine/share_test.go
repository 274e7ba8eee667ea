package engine

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestShare(t *testing.T) {
	t.Run("H6 what a part uses and has under way its whole does too", func(t *testing.T) {
		tenant := &Share{}
		turn, other := tenant.Sub(), tenant.Sub()
		turn.Charge(3 * time.Millisecond)
		turn.Hold(2)
		turn.Hold(-1)
		require.Equal(t, []int64{3e6, 3e6, 0}, []int64{turn.used.Load(), tenant.used.Load(), other.used.Load()})
		require.Equal(t, []int{1, 1, 0}, []int{turn.Held(), tenant.Held(), other.Held()})
	})
	t.Run("H6 what was used long ago counts less", func(t *testing.T) {
		s := &Share{}
		s.Recent()
		s.Charge(8 * time.Millisecond)
		s.asOf.Add(-2) // half-lives ago
		require.LessOrEqual(t, s.Recent(), 2*time.Millisecond)
		s.asOf.Add(-100)
		require.Zero(t, s.Recent())
	})
	t.Run("H6 nobody's share is charged and held like one", func(t *testing.T) {
		var nobody *Share
		nobody.Charge(time.Second)
		nobody.Hold(1)
		require.Zero(t, nobody.Held())
	})
}

func TestBefore(t *testing.T) {
	greedy, modest := &Share{}, &Share{}
	greedyTurn, freshTurn, modestTurn, busyTurn := greedy.Sub(), greedy.Sub(), modest.Sub(), modest.Sub()
	greedyTurn.Charge(time.Hour)
	busyTurn.Hold(1)
	for name, tc := range map[string]struct {
		first, last *Share
	}{
		"a tenant that has used less":                       {modestTurn, greedyTurn},
		"whichever of its turns it is":                      {modestTurn, freshTurn},
		"of one tenant the turn that has used less":         {freshTurn, greedyTurn},
		"of one tenant the turn that has less under way":    {modestTurn, busyTurn},
		"whoever it is, before what is done on no behalf":   {greedyTurn, nil},
		"a tenant without turns that has used less as well": {modest, greedyTurn},
	} {
		t.Run("H6 first is "+name, func(t *testing.T) {
			require.True(t, tc.first.Before(tc.last))
			require.False(t, tc.last.Before(tc.first))
		})
	}
	t.Run("H6 nobody is before itself", func(t *testing.T) {
		require.False(t, greedyTurn.Before(greedyTurn))
		require.False(t, (*Share)(nil).Before(nil))
	})
}

func TestClaim(t *testing.T) {
	t.Run("H6 a claim goes along in the context", func(t *testing.T) {
		c := &Claim{Share: &Share{}}
		ctx := WithClaim(t.Context(), c)
		share, long := ClaimOf(ctx)
		require.Same(t, c.Share, share)
		require.False(t, long)
		c.Long = true
		_, long = ClaimOf(ctx)
		require.True(t, long)
	})
	t.Run("H6 without one a step is nobody's", func(t *testing.T) {
		share, long := ClaimOf(context.Background())
		require.Nil(t, share)
		require.False(t, long)
	})
}

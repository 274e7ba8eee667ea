package events

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/internal/account"
)

// book is a log under test, with the account that it charges.
type book struct {
	*Log
	hub     *Hub
	held    *account.Account
	forgot  bool
	sources map[string]*Source
}

func newBook(limit int64) *book {
	b := &book{hub: NewHub(), held: account.New("tenant", limit), sources: map[string]*Source{}}
	b.Log = b.hub.NewLog("tenant", b.held, func() { b.forgot = true })
	return b
}

func (b *book) source(run string) *Source {
	if b.sources[run] == nil {
		b.sources[run] = &Source{}
	}
	return b.sources[run]
}

// tell tells an event of a run, whose data is its name.
func (b *book) tell(run, name string) { b.Tell(b.source(run), run, name, []byte(name)) }

func (b *book) listen(t *testing.T, run, after string) *Listener {
	t.Helper()
	at, err := b.Listen(nil, run, after)
	require.NoError(t, err)
	return at
}

// heard takes what a listener has to hear at once, as one text: names, "missed" with a number, and "EOF".
func heard(t *testing.T, at *Listener) string {
	t.Helper()
	var all []string
	for {
		e, more, err := at.Next()
		var missed *MissedError
		switch {
		case errors.As(err, &missed):
			all = append(all, fmt.Sprintf("missed %d", missed.Events))
		case errors.Is(err, io.EOF):
			return strings.Join(append(all, "EOF"), " ")
		case more != nil:
			return strings.Join(all, " ")
		default:
			require.NoError(t, err)
			all = append(all, e.Name)
		}
	}
}

func TestListeners(t *testing.T) {
	t.Run("I5 a listener hears what comes from then on, in order", func(t *testing.T) {
		b := newBook(1 << 30)
		first := b.listen(t, "", "")
		b.tell("r", "a")
		second := b.listen(t, "", "")
		b.tell("s", "b")
		b.tell("r", "c")
		require.Equal(t, "a b c", heard(t, first))
		require.Equal(t, "b c", heard(t, second))
		b.tell("r", "d")
		require.Equal(t, "d", heard(t, first))
	})
	t.Run("I5 one of a run hears of that only, until its end", func(t *testing.T) {
		b := newBook(1 << 30)
		b.tell("r", "a")
		at := b.listen(t, "r", "")
		b.tell("s", "b")
		b.tell("r", "c")
		require.Equal(t, "c", heard(t, at))
		b.tell("s", Ended)
		b.tell("r", Ended)
		b.tell("r", "late")
		require.Equal(t, "run.ended EOF", heard(t, at))
	})
	t.Run("I5 one that comes back hears what it has missed, once", func(t *testing.T) {
		b := newBook(1 << 30)
		at := b.listen(t, "", "")
		b.tell("r", "a")
		e, _, err := at.Next()
		require.NoError(t, err)
		require.Equal(t, e.ID, at.At())
		at.Close()
		b.tell("r", "b")
		b.tell("r", Ended)
		require.Equal(t, "b run.ended", heard(t, b.listen(t, "", e.ID)))
		require.Equal(t, "b run.ended EOF", heard(t, b.listen(t, "r", e.ID)))
		require.Equal(t, "a b run.ended", heard(t, b.listen(t, "", All)))
	})
	t.Run("I5 ids that are none of this log are answered with all that is kept", func(t *testing.T) {
		b := newBook(1 << 30)
		b.tell("r", "a")
		for _, id := range []string{"x", "0.0", b.id, b.id + ".", b.id + ".-1", b.id + ".2", b.id + ".18446744073709551615", "other.1"} {
			require.Equal(t, "missed 0 a", heard(t, b.listen(t, "", id)), id)
		}
		require.Equal(t, "a", heard(t, b.listen(t, "", b.id+".0")))
	})
	t.Run("I5 one that is slow is told how much it has missed", func(t *testing.T) {
		b := newBook(1 << 30)
		at := b.listen(t, "", "")
		for i := range MaxEvents + 5 {
			b.tell("r", fmt.Sprint(i))
		}
		all := heard(t, at)
		require.True(t, strings.HasPrefix(all, "missed 5 5 6 "), all[:20])
		require.Len(t, strings.Fields(all), MaxEvents+2)
	})
	t.Run("I5 one that is attached later hears of its run", func(t *testing.T) {
		b := newBook(1 << 30)
		at := NewListener()
		_, more, err := at.Next()
		require.NoError(t, err)
		b.tell("r", "a")
		require.NoError(t, at.Attach(b.Log, b.source("s"), "s"))
		<-more
		b.tell("s", "b")
		b.tell("s", Ended)
		require.Equal(t, "b run.ended EOF", heard(t, at))
		require.NoError(t, at.Attach(b.Log, b.source("r"), "r"), "once only")
	})
	t.Run("I5 the turn's end is the last that all hear", func(t *testing.T) {
		b := newBook(1 << 30)
		b.tell("r", "a")
		turn, run := b.listen(t, "", ""), b.listen(t, "r", "")
		b.End("turn.ended", nil)
		b.End("turn.ended", nil)
		b.tell("r", "late")
		require.Equal(t, "turn.ended EOF", heard(t, turn))
		require.Equal(t, "EOF", heard(t, run))
		_, err := b.Listen(nil, "", "")
		require.ErrorIs(t, err, ErrEnded)
	})
	t.Run("H6 so many may listen and no more, until one leaves", func(t *testing.T) {
		b := newBook(1 << 30)
		at := b.listen(t, "", "")
		for range MaxListeners - 1 {
			b.listen(t, "", "")
		}
		_, err := b.Listen(nil, "", "")
		require.ErrorIs(t, err, ErrTooMany)
		at.Close()
		at.Close()
		b.listen(t, "", "")
	})
}

func TestHeldByLogs(t *testing.T) {
	t.Run("H6 events are bounded in bytes, and charged", func(t *testing.T) {
		b := newBook(1 << 30)
		at := b.listen(t, "", "")
		for range 100 {
			b.Tell(b.source("r"), "r", "output", make([]byte, MaxEventBytes))
			require.LessOrEqual(t, b.held.Held(), int64(MaxBytes+listenerOverhead))
		}
		require.Greater(t, b.held.Held(), int64(MaxBytes/2))
		b.End("turn.ended", nil)
		require.NotZero(t, b.held.Held(), "until it has been heard")
		at.Close()
		require.Zero(t, b.held.Held())
	})
	t.Run("H6 where the tenant has no room, the oldest events go, and then the newest", func(t *testing.T) {
		b := newBook(listenerOverhead + 3*eventOverhead + 3)
		at := b.listen(t, "", "")
		for _, name := range []string{"a", "b", "c", "d"} {
			b.tell("r", name)
		}
		require.Equal(t, "missed 1 b c d", heard(t, at))
		b.Tell(b.source("r"), "r", "large", make([]byte, 1000))
		require.EqualValues(t, listenerOverhead, b.held.Held())
		require.Equal(t, "missed 1", heard(t, at))
		b.tell("r", "e")
		require.Equal(t, "e", heard(t, at))
	})
	t.Run("H6 a listener that there is no room for is refused, and leaves nothing", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBook(listenerOverhead - 1)
			_, err := b.Listen(nil, "", "")
			var full *account.FullError
			require.ErrorAs(t, err, &full)
			require.Zero(t, b.held.Held())
			waitOut()
			require.True(t, b.forgot)
		})
	})
}

// waitOut lets the time pass for which a log is kept.
func waitOut() {
	synctest.Wait()
	time.Sleep(Linger)
	synctest.Wait()
}

func TestLinger(t *testing.T) {
	t.Run("I5 a log that somebody listens to is kept, and forgotten when nobody has come back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBook(1 << 30)
			b.listen(t, "", "").Close()
			b.tell("r", "a")
			time.Sleep(Linger / 2)
			at := b.listen(t, "", All)
			waitOut()
			require.False(t, b.forgot)
			require.Equal(t, "a", heard(t, at))
			require.Same(t, b.Log, b.hub.Find("tenant", "r"))
			require.Nil(t, b.hub.Find("other", "r"), "A7 another tenant does not find it")
			at.Close()
			waitOut()
			require.True(t, b.forgot)
			require.Zero(t, b.held.Held())
			require.Nil(t, b.hub.Find("tenant", "r"))
			b.tell("r", "b")
			require.Zero(t, b.held.Held())
			_, err := b.Listen(nil, "", "")
			require.ErrorIs(t, err, ErrEnded)
		})
	})
}

func TestHub(t *testing.T) {
	b := newBook(1 << 30)
	at := b.listen(t, "", "")
	b.tell("r", "a")
	b.tell("r", Ended)
	require.NotNil(t, b.hub.Find("tenant", "r"), "its events are kept")
	require.False(t, b.Alive("r"))
	for range MaxEvents {
		b.tell("s", "b")
	}
	t.Run("H6 a run that is over is forgotten with its last event", func(t *testing.T) {
		require.Nil(t, b.hub.Find("tenant", "r"))
		require.Len(t, b.hub.byRun, 1)
	})
	t.Run("I5 a run that is alive is found, though none of its events is kept", func(t *testing.T) {
		for range MaxEvents {
			b.tell("q", "b")
		}
		require.NotNil(t, b.hub.Find("tenant", "s"))
		b.Over("s")
		require.Nil(t, b.hub.Find("tenant", "s"))
	})
	b.End("turn.ended", nil)
	at.Close()
	require.Empty(t, b.hub.byRun)
}

// TestCrowd has many tell, listen, come and go at once; the race detector looks on.
func TestCrowd(t *testing.T) {
	b := newBook(1 << 20)
	defer b.listen(t, "", "").Close()
	var all sync.WaitGroup
	for i := range 8 {
		run := fmt.Sprint("r", i)
		from := &Source{}
		all.Go(func() {
			for range 2000 {
				b.Tell(from, run, "a", []byte("{}"))
			}
			b.Tell(from, run, Ended, nil)
		})
		all.Go(func() {
			for n := 0; ; n++ {
				after := [...]string{"", All, "x"}[n%3]
				at, err := b.Listen(from, run, after)
				if err != nil {
					t.Error(err)
					return
				}
				for range 100 {
					_, more, err := at.Next()
					if errors.Is(err, io.EOF) {
						at.Close()
						return
					}
					if more != nil {
						<-more
					}
				}
				at.Close()
			}
		})
	}
	all.Wait()
	b.End("turn.ended", nil)
	require.Len(t, b.alive, 0)
}

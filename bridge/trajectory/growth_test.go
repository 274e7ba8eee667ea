package trajectory

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bench/growth"
)

func TestGrowth(t *testing.T) {
	filled := func(n int) *Log {
		l, _ := aLog(1 << 30)
		g := l.Begin(Exec, "parent")
		for i := range n {
			g.Add(aCall(uint32(n-i), func(e *Entry) { e.Decisions = nil }))
		}
		g.Add(anExec(nil))
		return l
	}
	for name, of := range map[string]func(*Log) io.WriterTo{
		"lines":      func(l *Log) io.WriterTo { return Lines{Log: l, Redactor: redactor} },
		"transcript": func(l *Log) io.WriterTo { return Transcript{l, redactor} },
	} {
		t.Run("H6 linear in the calls of a turn: "+name, func(t *testing.T) {
			growth.Linear(t, 60, func(n int) func() {
				l := filled(n)
				return func() {
					_, err := of(l).WriteTo(io.Discard)
					require.NoError(t, err)
				}
			})
		})
	}
	t.Run("H6 linear in the calls that are kept", func(t *testing.T) {
		growth.Linear(t, 1000, func(n int) func() { return func() { filled(n) } })
	})
}

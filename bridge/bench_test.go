package bridge

import (
	"context"
	"testing"

	"github.com/codecell/codecell/engine/enginetest"
)

// BenchmarkExec measures what the bridge itself costs, without a guest.
func BenchmarkExec(b *testing.B) {
	for _, bm := range []struct {
		name  string
		steps []enginetest.Step
	}{
		{"value", []enginetest.Step{returns("1")}},
		{"one call", []enginetest.Step{calls("echo"), returns("1")}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			w := newWorld(b, enginetest.Always(bm.steps...), Options{})
			turn := w.turn("")
			in := ExecInput{Code: quoted("return 1")}
			b.ReportAllocs()
			for b.Loop() {
				if r, err := turn.Exec(context.Background(), in); err != nil || r.Status != Completed {
					b.Fatal(r, err)
				}
			}
		})
	}
}

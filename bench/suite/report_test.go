package suite

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// steady is a subject whose tasks take what it says.
type steady struct {
	name  string
	takes map[string]time.Duration
	bytes int
}

func (s steady) Name() string { return s.name }

func (s steady) Measure(_ context.Context, task string, _ time.Duration) (time.Duration, error) {
	if d, ok := s.takes[task]; ok {
		return d, nil
	}
	return 0, ErrNotApplicable
}

func (s steady) StoredBytes() (int, error) {
	if s.bytes == 0 {
		return 0, ErrNotApplicable
	}
	return s.bytes, nil
}

func (s steady) Close() error { return nil }

func TestRun(t *testing.T) {
	var told []string
	r, err := Run(t.Context(), Options{Time: time.Second, Rounds: 3, Progress: func(done, all int, what string) {
		require.Less(t, done, all)
		told = append(told, what)
	}}, []Subject{
		steady{"native", map[string]time.Duration{Fresh: 10 * time.Microsecond}, 0},
		steady{"wasi", map[string]time.Duration{Fresh: 50 * time.Microsecond, Cycle: 100 * time.Microsecond}, 5000},
		steady{NodeVM, map[string]time.Duration{Fresh: 3 * time.Millisecond, Cycle: 2 * time.Millisecond}, 1_300_000},
		steady{"aot", map[string]time.Duration{Fresh: 25 * time.Microsecond, Cycle: 50 * time.Microsecond}, 5000},
	}, nil)
	require.NoError(t, err)
	t.Run("subjects take turns", func(t *testing.T) {
		require.Equal(t, []string{"fresh guest, 1+1, native", "fresh guest, 1+1, wasi", "fresh guest, 1+1, quickjs-wasi", "fresh guest, 1+1, aot", "fresh guest, 1+1, native"}, told[:5])
		require.Len(t, r.Find("guest", "fresh guest, 1+1", "native").Samples, 3)
	})
	t.Run("what a subject can't do is not there", func(t *testing.T) {
		require.Nil(t, r.Find("snapshot", "suspend + restore + resume", "native"))
	})
	t.Run("targets are judged by what was measured", func(t *testing.T) {
		require.Equal(t, []Target{
			{"fresh guest: native against quickjs-wasi", "≥ 200 ×", 300, "×", true},
			{"suspend + restore + resume against quickjs-wasi", "≥ 30 ×", 20, "×", false},
			{"suspend + restore + resume, aot against quickjs-wasi", "≥ 30 ×", 40, "×", true},
			{"fresh guest: aot against native", "≤ 2 ×", 2.5, "×", false},
			{"stored bytes of a suspended run, 50 tools", "≤ 64 KiB", 5000, "bytes", true},
		}, r.Targets)
	})
	t.Run("the page is whole and needs nothing else", func(t *testing.T) {
		var page bytes.Buffer
		require.NoError(t, r.WriteHTML(&page))
		require.NotContains(t, page.String(), "http://")
		require.NotContains(t, page.String(), "https://")
		require.NotContains(t, page.String(), "src=")
		_, rest, _ := strings.Cut(page.String(), "<svg")
		svg, _, _ := strings.Cut(rest, "</svg>")
		require.NoError(t, xml.Unmarshal([]byte("<svg"+svg+"</svg>"), new(struct{})))
		require.Contains(t, page.String(), "not met")
	})
	t.Run("the table says what was missed", func(t *testing.T) {
		r.LeftOut = []string{"somebody: not here"}
		var table bytes.Buffer
		require.NoError(t, r.WriteTable(&table))
		require.Contains(t, table.String(), "NOT met")
		require.Contains(t, table.String(), "left out: somebody: not here")
	})
}

func TestRunFails(t *testing.T) {
	broken := errors.New("broken")
	_, err := Run(t.Context(), Options{Time: 1}, []Subject{failing{broken}}, nil)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "failing: fresh guest")
}

type failing struct{ err error }

func (f failing) Name() string { return "failing" }
func (f failing) Measure(context.Context, string, time.Duration) (time.Duration, error) {
	return 0, f.err
}
func (f failing) StoredBytes() (int, error) { return 0, f.err }
func (f failing) Close() error              { return nil }

func TestShow(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{999, "ns", "999 ns"},
		{15230, "ns", "15.2 µs"},
		{3.2e6, "ns", "3.2 ms"},
		{2e10, "ns", "20 s"},
		{461e6, "bytes", "461 MB"},
		{13639, "req/s", "13639 req/s"},
		{30.52, "×", "30.5 ×"},
	} {
		require.Equal(t, c.want, show(c.v, c.unit))
	}
}

func TestQuantiles(t *testing.T) {
	r := Result{Samples: []float64{5, 1, 4, 2, 3}}
	require.Equal(t, 3.0, r.Median())
	require.Equal(t, 2.0, r.quantile(0.25))
	require.Equal(t, 5.0, r.quantile(1))
	require.Zero(t, (&Result{}).Median())
}

package bridge

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/hook"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/native"
)

func TestSelfTest(t *testing.T) {
	t.Run("H1 H2 each limit ends the cell that is made for it", func(t *testing.T) {
		e, err := native.New(native.Options{Heaps: 32})
		require.NoError(t, err)
		s, err := New(Options{Engine: e})
		require.NoError(t, err)
		names, err := s.SelfTest(t.Context())
		require.NoError(t, err)
		require.Len(t, names, 11)
		require.NoError(t, s.Ready())
		require.Zero(t, s.Stats().Turns)
		require.NoError(t, s.Close(t.Context()))
		require.NoError(t, e.Close())
	})
	t.Run("H1 with other limits too", func(t *testing.T) {
		e, err := native.New(native.Options{Heaps: 32, HeapBytes: 2 << 20})
		require.NoError(t, err)
		limits, err := config.Default().Merge([]byte(`{"memoryLimitBytes": 2097152, "maxOutputBytes": 1024, "maxPendingToolCalls": 1,
			"overflow": "reject", "outputOverflow": "truncate", "errorCodes": "strict", "maxSourceBytes": 1024, "languages": ["typescript"]}`))
		require.NoError(t, err)
		s, err := New(Options{Engine: e, Config: limits})
		require.NoError(t, err)
		names, err := s.SelfTest(t.Context())
		require.NoError(t, err)
		require.NotContains(t, names, "maxSnapshotBytes", "memory comes first")
		require.NoError(t, s.Close(t.Context()))
		require.NoError(t, e.Close())
	})
	t.Run("H1 nobody is asked for an approval, nor any hook", func(t *testing.T) {
		e, err := native.New(native.Options{Heaps: 32})
		require.NoError(t, err)
		limits, err := config.Default().Merge([]byte(askingFor("*")))
		require.NoError(t, err)
		everything, err := approval.NewPolicy([]approval.TenantRule{{Rule: approval.Rule{Tool: "*", Approval: approval.Always}}}, "")
		require.NoError(t, err)
		s, err := New(Options{
			Engine: e, Config: limits, Approvals: approval.Options{Policy: everything}, NoApprovers: "nobody is there",
			Hooks: []hook.Hook{{Name: "a", Before: verdict("", hook.Verdict{Block: true}).Before}},
		})
		require.NoError(t, err)
		_, err = s.SelfTest(t.Context())
		require.NoError(t, err)
		require.Empty(t, s.Approvals("", approval.Query{}).Approvals)
		require.NoError(t, s.Close(t.Context()))
		require.NoError(t, e.Close())
	})
	for limit, mark := range map[string]string{
		"timeoutMs": "for (;;) ;", "memoryLimitBytes": "1 << 16", "depth": "f() + 1", "maxSnapshotBytes": "kept", "maxPendingToolCalls": "refused", "maxHeldBytes": "hold(",
	} {
		t.Run("A8 a service whose limit does not hold runs nothing: "+limit, func(t *testing.T) {
			w := newWorld(t, enginetest.New(func(source string) enginetest.Script {
				return enginetest.Script{keepsLimits(source, mark)}
			}), Options{})
			var skip []string
			if limit != "maxSnapshotBytes" {
				skip = []string{"maxSnapshotBytes"} // whose heaps have no size
			}
			_, err := w.SelfTest(t.Context(), skip...)
			require.ErrorContains(t, err, limit+": the cell was not ended")
			require.NotContains(t, err.Error(), "\n", "one limit only")
			requireKind(t, w.Ready(), KindUnavailable)
			_, err = w.Prepare(t.Context(), "", &TurnRequest{Config: []byte(`true`)})
			requireKind(t, err, KindUnavailable)
			require.ErrorContains(t, err, limit)
		})
	}
	t.Run("A8 a limit that is known not to hold can be left out", func(t *testing.T) {
		w := newWorld(t, enginetest.New(func(source string) enginetest.Script {
			return enginetest.Script{keepsLimits(source, "kept")}
		}), Options{})
		names, err := w.SelfTest(t.Context(), "maxSnapshotBytes")
		require.NoError(t, err)
		require.NotContains(t, names, "maxSnapshotBytes")
	})
}

// keepsLimits is a guest that keeps all limits but the one whose trial has the mark in it.
func keepsLimits(source, but string) enginetest.Step {
	return func(_ *input, out *records) error {
		switch {
		case strings.Contains(source, but):
			out.Fulfil("0", 0)
		case strings.Contains(source, "for (;;) ;"), strings.Contains(source, "indexOf"), strings.Contains(source, "await tools.search"):
			out.Took(time.Second)
			return engine.ErrTimeout
		case strings.Contains(source, "1 << 16"):
			return engine.ErrMemory
		case strings.Contains(source, "f() + 1"):
			out.Fulfil(`"RangeError"`, 0)
		case strings.Contains(source, "hold("):
			out.Fulfil(`"too_many_bytes"`, 0)
		case strings.Contains(source, `"x".repeat`):
			return engine.ErrOutput
		case strings.Contains(source, "refused"):
			out.Fulfil("1", 0)
		case strings.Contains(source, "kept"):
			out.Reject(engine.Thrown{Other: "a snapshot"})
		}
		return nil
	}
}

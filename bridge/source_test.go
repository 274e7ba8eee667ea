package bridge

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/enginetest"
	"github.com/codecell/codecell/engine/script"
)

// preparer is a script.Preparer that takes a second of processor time, and then answers with err.
type preparer struct {
	err  error
	last script.Request
}

func (p *preparer) Prepare(_ context.Context, r script.Request) (*script.Source, time.Duration, error) {
	p.last = r
	if p.err != nil {
		return nil, time.Second, p.err
	}
	return &script.Source{Body: r.Code}, time.Second, nil
}

func TestPreparer(t *testing.T) {
	t.Run("H6 what parsing took is charged to the run", func(t *testing.T) {
		p := &preparer{}
		w := newWorld(t, enginetest.Always(returns("1")), Options{Preparer: p})
		r := w.exec(w.turn(`{"enabled":true,"timeoutMs":5000}`))
		require.Equal(t, Completed, r.Status)
		require.GreaterOrEqual(t, r.Telemetry.ServiceMs, 1000.0)
		require.Equal(t, tenant, p.last.Tenant)
		require.Equal(t, 5*time.Second, p.last.Limit)
	})
	t.Run("H6 a cell that was parsed for all of its time is over", func(t *testing.T) {
		w := newWorld(t, enginetest.Always(returns("1")), Options{Preparer: &preparer{}})
		requireFailed(t, w.exec(w.turn(`{"enabled":true,"timeoutMs":1000}`)), CodeTimeout, "")
	})
	for _, c := range []struct {
		rule  string
		err   error
		code  Code
		again bool
	}{
		{"B1 a cell that is refused is not to be run again", &script.Error{Text: "no"}, CodeInvalidInput, false},
		{"H6 one that is parsed too long is over", &script.Error{Text: "no", Reason: script.TooSlow}, CodeTimeout, true},
		{"H6 so is one that takes too much memory", &script.Error{Text: "no", Reason: script.TooLarge}, CodeMemoryLimit, false},
	} {
		t.Run(c.rule, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(), Options{Preparer: &preparer{err: c.err}})
			r := w.exec(w.turn(`true`))
			requireFailed(t, r, c.code, "no")
			require.Equal(t, c.again, r.Retryable)
			require.Equal(t, 1000.0, r.Telemetry.ServiceMs)
		})
	}
	for rule, c := range map[string]struct {
		err  error
		kind Kind
	}{
		"H6 a cell that was not tried is not blamed":   {fmt.Errorf("%w: 9 wait", script.ErrBusy), KindOverloaded},
		"H6 nor is one that nothing can be tried with": {fmt.Errorf("%w: no", script.ErrUnavailable), KindUnavailable},
	} {
		t.Run(rule, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(), Options{Preparer: &preparer{err: c.err}})
			_, err := w.turn(`true`).Exec(t.Context(), ExecInput{Code: quoted("x")})
			requireKind(t, err, c.kind)
		})
	}
	t.Run("G7 who has hung up is told that the run was aborted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		w := newWorld(t, enginetest.Always(), Options{Preparer: &preparer{err: errors.Join(context.Canceled)}})
		r, err := w.turn(`true`).Exec(ctx, ExecInput{Code: quoted("x")})
		require.NoError(t, err)
		requireFailed(t, r, CodeAborted, "")
	})
}

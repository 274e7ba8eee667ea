package worker

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/config"
	tools "github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
)

var kills = flag.Int("kills", 25, "how many workers TestKills kills")

// runner takes several steps, is suspended in between, and knows what must come of it.
const runner = `let s = %d, seen = new Map();
	for (let i = 0; i < 4; i++) {
		for (let j = 0; j < 2000; j++) s = (s * 31 + j) %% 1000003;
		const r = await tools.callValue("tick", {i, s});
		if (r.input.i !== i || r.input.s !== s) return "a wrong answer";
		seen.set(i, s);
		if (i == 1) await yield_control("rest");
	}
	return [s, [...seen.values()].length, Math.random() < 1, Date.now() > 1e12]`

func runnerValue(s int) string {
	for range 4 {
		for j := range 2000 {
			s = (s*31 + j) % 1000003
		}
	}
	return fmt.Sprintf("[%d,4,true,true]", s)
}

// TestKills kills workers at random under load. Nobody loses anything: every run ends as if nothing had happened.
func TestKills(t *testing.T) {
	for _, name := range realEngines() {
		t.Run("H3 no run is lost with its worker: "+name, func(t *testing.T) {
			before := descriptors(t)
			e := New(Options{Settings: Settings{Engine: name, CacheDir: t.TempDir()}, Command: []string{"worker", name}, Workers: 2, Spares: 2, Logger: slog.New(slog.NewTextHandler(t.Output(), nil))})
			require.NoError(t, e.Ready())
			runs := underFire(t, e, *kills)
			t.Logf("%d runs, %d workers lost, %d guests rebuilt, %d steps executed again",
				runs, e.Workers().Lost, e.Workers().Rebuilt, e.Workers().Replayed)
			require.Positive(t, e.Workers().Rebuilt)
			require.NoError(t, e.Close())
			require.LessOrEqual(t, descriptors(t), before+2, "descriptors are left open")
		})
	}
}

// underFire drives runs while workers are killed, and returns how many ended well, which all must.
func underFire(t *testing.T, e *Engine, kills int) int64 {
	t.Helper()
	var main engine.Engine = e
	if e.Name() != "native" {
		main = Portable{e}
	}
	limits, err := config.Default().Merge(json.RawMessage(`{"enabled":true,"maxSuspendedRuns":1000}`))
	require.NoError(t, err)
	s, err := bridge.New(bridge.Options{
		Engine: main, Config: limits, TestExecutors: true, Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	require.NoError(t, err)
	turn, err := s.Prepare(t.Context(), "", &bridge.TurnRequest{
		Context: bridge.Context{AgentID: "a", SessionID: "s", SessionKey: "k", RunID: "r"},
		Config:  json.RawMessage(`true`),
		Tools: []tools.Tool{{
			Source: tools.SourceOpenClaw, Owner: "core", Name: "tick", Executor: json.RawMessage(`{"type":"echo","delayMs":2}`),
		}},
	})
	require.NoError(t, err)

	var ended atomic.Int64
	var stop atomic.Bool
	var all sync.WaitGroup
	for n := range 12 {
		all.Go(func() {
			for seed := n; !stop.Load(); seed += 12 {
				if got := drive(s, turn, seed); got != runnerValue(seed) {
					t.Errorf("run %d came to %s, not %s", seed, got, runnerValue(seed))
					return
				}
				ended.Add(1)
			}
		})
	}
	for killed := 0; killed < kills && !t.Failed(); {
		time.Sleep(time.Duration(20+rand.IntN(100)) * time.Millisecond)
		e.pool.mu.Lock()
		var victims []*process
		for _, p := range e.pool.serving {
			if !p.hasExited() && p.guests.Load() > 0 {
				victims = append(victims, p)
			}
		}
		e.pool.mu.Unlock()
		if len(victims) > 0 {
			if syscall.Kill(victims[rand.IntN(len(victims))].PID(), syscall.SIGKILL) == nil { // else it is gone just now
				killed++
			}
		}
	}
	stop.Store(true)
	all.Wait()
	require.NoError(t, s.Close(context.Background()))
	return ended.Load()
}

// drive runs a cell to its end and returns its value, or the whole of a result that is none.
func drive(s *bridge.Service, turn *bridge.Turn, seed int) string {
	code, _ := json.Marshal(fmt.Sprintf(runner, seed)) // a string always encodes
	r, err := turn.Exec(context.Background(), bridge.ExecInput{ToolCallID: "call", Code: code})
	for err == nil && r.Status == bridge.Waiting {
		id, _ := json.Marshal(r.RunID)
		r, err = turn.Wait(context.Background(), bridge.WaitInput{RunID: id})
	}
	if err != nil {
		return err.Error()
	}
	if r.Status != bridge.Completed {
		return string(r.AppendJSON(nil))
	}
	return string(r.Value)
}

func descriptors(t *testing.T) int {
	t.Helper()
	open, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return len(open)
}

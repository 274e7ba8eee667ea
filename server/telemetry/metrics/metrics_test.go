package metrics

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/preparer"
	"github.com/codecell/codecell/engine/worker"
	"github.com/codecell/codecell/snapshot"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var aRun = bridge.RunInfo{Tenant: "acme"}

// used returns metrics of which each has counted something.
func used(t *testing.T) *Metrics {
	m := New("v1")
	for _, e := range []bridge.Event{
		bridge.RunStarted{},
		bridge.StepEnded{Queued: time.Millisecond, Wall: 3 * time.Millisecond, CPU: 2 * time.Millisecond, HeapBytes: 1 << 20},
		bridge.CallStarted{},
		bridge.CallProgressed{},
		bridge.CallEnded{
			ToolID: "mcp:hub:issue", State: "completed", Took: time.Second,
			Decisions: []bridge.Decision{{Stage: "policy", Outcome: "allowed"}, {Stage: "approval", Outcome: "approved", By: "somebody"}},
		},
		bridge.CallEnded{State: "refused", Code: "unknown_tool"},
		bridge.HookAnswered{Hook: "policy", Outcome: "blocked"},
		bridge.RunSuspended{},
		bridge.RunResumed{},
		bridge.RunEnded{Status: bridge.Completed, Wall: time.Second, Usage: bridge.Usage{Steps: 2, CPU: time.Millisecond}},
		bridge.RunEnded{Status: bridge.Failed, Code: bridge.CodeTimeout},
		bridge.RunEnded{Cause: bridge.CauseExpired},
		bridge.CellRefused{Code: bridge.CodeInvalidInput},
	} {
		m.Observe(t.Context(), aRun, e)
	}
	m.Answered(http.MethodPost, "/v1/exec", http.StatusOK, time.Millisecond)
	m.Watch(Sources{
		Service: func() bridge.Stats {
			return bridge.Stats{
				Turns: 1, Suspended: 5, Running: 2, Approvals: 1, Engine: engine.Stats{Heaps: 9, InUse: 7, Running: 2, Queued: 3, Threads: 4},
				Parked: 3, Snapshots: snapshot.Stats{Usage: snapshot.Usage{Snapshots: 2, Bytes: 2000}, Expired: 1},
				Offloads:  bridge.OffloadStats{Done: 1, Diverged: 2, Kept: 3, Failed: 4, Restored: 5},
				HeldBytes: 10, MemoryBytes: 100,
			}
		},
		Workers: map[string]func() worker.Workers{"native": func() worker.Workers {
			return worker.Workers{Serving: 1, Spare: 2, Started: 3, Lost: 4, Rebuilt: 5, Replayed: 6, Poisoned: 7}
		}},
		Parsers: func() preparer.Stats { return preparer.Stats{Parsing: 1, Waiting: 2} },
		Ready:   func() error { return nil },
	})
	return m
}

// families returns the service's own metrics, by name.
func families(t *testing.T, m *Metrics) map[string]*dto.MetricFamily {
	all, err := m.Registry().Gather()
	require.NoError(t, err)
	own := map[string]*dto.MetricFamily{}
	for _, f := range all {
		if strings.HasPrefix(f.GetName(), namespace+"_") {
			own[f.GetName()] = f
		}
	}
	return own
}

func TestMetrics(t *testing.T) {
	m := used(t)
	t.Run("I4 names and units are as Prometheus wants them", func(t *testing.T) {
		problems, err := testutil.GatherAndLint(m.Registry())
		require.NoError(t, err)
		require.Empty(t, problems)
	})
	t.Run("I4 what has happened is counted", func(t *testing.T) {
		require.NoError(t, testutil.GatherAndCompare(m.Registry(), strings.NewReader(`
# HELP codecell_runs_total Cells by what came of them: completed, failed, refused (before they had a guest), or without a result: aborted, expired, exported, overloaded. code is that of a failed or refused one.
# TYPE codecell_runs_total counter
codecell_runs_total{code="",outcome="completed"} 1
codecell_runs_total{code="",outcome="expired"} 1
codecell_runs_total{code="invalid_input",outcome="refused"} 1
codecell_runs_total{code="timeout",outcome="failed"} 1
# HELP codecell_calls_total Nested tool calls by what came of them (completed, failed, refused, cancelled) and the tool's id, which is other beyond a number of tools.
# TYPE codecell_calls_total counter
codecell_calls_total{outcome="completed",tool="mcp:hub:issue"} 1
codecell_calls_total{outcome="refused",tool="unknown"} 1
# HELP codecell_approval_decisions_total Nested tool calls that a person was or would have been asked about, by what came of that.
# TYPE codecell_approval_decisions_total counter
codecell_approval_decisions_total{outcome="approved"} 1
# HELP codecell_heaps Heaps by state: used (they belong to a run), or free.
# TYPE codecell_heaps gauge
codecell_heaps{state="free"} 2
codecell_heaps{state="used"} 7
`), "codecell_runs_total", "codecell_calls_total", "codecell_approval_decisions_total", "codecell_heaps"))
	})
	t.Run("I4 each metric that is described has a value", func(t *testing.T) {
		own := families(t, m)
		for _, name := range descriptions(m) {
			require.Contains(t, own, name)
		}
	})
	t.Run("I4 a service that can't run cells says so", func(t *testing.T) {
		m := New("v1")
		m.Watch(Sources{Ready: func() error { return errors.New("no engine") }})
		require.InDelta(t, 0, families(t, m)["codecell_ready"].Metric[0].GetGauge().GetValue(), 0)
	})
	t.Run("I4 a scrape is answered in the format of Prometheus", func(t *testing.T) {
		server := httptest.NewServer(m.Handler())
		defer server.Close()
		answer, err := server.Client().Get(server.URL)
		require.NoError(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		require.Contains(t, string(text), `codecell_runs_total{code="timeout",outcome="failed"} 1`)
		require.Contains(t, string(text), "go_goroutines")
		require.Contains(t, string(text), "process_resident_memory_bytes")
	})
}

// descriptions are the names of all metrics that the package defines.
func descriptions(m *Metrics) []string {
	named := regexp.MustCompile(`fqName: "(\w+)"`)
	var all []string
	for _, c := range m.collectors() {
		out := make(chan *prometheus.Desc, 100)
		go func() {
			c.Describe(out)
			close(out)
		}()
		for d := range out {
			all = append(all, named.FindStringSubmatch(d.String())[1])
		}
	}
	return all
}

func TestBounds(t *testing.T) {
	series := func(m *Metrics, name string) int { return len(families(t, m)[name].GetMetric()) }
	t.Run("H6 names of tools that a client makes up add no series without end", func(t *testing.T) {
		m := New("")
		for n := range 10 * maxTools {
			m.Observe(t.Context(), aRun, bridge.CallEnded{ToolID: fmt.Sprintf("client:app:t%d", n), State: "completed"})
		}
		require.Equal(t, maxTenantTools+1, series(m, "codecell_calls_total"), "its own, and other")
		m.Observe(t.Context(), bridge.RunInfo{Tenant: "honest"}, bridge.CallEnded{ToolID: "mcp:hub:issue", State: "completed"})
		require.Equal(t, maxTenantTools+2, series(m, "codecell_calls_total"), "and they take nobody else's place")
	})
	t.Run("H6 nor do many tenants together", func(t *testing.T) {
		m := New("")
		for n := range 10 * maxTools {
			run := bridge.RunInfo{Tenant: fmt.Sprint(n)}
			m.Observe(t.Context(), run, bridge.CallEnded{ToolID: fmt.Sprintf("client:app:t%d", n), State: "completed"})
			m.Observe(t.Context(), run, bridge.RunEnded{Status: bridge.Completed})
		}
		require.Equal(t, maxTools+1, series(m, "codecell_calls_total"))
		require.Equal(t, maxTenants+1, series(m, "codecell_tenant_runs_total"))
	})
	t.Run("H6 a name that is long or no text is not kept", func(t *testing.T) {
		m := New("")
		for _, id := range []string{"a" + strings.Repeat("b", maxName), "bad\xff\xfe", "line\nbreak\"quote"} {
			m.Observe(t.Context(), aRun, bridge.CallEnded{ToolID: id, State: "completed"})
		}
		var labels []string
		for _, one := range families(t, m)["codecell_calls_total"].Metric {
			labels = append(labels, one.Label[1].GetValue())
		}
		require.ElementsMatch(t, []string{"other", "bad\uFFFD", "line\nbreak\"quote"}, labels)
	})
	t.Run("H6 nor routes and methods that are not the service's", func(t *testing.T) {
		m := New("")
		for n := range 100 {
			m.Answered(fmt.Sprintf("M%d", n), "", http.StatusNotFound, 0)
			m.Answered(fmt.Sprintf("M%d", n), "/v1/exec", http.StatusMethodNotAllowed, 0)
		}
		require.Equal(t, 2, series(m, "codecell_http_requests_total"))
	})
}

const root = "../../.."

func TestDocuments(t *testing.T) {
	own := families(t, used(t))
	t.Run("I4 docs/metrics.md lists the metrics as they are", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(root, "docs/metrics.md"))
		require.NoError(t, err)
		require.Contains(t, string(text), table(own), "the table should be:\n%s", table(own))
	})
	metric := regexp.MustCompile(`\bcodecell_\w+`)
	for _, file := range []string{"docker/grafana/codecell.json", "docker/prometheus/rules.yml", "docker/prometheus/rules_test.yml"} {
		t.Run("I4 the metrics that "+file+" names are there", func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, file))
			require.NoError(t, err)
			names := metric.FindAllString(string(text), -1)
			require.NotEmpty(t, names)
			for _, name := range names {
				require.Contains(t, own, strings.TrimSuffix(name, "_bucket"))
			}
		})
	}
	t.Run("I4 the board shows each metric", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(root, "docker/grafana/codecell.json"))
		require.NoError(t, err)
		for name := range own {
			require.Contains(t, string(text), name)
		}
	})
}

// table is what docs/metrics.md says of the metrics.
func table(families map[string]*dto.MetricFamily) string {
	var rows []string
	for name, f := range families {
		labels := map[string]bool{}
		for _, one := range f.Metric {
			for _, l := range one.Label {
				labels["`"+l.GetName()+"`"] = true
			}
		}
		var sorted []string
		for l := range labels {
			sorted = append(sorted, l)
		}
		slices.Sort(sorted)
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, strings.ToLower(f.GetType().String()), strings.Join(sorted, ", "), f.GetHelp()))
	}
	slices.Sort(rows)
	return "| metric | type | labels | what it tells |\n|---|---|---|---|\n" + strings.Join(rows, "")
}

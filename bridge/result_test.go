package bridge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/catalog"
)

// wire is a result as a client reads it (contract B7).
type wire struct {
	Status       string          `json:"status"`
	Value        json.RawMessage `json:"value"`
	Output       []wireOutput    `json:"output"`
	OmittedBytes int64           `json:"omittedBytes"`
	Hints        []string        `json:"hints"`

	RunID   string        `json:"runId"`
	Reason  string        `json:"reason"`
	Pending []wirePending `json:"pendingToolCalls"`

	Error       string       `json:"error"`
	Code        string       `json:"code"`
	Detail      *wireDetail  `json:"detail"`
	SideEffects []wireEffect `json:"sideEffects"`
	Retryable   *bool        `json:"retryable"`

	Telemetry wireTelemetry `json:"telemetry"`
}

type wireOutput struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	Level string          `json:"level"`
	Value json.RawMessage `json:"value"`
}

type wirePending struct {
	ID     string          `json:"id"`
	Method string          `json:"method"`
	ToolID string          `json:"toolId"`
	Name   string          `json:"name"`
	Input  json.RawMessage `json:"input"`
}

type wireDetail struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Stack   string `json:"stack"`
}

type wireEffect struct {
	ID     string `json:"id"`
	ToolID string `json:"toolId"`
	State  string `json:"state"`
}

type wireTelemetry struct {
	CatalogSize   int             `json:"catalogSize"`
	Sources       catalog.Sources `json:"sources"`
	SearchCount   int64           `json:"searchCount"`
	DescribeCount int64           `json:"describeCount"`
	CallCount     int64           `json:"callCount"`
	VisibleTools  []string        `json:"visibleTools"`
	Runtime       struct {
		Engine    string  `json:"engine"`
		Steps     int     `json:"steps"`
		GuestMs   float64 `json:"guestMs"`
		CPUMs     float64 `json:"cpuMs"`
		ServiceMs float64 `json:"serviceMs"`
		WaitMs    float64 `json:"waitMs"`
		HeapBytes int     `json:"heapBytes"`
	} `json:"runtime"`
}

// read decodes a result and refuses members that the contract does not know.
func read(t testing.TB, r *Result) wire {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(r.AppendJSON(nil))))
	d.DisallowUnknownFields()
	var w wire
	require.NoError(t, d.Decode(&w), "%s", r.AppendJSON(nil))
	return w
}

// nasty is text that breaks what does not escape.
const nasty = "\"}],\\\n\x00\u2028</script>é\xff"

const nastyBack = "\"}],\\\n\x00\u2028</script>é\uFFFD"

func TestResultJSON(t *testing.T) {
	telemetry := Telemetry{
		CatalogSize: 3, Sources: catalog.Sources{OpenClaw: 1, MCP: 2, Client: 4}, SearchCount: 5, DescribeCount: 6, Calls: 7,
		Engine: "fake", Steps: 8, GuestMs: 1.25, CPUMs: 0.75, ServiceMs: 0.5, WaitMs: 2.5, HeapBytes: 9,
	}
	t.Run("G6 telemetry", func(t *testing.T) {
		got := read(t, &Result{Status: Failed, Telemetry: telemetry}).Telemetry
		want := wireTelemetry{
			CatalogSize: 3, Sources: telemetry.Sources, SearchCount: 5, DescribeCount: 6, CallCount: 7, VisibleTools: []string{"exec", "wait"},
		}
		want.Runtime.Engine, want.Runtime.Steps, want.Runtime.HeapBytes = "fake", 8, 9
		want.Runtime.GuestMs, want.Runtime.CPUMs, want.Runtime.WaitMs = 1.25, 0.75, 2.5
		want.Runtime.ServiceMs = 0.5
		require.Equal(t, want, got)
	})
	t.Run("B7 completed", func(t *testing.T) {
		r := &Result{
			Status: Completed, Value: json.RawMessage(`{"a":[1]}`), Hints: []string{nasty, "two"}, Omitted: 12,
			Output: [][]byte{renderOutput(textOf(nasty)), renderOutput(jsonOf(`{"b":2}`))},
		}
		got := read(t, r)
		require.Equal(t, "completed", got.Status)
		require.Equal(t, `{"a":[1]}`, string(got.Value))
		require.Equal(t, []wireOutput{{Type: "text", Text: nastyBack}, {Type: "json", Value: json.RawMessage(`{"b":2}`)}}, got.Output)
		require.Equal(t, []string{nastyBack, "two"}, got.Hints)
		require.Equal(t, int64(12), got.OmittedBytes)
		require.Nil(t, got.Retryable, "only a failed result says so")
	})
	t.Run("B7 waiting", func(t *testing.T) {
		r := &Result{Status: Waiting, RunID: "cm_1", Reason: "pending_tools", Pending: []PendingCall{
			{ID: "cm_1.1", Method: "call", ToolID: nasty, Name: nasty, Input: json.RawMessage(`{"x":null}`)},
			{ID: "cm_1.2", Method: "timer"},
		}}
		got := read(t, r)
		require.Equal(t, []string{"waiting", "cm_1", "pending_tools"}, []string{got.Status, got.RunID, got.Reason})
		require.Equal(t, []wirePending{
			{ID: "cm_1.1", Method: "call", ToolID: nastyBack, Name: nastyBack, Input: json.RawMessage(`{"x":null}`)},
			{ID: "cm_1.2", Method: "timer"},
		}, got.Pending)
		require.NotContains(t, string(r.AppendJSON(nil)), `"value"`)
	})
	t.Run("B7 failed", func(t *testing.T) {
		r := &Result{
			Status: Failed, Error: nasty, Code: CodeInternal, Detail: &Detail{Name: nasty, Message: nasty, Line: 3, Column: 4, Stack: nasty},
			SideEffects: []SideEffect{{"a", "t", "completed"}, {"b", nasty, "cancelled"}}, Retryable: true,
		}
		got := read(t, r)
		require.Equal(t, []string{"failed", nastyBack, "internal_error"}, []string{got.Status, got.Error, got.Code})
		require.Equal(t, &wireDetail{nastyBack, nastyBack, 3, 4, nastyBack}, got.Detail)
		require.Equal(t, []wireEffect{{"a", "t", "completed"}, {"b", nastyBack, "cancelled"}}, got.SideEffects)
		require.True(t, *got.Retryable)
	})
	t.Run("B7 output is always an array", func(t *testing.T) {
		for _, status := range []Status{Completed, Waiting, Failed} {
			r := &Result{Status: status, Value: json.RawMessage("null")}
			require.NotNil(t, read(t, r).Output, status)
			require.Empty(t, read(t, r).Output, status)
		}
	})
	t.Run("B7 what is unknown is left out", func(t *testing.T) {
		text := string((&Result{Status: Failed, Detail: &Detail{}}).AppendJSON(nil))
		for _, key := range []string{"line", "column", "sideEffects", "hints", "omittedBytes", "runId"} {
			require.NotContains(t, text, `"`+key+`"`)
		}
		require.Contains(t, text, `"retryable":false`)
	})
	t.Run("B7 appends to what is there", func(t *testing.T) {
		require.Equal(t, "xy{", string((&Result{Status: Failed}).AppendJSON([]byte("xy")))[:3])
	})
}

func BenchmarkResultJSON(b *testing.B) {
	r := &Result{
		Status: Completed, Value: json.RawMessage(`{"items":[1,2,3],"next":null}`),
		Output: [][]byte{renderOutput(textOf("a line of output"))}, Telemetry: Telemetry{Engine: "native", Steps: 1},
	}
	dst := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		dst = r.AppendJSON(dst[:0])
	}
}

package trajectory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/redact"
)

const secret = "the-services-own-key"

var redactor = redact.New(redact.Options{Values: []string{secret}})

func itself() *redact.Redactor { return redactor }

var start = time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)

func aLog(bytes int64) (*Log, *account.Account) {
	held := account.New("test", bytes)
	return New(held), held
}

// aCall is a call of the run "cm_1", whose exec is "parent".
func aCall(number uint32, change func(*Entry)) *Entry {
	e := Entry{
		Kind: Call, ID: fmt.Sprintf("cm_1.%d", number), ParentID: "parent", RunID: "cm_1", ToolID: "openclaw:core:read", Name: "read", Number: number,
		Input: json.RawMessage(`{"path":"a","password":"hunter2"}`), Outcome: Completed, StartedAt: start, Took: 1500 * time.Microsecond,
		Result: json.RawMessage(`{"content":[{"type":"text","text":"it is ` + secret + `"}]}`), ResultBytes: 50, Attempts: 1,
		Decisions: []Decision{{Stage: "policy", Outcome: "allowed"}},
	}
	if change != nil {
		change(&e)
	}
	return e.Keep(itself)
}

func anExec(change func(*Entry)) *Entry {
	e := Entry{
		Kind: Exec, ID: "parent", RunID: "cm_1", Input: json.RawMessage(`{"code":"return 1"}`), Outcome: Waiting, StartedAt: start, Took: time.Second,
		Result: json.RawMessage(`{"status":"waiting","runId":"cm_1"}`), ResultBytes: 34,
	}
	if change != nil {
		change(&e)
	}
	return e.Keep(itself)
}

func lines(t testing.TB, l *Log) []gjson.Result { return written(t, l, false) }

func messages(t testing.TB, l *Log) []gjson.Result { return written(t, l, true) }

func written(t testing.TB, l *Log, transcript bool) (all []gjson.Result) {
	t.Helper()
	var out bytes.Buffer
	var err error
	var n int64
	if transcript {
		n, err = Transcript{l, redactor}.WriteTo(&out)
	} else {
		n, err = Lines{Log: l, Redactor: redactor}.WriteTo(&out)
	}
	require.NoError(t, err)
	require.EqualValues(t, out.Len(), n)
	for line := range strings.Lines(out.String()) {
		require.True(t, json.Valid([]byte(line)), line)
		all = append(all, gjson.Parse(line))
	}
	return all
}

func field(all []gjson.Result, path string) (values []string) {
	for _, one := range all {
		values = append(values, one.Get(path).String())
	}
	return values
}

func TestLines(t *testing.T) {
	l, _ := aLog(1 << 20)
	g := l.Begin(Exec, "parent")
	g.Add(aCall(3, func(e *Entry) {
		e.ToolID, e.Name, e.Outcome, e.Code, e.Error = "", "no tool", "refused", "unknown_tool", "Unknown tool id: no tool"
		e.Result, e.ResultBytes, e.Attempts = nil, 0, 0
	}))
	g.Add(aCall(1, func(e *Entry) {
		e.ToolTook = time.Millisecond
		e.Decisions = append(e.Decisions, Decision{"before", "blocked", "not with " + secret, "guard"})
	}))
	t.Run("G5 an exec that is under way", func(t *testing.T) {
		require.JSONEq(t, `{"type":"exec","callId":"parent","name":"exec","outcome":"running","decisions":[]}`, lines(t, l)[0].Raw)
		require.Empty(t, messages(t, l), "a transcript has what has a result")
	})
	g.Add(anExec(nil))
	g.Add(Entry{Kind: Wait, RunID: "cm_1", Outcome: Completed, StartedAt: start, Result: json.RawMessage(`{"status":"completed","value":1}`)}.Keep(itself))
	g.Add(Entry{Kind: Wait, ID: "call-9", RunID: "cm_1", Outcome: Failed, Code: "invalid_input", Error: "gone"}.Keep(itself))
	t.Run("G5 an exec, its calls in the order of the cell, its waits", func(t *testing.T) {
		all := lines(t, l)
		require.Equal(t, []string{"exec", "call", "call", "wait", "wait"}, field(all, "type"))
		require.Equal(t, []string{"parent", "cm_1.1", "cm_1.3", "parent-wait-1", "call-9"}, field(all, "callId"))
		require.JSONEq(t, `{
			"type":"call","callId":"cm_1.1","parentCallId":"parent","runId":"cm_1","toolId":"openclaw:core:read","name":"read","startedAt":"2026-01-02T03:04:05.006Z",
			"durationMs":1.5,"toolMs":1,"attempts":1,"outcome":"completed","resultBytes":50,"input":{"path":"a","password":"[redacted]"},
			"decisions":[{"stage":"policy","outcome":"allowed"},{"stage":"before","outcome":"blocked","reason":"not with [redacted]","by":"guard"}]}`, all[1].Raw)
		require.Equal(t, "unknown_tool", all[2].Get("code").Str)
	})
	t.Run("G5 a transcript keeps the control calls, and shows calls after their exec's result", func(t *testing.T) {
		all := messages(t, l)
		require.Equal(t, []string{"parent", "", "cm_1.1", "", "cm_1.3", "", "parent-wait-1", "", "call-9", ""}, field(all, "content.0.id"))
		require.Equal(t, []string{"", "parent", "", "cm_1.1", "", "cm_1.3", "", "parent-wait-1", "", "call-9"}, field(all, "toolCallId"))
		require.JSONEq(t, `{"role":"assistant","stopReason":"toolUse","content":[{"type":"toolCall","id":"parent","name":"exec","arguments":{"code":"return 1"},"input":{"code":"return 1"}}],"timestamp":1767323045006}`, all[0].Raw)
		require.JSONEq(t, `{"role":"toolResult","toolCallId":"parent","toolName":"exec","isError":false,"details":{"status":"waiting"},"timestamp":1767323046006,
			"content":[{"type":"text","text":"{\"status\":\"waiting\",\"runId\":\"cm_1\"}"}]}`, all[1].Raw)
		require.JSONEq(t, `{"role":"assistant","stopReason":"toolUse","parentToolCallId":"parent","toolId":"openclaw:core:read","timestamp":1767323045006,
			"content":[{"type":"toolCall","id":"cm_1.1","name":"read","arguments":{"path":"a","password":"[redacted]"},"input":{"path":"a","password":"[redacted]"}}]}`, all[2].Raw)
		require.JSONEq(t, `{"role":"toolResult","toolCallId":"cm_1.1","toolName":"read","isError":false,"parentToolCallId":"parent","toolId":"openclaw:core:read","timestamp":1767323045007,
			"details":{"status":"completed"},"content":[{"type":"text","text":"it is [redacted]"}]}`, all[3].Raw)
		require.JSONEq(t, `{"role":"toolResult","toolCallId":"cm_1.3","toolName":"no tool","isError":true,"parentToolCallId":"parent","timestamp":1767323045007,
			"details":{"status":"refused","error":"Unknown tool id: no tool","code":"unknown_tool"},"content":[{"type":"text","text":"Unknown tool id: no tool"}]}`, all[5].Raw)
	})
	t.Run("G5 calls that are not over, unless they are by now", func(t *testing.T) {
		var out bytes.Buffer
		pending := map[*Group][]*Entry{g: {
			{Kind: Call, ID: "cm_1.2", ParentID: "parent", Name: "ask", Number: 2, Outcome: Pending, Input: json.RawMessage(`{"token":"x"}`)},
			{Kind: Call, ID: "cm_1.3", Number: 3, Outcome: Pending},
		}}
		_, err := Lines{Log: l, Redactor: redactor, Pending: func() map[*Group][]*Entry { return pending }}.WriteTo(&out)
		require.NoError(t, err)
		require.JSONEq(t, `["waiting","completed","pending","refused","completed","failed"]`, gjson.Get(out.String(), "..#.outcome").Raw)
		require.JSONEq(t, `{"type":"call","callId":"cm_1.2","parentCallId":"parent","name":"ask","outcome":"pending","input":{"token":"[redacted]"},"decisions":[]}`, gjson.Get(out.String(), "..2").Raw)
	})
	t.Run("G5 a wait that is of no run", func(t *testing.T) {
		l, _ := aLog(1 << 20)
		l.Begin(Wait, "").Add(Entry{Kind: Wait, Outcome: Failed, Error: "no"}.Keep(itself))
		require.Equal(t, []string{"wait"}, field(lines(t, l), "type"))
		require.Equal(t, []string{"wait-1"}, field(lines(t, l), "callId"))
	})
	t.Run("G5 nothing is kept without a group", func(t *testing.T) {
		var none *Group
		none.Add(aCall(1, nil))
		require.Empty(t, none.ID())
		require.Equal(t, State{}, none.State())
	})
}

func TestContent(t *testing.T) {
	long := strings.Repeat("word ", maxValue)
	for name, tc := range map[string]struct{ result, want string }{
		"no content":      {`{"details":{"a":1}}`, `[{"type":"text","text":"{\"details\":{\"a\":1}}"}]`},
		"no object":       {`[1]`, `[{"type":"text","text":"[1]"}]`},
		"empty content":   {`{"content":[]}`, `[{"type":"text","text":"{\"content\":[]}"}]`},
		"several":         {`{"content":[{"type":"text","text":"a"},{"type":"image","data":"xx"}]}`, `[{"type":"text","text":"a"},{"type":"image","data":"xx"}]`},
		"strange content": {`{"content":[1,"b",null]}`, `[{"type":"text","text":"b"}]`},
		"content of text": {`{"content":"c"}`, `[{"type":"text","text":"c"}]`},
		"what is cut":     {`{"content":[{"type":"text","text":"` + long + `"}]}`, ``},
	} {
		t.Run("G5 "+name, func(t *testing.T) {
			l, _ := aLog(1 << 20)
			g := l.Begin(Exec, "parent")
			g.Add(aCall(1, func(e *Entry) { e.Result = json.RawMessage(tc.result) }))
			g.Add(anExec(nil))
			answer := messages(t, l)[3]
			if tc.want == "" {
				require.Contains(t, answer.Get("content.0.text").Str, "more bytes]")
				require.Positive(t, answer.Get("details.omittedBytes").Int())
				return
			}
			require.JSONEq(t, tc.want, answer.Get("content").Raw)
		})
	}
}

func TestBounds(t *testing.T) {
	t.Run("G5 what is large is cut, without its secrets, and that is said", func(t *testing.T) {
		l, _ := aLog(1 << 20)
		g := l.Begin(Exec, "parent")
		long := strings.Repeat("x", 100_000)
		g.Add(aCall(1, func(e *Entry) {
			e.Input = json.RawMessage(`{"token":"` + secret + `","text":"` + long + `"}`)
			e.Error = secret + long
		}))
		one := lines(t, l)[1]
		require.Less(t, len(one.Raw), 3*maxValue)
		require.Greater(t, one.Get("omittedBytes").Int(), int64(150_000))
		require.Equal(t, redact.Mark, one.Get("input.token").Str)
		require.NotContains(t, one.Raw, secret)
	})
	t.Run("H6 a turn that does very much", func(t *testing.T) {
		l, held := aLog(1 << 30)
		total := 0
		for run := range 3 {
			g := l.Begin(Exec, "")
			for n := range 3000 {
				total++
				g.Add(aCall(uint32(n+1), func(e *Entry) {
					e.RunID, e.Input = fmt.Sprint("cm_", run), json.RawMessage(`"`+strings.Repeat("x", 3000)+`"`)
				}))
			}
			require.LessOrEqual(t, g.bytes, maxExec)
			g.Add(anExec(nil))
		}
		require.LessOrEqual(t, held.Held(), int64(maxTurn))
		all := lines(t, l)
		last := all[len(all)-1]
		require.Equal(t, "omitted", last.Get("type").Str)
		calls := 0
		bare := 0
		for _, one := range all {
			if one.Get("type").Str == "call" {
				calls++
				if !one.Get("input").Exists() {
					bare++
					require.Greater(t, one.Get("omittedBytes").Int(), int64(3000))
				}
			}
		}
		require.EqualValues(t, total, calls+int(last.Get("calls").Int()))
		require.GreaterOrEqual(t, last.Get("parts").Int(), int64(bare))
		require.Positive(t, bare)
		notice := messages(t, l)
		require.Equal(t, "notice", notice[len(notice)-1].Get("role").Str)
		l.Close()
		require.Zero(t, held.Held())
		require.Empty(t, lines(t, l))
	})
	t.Run("H6 many execs, many waits", func(t *testing.T) {
		l, held := aLog(1 << 30)
		g := l.Begin(Exec, "parent")
		for range maxWaits + 5 {
			g.Add(Entry{Kind: Wait, RunID: "cm_1", Outcome: Waiting}.Keep(itself))
		}
		for range 10_000 {
			l.Begin(Exec, strings.Repeat("i", 1000))
		}
		require.LessOrEqual(t, held.Held(), int64(maxTurn))
		all := lines(t, l)
		last := all[len(all)-1]
		require.EqualValues(t, 5, last.Get("waits").Int())
		require.EqualValues(t, 10_001, int(last.Get("execs").Int())+len(all)-1-maxWaits)
	})
	t.Run("H6 an account that is full", func(t *testing.T) {
		l, held := aLog(2000)
		g := l.Begin(Exec, "parent")
		for n := range 10 {
			g.Add(aCall(uint32(n+1), nil))
		}
		require.LessOrEqual(t, held.Held(), int64(2000))
		all := lines(t, l)
		require.EqualValues(t, 10, len(all)-2+int(all[len(all)-1].Get("calls").Int()))
		require.False(t, l.Hold(2000))
		require.True(t, l.Hold(1))
		l.Close()
		require.Zero(t, held.Held())
		g.Add(aCall(11, nil))
		require.False(t, l.Hold(1))
		require.Zero(t, held.Held())
	})
}

func TestRevive(t *testing.T) {
	carried := func(t *testing.T, g *Group) *State {
		t.Helper()
		text, err := json.Marshal(g.State())
		require.NoError(t, err)
		var s State
		require.NoError(t, json.Unmarshal(text, &s))
		return &s
	}
	from, _ := aLog(1 << 20)
	g := from.Begin(Exec, "")
	g.Add(aCall(2, nil))
	g.Add(aCall(1, nil))
	g.Add(anExec(func(e *Entry) { e.ID = g.ID() }))
	g.Add(Entry{Kind: Wait, RunID: "cm_1", Outcome: Waiting}.Keep(itself))
	want := lines(t, from)
	t.Run("G5 a run that moves takes its trajectory along", func(t *testing.T) {
		to, held := aLog(1 << 20)
		to.Begin(Exec, "another").Add(anExec(nil))
		before := held.Held()
		moved, err := to.Revive("cm_1", carried(t, g))
		require.NoError(t, err)
		require.Equal(t, before, held.Held(), "not before it has joined")
		to.forget("cm_1")
		moved.Join()
		require.Equal(t, want, lines(t, to))
		moved.Add(aCall(3, nil))
		require.Equal(t, []string{"exec-1", "cm_1.1", "cm_1.2", "cm_1.3", "exec-1-wait-1"}, field(lines(t, to), "callId"))

		t.Run("and back, in place of what is there", func(t *testing.T) {
			back, err := from.Revive("cm_1", carried(t, moved))
			require.NoError(t, err)
			back.Join()
			require.Equal(t, field(lines(t, to), "callId"), field(lines(t, from), "callId"))
			g.Add(aCall(9, nil))
			require.Len(t, lines(t, from), 5)
		})
	})
	for name, s := range map[string]State{
		"no name":             {},
		"a long name":         {ID: strings.Repeat("x", 1000)},
		"another run's entry": {ID: "x", Calls: []*Entry{aCall(1, func(e *Entry) { e.RunID = "cm_2" })}},
		"no entry":            {ID: "x", Waits: []*Entry{nil}},
		"an unknown kind":     {ID: "x", Calls: []*Entry{{Kind: "x"}}},
		"no JSON":             {ID: "x", Head: &Entry{Kind: Exec, Input: json.RawMessage(`{`)}},
		"too large":           {ID: "x", Head: &Entry{Kind: Exec, Error: strings.Repeat("x", maxEntry)}},
		"a negative number":   {ID: "x", Head: &Entry{Kind: Exec, Attempts: -1}},
		"miscounted":          {ID: "x", Omitted: Omitted{Calls: -1}},
	} {
		t.Run("H4 refused: "+name, func(t *testing.T) {
			to, _ := aLog(1 << 20)
			_, err := to.Revive("cm_1", &s)
			require.Error(t, err)
		})
	}
}

func BenchmarkAdd(b *testing.B) {
	e := Entry{
		Kind: Call, ID: "cm_1.1", ParentID: "parent", RunID: "cm_1", ToolID: "openclaw:core:read", Name: "read", Number: 1, Outcome: Completed,
		Input: json.RawMessage(`{"path":"a"}`), Result: json.RawMessage(`{"content":[{"type":"text","text":"a"}]}`), Decisions: []Decision{{Stage: "policy", Outcome: "allowed"}},
	}
	b.ReportAllocs()
	l, _ := aLog(1 << 40)
	g := l.Begin(Exec, "parent")
	for b.Loop() {
		g.Add(e.Keep(itself))
		g.bytes, l.bytes, g.calls = 0, 0, g.calls[:0]
	}
}

func BenchmarkLines(b *testing.B) {
	for _, n := range []int{100, 800} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l, _ := aLog(1 << 40)
			g := l.Begin(Exec, "parent")
			for i := range n {
				g.Add(aCall(uint32(i), nil))
			}
			for b.Loop() {
				lines(b, l)
			}
		})
	}
}

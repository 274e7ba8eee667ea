package contracttest

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// stream is an open stream of server-sent events.
type stream struct {
	t      testing.TB
	lines  *bufio.Scanner
	cancel context.CancelFunc
	last   string // the id that was seen last
}

// follow opens a stream, which ends with the test.
func (c *client) follow(t testing.TB, path, after string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.target.Base+path, nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+c.key)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	answer, err := c.target.Client.Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { answer.Body.Close() })
	require.Equal(t, http.StatusOK, answer.StatusCode)
	require.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	return &stream{t: t, lines: bufio.NewScanner(answer.Body), cancel: cancel}
}

// next returns the next event and its data; no name at the end.
func (s *stream) next() (name string, data gjson.Result) {
	s.t.Helper()
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch field {
		case "id":
			s.last = value
		case "event":
			name = value
		case "data":
			data = gjson.Parse(value)
		case "":
			if name != "" {
				return name, data
			}
		}
	}
	return "", data
}

// until reads events up to one of that name, and returns the names of all.
func (s *stream) until(last string) string {
	s.t.Helper()
	var all []string
	for {
		name, data := s.next()
		require.NotEmpty(s.t, name, "the stream ended after %v", all)
		if item := data.Get("item"); item.Exists() {
			name += " " + item.Get("text").String() + item.Get("value").String()
		}
		all = append(all, name)
		if strings.HasPrefix(name, last) {
			return strings.Join(all, ", ")
		}
	}
}

// ended wants nothing more.
func (s *stream) ended() {
	s.t.Helper()
	name, _ := s.next()
	require.Empty(s.t, name)
}

func events(t *testing.T, c *client) {
	build := func(t *testing.T) *turn {
		t.Helper()
		return c.prepare(t, spec{tools: []object{echo("echo"), slow("slow", 60000), asking("ask")}})
	}
	t.Run("I5 a turn's stream has outputs, calls, suspension and end, as they come", func(t *testing.T) {
		tn := build(t)
		s := c.follow(t, "/v1/turns/"+tn.id+"/events", "")
		r := tn.exec(t, `text("one"); await tools.echo({}); json(2); const a = await tools.ask({}); text("three"); return a`).waiting("pending_tools")
		require.Equal(t, "run.started, output one, call.started, call.ended, output 2, call.waiting, run.suspended", s.until("run.suspended"))
		tn.wait(t, r.runID(), ok(r.pending(0), 1)).result("completed")
		require.Equal(t, "call.ended, run.resumed, output three, run.ended", s.until("run.ended"))
	})
	t.Run("I5 an output is there while the cell goes on", func(t *testing.T) {
		tn := build(t)
		s := c.follow(t, "/v1/turns/"+tn.id+"/events", "")
		open := inBackground(func() reply { return tn.exec(t, `text("early"); await tools.slow({})`) })
		require.Equal(t, "run.started, output early, call.started", s.until("call.started"))
		c.drop(t, "/v1/turns/"+tn.id).is(http.StatusNoContent)
		(<-open).failed("aborted", "")
		require.Contains(t, s.until("turn.ended"), "run.ended")
		s.ended()
	})
	t.Run("I5 a run's stream goes on over a suspension, and ends with the run", func(t *testing.T) {
		tn := build(t)
		r := tn.exec(t, `await yield_control(); text("two"); await yield_control(); return 1`).waiting("yield")
		s := c.follow(t, "/v1/runs/"+r.runID()+"/events", "")
		tn.exec(t, `text("another's")`).result("completed")
		tn.wait(t, r.runID()).waiting("yield")
		require.Equal(t, "run.resumed, output two, run.suspended", s.until("run.suspended"))
		c.drop(t, "/v1/runs/"+r.runID()).is(http.StatusNoContent)
		name, data := s.next()
		require.Equal(t, "run.ended aborted", name+" "+data.Get("status").Str)
		s.ended()
	})
	t.Run("I5 who comes back hears what came meanwhile", func(t *testing.T) {
		tn := build(t)
		s := c.follow(t, "/v1/turns/"+tn.id+"/events", "")
		tn.exec(t, `text("one"); return 1`).completed(`1`)
		s.until("output one")
		s.cancel()
		tn.exec(t, `text("two"); return 2`).completed(`2`)
		again := c.follow(t, "/v1/turns/"+tn.id+"/events", s.last)
		require.Equal(t, "run.ended, run.started, output two", again.until("output two"))
		all := c.follow(t, "/v1/turns/"+tn.id+"/events", "0")
		require.Equal(t, "run.started, output one, run.ended, run.started, output two", all.until("output two"))
		foreign := c.follow(t, "/v1/turns/"+tn.id+"/events", "none.7")
		require.Equal(t, "missed, run.started, output one", foreign.until("output one"))
	})
	t.Run("I5 exec and wait stream the same, and end with the result", func(t *testing.T) {
		tn := build(t)
		stream := []string{"Accept", "text/event-stream"}
		r := tn.post(t, "/v1/exec", object{"turnId": tn.id, "code": `text("one"); await yield_control(); return 7`}, stream...).is(http.StatusOK)
		waiting := lastEvent(t, r, "run.started, output, run.suspended, result")
		require.Equal(t, "waiting", waiting.Get("status").Str)
		r = tn.post(t, "/v1/wait", object{"turnId": tn.id, "runId": waiting.Get("runId").Str}, stream...).is(http.StatusOK)
		require.EqualValues(t, 7, lastEvent(t, r, "run.resumed, run.ended, result").Get("value").Int())
	})
	t.Run("I5 G4 a call that waits for a person, and what they decide", func(t *testing.T) {
		tn := c.prepare(t, spec{config: approving("always", "send"), tools: []object{echo("send")}, context: object{"sessionId": "events-approval"}})
		s := c.follow(t, "/v1/turns/"+tn.id+"/events", "")
		r := tn.exec(t, `return (await tools.send({})).name`).waiting("pending_tools")
		require.Equal(t, "run.started, call.waiting, run.suspended", s.until("run.suspended"))
		c.decide(t, r.approvalID(0), yes).is(http.StatusOK)
		name, data := s.next()
		require.Equal(t, "call.decided", name)
		require.Equal(t, r.approvalID(0)+" approved ada", data.Get("approvalId").Str+" "+data.Get("decision").Str+" "+data.Get("who").Str)
		tn.wait(t, r.runID()).result("completed")
		require.Contains(t, s.until("run.ended"), "call.ended")
	})
	t.Run("I5 A7 another tenant's turn and run are not there", func(t *testing.T) {
		tn, other := build(t), c.other()
		r := tn.exec(t, `await yield_control()`).waiting("yield")
		c.follow(t, "/v1/turns/"+tn.id+"/events", "")
		for _, path := range []string{"/v1/turns/" + tn.id + "/events", "/v1/runs/" + r.runID() + "/events"} {
			other.get(t, path).problem(http.StatusNotFound)
			other.send(t, http.MethodGet, path, nil, "Last-Event-ID", "0").problem(http.StatusNotFound)
			other.send(t, http.MethodHead, path, nil).is(http.StatusNotFound)
			c.send(t, http.MethodHead, path, nil).is(http.StatusOK)
		}
	})
}

// lastEvent wants a stream with events of those names, and returns the data of the last.
func lastEvent(t testing.TB, r reply, names string) gjson.Result {
	t.Helper()
	s := &stream{t: t, lines: bufio.NewScanner(strings.NewReader(string(r.raw)))}
	var all []string
	var last gjson.Result
	for {
		name, data := s.next()
		if name == "" {
			require.Equal(t, names, strings.Join(all, ", "), r.story())
			return last
		}
		all, last = append(all, name), data
	}
}

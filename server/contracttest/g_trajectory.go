package contracttest

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// trajectory is what the turn did so far: an entry, or a message of the transcript, a line.
type trajectory struct {
	reply
	lines []gjson.Result
}

func (tn *turn) trajectory(t testing.TB, format string) trajectory {
	t.Helper()
	r := tn.get(t, "/v1/turns/"+tn.id+"/trajectory?format="+format).is(http.StatusOK)
	require.Equal(t, "application/x-ndjson", r.header.Get("Content-Type"), r.story())
	tr := trajectory{reply: r}
	for line := range strings.Lines(string(r.raw)) {
		require.True(t, decodes([]byte(line)), line)
		tr.lines = append(tr.lines, gjson.Parse(line))
	}
	return tr
}

// all wants a member of every line, an empty string where it is not there.
func (tr trajectory) all(path string, want ...string) trajectory {
	tr.t.Helper()
	got := make([]string, 0, len(tr.lines))
	for _, line := range tr.lines {
		got = append(got, line.Get(path).String())
	}
	require.Equal(tr.t, want, got, "%s\n%s", path, tr.story())
	return tr
}

// line wants a JSON value at a path of a line.
func (tr trajectory) line(n int, path, want string) trajectory {
	tr.t.Helper()
	require.Greater(tr.t, len(tr.lines), n, tr.story())
	require.JSONEq(tr.t, want, tr.lines[n].Get(path).Raw, "line %d at %s\n%s", n, path, tr.story())
	return tr
}

func trajectories(t *testing.T, c *client) {
	t.Run("G5 each call in the order in which the cell asked for it, also refused ones", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: []object{
			slow("slow", 100), echo("quick"), broken("fails", "it broke"),
		}})
		tn.exec(t, `return (await Promise.allSettled([tools.slow({n: 1}), tools.quick({n: 2}), tools.fails({n: 3}), tools.call("nobody", {n: 4})])).map(p => p.status)`).
			completed(`["fulfilled","fulfilled","rejected","rejected"]`)
		tr := tn.trajectory(t, "jsonl").
			all("type", "exec", "call", "call", "call", "call").
			all("callId", "call-1", tn.nth(t, 1), tn.nth(t, 2), tn.nth(t, 3), tn.nth(t, 4)).
			all("parentCallId", "", "call-1", "call-1", "call-1", "call-1").
			all("name", "exec", "slow", "quick", "fails", "nobody").
			all("outcome", "completed", "completed", "completed", "failed", "refused").
			all("code", "", "", "", "tool_error", "unknown_tool").
			all("attempts", "", "1", "1", "1", "").
			line(1, "input", `{"n":1}`).line(1, "decisions.0", `{"stage":"policy","outcome":"allowed"}`)
		require.GreaterOrEqual(t, tr.lines[1].Get("durationMs").Float(), 100.0)
		require.Positive(t, tr.lines[1].Get("resultBytes").Int())
	})
	t.Run("G5 the same ids before and after a suspension and a move", func(t *testing.T) {
		s := spec{context: object{"agentId": "a", "sessionId": "trajectory", "sessionKey": "k", "runId": "r"}, tools: []object{echo("note"), asking("pick")}}
		if c.target.Restores {
			s.config = object{"snapshot": object{"resume": "restore"}}
		}
		tn, other := c.prepare(t, s), c.prepare(t, s)
		r := tn.exec(t, `await tools.note({n: 1}); const p = await tools.pick({n: 2}); await tools.note({n: 3}); return p`).waiting("pending_tools")
		before := tn.trajectory(t, "").all("outcome", "waiting", "completed", "pending")
		in := tn
		if c.target.Restores {
			exported := tn.post(t, "/v1/runs/"+r.runID()+"/export", object{"turnId": tn.id}).is(http.StatusOK)
			other.post(t, "/v1/runs/"+r.runID()+"/import", object{"turnId": other.id, "snapshot": exported.str("snapshot")}).is(http.StatusOK)
			in = other
		}
		in.post(t, "/v1/wait", object{"turnId": in.id, "toolCallId": "call-2", "runId": r.runID(), "results": []object{ok(r.pending(0), object{"details": "x"})}}).completed(`"x"`)
		in.trajectory(t, "").all("type", "exec", "call", "call", "call", "wait").
			all("callId", "call-1", before.lines[1].Get("callId").Str, r.pending(0), in.nth(t, 3), "call-2").
			all("outcome", "waiting", "completed", "completed", "completed", "completed")
	})
	t.Run("G5 what is secret is not shown, in no encoding", func(t *testing.T) {
		const own = "a-header-of-this-tool"
		tool := remote("far", "http://127.0.0.1:9/")
		tool["executor"] = object{"type": "http", "url": "http://127.0.0.1:9/", "headers": object{"Authorization": "Bearer " + own}}
		tn := c.prepare(t, spec{tools: []object{echo("note"), tool}})
		key := c.key
		input := object{
			"password": "hunter2", "nested": []any{object{"name": "Cookie", "value": "hunter3"}}, "text": "Authorization: Bearer hunter4", "json": `{"api_key":"hunter5"}`,
			"url": "https://u:hunter6@example.com/", "key": key, "own": []string{own, url.QueryEscape(own), base64.StdEncoding.EncodeToString([]byte("x" + own)), hex.EncodeToString([]byte(own))},
			"public": "kept",
		}
		tn.execInput(t, object{"code": `await tools.note(` + mustJSON(input) + `); return ` + mustJSON(own)}).result("completed")
		for _, format := range []string{"jsonl", "transcript"} {
			tn.trajectory(t, format).conceals("hunter", own, key, base64.StdEncoding.EncodeToString([]byte("x" + own))[2:20], hex.EncodeToString([]byte(own)))
			require.Contains(t, string(tn.trajectory(t, format).raw), "kept")
		}
	})
	t.Run("G5 large values are cut, and that is said", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: []object{echo("note")}})
		tn.exec(t, `await tools.note({text: "x".repeat(50_000)}); return 1`).completed(`1`)
		tr := tn.trajectory(t, "")
		require.Greater(t, tr.lines[1].Get("omittedBytes").Int(), int64(40_000), tr.story())
		require.Less(t, len(tr.raw), 20_000)
	})
	t.Run("H6 a turn that does very much says what is left out", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: []object{echo("note")}, config: object{"timeoutMs": 60_000}})
		tn.exec(t, `for (let n = 0; n < 40; n++) await Promise.all(Array.from({length: 100}, () => tools.note({text: "x".repeat(1000)}))); return 1`).completed(`1`)
		tr := tn.trajectory(t, "")
		last := tr.lines[len(tr.lines)-1]
		require.Equal(t, "omitted", last.Get("type").Str)
		require.EqualValues(t, 4000, len(tr.lines)-2+int(last.Get("calls").Int()))
		require.Less(t, len(tr.raw), 2<<20)
	})
	t.Run("A7 another tenant's, an unknown one, one that is over", func(t *testing.T) {
		tn := c.prepare(t, spec{})
		c.other().get(t, "/v1/turns/"+tn.id+"/trajectory").problem(http.StatusNotFound)
		c.get(t, "/v1/turns/nobody/trajectory?format=xml").problem(http.StatusNotFound)
		gone := c.prepare(t, spec{})
		c.drop(t, "/v1/turns/"+gone.id).is(http.StatusNoContent)
		c.get(t, "/v1/turns/"+gone.id+"/trajectory").problem(http.StatusNotFound)
	})
	t.Run("I3 an unknown format", func(t *testing.T) {
		c.get(t, "/v1/turns/"+c.prepare(t, spec{}).id+"/trajectory?format=xml").problem(http.StatusBadRequest, "jsonl", "transcript").has("key", `"format"`)
	})
	t.Run("G2 what hooks decided about calls and cells", func(t *testing.T) {
		guarded := &client{target: c.target, key: c.target.GuardedKey}
		tn := guarded.prepare(t, spec{tools: []object{echo("note")}})
		tn.exec(t, `const word = ["for", "bidden"].join(""); return await tools.note({text: word}).catch(e => e.code)`).completed(`"hook_blocked"`)
		tn.exec(t, `return "forbidden"`).result("failed")
		tr := tn.trajectory(t, "").all("type", "exec", "call", "exec").all("outcome", "completed", "refused", "failed")
		require.Equal(t, "blocked", tr.lines[1].Get(`decisions.#(stage=="before").outcome`).Str, tr.story())
		require.Equal(t, "guard", tr.lines[1].Get(`decisions.#(stage=="before").by`).Str, tr.story())
		require.Contains(t, tr.lines[2].Get("decisions.0.reason").Str, "the guard forbids it")
		require.Equal(t, "allowed", tr.lines[0].Get("decisions.0.outcome").Str)
	})
}

// nth is the id of the n-th call of the turn's trajectory, which is the only part of it that a client can't know.
func (tn *turn) nth(t testing.TB, n int) string {
	t.Helper()
	id := tn.trajectory(t, "").lines[n].Get("callId").Str
	require.True(t, strings.HasPrefix(id, "cm_"), id)
	return id
}

// replays checks that a transcript is one that a provider would take: each call has its result, and what is nested comes
// after the result of its exec, which it names.
func (tr trajectory) replays() trajectory {
	tr.t.Helper()
	open, answered := "", map[string]bool{}
	for _, m := range tr.lines {
		parent := m.Get("parentToolCallId").Str
		require.True(tr.t, parent == "" || answered[parent], tr.story())
		switch m.Get("role").Str {
		case "assistant":
			require.Empty(tr.t, open, tr.story())
			require.Equal(tr.t, "toolCall", m.Get("content.0.type").Str)
			require.Equal(tr.t, parent == "", m.Get("content.0.name").Str == "exec" || m.Get("content.0.name").Str == "wait", tr.story())
			open = m.Get("content.0.id").Str
		case "toolResult":
			require.Equal(tr.t, open, m.Get("toolCallId").Str, tr.story())
			require.True(tr.t, m.Get("content.0.type").Exists(), tr.story())
			open, answered[open] = "", true
		}
	}
	require.Empty(tr.t, open, tr.story())
	return tr
}

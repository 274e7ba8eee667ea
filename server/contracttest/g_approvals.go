package contracttest

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// approving is a config by which people are asked about the calls of tools.
func approving(mode string, globs ...string) object {
	var rules []object
	for _, glob := range globs {
		rules = append(rules, object{"tool": glob, "approval": mode})
	}
	return object{"approvals": rules}
}

// approvalID is the id of the approval that the n-th pending call waits for.
func (r reply) approvalID(n int) string {
	return r.body.Get("pendingToolCalls").Array()[n].Get("approvalId").Str
}

// decide settles an approval.
func (c *client) decide(t testing.TB, id string, decision any) reply {
	t.Helper()
	return c.post(t, "/v1/approvals/"+id, decision)
}

func (c *client) approval(t testing.TB, id string) reply {
	t.Helper()
	return c.get(t, "/v1/approvals/"+id)
}

var yes, no = object{"decision": "approve", "who": "ada"}, object{"decision": "deny", "reason": "too risky", "who": "ada"}

// caughtCode makes a call's error a text.
const caughtCode = `.catch(e => e.code + ": " + e.message)`

func approvals(t *testing.T, c *client) {
	strict := takes(echo("strict"), "n", "integer")
	wipe := with(echo("wipe"), object{"annotations": object{"destructive": true}})
	tools := []object{
		echo("send"), strict, wipe, echo("free"), asking("ask"), hooked(echo("own")),
		mcp("hub", "issue", object{"title": object{"type": "string"}, "rank": object{"type": "integer", "default": 7}}, "title"),
	}
	who := func(session string) object {
		return object{"agentId": "a1", "sessionId": "approvals-" + session, "sessionKey": "k1", "runId": "r1", "sender": "u1"}
	}
	prepare := func(t *testing.T, session string, config object) *turn {
		t.Helper()
		return c.prepare(t, spec{context: who(session), config: config, tools: tools})
	}
	tn := prepare(t, "table", approving("always", "send", "strict", "ask", "mcp:hub:*", "own"))
	for _, tc := range []struct {
		name, code string
		decision   object
		want       string
	}{
		{"approved", `tools.send({a: 1})`, yes, `{"name":"send","input":{"a":1}}`},
		{"tools.callValue", `tools.callValue("openclaw:lab:send", {a: 1})`, yes, `{"name":"send","input":{"a":1}}`},
		{"tools.call", `tools.call("send", {a: 1}).then(r => r.result.details.input)`, yes, `{"a":1}`},
		{"an MCP call", `MCP.hub.issue({title: "x"}).then(r => r.details.input)`, yes, `{"title":"x","rank":7}`},
		{"a destructive tool, which no rule names", `tools.wipe({})`, yes, `{"name":"wipe","input":{}}`},
		{"an edited input", `tools.strict({n: 1})`, with(yes, object{"input": object{"n": 2}}), `{"name":"strict","input":{"n":2}}`},
		{"an edited input that mends", `tools.strict({n: "x"})`, with(yes, object{"input": object{"n": 2}}), `{"name":"strict","input":{"n":2}}`},
		{"an edited input of an MCP call", `MCP.hub.issue({title: "x"}).then(r => r.details.input)`, with(yes, object{"input": object{"title": "y"}}), `{"title":"y","rank":7}`},
		{"keys that mean something to JavaScript", `tools.send({a: 1}).then(r => JSON.stringify(r.input))`, object{"decision": "approve", "input": map[string]any{"__proto__": 1, "constructor": 2}}, `"{\"__proto__\":1,\"constructor\":2}"`},
		{"an input that hooks have changed", `tools.own({before: '{"input":{"b":2}}'})`, yes, `{"name":"own","input":{"b":2}}`},
		{"an invalid input", `tools.strict({n: "x"})` + caughtCode + `.then(s => s.split(":")[0])`, yes, `"invalid_input"`},
		{"denied", `tools.send({a: 1})` + caughtCode, no, `"approval_denied: the call of openclaw:lab:send was not approved: too risky"`},
		{"an MCP call denied", `MCP.hub.issue({title: "x"})` + caughtCode, no, `"approval_denied: the call of mcp:hub:issue was not approved: too risky"`},
		{"denied without a word", `tools.send({a: 1})` + caughtCode, object{"decision": "deny"}, `"approval_denied: the call of openclaw:lab:send was not approved"`},
	} {
		t.Run("G4 "+tc.name, func(t *testing.T) {
			r := tn.exec(t, `return await `+tc.code).waiting("pending_tools").has("pendingToolCalls.#.method", `["approval"]`)
			tn.decide(t, r.approvalID(0), tc.decision).is(http.StatusOK).has("decision.decision", mustJSON(tc.decision["decision"]))
			tn.wait(t, r.runID()).completed(tc.want)
		})
	}
	t.Run("C2 G4 what a person is asked", func(t *testing.T) {
		r := tn.execInput(t, object{"toolCallId": "outer-1", "code": `return await Promise.all([tools.own({before: '{"input":{"b":2}}'}), tools.free({a: 1})])`}).
			waiting("pending_tools").has("pendingToolCalls.#.toolId", `["openclaw:hooked:own"]`).lacks("pendingToolCalls.0.input")
		tn.approval(t, r.approvalID(0)).is(http.StatusOK).has("id", mustJSON(r.approvalID(0))).has("state", `"pending"`).has("approval", `"always"`).
			has("turnId", mustJSON(tn.id)).has("runId", mustJSON(r.runID())).has("callId", mustJSON(r.pending(0))).has("parentCallId", `"outer-1"`).
			has("toolId", `"openclaw:hooked:own"`).has("name", `"own"`).has("input", `{"b":2}`).has("context", mustJSON(who("table"))).lacks("decision")
		tn.decide(t, r.approvalID(0), yes).is(http.StatusOK).has("state", `"approved"`).has("decision.who", `"ada"`)
		tn.wait(t, r.runID()).completed(`[{"name":"own","input":{"b":2}},{"name":"free","input":{"a":1}}]`)
	})
	t.Run("G5 the trajectory says who decided what", func(t *testing.T) {
		mine := prepare(t, "trajectory", approving("always", "send"))
		edited := object{"decision": "approve", "who": "bob", "input": object{"b": 2}}
		for _, decision := range []object{yes, no, edited} {
			r := mine.exec(t, `return await tools.send({}).catch(e => e.code)`).waiting("pending_tools")
			mine.decide(t, r.approvalID(0), decision).is(http.StatusOK)
			mine.wait(t, r.runID()).result("completed")
		}
		tr := mine.trajectory(t, "jsonl")
		var told []string
		for _, line := range tr.lines {
			for _, d := range line.Get(`decisions.#(stage=="approval")#`).Array() {
				told = append(told, d.Raw)
			}
		}
		require.Equal(t, []string{
			`{"stage":"approval","outcome":"approved","by":"ada"}`,
			`{"stage":"approval","outcome":"denied","reason":"too risky","by":"ada"}`,
			`{"stage":"approval","outcome":"approved","by":"bob"}`, `{"stage":"approval","outcome":"changed","by":"bob"}`,
		}, told, tr.story())
	})
	t.Run("C10 a call of the caller's is the caller's once it is approved", func(t *testing.T) {
		r := tn.exec(t, `return await tools.ask({q: 1})`).waiting("pending_tools")
		tn.deliver(t, r.runID(), ok(r.pending(0), 1)).is(http.StatusOK).has("accepted", `[]`).mentions("refused.0.reason", "waits for a person's approval")
		tn.decide(t, r.approvalID(0), with(yes, object{"input": object{"q": 2}})).is(http.StatusOK)
		r = tn.wait(t, r.runID()).waiting("pending_tools").has("pendingToolCalls.0.method", `"call"`).has("pendingToolCalls.0.input", `{"q":2}`)
		tn.wait(t, r.runID(), ok(r.pending(0), "answer")).completed(`"answer"`)
	})
	t.Run("G4 the list: filters and pages", func(t *testing.T) {
		mine := prepare(t, "list", approving("always", "send", "strict"))
		r := mine.exec(t, `return await Promise.all([tools.send({}), tools.strict({n: 1}), tools.send({})])`).waiting("pending_tools")
		ids := []string{r.approvalID(0), r.approvalID(1), r.approvalID(2)}
		mine.decide(t, ids[2], yes).is(http.StatusOK)
		of := "/v1/approvals?runId=" + r.runID()
		for query, want := range map[string][]string{
			of: ids, of + "&state=pending": ids[:2], of + "&state=approved": ids[2:], of + "&state=denied": {}, of + "&tool=strict": ids[1:2], of + "&tool=openclaw:lab:send": {ids[0], ids[2]},
			"/v1/approvals?turnId=" + mine.id: ids, "/v1/approvals?sessionId=approvals-list": ids, of + "&turnId=" + tn.id: {},
		} {
			c.get(t, query).is(http.StatusOK).has("approvals.#.id", mustJSON(want)).lacks("next")
		}
		var seen []string
		page := c.get(t, of+"&limit=1").is(http.StatusOK)
		for seen = append(seen, page.str("approvals.0.id")); page.str("next") != ""; seen = append(seen, page.str("approvals.0.id")) {
			page = c.get(t, of+"&limit=1&after="+page.str("next")).is(http.StatusOK)
		}
		require.Equal(t, ids, seen)
		c.get(t, "/v1/approvals?sate=pending").problem(http.StatusBadRequest, `Did you mean "state"`)
		c.get(t, "/v1/approvals?state=open").problem(http.StatusBadRequest, "pending")
	})
	t.Run("A7 another tenant sees nothing and decides nothing", func(t *testing.T) {
		r := tn.exec(t, `return await tools.send({})`).waiting("pending_tools")
		stranger := c.other()
		stranger.get(t, "/v1/approvals?runId="+r.runID()).is(http.StatusOK).has("approvals", `[]`)
		stranger.approval(t, r.approvalID(0)).problem(http.StatusNotFound)
		stranger.decide(t, r.approvalID(0), yes).problem(http.StatusNotFound)
		tn.decide(t, r.approvalID(0), no).is(http.StatusOK)
	})
	t.Run("G4 of deciders at once one counts, and the others are told which", func(t *testing.T) {
		r := tn.exec(t, `return await tools.send({})`+caughtCode).waiting("pending_tools")
		var answers []<-chan reply
		for n := range 6 {
			d := []object{yes, with(no, object{"who": "eve"})}[n%2]
			answers = append(answers, inBackground(func() reply { return tn.decide(t, r.approvalID(0), d) }))
		}
		counted := 0
		for _, answer := range answers {
			if a := <-answer; a.status == http.StatusOK {
				counted++
			} else {
				a.problem(http.StatusConflict, "already")
			}
		}
		require.Equal(t, 1, counted)
		decided := tn.approval(t, r.approvalID(0)).str("decision.who")
		tn.decide(t, r.approvalID(0), yes).problem(http.StatusConflict, decided)
		tn.wait(t, r.runID()).result("completed")
		tn.decide(t, r.approvalID(0), yes).problem(http.StatusConflict, decided)
	})
	t.Run("G4 a decision that is none changes nothing", func(t *testing.T) {
		r := tn.exec(t, `return await tools.strict({n: 1})`).waiting("pending_tools")
		for body, says := range map[string]string{
			`{"decision":"maybe"}`: "decision", `{}`: "decision", `[]`: "object", `{"decision":"approve","input":{"n":"x"}}`: "can't be given to openclaw:lab:strict",
			`{"decision":"approve","input":[]}`: "can't be given", `{"decision":"deny","input":{"n":1}}`: "goes with", `{"decision":"approve","remember":"forever"}`: "session",
			`{"decision":"approve","__proto__":{"n":1}}`: "no key of a decision", `{"decision":"deny","reason":"` + strings.Repeat("x", 3000) + `"}`: "2000 bytes", `{"decison":"deny"}`: "did you mean",
			`{"decision":"deny","who":"` + strings.Repeat("x", 300) + `"}`: "200 bytes", `{"decision":{"toString":"deny"}}`: "must be a string", `<approve/>`: "invalid character",
		} {
			tn.decide(t, r.approvalID(0), body).problem(http.StatusBadRequest, says)
		}
		tn.decide(t, r.approvalID(0), `{"decision":"approve","input":{"n":1,"x":"`+strings.Repeat("x", 17<<20)+`"}}`).problem(http.StatusRequestEntityTooLarge)
		tn.decide(t, "ap_"+strings.Repeat("A", 26), yes).problem(http.StatusNotFound)
		tn.decide(t, r.approvalID(0), with(yes, object{"input": object{"n": 3}})).is(http.StatusOK)
		tn.wait(t, r.runID()).completed(`{"name":"strict","input":{"n":3}}`)
	})
	t.Run("G4 what a session remembers", func(t *testing.T) {
		mine := prepare(t, "remembers", approving("always", "send"))
		first, second := mine.exec(t, `return await tools.send({n: 1})`).waiting("pending_tools"), mine.exec(t, `return await tools.send({n: 2})`).waiting("pending_tools")
		mine.decide(t, first.approvalID(0), with(yes, object{"remember": "session", "input": object{"n": 9}})).is(http.StatusOK).has("decision.remember", `"session"`)
		mine.approval(t, second.approvalID(0)).has("state", `"approved"`).has("decision.by", mustJSON(first.approvalID(0)))
		mine.wait(t, first.runID()).completed(`{"name":"send","input":{"n":9}}`)
		mine.wait(t, second.runID()).completed(`{"name":"send","input":{"n":2}}`)
		prepare(t, "remembers", approving("always", "send")).exec(t, `return await tools.send({n: 3})`).completed(`{"name":"send","input":{"n":3}}`)
		prepare(t, "forgets", approving("always", "send")).exec(t, `return await tools.send({n: 4})`).waiting("pending_tools")
		c.drop(t, "/v1/sessions/approvals-remembers").is(http.StatusOK)
		prepare(t, "remembers", approving("always", "send")).exec(t, `return await tools.send({n: 5})`).waiting("pending_tools")
	})
	t.Run("G4 the first call of a session is asked for, later ones are not", func(t *testing.T) {
		mine := prepare(t, "first", approving("first", "send"))
		denied := mine.exec(t, `return await tools.send({})`+caughtCode).waiting("pending_tools")
		mine.decide(t, denied.approvalID(0), no).is(http.StatusOK).has("approval", `"first"`)
		mine.wait(t, denied.runID()).completed(`"approval_denied: the call of openclaw:lab:send was not approved: too risky"`)
		r := mine.exec(t, `return [await tools.send({n: 1}), await tools.send({n: 2})].length`).waiting("pending_tools")
		mine.decide(t, r.approvalID(0), yes).is(http.StatusOK)
		mine.wait(t, r.runID()).completed(`2`)
		mine.exec(t, `return (await tools.send({n: 3})).input`).completed(`{"n":3}`)
		prepare(t, "first", approving("always", "send")).exec(t, `return await tools.send({n: 4})`).waiting("pending_tools")
	})
	t.Run("A2 a turn can only ask for more", func(t *testing.T) {
		mine := prepare(t, "narrow", object{"approvals": []object{{"tool": "*", "approval": "never"}}})
		mine.exec(t, `return await tools.wipe({})`).waiting("pending_tools")
		mine.exec(t, `return (await tools.send({})).name`).completed(`"send"`)
		c.post(t, "/v1/turns", spec{config: object{"approvals": object{"send": "always"}}}.body()).problem(http.StatusBadRequest, "must be a list")
		c.post(t, "/v1/turns", spec{config: object{"approvals": []object{{"tool": "send", "approval": "often"}}}}.body()).problem(http.StatusBadRequest, "often")
	})
	t.Run("G4 nobody decides in time", func(t *testing.T) {
		mine := prepare(t, "late", with(approving("always", "send"), object{"approvalTimeoutSeconds": 1}))
		r := mine.exec(t, `return await tools.send({}).catch(e => [e.code, e.message.includes("nobody decided")])`).waiting("pending_tools")
		mine.wait(t, r.runID()).completed(`["approval_expired",true]`)
		mine.approval(t, r.approvalID(0)).has("state", `"expired"`)
		mine.decide(t, r.approvalID(0), yes).problem(http.StatusConflict, "expired")
	})
	t.Run("G4 waiting for a person is charged to nobody", func(t *testing.T) {
		mine := prepare(t, "slow", with(approving("always", "send"), object{"timeoutMs": 200}))
		r := mine.exec(t, `return (await tools.send({})).name`).waiting("pending_tools")
		for range 3 {
			mine.wait(t, r.runID()).waiting("pending_tools")
		}
		mine.decide(t, r.approvalID(0), yes).is(http.StatusOK)
		mine.wait(t, r.runID()).completed(`"send"`)
	})
	t.Run("G4 a decision while the run computes, or drains", func(t *testing.T) {
		for _, code := range []string{
			`const sent = tools.send({}); await yield_control(); for (let i = 0; i < 1e6; i++); return (await sent).name`,
			`return (await tools.send({})).name`,
		} {
			r := tn.exec(t, code).result("waiting")
			open := inBackground(func() reply { return tn.wait(t, r.runID()) })
			id := c.get(t, "/v1/approvals?runId="+r.runID()).str("approvals.0.id")
			tn.decide(t, id, yes).is(http.StatusOK)
			ended := <-open
			if ended.str("status") == "waiting" { // the wait was over before the decision came
				ended = tn.wait(t, r.runID())
			}
			ended.completed(`"send"`)
		}
	})
	ends := map[string]func(tn *turn, runID string) string{
		"run":     func(_ *turn, runID string) string { return "/v1/runs/" + runID },
		"turn":    func(tn *turn, _ string) string { return "/v1/turns/" + tn.id },
		"session": func(*turn, string) string { return "/v1/sessions/approvals-ends-session" },
	}
	for what, path := range ends {
		t.Run("G7 the end of the "+what+" withdraws what is asked for it", func(t *testing.T) {
			mine := prepare(t, "ends-"+what, approving("always", "send"))
			r := mine.exec(t, `return await tools.send({})`).waiting("pending_tools")
			require.Less(t, c.drop(t, path(mine, r.runID())).status, 300)
			mine.approval(t, r.approvalID(0)).has("state", `"withdrawn"`).has("reason", `"the run has ended"`)
			mine.decide(t, r.approvalID(0), yes).problem(http.StatusConflict, "the run has ended")
		})
	}
	if c.target.Restores {
		t.Run("C4 G4 a run that is restored", func(t *testing.T) {
			restoredApproval(t, prepare(t, "restored", with(approving("always", "send"), object{"snapshot": object{"resume": "restore"}})))
		})
		t.Run("C9 G4 a run that has left", func(t *testing.T) { movedApproval(t, prepare(t, "moved", approving("always", "send"))) })
	}
}

func restoredApproval(t *testing.T, tn *turn) {
	r := tn.exec(t, `const seen = new Map([["a", 1]]); return [[...seen], (await tools.send({n: 1})).input]`).waiting("pending_tools")
	tn.wait(t, r.runID()).waiting("pending_tools").has("pendingToolCalls.0.approvalId", mustJSON(r.approvalID(0)))
	tn.decide(t, r.approvalID(0), yes).is(http.StatusOK)
	tn.wait(t, r.runID()).completed(`[[["a",1]],{"n":1}]`)
}

// movedApproval takes a run out of the service and back.
func movedApproval(t *testing.T, tn *turn) {
	r := tn.exec(t, `return await tools.send({n: 1})`).waiting("pending_tools")
	of := "/v1/runs/" + r.runID()
	exported := tn.post(t, of+"/export", object{"turnId": tn.id}).is(http.StatusOK)
	tn.decide(t, r.approvalID(0), yes).problem(http.StatusConflict, "has left this service", "decide it where the run was imported")
	tn.post(t, of+"/import", object{"turnId": tn.id, "snapshot": exported.str("snapshot")}).is(http.StatusOK)
	tn.approval(t, r.approvalID(0)).has("state", `"pending"`).has("input", `{"n":1}`)
	tn.decide(t, r.approvalID(0), with(yes, object{"input": object{"n": 2}})).is(http.StatusOK)
	tn.wait(t, r.runID()).completed(`{"name":"send","input":{"n":2}}`)
}

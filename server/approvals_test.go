package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/approval"
)

func TestListApprovals(t *testing.T) {
	for _, tc := range []struct {
		query string
		want  approval.Query
	}{
		{"", approval.Query{Limit: 50}},
		{"?state=pending", approval.Query{State: approval.Pending, Limit: 50}},
		{
			"?turnId=t&runId=r&tool=openclaw:lab:send&sessionId=s%26s&limit=200&after=18446744073709551615",
			approval.Query{TurnID: "t", RunID: "r", Tool: "openclaw:lab:send", SessionID: "s&s", Limit: 200, After: 1<<64 - 1},
		},
	} {
		t.Run("G4 a page"+tc.query, func(t *testing.T) {
			f := newFake()
			s := newTestServer(t, Options{Backend: f})
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				rec := do(t, s, call{method: method, path: "/v1/approvals" + tc.query})
				require.Equal(t, http.StatusOK, rec.Code, rec.Body)
				if method == http.MethodGet {
					var page struct {
						Approvals []approval.Approval
						Next      string
					}
					require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &page))
					require.Equal(t, []approval.Approval{anApproval}, page.Approvals)
					require.Equal(t, "7", page.Next)
				}
			}
			require.Equal(t, []approval.Query{tc.want, tc.want}, f.listed)
		})
	}
	s := newTestServer(t, Options{Backend: newFake()})
	for _, tc := range []struct{ query, key, says string }{
		{"?state=open", "state", "pending approved denied expired withdrawn"},
		{"?sate=pending", "sate", `Did you mean "state"?`},
		{"?" + strings.Repeat("x", 10_000) + "=1", strings.Repeat("x", 64), "is no filter"},
		{"?state=pending&state=denied", "state", "given twice"},
		{"?state=", "state", "is empty"},
		{"?runId", "runId", "is empty"},
		{"?limit=0", "limit", "from 1 to 200"},
		{"?limit=201", "limit", "from 1 to 200"},
		{"?limit=1e2", "limit", "from 1 to 200"},
		{"?after=-1", "after", "as next"},
		{"?after=ap_1", "after", "as next"},
		{"?state=%zz", "", "can't be read"},
		{"?state=pending;runId=1", "", "can't be read"},
	} {
		t.Run("G4 refused: "+tc.query[:min(len(tc.query), 40)], func(t *testing.T) {
			rec := do(t, s, call{method: http.MethodGet, path: "/v1/approvals" + tc.query})
			require.Equal(t, http.StatusBadRequest, rec.Code)
			doc := problemOf(t, rec)
			require.Equal(t, tc.key, doc.Key)
			require.Contains(t, doc.Detail, tc.says)
		})
	}
}

func TestShowApproval(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	rec := do(t, s, call{method: http.MethodGet, path: "/v1/approvals/ap_1"})
	require.Equal(t, http.StatusOK, rec.Code)
	want, err := json.Marshal(anApproval)
	require.NoError(t, err)
	require.JSONEq(t, string(want), rec.Body.String())
	require.Equal(t, http.StatusOK, do(t, s, call{method: http.MethodHead, path: "/v1/approvals/ap_1"}).Code)
	for _, id := range []string{"ap_2", "..%2fturns", "%00", strings.Repeat("x", 1<<16)} {
		require.Equal(t, http.StatusNotFound, do(t, s, call{method: http.MethodGet, path: "/v1/approvals/" + id}).Code)
	}
	t.Run("H6 an answer of any size is counted while it is sent", func(t *testing.T) {
		f := newFake()
		s := newTestServer(t, Options{Backend: f, MaxBodyBytes: 1 << 20})
		before := s.bodies.all.left.Load()
		large := anApproval
		defer func(a approval.Approval) { anApproval = a }(anApproval)
		large.Input = json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)
		anApproval = large
		require.Equal(t, http.StatusTooManyRequests, do(t, s, call{method: http.MethodGet, path: "/v1/approvals/ap_1"}).Code)
		anApproval.Input = large.Input[:100<<10]
		anApproval.Input = append(anApproval.Input[:100<<10-1:100<<10-1], '"')
		require.Equal(t, http.StatusOK, do(t, s, call{method: http.MethodGet, path: "/v1/approvals/ap_1"}).Code)
		require.Equal(t, before, s.bodies.all.left.Load())
	})
}

func TestDecide(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		want       approval.Decision
	}{
		{"approved", `{"decision":"approve"}`, approval.Decision{Verdict: approval.Approve}},
		{"denied", `{"decision":"deny","reason":"no","who":"ada","remember":"session"}`, approval.Decision{Verdict: approval.Deny, Reason: "no", Who: "ada", Remember: "session"}},
		{"another input", `{"decision":"approve","input":{"__proto__":{"a":1}}}`, approval.Decision{Verdict: approval.Approve, Input: json.RawMessage(`{"__proto__":{"a":1}}`)}},
		{"null leaves out", `{"decision":"deny","reason":null,"who":null,"remember":null,"input":null}`, approval.Decision{Verdict: approval.Deny}},
	} {
		t.Run("G4 "+tc.name, func(t *testing.T) {
			f := newFake()
			rec := do(t, newTestServer(t, Options{Backend: f}), post("/v1/approvals/ap_1", tc.body))
			require.Equal(t, http.StatusOK, rec.Code, rec.Body)
			require.Equal(t, []approval.Decision{tc.want}, f.decided)
			var got approval.Approval
			require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &got))
			require.Equal(t, tc.want.State(), got.State)
		})
	}
	f := newFake()
	s := newTestServer(t, Options{Backend: f})
	for _, tc := range []struct {
		body      string
		key, says string
	}{
		{`{}`, "decision", "missing"},
		{`{"decision":null}`, "decision", "missing"},
		{`{"decision":true}`, "decision", "must be a string"},
		{`{"decision":"deny","decision":"approve"}`, "decision", "given twice"},
		{`{"decison":"deny"}`, "decison", "did you mean"},
		{`{"decision":"approve","inptu":{"a":1}}`, "inptu", "did you mean"},
		{`{"decision":"approve","__proto__":{"decision":"deny"}}`, "__proto__", "is no key of a decision"},
		{`{"decision":"approve","constructor":1}`, "constructor", "is no key of a decision"},
		{`{"decision":"deny","reason":{"a":1}}`, "reason", "must be a string, not an object"},
		{`{"decision":"deny","who":["ada"]}`, "who", "must be a string, not an array"},
		{`{"decision":"deny","remember":true}`, "remember", "must be a string, not a boolean"},
		{`["approve"]`, "", "must be a JSON object"},
		{`"approve"`, "", "must be a JSON object"},
		{`approve`, "", "invalid character"},
		{``, "", "empty"},
		{"{\"decision\":\"approve\",\"reason\":\"\xff\"}", "", "UTF-8"},
		{`{"decision":"approve","input":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`, "", "nested"},
	} {
		t.Run("G4 a decision that is none: "+tc.body[:min(len(tc.body), 60)], func(t *testing.T) {
			rec := do(t, s, post("/v1/approvals/ap_1", tc.body))
			require.Equal(t, http.StatusBadRequest, rec.Code)
			doc := problemOf(t, rec)
			require.Equal(t, tc.key, doc.Key)
			require.Contains(t, doc.Detail, tc.says)
			require.Empty(t, f.decided)
		})
	}
	t.Run("G4 too large, or of another type", func(t *testing.T) {
		huge := `{"decision":"approve","input":"` + strings.Repeat("x", maxBody) + `"}`
		require.Equal(t, http.StatusRequestEntityTooLarge, do(t, s, post("/v1/approvals/ap_1", huge)).Code)
		require.Equal(t, http.StatusUnsupportedMediaType, do(t, s, post("/v1/approvals/ap_1", `{"decision":"approve"}`).with("Content-Type", "text/plain")).Code)
		require.Empty(t, f.decided)
	})
	t.Run("G4 decided once, and a retry has the first answer", func(t *testing.T) {
		body := `{"decision":"deny","who":"ada"}`
		first := do(t, s, post("/v1/approvals/ap_1", body).with(headerIdempotency, "k"))
		require.Equal(t, http.StatusOK, first.Code)
		again := do(t, s, post("/v1/approvals/ap_1", body).with(headerIdempotency, "k"))
		require.Equal(t, first.Body.String(), again.Body.String())
		require.Equal(t, "true", again.Header().Get(headerReplayed))
		require.Equal(t, http.StatusConflict, do(t, s, post("/v1/approvals/ap_1", body)).Code)
		require.Equal(t, http.StatusNotFound, do(t, s, post("/v1/approvals/ap_2", body)).Code)
	})
	t.Run("I1 decisions are taken while the service shuts down", func(t *testing.T) {
		f := newFake()
		s := newTestServer(t, Options{Backend: f})
		s.stopping.Store(true)
		require.Equal(t, http.StatusOK, do(t, s, post("/v1/approvals/ap_1", `{"decision":"approve"}`)).Code)
	})
}

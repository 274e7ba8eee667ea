package server

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

// FuzzExecBody sends any bytes through the whole handler. Whatever they are, the answer is a result or a problem that
// matches the OpenAPI document, never a 500.
func FuzzExecBody(f *testing.F) {
	for _, seed := range []string{
		cell, ``, `{}`, `null`, `[]`, `{"turnId":"turn-1","code":`, `{"turnId":5}`, "{\"turnId\":\"\xff\"}", "\x00",
		`{"turnId":"turn-1","code":"a","code":"b"}`, `{"turn":{"tools":[{"name":"x"}]},"code":"1"}`, `{"turn":{"tools":[1]}}`,
		`{"turnId":"turn-1","code":"\ud800"}`, `{"__proto__":{"turnId":"turn-1"}}`, strings.Repeat(`{"turn":`, 2000),
		`{"turnId":"turn-1"}{}`, `{"turn":{"policy":{"allow":[[]]}}}`, `{"turn":{"context":{"agentId":1e999}}}`,
		"\xef\xbb\xbf{}", `{"turnId":"turn-1","code":1e9999}`, `{"turn":{"raw":0}}`, `{"turnId":"\u0000"}`,
	} {
		f.Add([]byte(seed))
	}
	s := newTestServer(f, Options{Backend: newFake()})
	f.Fuzz(func(t *testing.T, body []byte) {
		c := post("/v1/exec", string(body))
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, c.request())
		require.Less(t, rec.Code, 500, rec.Body.String())
		if rec.Code == 200 {
			require.Equal(t, text(completedTwo), rec.Body.String())
			require.True(t, json.Valid(body), "only JSON is accepted")
			return
		}
		problemOf(t, rec)
	})
}

// FuzzParseObject holds the fast validator against the standard one.
func FuzzParseObject(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"a":-0.1e+5}`, `{"a":"\u00e9\n"}`, `{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{,}`, `{"a":tru}`, `{"a":"\x"}`, "{\"a\":\"\t\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := parseObject(raw)
		if err == nil {
			var standard map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(raw, &standard))
			m, err := pick(doc, "", "a", "turnId")
			if err == nil && len(standard) > 0 {
				require.Equal(t, standard["a"], m.raw("a"))
			}
			return
		}
		p := asProblem(err)
		require.Equal(t, 400, p.status())
		if p.kind == kindMalformed && json.Valid(raw) {
			require.True(t, strings.Contains(p.detail, "nested") || strings.Contains(p.detail, "UTF-8"), p.detail)
		}
	})
}

// FuzzResults sends any results to a run.
func FuzzResults(f *testing.F) {
	for _, seed := range []string{`[]`, `[{"id":"a","ok":true,"value":null}]`, `[{"id":"a","ok":false,"error":{}}]`, `[[]]`, `{"a":1}`, `[{"id":"a","ok":1}]`, `[{"id":"","ok":true}]`} {
		f.Add(seed)
	}
	fake := newFake()
	fake.wait = func(_ context.Context, in bridge.WaitInput) (*bridge.Result, error) {
		for _, r := range in.Results {
			if r.ID == "" || (r.Value != nil && !json.Valid(r.Value)) || (r.Error != nil && !json.Valid(r.Error)) {
				panic("a result that the bridge must never see")
			}
		}
		return completedTwo, nil
	}
	s := newTestServer(f, Options{Backend: fake})
	f.Fuzz(func(t *testing.T, results string) {
		rec := httptest.NewRecorder()
		s.Handler().ServeHTTP(rec, post("/v1/wait", `{"turnId":"turn-1","runId":"r","results":`+results+`}`).request())
		require.Less(t, rec.Code, 500, rec.Body.String())
	})
}

// FuzzDecision sends any body as a decision.
func FuzzDecision(f *testing.F) {
	for _, seed := range []string{
		`{"decision":"approve"}`, `{"decision":"deny","reason":"no","who":"ada","remember":"session"}`, `{"decision":"approve","input":null}`,
		`{"decision":"approve","input":{"__proto__":1}}`, `{"decision":"maybe"}`, `{"decision":1}`, `[]`, `{`, "{\"decision\":\"deny\",\"who\":\"\xff\"}", `{"decision":"deny","x":1}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		fake := newFake()
		rec := httptest.NewRecorder()
		newTestServer(t, Options{Backend: fake}).Handler().ServeHTTP(rec, post("/v1/approvals/ap_1", string(body)).request())
		require.Less(t, rec.Code, 500, rec.Body.String())
		for _, d := range fake.decided {
			require.NotEmpty(t, d.Verdict)
			require.True(t, d.Input == nil || json.Valid(d.Input))
		}
	})
}

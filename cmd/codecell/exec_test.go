package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

const echoCatalog = `{tools: [
	{source: "openclaw", owner: "lab", name: "noop", executor: {type: "echo"}},
	{source: "openclaw", owner: "lab", name: "slow", executor: {type: "echo", delayMs: 300}},
	{source: "client", owner: "app", name: "ask", description: "Asks the user."},
]}`

// TestExecApproval runs a cell that needs one: here nobody can be asked, and on a server it is told who waits for what.
func TestExecApproval(t *testing.T) {
	catalog := file(t, "catalog.json5", `{config: {enabled: true, approvalTimeoutSeconds: 1}, tools: [
		{source: "openclaw", owner: "lab", name: "wipe", executor: {type: "echo"}, annotations: {destructive: true}},
	]}`)
	const code = `return await tools.wipe({}).catch(e => [e.code, e.message].join(": "))`
	t.Run("G4 here", func(t *testing.T) {
		got := codecell(t, code, "exec", "-", "--catalog", catalog)
		require.Equal(t, exitOK, got.status)
		require.Contains(t, got.out, "approval_denied: the call of openclaw:lab:wipe was not approved: nobody can approve calls here; run the cell in a service, with --server")
	})
	t.Run("G4 on a server", func(t *testing.T) {
		base, _ := serving(t, "--test-executors")
		got := codecell(t, code, "exec", "-", "--catalog", catalog, "--server", base)
		require.Equal(t, exitOK, got.status)
		require.Contains(t, got.out, "approval_expired: ")
		require.Equal(t, 1, strings.Count(got.err, "approve its call of openclaw:lab:wipe: POST /v1/approvals/ap_"), got.err)
	})
}

// TestExec runs the same cells here and on a server: nobody should see where.
func TestExec(t *testing.T) {
	base, _ := serving(t, "--test-executors")
	catalog := file(t, "catalog.json5", echoCatalog)
	impatient := file(t, "impatient.json5", strings.Replace(echoCatalog, "{tools", `{config: {enabled: true, timeoutMs: 100}, tools`, 1))
	for where, flags := range map[string][]string{"here": nil, "on a server": {"--server", base}} {
		exec := func(t *testing.T, code string, args ...string) outcome {
			return codecell(t, code, append(append([]string{"exec", "-"}, args...), flags...)...)
		}
		t.Run("I1 "+where+" a value", func(t *testing.T) {
			require.Equal(t, outcome{exitOK, "{\n  \"a\": 1\n}\n", ""}, exec(t, `return {a: 1}`))
		})
		t.Run("I1 "+where+" output, then the value", func(t *testing.T) {
			require.Equal(t, outcome{exitOK, "hello\n[\n  1\n]\nnull\n", ""}, exec(t, `text("hello"); json([1]); return null`))
		})
		t.Run("I1 "+where+" a tool of the catalog", func(t *testing.T) {
			require.Equal(t, "7\n", exec(t, `return (await tools.noop({n: 7})).input.n`, "--catalog", catalog).out)
		})
		t.Run("I1 "+where+" an error shows its line", func(t *testing.T) {
			got := exec(t, "const a = 1;\n  throw new Error('no');\n")
			require.Equal(t, exitFailed, got.status)
			require.Contains(t, got.err, "internal_error: Error: no")
			require.Contains(t, got.err, "-:2:")
			require.Contains(t, got.err, "     2 |   throw new Error('no');\n       | ")
			require.Contains(t, got.err, "^\n")
			require.Empty(t, got.out)
		})
		t.Run("I1 "+where+" what waits for time alone is resumed", func(t *testing.T) {
			got := exec(t, `text("a"); await yield_control(); text("b"); await tools.slow({}); return "c"`, "--catalog", impatient)
			require.Equal(t, outcome{exitOK, "a\nb\n\"c\"\n", ""}, got)
		})
		t.Run("I1 "+where+" what waits for the caller is shown", func(t *testing.T) {
			got := exec(t, `return await tools.ask({q: "why"})`, "--catalog", catalog)
			require.Equal(t, exitFailed, got.status)
			require.Contains(t, got.err, "client:app:ask {\n  \"q\": \"why\"\n}")
		})
		t.Run("I1 "+where+" JSON, one result a line", func(t *testing.T) {
			got := exec(t, `text("a"); await yield_control(); return 2`, "--json")
			results := strings.Split(strings.TrimSpace(got.out), "\n")
			require.Len(t, results, 2)
			require.Equal(t, "waiting", gjson.Get(results[0], "status").Str)
			require.EqualValues(t, 2, gjson.Get(results[1], "value").Int())
			require.Equal(t, exitFailed, exec(t, `throw 1`, "--json").status)
		})
		t.Run("B5 "+where+" TypeScript by flag", func(t *testing.T) {
			require.Equal(t, "3\n", exec(t, `const n: number = 3; return n`, "--language", "typescript").out)
			require.Contains(t, exec(t, `return 1`, "--language", "python").err, "language must be javascript or typescript.")
		})
		t.Run("B5 "+where+" TypeScript by name", func(t *testing.T) {
			got := codecell(t, "", append([]string{"exec", file(t, "cell.ts", `const n: number = 4; return n`)}, flags...)...)
			require.Equal(t, "4\n", got.out)
		})
		t.Run("A2 "+where+" a catalog that switches code mode off", func(t *testing.T) {
			got := exec(t, `return 1`, "--catalog", file(t, "off.json5", `{config: false}`))
			require.Equal(t, exitFailed, got.status)
			require.Contains(t, got.err, "code mode is disabled.")
		})
		t.Run("I1 "+where+" a slip in the catalog", func(t *testing.T) {
			got := exec(t, `return 1`, "--catalog", file(t, "slip.json5", `{tool: []}`))
			require.Equal(t, exitOK, got.status)
			require.Contains(t, got.err, `warning: unknown key "tool"`)
			require.Contains(t, exec(t, `return 1`, "--catalog", file(t, "bad.json5", `{tools: [{name: 5}]}`)).err, "tools[0].name must be a string")
			require.Contains(t, exec(t, `return 1`, "--catalog", file(t, "bad.json5", `{config: {timeoutMS: 5}}`)).err, `did you mean "timeoutMs"`)
		})
		t.Run("I1 "+where+" a catalog that is no object", func(t *testing.T) {
			for _, text := range []string{`[]`, `null`, `{`} {
				require.Equal(t, exitUsage, exec(t, `return 1`, "--catalog", file(t, "bad.json5", text)).status)
			}
		})
	}
}

func TestExecInterrupted(t *testing.T) {
	base, _ := serving(t)
	for where, flags := range map[string][]string{"here": nil, "on a server": {"--server", base}} {
		t.Run("G7 a signal ends the cell "+where, func(t *testing.T) {
			var out, errs lines
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			term := &terminal{in: strings.NewReader("for(;;);"), out: &out, err: &errs, ctx: ctx, now: t.Context()}
			require.Equal(t, exitFailed, run(term, append([]string{"exec", "-"}, flags...)))
			require.NotContains(t, errs.String(), "timeout", "it would have ended by itself")
		})
	}
}

func TestRemote(t *testing.T) {
	answering := func(t *testing.T, status int, body string) string {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(srv.Close)
		return srv.URL
	}
	for _, tc := range []struct {
		name   string
		status int
		body   string
		says   string
	}{
		{"a problem is quoted", 503, `{"title":"Busy","detail":"Come back."}`, "503 Service Unavailable: Busy: Come back."},
		{"an answer that is no problem", 502, `<html>`, "the server says 502"},
		{"a server that is something else", 200, `{"hello":1}`, "no turnId"},
	} {
		t.Run("I1 "+tc.name, func(t *testing.T) {
			got := codecell(t, "return 1", "exec", "-", "--server", answering(t, tc.status, tc.body))
			require.Equal(t, exitFailed, got.status)
			require.Contains(t, got.err, tc.says)
		})
	}
	t.Run("I1 nobody there", func(t *testing.T) {
		srv := httptest.NewServer(http.NotFoundHandler())
		srv.Close()
		got := codecell(t, "return 1", "exec", "-", "--server", srv.URL)
		require.Equal(t, exitFailed, got.status)
		require.Contains(t, got.err, "refused")
	})
}

func TestPrepareTurn(t *testing.T) {
	t.Run("C5 a turn without a context gets one of its own", func(t *testing.T) {
		first, err := prepareTurn(nil)
		require.NoError(t, err)
		second, err := prepareTurn([]byte(`{}`))
		require.NoError(t, err)
		require.NotEqual(t, gjson.GetBytes(first, "context.sessionId").Str, gjson.GetBytes(second, "context.sessionId").Str)
		require.True(t, gjson.GetBytes(first, "config").Bool())
	})
	t.Run("I1 what the file says stays", func(t *testing.T) {
		turn, err := prepareTurn([]byte(`{config: {enabled: false}, context: {agentId: "a"},}`))
		require.NoError(t, err)
		require.JSONEq(t, `{"config":{"enabled":false},"context":{"agentId":"a"}}`, string(turn))
	})
}

func TestPrint(t *testing.T) {
	show := func(raw string) outcome {
		var out, errs lines
		p := &printer{out: &out, err: &errs, file: "cell.js", source: "first\r\nsecond"}
		p.print([]byte(raw), gjson.Parse(raw))
		return outcome{0, out.String(), errs.String()}
	}
	t.Run("I1 the terminal is not the cell's", func(t *testing.T) {
		got := show(`{"status":"completed","output":[{"type":"text","text":"\u001b[2Jx\u009b\n\ty"}],"value":"\u007f"}`)
		require.Equal(t, "\uFFFD[2Jx\uFFFD\n\ty\n\"\\u007f\"\n", got.out)
	})
	t.Run("I1 a line that is not there is not shown", func(t *testing.T) {
		for _, at := range []string{`{}`, `{"line":0}`, `{"line":9,"column":1}`, `{"line":-1}`, `{"line":1e300,"column":-5}`} {
			got := show(`{"status":"failed","code":"internal_error","error":"Error: x\n","detail":` + at + `}`)
			require.Equal(t, "internal_error: Error: x\n", got.err)
		}
	})
	t.Run("I1 a column that is not there is not marked", func(t *testing.T) {
		got := show(`{"status":"failed","code":"c","error":"e","detail":{"line":1,"column":99}}`)
		require.Equal(t, "c: e\ncell.js:1:99\n     1 | first\n", got.err)
	})
	t.Run("I1 hints go to the error stream", func(t *testing.T) {
		require.Equal(t, "hint: try return\n", show(`{"status":"completed","value":null,"hints":["try return"]}`).err)
	})
}

// FuzzPrint prints whatever a server may answer.
func FuzzPrint(f *testing.F) {
	for _, seed := range []string{`{"status":"failed","detail":{"line":1,"column":2}}`, `{"status":"waiting","pendingToolCalls":[{"input":1}]}`, `{"output":[{"type":"json"}]}`, `{"output":{}}`, `[]`, ``} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		var out lines
		p := &printer{out: &out, err: &out, file: "-", source: "a\nb"}
		p.print([]byte(raw), gjson.Parse(raw))
		text := out.String()
		require.NotContains(t, text, "\x1b")
		require.NotContains(t, text, "\r")
	})
}

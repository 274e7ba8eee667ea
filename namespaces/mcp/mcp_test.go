package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/tracecontext"
	"github.com/codecell/codecell/catalog"
)

// stalled counts calls of the fixture's stall, down to nought when they have ended.
var stalled atomic.Int64

// soon is how long a test waits for what must happen.
const soon = 30 * time.Second

func open(t *testing.T, servers map[string]Config) *Servers {
	t.Helper()
	require.NoError(t, Check(servers))
	s := Open(servers, nil)
	t.Cleanup(s.Close)
	return s
}

// offered are the names of the tools of one server.
func offered(t *testing.T, s *Servers, server string) []string {
	t.Helper()
	tools, warnings := s.Tools(t.Context(), "", []string{server})
	require.Empty(t, warnings)
	return namesOf(tools)
}

func namesOf(tools []catalog.Tool) []string {
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// call calls a tool as a turn's catalog would have it called.
func call(ctx context.Context, t *testing.T, s *Servers, tenant, server, tool, input string, progress func(float64, float64, string)) (gjson.Result, error) {
	t.Helper()
	operation := ""
	if slices.ContainsFunc(operations, func(o struct{ name, parameters, description string }) bool { return o.name == tool }) {
		operation = tool
	}
	spec, err := json.Marshal(Spec{ExecutorType, server, tool, operation, 0})
	require.NoError(t, err)
	require.NoError(t, s.Check(spec))
	raw, err := s.Execute(ctx, executor.Call{Tenant: tenant, Spec: spec, Input: json.RawMessage(input), Progress: progress})
	return gjson.ParseBytes(raw), err
}

func TestServers(t *testing.T) {
	for name, config := range map[string]func(t *testing.T) Config{
		"stdio": func(t *testing.T) Config { return stdio(t, nil) },
		"HTTP":  func(t *testing.T) Config { return Config{URL: overHTTP(t, nil).URL} },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, map[string]Config{"lab": config(t)})
			tools, warnings := s.Tools(t.Context(), "", []string{"lab", "lab"})
			t.Run("E4 everything is listed, over pages, once", func(t *testing.T) {
				require.Empty(t, warnings)
				require.Equal(t, []string{
					"ask", "blocks", "broken", "die", "echo", "environment", "grow", "prompts_get", "prompts_list", "resources_list", "resources_read", "sad", "stall",
				}, namesOf(tools))
				i := slices.IndexFunc(tools, func(tool catalog.Tool) bool { return tool.Name == "echo" })
				echo := tools[i]
				require.Equal(t, "Echo", echo.Label)
				require.True(t, echo.Annotations.ReadOnly && echo.Annotations.Idempotent)
				require.Equal(t, "none", gjson.GetBytes(echo.Parameters, "properties.text.default").Str)
				entries, err := catalog.New(tools, catalog.Policy{})
				require.NoError(t, err)
				require.Empty(t, entries.Warnings())
			})
			t.Run("E1 the result is the server's own", func(t *testing.T) {
				r, err := call(t.Context(), t, s, "", "lab", "echo", `{"text":"x"}`, nil)
				require.NoError(t, err)
				require.JSONEq(t, `{"text":"x"}`, r.Get("structuredContent").Raw)
				require.Equal(t, "fixture", r.Get("_meta.from").Str)
				require.JSONEq(t, `{"text":"x"}`, r.Get("content.0.text").Str)
			})
			t.Run("E1 all kinds of content", func(t *testing.T) {
				r, err := call(t.Context(), t, s, "", "lab", "blocks", `{}`, nil)
				require.NoError(t, err)
				require.Equal(t, `["image","resource","resource_link"]`, r.Get("content.#.type").Raw)
				require.Equal(t, "memo", r.Get("content.1.resource.text").Str)
			})
			t.Run("E1 an error result is a result", func(t *testing.T) {
				r, err := call(t.Context(), t, s, "", "lab", "sad", `{}`, nil)
				require.NoError(t, err)
				require.True(t, r.Get("isError").Bool())
			})
			t.Run("E4 an error of the protocol names the server", func(t *testing.T) {
				_, err := call(t.Context(), t, s, "", "lab", "broken", `{}`, nil)
				require.ErrorContains(t, err, `MCP server "lab": `)
				require.ErrorContains(t, err, "it is broken")
			})
			t.Run("E1 resources and prompts", func(t *testing.T) {
				r, err := call(t.Context(), t, s, "", "lab", "resources_list", `{}`, nil)
				require.NoError(t, err)
				require.Equal(t, "memo://one", r.Get("resources.0.uri").Str)
				r, err = call(t.Context(), t, s, "", "lab", "resources_read", `{"uri":"memo://one"}`, nil)
				require.NoError(t, err)
				require.Equal(t, "first memo", r.Get("contents.0.text").Str)
				r, err = call(t.Context(), t, s, "", "lab", "prompts_list", `{}`, nil)
				require.NoError(t, err)
				require.Equal(t, "greet", r.Get("prompts.0.name").Str)
				r, err = call(t.Context(), t, s, "", "lab", "prompts_get", `{"name":"greet","arguments":{"who":"you"}}`, nil)
				require.NoError(t, err)
				require.Equal(t, "Hello you", r.Get("messages.0.content.text").Str)
			})
			t.Run("E4 what the server asks its client for is refused, not left hanging", func(t *testing.T) {
				r, err := call(t.Context(), t, s, "", "lab", "ask", `{}`, nil)
				require.NoError(t, err)
				require.Equal(t, "true true", r.Get("content.0.text").Str)
			})
			t.Run("G7 a call that is given up reaches the server, with its progress before", func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				heard := make(chan string, 1)
				stalled.Store(1)
				_, err := call(ctx, t, s, "", "lab", "stall", `{}`, func(done, total float64, message string) {
					select {
					case heard <- fmt.Sprint(done, total, message):
					default:
					}
					cancel()
				})
				require.ErrorIs(t, err, context.Canceled)
				require.Equal(t, "1 2half", <-heard)
				if name == "HTTP" { // the other is another process
					require.Eventually(t, func() bool { return stalled.Load() == 0 }, soon, time.Millisecond)
				}
			})
			t.Run("E4 a changed list is picked up for later turns", func(t *testing.T) {
				_, err := call(t.Context(), t, s, "", "lab", "grow", `{}`, nil)
				require.NoError(t, err)
				require.Eventually(t, func() bool { return slices.Contains(offered(t, s, "lab"), "grown") }, soon, 10*time.Millisecond)
			})
		})
	}
}

func TestFilters(t *testing.T) {
	config := stdio(t, nil)
	config.Include, config.Exclude, config.Tenants = []string{"e*", "resources_*"}, []string{"env*", "resources_list"}, []string{"a"}
	s := open(t, map[string]Config{"lab": config})
	t.Run("E4 include and exclude", func(t *testing.T) {
		tools, _ := s.Tools(t.Context(), "a", []string{All})
		require.Equal(t, []string{"echo", "resources_read"}, namesOf(tools))
	})
	t.Run("E4 what is left out can't be called by a turn that brings the tool itself", func(t *testing.T) {
		_, err := call(t.Context(), t, s, "a", "lab", "environment", `{}`, nil)
		require.EqualError(t, err, `MCP server "lab" does not offer "environment" here`)
	})
	t.Run("A7 another tenant has no such server", func(t *testing.T) {
		tools, warnings := s.Tools(t.Context(), "b", []string{"lab"})
		require.Empty(t, tools)
		require.Len(t, warnings, 1)
		tools, warnings = s.Tools(t.Context(), "b", []string{All})
		require.Empty(t, tools)
		require.Empty(t, warnings)
		_, err := call(t.Context(), t, s, "b", "lab", "echo", `{}`, nil)
		require.Error(t, err)
	})
	t.Run("G3 an executor must name a server that there is, and a known operation", func(t *testing.T) {
		for _, spec := range []string{`{"type":"mcp"}`, `{"type":"mcp","server":"none","tool":"x"}`, `{"type":"mcp","server":"lab","tool":"x","operation":"y"}`, `{"server":1}`} {
			require.Error(t, s.Check(json.RawMessage(spec)), spec)
		}
	})
}

func TestProcess(t *testing.T) {
	t.Run("E4 it has the environment that it needs, and what the config gives", func(t *testing.T) {
		t.Setenv("CODECELL_SECRET", "not for servers")
		s := open(t, map[string]Config{"lab": stdio(t, map[string]string{"GIVEN": "yes", "LANG": "C.test"})})
		r, err := call(t.Context(), t, s, "", "lab", "environment", `{}`, nil)
		require.NoError(t, err)
		env := r.Get("content.0.text").Str
		require.Contains(t, env, "GIVEN=yes")
		require.Contains(t, env, "LANG=C.test")
		require.Contains(t, env, "PATH=")
		require.NotContains(t, env, "CODECELL_SECRET")
	})
	t.Run("E4 one that dies fails its call, and is started again", func(t *testing.T) {
		s := open(t, map[string]Config{"lab": stdio(t, nil), "other": stdio(t, nil)})
		before := offered(t, s, "lab")
		_, err := call(t.Context(), t, s, "", "lab", "die", `{}`, nil)
		require.ErrorContains(t, err, `MCP server "lab" did not answer`)
		_, err = call(t.Context(), t, s, "", "other", "echo", `{}`, nil)
		require.NoError(t, err, "nobody else notices")
		require.Eventually(t, func() bool {
			_, err := call(t.Context(), t, s, "", "lab", "echo", `{}`, nil)
			return err == nil
		}, soon, 10*time.Millisecond)
		require.Equal(t, before, offered(t, s, "lab"))
	})
	t.Run("E4 one that can't be started is a warning", func(t *testing.T) {
		s := open(t, map[string]Config{"gone": {Command: filepath.Join(t.TempDir(), "none")}, "lab": stdio(t, nil)})
		tools, warnings := s.Tools(t.Context(), "", []string{"gone", "lab", "unknown"})
		require.NotEmpty(t, tools)
		require.Len(t, warnings, 2)
		require.Contains(t, warnings[0], `MCP server "gone"`)
		require.Contains(t, warnings[1], `"unknown" is not known to this service`)
	})
	t.Run("E4 one that says nothing is waited for no longer than its turn wants", func(t *testing.T) {
		s := open(t, map[string]Config{"silent": stdio(t, map[string]string{"FIXTURE": "silent"})})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		tools, warnings := s.Tools(ctx, "", []string{"silent"})
		require.Empty(t, tools)
		require.Contains(t, warnings[0], "still being connected to")
		_, err := call(ctx, t, s, "", "silent", "echo", `{}`, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestRemote(t *testing.T) {
	t.Run("E4 headers and a token go along; one that is refused is asked for anew", func(t *testing.T) {
		counter := filepath.Join(t.TempDir(), "n")
		var mu sync.Mutex
		valid, seen := "token-1", map[string]bool{}
		s := overHTTP(t, func(w http.ResponseWriter, r *http.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			seen[r.Header.Get("X-Team")] = true
			if r.Header.Get("Authorization") == "Bearer "+valid {
				return false
			}
			w.WriteHeader(http.StatusUnauthorized)
			return true
		})
		// Each time it is asked, the command prints another token.
		script := `n=$(cat "$0" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$0"; echo token-$n`
		servers := open(t, map[string]Config{"lab": {
			URL: s.URL, Headers: map[string]string{"X-Team": "a"}, TokenCommand: []string{"sh", "-c", script, counter},
		}})
		require.NotEmpty(t, offered(t, servers, "lab"))
		mu.Lock()
		valid = "token-2"
		mu.Unlock()
		_, err := call(t.Context(), t, servers, "", "lab", "echo", `{}`, nil)
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"a": true}, seen)
	})
	t.Run("I4 the trace of a call goes along, in headers and beside the arguments", func(t *testing.T) {
		const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
		var mu sync.Mutex
		var header http.Header
		var body []byte
		s := overHTTP(t, func(_ http.ResponseWriter, r *http.Request) bool {
			raw, err := io.ReadAll(r.Body)
			r.Body = io.NopCloser(bytes.NewReader(raw))
			if err == nil && gjson.GetBytes(raw, "method").Str == "tools/call" {
				mu.Lock()
				defer mu.Unlock()
				header, body = r.Header, raw
			}
			return false
		})
		servers := open(t, map[string]Config{"lab": {URL: s.URL}})
		require.NotEmpty(t, offered(t, servers, "lab"))
		trace, ok := tracecontext.FromHeader(http.Header{"Traceparent": {parent}, "Tracestate": {"a=1"}})
		require.True(t, ok)
		_, err := call(tracecontext.With(t.Context(), trace), t, servers, "", "lab", "echo", `{}`, nil)
		require.NoError(t, err)
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, []string{parent, "a=1"}, []string{header.Get("traceparent"), header.Get("tracestate")})
		meta := gjson.GetBytes(body, "params._meta")
		require.Equal(t, []string{parent, "a=1"}, []string{meta.Get("traceparent").Str, meta.Get("tracestate").Str})
	})
	t.Run("E4 a server that is gone and comes back", func(t *testing.T) {
		var down atomic.Bool
		s := overHTTP(t, func(w http.ResponseWriter, _ *http.Request) bool {
			if down.Load() {
				panic(http.ErrAbortHandler)
			}
			return false
		})
		servers := open(t, map[string]Config{"lab": {URL: s.URL}})
		require.NotEmpty(t, offered(t, servers, "lab"))
		down.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), soon)
		defer cancel()
		_, err := call(ctx, t, servers, "", "lab", "echo", `{}`, nil)
		require.ErrorContains(t, err, `MCP server "lab"`)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		down.Store(false)
		require.Eventually(t, func() bool {
			_, err := call(t.Context(), t, servers, "", "lab", "echo", `{}`, nil)
			return err == nil
		}, soon, 50*time.Millisecond)
	})
	t.Run("G3 a call that may be repeated is made again, and no other", func(t *testing.T) {
		for n, annotations := range []catalog.Annotations{{ReadOnly: true}, {}, {Idempotent: true}} {
			var calls atomic.Int64
			s := overHTTP(t, func(w http.ResponseWriter, r *http.Request) bool {
				raw, err := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(raw))
				if err == nil && gjson.GetBytes(raw, "method").Str == "tools/call" && calls.Add(1) == 1 {
					if n < 2 {
						panic(http.ErrAbortHandler)
					}
					w.WriteHeader(http.StatusServiceUnavailable)
					return true
				}
				return false
			})
			servers := open(t, map[string]Config{"lab": {URL: s.URL}})
			tool := catalog.Tool{Source: catalog.SourceMCP, Owner: "lab", Name: "echo", Annotations: annotations}
			entries, err := catalog.New([]catalog.Tool{tool}, catalog.Policy{})
			require.NoError(t, err)
			registry := executor.NewRegistry(executor.Options{Custom: map[string]executor.Executor{ExecutorType: servers}})
			defer registry.Close()
			binding, err := registry.Bind("", json.RawMessage(`{"type":"mcp","server":"lab","tool":"echo"}`), annotations)
			require.NoError(t, err)
			got, err := binding.Execute(t.Context(), executor.Call{Tool: entries.Entries()[0], Input: json.RawMessage(`{"text":"x"}`)})
			if annotations != (catalog.Annotations{}) {
				require.NoError(t, err)
				require.Equal(t, "x", gjson.GetBytes(got, "structuredContent.text").Str)
				require.EqualValues(t, 2, calls.Load())
			} else {
				require.EqualError(t, err, `MCP server "lab" did not take the call: it can't be reached, or is overloaded. Try again`)
				require.EqualValues(t, 1, calls.Load())
			}
		}
	})
	t.Run("E4 a redirect is not followed", func(t *testing.T) {
		var reached atomic.Bool
		elsewhere := overHTTP(t, func(http.ResponseWriter, *http.Request) bool {
			reached.Store(true)
			return false
		})
		s := overHTTP(t, func(w http.ResponseWriter, r *http.Request) bool {
			http.Redirect(w, r, elsewhere.URL, http.StatusTemporaryRedirect)
			return true
		})
		servers := open(t, map[string]Config{"lab": {URL: s.URL}})
		_, warnings := servers.Tools(t.Context(), "", []string{"lab"})
		require.Len(t, warnings, 1)
		require.False(t, reached.Load())
	})
	t.Run("H6 an answer of any size is not read to its end", func(t *testing.T) {
		var sent atomic.Int64
		s := overHTTP(t, func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", "application/json")
			chunk := []byte(strings.Repeat(" ", 1<<20))
			for range 64 {
				n, err := w.Write(chunk)
				if sent.Add(int64(n)); err != nil {
					break
				}
			}
			return true
		})
		servers := open(t, map[string]Config{"lab": {URL: s.URL}})
		_, warnings := servers.Tools(t.Context(), "", []string{"lab"})
		require.Len(t, warnings, 1)
	})
}

func TestCheck(t *testing.T) {
	for text, config := range map[string]Config{
		"set either command or url":            {},
		"set either command":                   {Command: "x", URL: "http://localhost"},
		"args, env and dir go with command":    {URL: "http://localhost", Args: []string{"x"}},
		"headers and tokenCommand go with url": {Command: "x", Headers: map[string]string{"a": "b"}},
		"url must be an http or https URL":     {URL: "ftp://x"},
		"can't be sent":                        {URL: "http://localhost", Headers: map[string]string{"a b": "c"}},
		"must not be negative":                 {Command: "x", TimeoutMs: -1},
	} {
		t.Run("E4 refused: "+text, func(t *testing.T) {
			require.ErrorContains(t, Check(map[string]Config{"lab": config}), "mcpServers.lab: ")
			require.ErrorContains(t, Check(map[string]Config{"lab": config}), text)
		})
	}
	t.Run("E4 names that would not be a part of an id", func(t *testing.T) {
		for _, name := range []string{"", "a:b", "a b", "é", strings.Repeat("x", 65)} {
			require.Error(t, Check(map[string]Config{name: {Command: "x"}}), name)
		}
	})
	t.Run("E4 bounds of time", func(t *testing.T) {
		require.Equal(t, defaultTimeout, (&Config{}).timeout())
		require.Equal(t, maxTimeout, (&Config{TimeoutMs: 1 << 62}).timeout())
		require.Equal(t, 5*time.Second, (&Config{StartupTimeoutMs: 5000}).startup())
	})
}

func TestClose(t *testing.T) {
	t.Run("E4 processes end with the servers", func(t *testing.T) {
		s := Open(map[string]Config{"lab": stdio(t, nil)}, nil)
		require.NotEmpty(t, offered(t, s, "lab"))
		s.Close()
		require.Empty(t, children(t))
		_, err := call(t.Context(), t, s, "", "lab", "echo", `{}`, nil)
		require.Error(t, err)
	})
}

// children are the processes that any thread of this one has started, as the kernel lists them.
func children(t *testing.T) []string {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	require.NoError(t, err)
	var pids []string
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if !errors.Is(err, os.ErrNotExist) { // the thread has ended
			require.NoError(t, err)
		}
		pids = append(pids, strings.Fields(string(text))...)
	}
	return pids
}

package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/catalog"
)

// transports are the ways to a rogue.
var transports = map[string]func(*testing.T, rogue) Config{
	"stdio":  func(t *testing.T, k rogue) Config { return stdio(t, map[string]string{"FIXTURE": string(k)}) },
	"JSON":   func(t *testing.T, k rogue) Config { return Config{URL: k.overHTTP(t, false), TimeoutMs: 20_000} },
	"events": func(t *testing.T, k rogue) Config { return Config{URL: k.overHTTP(t, true), TimeoutMs: 20_000} },
}

// fine has the tool that works called, on the connection that there is.
func fine(t *testing.T, s *Servers) {
	t.Helper()
	r, err := call(t.Context(), t, s, "", "lab", "ok", `{}`, nil)
	require.NoError(t, err)
	require.Equal(t, "fine", r.Get("content.0.text").Str)
}

// connection is the one that a server has now.
func connection(s *Servers) any {
	one := s.byName["lab"]
	one.mu.Lock()
	defer one.mu.Unlock()
	return one.current
}

func TestBadAnswers(t *testing.T) {
	const long = `MCP server "lab": its answer has more than 16777216 bytes`
	const unread = `MCP server "lab": its answer can't be read`
	kinds := []struct {
		kind         rogue
		want, refuse string
		only         string // one transport
	}{
		{kind: "garbage", refuse: unread},
		{kind: "huge", refuse: long},
		{kind: "huge, id last", refuse: long},
		{kind: "deep", want: `{"content":[],"deep":` + deep + `}`},
		{kind: "too deep", refuse: unread},
		{kind: "brackets", want: `{"content":[]}`, only: "stdio"},
		{kind: "no object", refuse: `MCP server "lab": its result is no object`},
		{kind: "input", refuse: "asks for input from a person or a model"},
		{kind: "wrong types", want: `{"content":"a text","isError":"no"}`},
		{kind: "no content", want: `{"content":[],"structuredContent":{"zebra":9007199254740993,"ant":1e400}}`},
		{kind: "unknown", want: `{"content":[{"type":"hologram","beam":1}],"other":true}`},
		{kind: "two answers", want: `{"content":[{"type":"text","text":"first"}]}`, only: "stdio events"},
		{kind: "asks", want: `{"content":[]}`, only: "stdio events"},
		{kind: "chatty", want: `{"content":[]}`, only: "stdio"},
	}
	for name, config := range transports {
		for _, k := range kinds {
			if !strings.Contains(k.only+name, name) || k.only != "" && !strings.Contains(k.only, name) {
				continue
			}
			t.Run(fmt.Sprintf("E4 %s over %s is a matter of its own call", k.kind, name), func(t *testing.T) {
				s := open(t, map[string]Config{"lab": config(t, k.kind)})
				fine(t, s)
				before := connection(s)
				r, err := call(t.Context(), t, s, "", "lab", "bad", `{}`, nil)
				if k.refuse != "" {
					require.ErrorContains(t, err, k.refuse)
				} else {
					require.NoError(t, err)
					require.Equal(t, k.want, r.Raw, "byte for byte")
				}
				fine(t, s)
				require.Same(t, before, connection(s), "the connection is the same")
			})
		}
		t.Run("E4 a call that hangs over "+name+" takes its own time, and no other's", func(t *testing.T) {
			s := open(t, map[string]Config{"lab": config(t, "hang")})
			fine(t, s)
			before := connection(s)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			_, err := call(ctx, t, s, "", "lab", "bad", `{}`, nil)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			fine(t, s)
			require.Same(t, before, connection(s))
		})
		t.Run("E4 an input that does not fit is refused here, over "+name, func(t *testing.T) {
			s := open(t, map[string]Config{"lab": config(t, "plain")})
			fine(t, s)
			before := connection(s)
			_, err := call(t.Context(), t, s, "", "lab", "resources_read", `{"uri":5}`, nil)
			require.ErrorContains(t, err, "the input does not fit")
			fine(t, s)
			require.Same(t, before, connection(s))
		})
	}
}

func TestBadLists(t *testing.T) {
	list := func(t *testing.T, name string, k rogue) []catalog.Tool {
		t.Helper()
		s := open(t, map[string]Config{"lab": transports[name](t, k)})
		tools, warnings := s.Tools(t.Context(), "", []string{"lab"})
		require.Empty(t, warnings)
		return tools
	}
	for name := range transports {
		t.Run("E4 500 tools over pages, "+name, func(t *testing.T) {
			tools := list(t, name, "many")
			require.Len(t, tools, 500+2)
			require.Equal(t, "tool_000", tools[0].Name)
			require.Equal(t, "tool_499", tools[499].Name)
		})
		for _, k := range []rogue{"loop", "vast cursor"} {
			t.Run(fmt.Sprintf("E4 a list with a %s ends, %s", k, name), func(t *testing.T) {
				require.Equal(t, []string{"ok", "resources_list", "resources_read"}, namesOf(list(t, name, k)))
			})
		}
		t.Run("E3 properties are in the server's order, "+name, func(t *testing.T) {
			entries, err := catalog.New(list(t, name, "order"), catalog.Policy{})
			require.NoError(t, err)
			ok := entries.ByID("mcp:lab:ok")
			require.Contains(t, ok.Signature(), "zebra: string; mouse?: string; ant?: { z?: string; a?: string }")
		})
	}
	t.Run("E4 an endless list ends", func(t *testing.T) {
		require.Equal(t, []string{"resources_list", "resources_read"}, namesOf(list(t, "JSON", "endless")))
	})
	t.Run("E4 a list that is none leaves the others alone", func(t *testing.T) {
		s := open(t, map[string]Config{"lab": transports["stdio"](t, "nonsense"), "good": stdio(t, nil)})
		tools, warnings := s.Tools(t.Context(), "", []string{All})
		require.NotEmpty(t, tools)
		require.Equal(t, []string{`MCP server "lab": its tools may be missing or fail, since it is not connected`}, warnings)
	})
	t.Run("E2 two tools of one name, and names that mean something to JavaScript", func(t *testing.T) {
		tools := list(t, "stdio", "names")
		require.Equal(t, []string{
			"__proto__", "a b", "constructor", "ok", "prototype", "resources_list", "resources_read", "schemaless", "then", "toString",
		}, namesOf(tools))
		entries, err := catalog.New(tools, catalog.Policy{})
		require.NoError(t, err)
		require.Empty(t, entries.Warnings())
		require.JSONEq(t, `{"type":"object"}`, string(tools[0].Parameters), "the first of them counts")
	})
	t.Run("E3 schemas in circles", func(t *testing.T) {
		entries, err := catalog.New(list(t, "stdio", "cyclic"), catalog.Policy{})
		require.NoError(t, err)
		require.NotEmpty(t, entries.Guest().Files)
	})
	t.Run("E3 schemas that are too deep leave the other tools", func(t *testing.T) {
		require.Equal(t, []string{"bad", "ok", "resources_list", "resources_read"}, namesOf(list(t, "stdio", "deep")))
	})
	t.Run("E3 what a server says of its tools stays inside comments and strings", func(t *testing.T) {
		entries, err := catalog.New(list(t, "stdio", "hostile"), catalog.Policy{})
		require.NoError(t, err)
		files := string(entries.Guest().Files)
		require.Contains(t, files, "declare const stolen")
		files = strings.ReplaceAll(files, `\"*/ }; declare const stolen: 1; /*\"`, "a property")
		require.NotContains(t, files, "*/ declare")
		require.NotContains(t, files, "*/ }")
	})
	t.Run("E4 a storm of changes is one now and then, and no change of what is the same", func(t *testing.T) {
		s := open(t, map[string]Config{"lab": stdio(t, map[string]string{"FIXTURE": "storm"})})
		fine(t, s)
		generation := s.Generation()
		for range 20 { // of which each brings a hundred notes
			fine(t, s)
		}
		require.Equal(t, generation, s.Generation())
	})
	t.Run("E4 changes at any rate are listed at ours", func(t *testing.T) {
		s := open(t, map[string]Config{"lab": {URL: rogue("plain").overHTTP(t, false)}})
		fine(t, s)
		one, before, began := s.byName["lab"], listings.Load(), time.Now()
		for range 2000 {
			one.change()
		}
		require.Eventually(t, func() bool { return listings.Load() > before }, soon, 10*time.Millisecond)
		require.LessOrEqual(t, listings.Load()-before, 1+int64(time.Since(began)/minRefresh))
	})
}

func TestDeadServers(t *testing.T) {
	t.Run("E4 one that ends at once", func(t *testing.T) {
		s := open(t, map[string]Config{"lab": stdio(t, map[string]string{"FIXTURE": "dead"}), "good": stdio(t, nil)})
		tools, warnings := s.Tools(t.Context(), "", []string{"lab", "good"})
		require.NotEmpty(t, tools)
		require.Len(t, warnings, 1)
		require.NotContains(t, warnings[0], os.Args[0], "what is started is not for the model")
	})
	t.Run("E4 one that dies of a call is back for the next, each time", func(t *testing.T) {
		s := open(t, map[string]Config{"lab": stdio(t, map[string]string{"FIXTURE": "exit"})})
		fine(t, s)
		for range 3 {
			_, err := call(t.Context(), t, s, "", "lab", "bad", `{}`, nil)
			require.ErrorContains(t, err, `MCP server "lab" did not answer`)
			require.Eventually(t, func() bool {
				_, err := call(t.Context(), t, s, "", "lab", "ok", `{}`, nil)
				return err == nil
			}, soon, 10*time.Millisecond)
		}
	})
	t.Run("E4 one that does not end is killed", func(t *testing.T) {
		s := Open(map[string]Config{"lab": stdio(t, map[string]string{"FIXTURE": "stubborn"})}, nil)
		fine(t, s)
		s.Close()
		require.Empty(t, children(t))
	})
	t.Run("H5 connections that are lost leave no descriptor behind", func(t *testing.T) {
		count := func() int {
			entries, err := os.ReadDir("/proc/self/fd")
			require.NoError(t, err)
			return len(entries)
		}
		round := func() {
			s := Open(map[string]Config{"lab": stdio(t, map[string]string{"FIXTURE": "exit"})}, nil)
			fine(t, s)
			_, err := call(t.Context(), t, s, "", "lab", "bad", `{}`, nil)
			require.Error(t, err)
			s.Close()
		}
		round()
		before := count()
		for range 5 {
			round()
		}
		require.LessOrEqual(t, count(), before)
	})
}

func TestForgetful(t *testing.T) {
	t.Run("H6 what cells ask for is not remembered", func(t *testing.T) {
		resource, resources, prompts := mcp.ReadResourceParams{URI: "mine"}, mcp.ListResourcesParams{Cursor: "mine"}, mcp.ListPromptsParams{Cursor: "mine"}
		for _, req := range []mcp.Request{
			&mcp.ClientRequest[*mcp.ReadResourceParams]{Params: &resource},
			&mcp.ClientRequest[*mcp.ListResourcesParams]{Params: &resources},
			&mcp.ClientRequest[*mcp.ListPromptsParams]{Params: &prompts},
		} {
			_, err := forgetful(func(_ context.Context, _ string, req mcp.Request) (mcp.Result, error) {
				sent, err := json.Marshal(req.GetParams())
				require.Contains(t, string(sent), "mine")
				return nil, err
			})(t.Context(), "", req)
			require.NoError(t, err)
		}
		require.Empty(t, resource.URI+resources.Cursor+prompts.Cursor)
	})
}

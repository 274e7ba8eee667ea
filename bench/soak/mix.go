package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// job is one thing that a client does. every says how often: one in so many.
type job struct {
	name  string
	every int
	run   func(ctx context.Context, m *mix) error
}

// jobs are tried in this order: the first whose turn it is.
var jobs = []job{
	{"endless loop", 97, fails(`for (;;);`, "timeout")},
	{"endless builtin", 89, fails(`return "a".repeat(4e6).indexOf("a".repeat(2e6) + "b")`, "timeout")},
	{"memory", 83, fails(`const all = []; for (;;) all.push("x".repeat(1e5) + all.length)`, "memory_limit_exceeded", "timeout")},
	{"output", 41, fails(`for (;;) text("x".repeat(1000))`, "output_limit_exceeded")},
	{"searches", 79, fails(`for (;;) await tools.search("word ".repeat(400))`, "timeout")},
	{"broken tool", 13, tryTool("error")},
	{"garbage", 17, tryTool("garbage")},
	{"lost connection", 19, tryTool("close")},
	{"tool in time", 23, tryTool("late")},
	{"hangs up", 29, hangUp},
	{"abandons", 31, abandon},
	{"deletes", 11, deleteRun},
	{"new turn", 37, churn},
	{"own error", 7, fails(`throw new TypeError("on purpose")`, "internal_error")},
	{"caller's tool", 6, deliver},
	{"suspends", 5, suspend},
	{"calls", 2, gives(`return (await Promise.all([1, 2, 3].map((i) => tools.callValue("openclaw:soak:ok", {i})))).length`, "3")},
	{"computes", 1, gives(`return [...Array(1000).keys()].reduce((a, b) => a + b)`, "499500")},
}

// mix is what the clients do, with one turn for all honest cells, and one for the others, whose time is short.
type mix struct {
	service   *service
	request   string // that prepares the turn
	turn, bad string

	mu   sync.Mutex
	next int
	done map[string]int
}

func newMix(s *service, tools *toolServers) (*mix, error) {
	m := &mix{service: s, done: map[string]int{}}
	var list []map[string]any
	add := func(name string, executor map[string]any) {
		tool := map[string]any{"source": "openclaw", "owner": "soak", "name": name, "parameters": map[string]any{"type": "object"}}
		if executor == nil {
			tool["source"], tool["owner"] = "client", "soak"
		} else {
			tool["executor"] = executor
		}
		list = append(list, tool)
	}
	over := func(url string) map[string]any {
		return map[string]any{"type": "http", "url": url, "timeoutMs": 60_000}
	}
	add("ok", over(tools.good.URL+"/ok"))
	add("slow", over(tools.good.URL+"/slow"))
	add("late", map[string]any{"type": "http", "url": tools.good.URL + "/slow", "timeoutMs": 50})
	for _, name := range []string{"error", "garbage", "close"} {
		add(name, over(tools.bad.URL+"/"+name))
	}
	add("ask", nil)
	for n := range 50 {
		add(fmt.Sprintf("other_%d", n), map[string]any{"type": "echo"})
	}
	request := func(config map[string]any) string {
		config["enabled"], config["memoryLimitBytes"], config["snapshotTtlSeconds"] = true, 16<<20, 1
		text, _ := json.Marshal(map[string]any{ // it has nothing that can't be encoded
			"context": map[string]any{"agentId": "soak", "sessionId": "s", "sessionKey": "k", "runId": "r"}, "config": config, "tools": list,
		})
		return string(text)
	}
	m.request = request(map[string]any{})
	var err, err2 error
	m.turn, err = m.prepare(context.Background(), m.request)
	m.bad, err2 = m.prepare(context.Background(), request(map[string]any{"timeoutMs": 200}))
	return m, errors.Join(err, err2)
}

func (m *mix) prepare(ctx context.Context, request string) (string, error) {
	doc, err := m.service.post(ctx, "/v1/turns", request)
	return doc.Get("turnId").Str, err
}

// round has clients work until the time is over, while a worker is killed.
func (m *mix) round(ctx context.Context, clients int, d time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	end := time.Now().Add(d)
	failures := make(chan error, clients+1)
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for time.Now().Before(end) && ctx.Err() == nil {
				if err := m.one(ctx); err != nil {
					failures <- err
					stop()
					return
				}
			}
		})
	}
	all.Go(func() {
		select {
		case <-ctx.Done():
			return
		case <-time.After(d / 2):
		}
		if err := m.service.disturb(); err != nil {
			failures <- err
		}
	})
	all.Wait()
	close(failures)
	return <-failures
}

// one does the next job.
func (m *mix) one(ctx context.Context) error {
	m.mu.Lock()
	m.next++
	n := m.next
	m.mu.Unlock()
	for _, j := range jobs {
		if n%j.every != 0 {
			continue
		}
		if err := j.run(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		m.mu.Lock()
		m.done[j.name]++
		m.mu.Unlock()
		break
	}
	return nil
}

// counts says what was done how often.
func (m *mix) counts() string {
	var text []string
	for _, name := range slices.Sorted(maps.Keys(m.done)) {
		text = append(text, fmt.Sprintf("%s %d", name, m.done[name]))
	}
	return strings.Join(text, ", ")
}

// end drops the turns.
func (m *mix) end(ctx context.Context) error {
	return errors.Join(m.service.delete(ctx, "/v1/turns/"+m.turn), m.service.delete(ctx, "/v1/turns/"+m.bad))
}

func (m *mix) exec(ctx context.Context, turn, code string) (gjson.Result, error) {
	body, err := json.Marshal(map[string]string{"turnId": turn, "toolCallId": "call", "code": code})
	if err != nil {
		return gjson.Result{}, err
	}
	return m.service.post(ctx, "/v1/exec", string(body))
}

func (m *mix) wait(ctx context.Context, runID string, results any) (gjson.Result, error) {
	body, err := json.Marshal(map[string]any{"turnId": m.turn, "runId": runID, "results": results})
	if err != nil {
		return gjson.Result{}, err
	}
	return m.service.post(ctx, "/v1/wait", string(body))
}

// run runs a cell to its end: one that a tool keeps waiting for longer than an exec may is waited for, as a gateway would.
func (m *mix) run(ctx context.Context, code string) (gjson.Result, error) {
	doc, err := m.exec(ctx, m.turn, code)
	for err == nil && doc.Get("status").Str == "waiting" {
		doc, err = m.wait(ctx, doc.Get("runId").Str, nil)
	}
	return doc, err
}

func wrong(doc gjson.Result) error { return fmt.Errorf("a wrong answer: %.500s", doc.Raw) }

func completed(doc gjson.Result, value string) error {
	if doc.Get("status").Str != "completed" || doc.Get("value").Raw != value {
		return wrong(doc)
	}
	return nil
}

// waiting returns the run's id.
func waiting(doc gjson.Result, err error) (string, error) {
	if err == nil && doc.Get("status").Str != "waiting" {
		err = wrong(doc)
	}
	return doc.Get("runId").Str, err
}

// gives runs a cell that must return a value.
func gives(code, value string) func(context.Context, *mix) error {
	return func(ctx context.Context, m *mix) error {
		doc, err := m.run(ctx, code)
		if err != nil {
			return err
		}
		return completed(doc, value)
	}
}

// fails runs a cell that must fail, in one of these ways. It may also have been at work in a worker that was killed as often
// as a guest may be.
func fails(code string, codes ...string) func(context.Context, *mix) error {
	return func(ctx context.Context, m *mix) error {
		doc, err := m.exec(ctx, m.bad, code)
		if err != nil {
			return err
		}
		if doc.Get("status").Str != "failed" || !slices.Contains(append(codes, "runtime_unavailable"), doc.Get("code").Str) {
			return wrong(doc)
		}
		return nil
	}
}

// tryTool runs a cell whose tool fails, which it must see.
func tryTool(name string) func(context.Context, *mix) error {
	code := fmt.Sprintf(`try { await tools.callValue("openclaw:soak:%s", {}); return "it worked" } catch (e) { return e.code }`, name)
	return func(ctx context.Context, m *mix) error {
		doc, err := m.run(ctx, code)
		if err != nil {
			return err
		}
		if v := doc.Get("value").Str; v != "tool_error" && v != "tool_timeout" {
			return wrong(doc)
		}
		return nil
	}
}

const yields = `const kept = [1, 2]; await yield_control("later"); return kept.length`

func suspend(ctx context.Context, m *mix) error {
	id, err := waiting(m.exec(ctx, m.turn, yields))
	if err != nil {
		return err
	}
	doc, err := m.wait(ctx, id, nil)
	if err != nil {
		return err
	}
	return completed(doc, "2")
}

func deliver(ctx context.Context, m *mix) error {
	doc, err := m.exec(ctx, m.turn, `return (await tools.callValue("client:soak:ask", {})) + 1`)
	id, err := waiting(doc, err)
	if err != nil {
		return err
	}
	call := doc.Get("pendingToolCalls.0.id").Str
	doc, err = m.wait(ctx, id, []map[string]any{{"id": call, "ok": true, "value": 41}})
	if err != nil {
		return err
	}
	return completed(doc, "42")
}

// abandon leaves a run to expire.
func abandon(ctx context.Context, m *mix) error {
	_, err := waiting(m.exec(ctx, m.turn, yields))
	return err
}

func deleteRun(ctx context.Context, m *mix) error {
	id, err := waiting(m.exec(ctx, m.turn, yields))
	if err != nil {
		return err
	}
	if err := m.service.delete(ctx, "/v1/runs/"+id); err != nil {
		return err
	}
	doc, err := m.wait(ctx, id, nil)
	if err == nil && doc.Get("code").Str != "invalid_input" {
		err = wrong(doc)
	}
	return err
}

// hangUp leaves while a tool is at work, or before.
func hangUp(ctx context.Context, m *mix) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	doc, err := m.exec(ctx, m.turn, `return await tools.callValue("openclaw:soak:slow", {})`)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return nil
	}
	return errors.Join(err, wrong(doc))
}

// churn uses a turn of its own.
func churn(ctx context.Context, m *mix) error {
	turn, err := m.prepare(ctx, m.request)
	if err != nil {
		return err
	}
	doc, err := m.exec(ctx, turn, `return (await tools.search("other")).length > 0`)
	if err != nil {
		return err
	}
	return errors.Join(completed(doc, "true"), m.service.delete(ctx, "/v1/turns/"+turn))
}

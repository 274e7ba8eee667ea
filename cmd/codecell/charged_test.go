//go:build !race

// What a service under the race detector spends, mostly on the detector, is not what one spends.

package main

import (
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// laborious are cells that do next to nothing themselves and have the service work for them, until they are ended.
var laborious = map[string]string{
	"tiny calls":             `for (;;) await tools.echo({})`,
	"many tiny calls":        `for (;;) await Promise.all(Array.from({length: 900}, () => tools.echo({})))`,
	"calls that fail":        `for (;;) await Promise.allSettled(Array.from({length: 900}, () => tools.fails({})))`,
	"unknown tools":          `let i = 0; for (;;) await Promise.allSettled(Array.from({length: 900}, () => tools.call("creat_tickt_" + i++)))`,
	"searches":               `let i = 0; for (;;) await tools.search("creat invoic customr paymnt ordr " + i++, {limit: 50, explain: true})`,
	"many searches":          `let i = 0; for (;;) await Promise.all(Array.from({length: 100}, () => tools.search("list the orders of a customer " + i++)))`,
	"descriptions":           `for (;;) await Promise.all(ALL_TOOLS.map((t) => tools.describe(t.id)))`,
	"a server's description": `for (;;) await Promise.all(Array.from({length: 100}, () => MCP.hub.$api("issue", {schema: true})))`,
	"calls of a server":      `for (;;) await Promise.allSettled(Array.from({length: 900}, (_, i) => MCP.hub.issue({n: i % 2 ? i : "x"})))`,
	"timers":                 `for (;;) await Promise.all(Array.from({length: 900}, () => new Promise((r) => setTimeout(r, 0))))`,
	"timers that are cleared": `for (;;) { const t = Array.from({length: 900}, () => setTimeout(() => {}, 1e6));
		await new Promise((r) => setTimeout(r, 0)); t.forEach(clearTimeout) }`,
	"large inputs":       `const s = "x".repeat(1e5); for (;;) await Promise.all(Array.from({length: 50}, () => tools.echo({s})))`,
	"inputs of numbers":  `const s = Array.from({length: 20000}, (_, i) => i / 7); for (;;) await tools.echo({s})`,
	"inputs to validate": `const v = Array.from({length: 5000}, (_, i) => ({a: i, b: [i]})); for (;;) await tools.unique({v}).catch(() => {})`,
	"output that is cut": `for (;;) { for (let i = 0; i < 1000; i++) text("x" + i); await tools.echo({}) }`,
	"a store":            `let i = 0; for (;;) await Promise.allSettled(Array.from({length: 100}, () => store.set("k" + i++ % 50, {a: "x".repeat(100)})))`,
}

// laboriousTurn is the turn of these cells: a catalog worth searching, and a tool whose inputs are costly to validate.
func laboriousTurn() map[string]any {
	var tools []any
	add := func(source, owner, name string, executor, parameters map[string]any) {
		tools = append(tools, map[string]any{
			"source": source, "owner": owner, "name": name, "executor": executor, "parameters": parameters,
			"description": "Creates, lists or sends the invoices, orders and payments of a customer: " + name,
		})
	}
	echo, object := map[string]any{"type": "echo"}, map[string]any{"type": "object"}
	for n := range 300 {
		add("openclaw", "shop", "list_orders_"+strconv.Itoa(n), echo, object)
	}
	add("openclaw", "core", "echo", echo, object)
	add("openclaw", "core", "fails", map[string]any{"type": "echo", "error": "it broke"}, object)
	add("openclaw", "core", "unique", echo, map[string]any{
		"type": "object", "properties": map[string]any{"v": map[string]any{"type": "array", "uniqueItems": true}},
	})
	add("mcp", "hub", "issue", echo, map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}})
	return map[string]any{
		"context": map[string]any{"agentId": "a", "sessionId": "s", "sessionKey": "k", "runId": "r"},
		"config":  map[string]any{"enabled": true, "timeoutMs": 200, "outputOverflow": "truncate", "store": true},
		"tools":   tools,
	}
}

// processorTime is how long the service itself has had a processor.
func (s *service) processorTime(t *testing.T) time.Duration {
	t.Helper()
	const processClock = 2 // of a whole process, as clock_getcpuclockid(3) makes it
	var now unix.Timespec
	require.NoError(t, unix.ClockGettime(int32(^s.cmd.Process.Pid)<<3|processClock, &now))
	return time.Duration(now.Nano())
}

// peak is how many bytes of memory the service itself had at most.
func (s *service) peak(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	require.NoError(t, err)
	kilobytes, err := strconv.Atoi(string(regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)[1]))
	require.NoError(t, err)
	return kilobytes << 10
}

// Bounds of what hostile cells make the service itself spend.
const (
	maxPeak       = 256 << 20 // bytes
	maxUncharged  = 2         // processor time for each second that was charged
	chargedRounds = 5         // at most: others use the machine too, and what the service does for nobody is counted
)

func TestCharged(t *testing.T) {
	for _, config := range []string{`{}`, `{engine: {mode: "wasi"}}`, `{engine: {isolation: "thread"}}`, `{engine: {mode: "wasi", isolation: "thread"}}`} {
		s := serveProcess(t, config)
		id := ask(t, http.StatusOK, s.base+"/v1/turns", laboriousTurn())["turnId"]
		run := func(t *testing.T, code string) (charged, spent time.Duration) {
			t.Helper()
			before := s.processorTime(t)
			result := ask(t, http.StatusOK, s.base+"/v1/exec", map[string]any{"turnId": id, "code": code})
			ended := result["code"] == "timeout" || result["code"] == "memory_limit_exceeded" || result["status"] == "waiting"
			require.True(t, ended, "%.1000v", result)
			used := result["telemetry"].(map[string]any)["runtime"].(map[string]any)
			return time.Duration((used["cpuMs"].(float64) + used["serviceMs"].(float64)) * 1e6), s.processorTime(t) - before
		}
		run(t, laborious["searches"]) // which has everything built that is built once
		for name, code := range laborious {
			t.Run("H6 what the service does for a cell is charged to it: "+name+" "+config, func(t *testing.T) {
				for try := 1; ; try++ {
					charged, spent := run(t, code)
					if spent < maxUncharged*charged {
						return
					}
					require.Less(t, try, chargedRounds, "%s were spent, and %s charged", spent, charged)
				}
			})
		}
		t.Run("H6 and its memory is bounded "+config, func(t *testing.T) { require.Less(t, s.peak(t), maxPeak) })
		s.kill()
	}
}

package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// asShop is the argument with which the demo is one of the MCP servers.
const asShop = "shop"

//go:embed cell.ts
var cell string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch {
	case len(os.Args) == 2 && os.Args[1] == asShop:
		err = serveShop(ctx)
	case len(os.Args) == 2:
		err = demo(ctx, os.Args[1], os.Stdout)
	default:
		err = fmt.Errorf("usage: demo CODECELL, the service's binary")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

// demo runs the cell on a service of its own, which is codecell, and tells out of it.
func demo(ctx context.Context, codecell string, out io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	crm, crmURL, err := serveHTTP(crmHandler())
	if err != nil {
		return err
	}
	defer crm.Close()
	desk, deskURL, err := serveHTTP(deskHandler())
	if err != nil {
		return err
	}
	defer desk.Close()
	s, err := start(ctx, codecell, map[string]any{"mcpServers": map[string]any{
		"shop": map[string]any{"command": self, "args": []string{asShop}},
		"crm":  map[string]any{"url": crmURL},
	}})
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.send(ctx, "PUT", "/v1/namespaces/tickets", ticketsNamespace, nil); err != nil {
		return err
	}
	return tell(ctx, s, deskTools(deskURL), out)
}

// turn is what POST /v1/turns answers.
type turn struct {
	ID    string          `json:"turnId"`
	Tools json.RawMessage `json:"tools"`
}

// prepare makes a turn of all the tools, with code mode or with the tools as they are.
func prepare(ctx context.Context, s *service, tools []any, codeMode bool) (t turn, err error) {
	err = s.send(ctx, "POST", "/v1/turns?format=openai", map[string]any{
		"context": map[string]any{"agentId": "demo", "sessionId": "s1", "sessionKey": "k1", "runId": "r1"},
		"config":  map[string]any{"enabled": codeMode}, "mcpServers": []string{"*"}, "tools": tools,
	}, &t)
	return t, err
}

// result is what POST /v1/exec answers.
type result struct {
	Status string          `json:"status"`
	RunID  string          `json:"runId"`
	Value  json.RawMessage `json:"value"`
	Error  string          `json:"error"`
	Output []struct {
		Text string `json:"text"`
	} `json:"output"`
	Telemetry struct {
		Calls int `json:"callCount"`
	} `json:"telemetry"`
}

// run executes the cell. Its tools answer at once, so that it waits only on a machine that is very busy.
func run(ctx context.Context, s *service, t turn) (r result, err error) {
	err = s.send(ctx, "POST", "/v1/exec", map[string]any{"turnId": t.ID, "toolCallId": "call-1", "code": cell, "language": "typescript"}, &r)
	for err == nil && r.Status == "waiting" {
		runID := r.RunID
		r = result{}
		err = s.send(ctx, "POST", "/v1/wait", map[string]any{"turnId": t.ID, "runId": runID}, &r)
	}
	if err == nil && r.Status != "completed" {
		err = fmt.Errorf("the cell is %s: %s", r.Status, r.Error)
	}
	return r, err
}

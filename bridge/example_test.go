//go:build cgo

package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine/native"
)

// stock is a tool in Go: an executor of one's own, which tools name by its type.
type stock map[string]int

// Execute implements executor.Executor.
func (s stock) Execute(_ context.Context, call executor.Call) (json.RawMessage, error) {
	var input struct{ SKU string }
	if err := json.Unmarshal(call.Input, &input); err != nil {
		return nil, err // the cell may catch it
	}
	return json.Marshal(map[string]any{"details": map[string]int{"pieces": s[input.SKU]}})
}

// A gateway in Go needs no HTTP. It prepares a turn, runs the cell that the model wrote, and, where that needs a tool of the
// gateway's own, is told so, runs the tool, and resumes the cell.
func Example() {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	engine, err := native.New(native.Options{})
	must(err)
	defer engine.Close()
	service, err := bridge.New(bridge.Options{
		Engine: engine, Executors: map[string]executor.Executor{"stock": stock{"lamp": 10}},
	})
	must(err)
	ctx := context.Background()
	defer service.Close(ctx)

	turn, err := service.Prepare(ctx, "tenant", &bridge.TurnRequest{
		Context: bridge.Context{AgentID: "a", SessionID: "s1", SessionKey: "k1", RunID: "r1"},
		Config:  json.RawMessage(`true`),
		Tools: []catalog.Tool{
			{
				Source: catalog.SourceOpenClaw, Owner: "shop", Name: "stock", Description: "Pieces in stock",
				Executor: json.RawMessage(`{"type": "stock"}`),
			},
			{Source: catalog.SourceClient, Owner: "app", Name: "confirm", Description: "Ask the user"},
		},
	})
	must(err)
	cell, _ := json.Marshal(`const { pieces } = await tools.stock({ sku: "lamp" });
		return await tools.confirm({ order: 2 * pieces }) ? "ordered" : "left"`)
	result, err := turn.Exec(ctx, bridge.ExecInput{Code: cell})
	must(err)
	call := result.Pending[0]
	fmt.Println(result.Status, call.Name, string(call.Input))

	runID, _ := json.Marshal(result.RunID)
	result, err = turn.Wait(ctx, bridge.WaitInput{
		RunID: runID, Results: []bridge.CallResult{{ID: call.ID, OK: true, Value: json.RawMessage(`{"details": true}`)}},
	})
	must(err)
	fmt.Println(result.Status, string(result.Value))
	// Output:
	// waiting confirm {"order":20}
	// completed "ordered"
}

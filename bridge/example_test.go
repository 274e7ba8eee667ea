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
type stock struct{ pieces map[string]int }

// Execute implements executor.Executor.
func (s stock) Execute(_ context.Context, call executor.Call) (json.RawMessage, error) {
	var input struct{ SKU string }
	if err := json.Unmarshal(call.Input, &input); err != nil {
		return nil, err
	}
	pieces, ok := s.pieces[input.SKU]
	if !ok {
		return nil, fmt.Errorf("there is no %q", input.SKU) // the cell may catch it
	}
	return json.Marshal(map[string]any{"details": map[string]int{"pieces": pieces}})
}

// A gateway embeds the bridge: it prepares a turn with a tool in Go, and runs the cell that the model wrote.
func ExampleTurn_Exec() {
	engine, err := native.New(native.Options{})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	service, err := bridge.New(bridge.Options{
		Engine:    engine,
		Executors: map[string]executor.Executor{"stock": stock{map[string]int{"lamp": 10}}},
	})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	defer service.Close(ctx)

	turn, err := service.Prepare(ctx, "tenant", &bridge.TurnRequest{
		Context: bridge.Context{AgentID: "a", SessionID: "s1", SessionKey: "k1", RunID: "r1"},
		Config:  json.RawMessage(`true`),
		Tools: []catalog.Tool{{
			Source: catalog.SourceOpenClaw, Owner: "shop", Name: "stock", Description: "Pieces in stock",
			Parameters: json.RawMessage(`{"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"]}`),
			Executor:   json.RawMessage(`{"type": "stock"}`),
		}},
	})
	if err != nil {
		panic(err)
	}
	result, err := turn.Exec(ctx, bridge.ExecInput{Code: json.RawMessage(`"return (await tools.stock({sku: 'lamp'})).pieces * 2"`)})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Status, string(result.Value))
	// Output: completed 20
}

// A cell that calls a tool without an executor is suspended. The caller runs the tool and resumes the cell.
func ExampleTurn_Wait() {
	engine, err := native.New(native.Options{})
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	service, err := bridge.New(bridge.Options{Engine: engine})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	defer service.Close(ctx)

	turn, err := service.Prepare(ctx, "tenant", &bridge.TurnRequest{
		Config: json.RawMessage(`true`),
		Tools:  []catalog.Tool{{Source: catalog.SourceClient, Owner: "app", Name: "pick_file", Description: "Ask the user"}},
	})
	if err != nil {
		panic(err)
	}
	result, err := turn.Exec(ctx, bridge.ExecInput{Code: json.RawMessage(`"return (await tools.pick_file({kind: 'text'})).path"`)})
	if err != nil {
		panic(err)
	}
	call := result.Pending[0]
	fmt.Println(result.Status, call.Name, string(call.Input))

	runID, _ := json.Marshal(result.RunID)
	result, err = turn.Wait(ctx, bridge.WaitInput{
		RunID:   runID,
		Results: []bridge.CallResult{{ID: call.ID, OK: true, Value: json.RawMessage(`{"details": {"path": "/notes.txt"}}`)}},
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Status, string(result.Value))
	// Output:
	// waiting pick_file {"kind":"text"}
	// completed "/notes.txt"
}

package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// echoExecutor answers with what it was asked, or with what its spec says: {delayMs, result, error}. It exists for
// tests of the service from outside and is off unless the operator enables it.
type echoExecutor struct{}

// Execute implements Executor.
func (echoExecutor) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	var spec struct {
		DelayMs float64         `json:"delayMs"`
		Result  json.RawMessage `json:"result"`
		Error   string          `json:"error"`
	}
	if err := json.Unmarshal(call.Spec, &spec); err != nil {
		return nil, err
	}
	if spec.DelayMs > 0 {
		select {
		case <-time.After(time.Duration(spec.DelayMs * float64(time.Millisecond))):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if spec.Error != "" {
		return nil, errors.New(spec.Error)
	}
	if spec.Result != nil {
		return spec.Result, nil
	}
	return echo(call)
}

func echo(call Call) (json.RawMessage, error) {
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	details, err := json.Marshal(struct {
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	}{call.Tool.Name(), call.Input})
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Content []text          `json:"content"`
		Details json.RawMessage `json:"details"`
	}{[]text{{"text", string(details)}}, details})
}

package executor

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// echoExecutor answers with what it was asked, or with what its spec says: {delayMs, result, error}. It exists for
// tests of the service from outside and is off unless the operator enables it.
type echoExecutor struct{}

// Check implements Checker.
func (echoExecutor) Check(spec json.RawMessage) error {
	return onlyKeys(spec, "delayMs", "result", "error")
}

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
		case <-time.After(milliseconds(spec.DelayMs)):
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
	return echo(call), nil
}

// echo is {content: [{type: "text", text: JSON of details}], details: {name, input}}.
func echo(call Call) json.RawMessage {
	details := make([]byte, 0, len(call.Input)+len(call.Tool.Name())+32)
	details = jsontext.AppendString(append(details, `{"name":`...), call.Tool.Name())
	details = append(append(append(details, `,"input":`...), call.Input...), '}')
	result := make([]byte, 0, 2*len(details)+len(details)/4+64)
	result = jsontext.AppendString(append(result, `{"content":[{"type":"text","text":`...), string(details))
	result = append(append(result, `}],"details":`...), details...)
	return append(result, '}')
}

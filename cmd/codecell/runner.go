package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
)

// runner runs one cell in a turn of its own. The answers are CodeModeResults (contract B7).
type runner interface {
	exec(ctx context.Context, c cell) ([]byte, error)
	wait(ctx context.Context, runID string) ([]byte, error)
	// close ends the turn and whatever still runs in it.
	close(ctx context.Context) error
}

// cell is what the model would send.
type cell struct {
	Code     string `json:"code"`
	Language string `json:"language"`
}

// prepareTurn completes the body of a turn from a catalog file: code mode is on unless the file says otherwise, and
// there is a context, because a run without one belongs to nobody and can't be resumed (contract C5).
func prepareTurn(file []byte) ([]byte, error) {
	turn := map[string]json.RawMessage{}
	if len(file) > 0 {
		plain, err := plainJSON(file)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(plain, &turn); err != nil {
			return nil, fmt.Errorf("a catalog file holds an object, the body of POST /v1/turns: %w", err)
		}
	}
	if turn == nil {
		return nil, fmt.Errorf("a catalog file holds an object, the body of POST /v1/turns, not null")
	}
	if _, ok := turn["config"]; !ok {
		turn["config"] = json.RawMessage(`true`)
	}
	if _, ok := turn["context"]; !ok {
		id := rand.Text()
		turn["context"], _ = json.Marshal(map[string]string{"agentId": "codecell", "sessionId": id, "sessionKey": id, "runId": id})
	}
	return json.Marshal(turn)
}

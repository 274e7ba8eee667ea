package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/server"
)

// localRunner runs the cell on engines of its own.
type localRunner struct {
	app  *app
	turn server.Turn
}

// newLocalRunner starts an engine. The echo executor is on: the catalog is the user's own file, there is nobody to
// deceive.
func newLocalRunner(ctx context.Context, turn []byte, warn func(string)) (runner, error) {
	req, ignored, err := server.DecodeTurn(turn)
	if err != nil {
		return nil, usageError{fmt.Errorf("catalog: %w", err)}
	}
	const nobody = "nobody can approve calls here; run the cell in a service, with --server"
	s, err := newApp(Config{TestExecutors: true, Engine: EngineConfig{Threads: 2}}.WithDefaults(), nobody, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	prepared, err := s.Prepare(ctx, "", req)
	if err != nil {
		return nil, errors.Join(usageError{fmt.Errorf("catalog: %w", err)}, s.Close(ctx))
	}
	for _, w := range append(ignored, prepared.Warnings()...) {
		warn(w)
	}
	return &localRunner{app: s, turn: prepared}, nil
}

func (l *localRunner) exec(ctx context.Context, c cell) ([]byte, error) {
	return answer(l.turn.Exec(ctx, bridge.ExecInput{ToolCallID: "cli", Code: quoted(c.Code), Language: quoted(c.Language)}))
}

func (l *localRunner) wait(ctx context.Context, runID string) ([]byte, error) {
	return answer(l.turn.Wait(ctx, bridge.WaitInput{RunID: quoted(runID)}))
}

// close ends the process's only turn by ending the service around it.
func (l *localRunner) close(ctx context.Context) error { return l.app.Close(ctx) }

// answer makes here what a server would send, so that one printer serves both.
func answer(r *bridge.Result, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return r.AppendJSON(nil), nil
}

func quoted(text string) json.RawMessage {
	// A string always encodes.
	out, _ := json.Marshal(text)
	return out
}

package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// execCommand is codecell exec.
type execCommand struct {
	File     string `arg:"" help:"The cell; - reads standard input."`
	Catalog  string `help:"The turn: a file with the body of POST /v1/turns, JSON5." placeholder:"FILE"`
	Server   string `help:"Run on this server instead of here." env:"CODECELL_SERVER" placeholder:"URL"`
	Key      string `help:"API key for the server." env:"CODECELL_KEY" placeholder:"KEY"`
	Language string `help:"javascript or typescript. Default by the file's name: .ts and .mts are TypeScript." placeholder:"NAME"`
	JSON     bool   `help:"Print each result as one line of JSON."`
}

// closeTimeout is how long the turn may take to end afterwards.
const closeTimeout = 5 * time.Second

// Run runs the cell to its end. Its status is 0 only for a cell that completed.
func (e *execCommand) Run(t *terminal) error {
	c, turn, err := e.read(t.in)
	if err != nil {
		return usageError{err}
	}
	p := &printer{out: t.out, err: t.err, asJSON: e.JSON, file: e.File, source: c.Code}
	r, err := e.runner(t.ctx, turn, p.warn)
	if err != nil {
		return err
	}
	err = e.finish(t.ctx, r, c, p)
	// Also after a signal, so that nothing is left behind on a server.
	closing, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), closeTimeout)
	defer cancel()
	return errors.Join(err, r.close(closing))
}

// read collects everything from files first: nothing is started for a slip in a name.
func (e *execCommand) read(stdin io.Reader) (cell, []byte, error) {
	source, err := readFile(e.File, stdin)
	if err != nil {
		return cell{}, nil, err
	}
	var catalog []byte
	if e.Catalog != "" {
		if catalog, err = os.ReadFile(e.Catalog); err != nil {
			return cell{}, nil, err
		}
	}
	turn, err := prepareTurn(catalog)
	return cell{Code: string(source), Language: e.language()}, turn, err
}

func readFile(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}

// language is not judged here. The service does that, and its text is the one that models see (contract B1).
func (e *execCommand) language() string {
	if e.Language != "" {
		return e.Language
	}
	switch strings.ToLower(filepath.Ext(e.File)) {
	case ".ts", ".mts":
		return "typescript"
	}
	return "javascript"
}

// runner is the only place that knows where the cell runs.
func (e *execCommand) runner(ctx context.Context, turn []byte, warn func(string)) (runner, error) {
	if e.Server == "" {
		return newLocalRunner(ctx, turn, warn)
	}
	return newRemoteRunner(ctx, e.Server, e.Key, turn, warn)
}

// finish runs the cell and resumes it for as long as time alone will bring it on.
func (e *execCommand) finish(ctx context.Context, r runner, c cell, p *printer) error {
	raw, err := r.exec(ctx, c)
	for {
		if err != nil {
			return err
		}
		result := gjson.ParseBytes(raw)
		p.print(raw, result)
		switch {
		case result.Get("status").Str == "completed":
			return nil
		case result.Get("status").Str != "waiting" || needsCaller(result):
			return errFailed
		}
		raw, err = r.wait(ctx, result.Get("runId").Str)
	}
}

// needsCaller tells whether a run waits for calls that only a gateway can run: those come with their input (contract
// C2).
func needsCaller(result gjson.Result) bool {
	return result.Get(`pendingToolCalls.#(input).id`).Exists()
}

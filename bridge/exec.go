package bridge

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
)

// ExecInput is what the model called exec with, as it came: a member of the wrong type is judged, not refused.
type ExecInput struct {
	ToolCallID              string
	Code, Command, Language json.RawMessage // nil if absent
}

// refusal is a reason in the contract's own words, full stop and all.
type refusal string

func (r refusal) Error() string { return string(r) }

// Exec runs a cell (contract B). The error, if any, is an *Error: the service can't take the cell. Whatever the
// cell does is a result.
func (s *Service) Exec(ctx context.Context, t *Turn, in ExecInput) (*Result, error) {
	end, err := s.beginLeg()
	if err != nil {
		return nil, err
	}
	defer end()
	source, code, language, err := t.prepareSource(in)
	if err != nil {
		return s.refused(t, err.Error()), nil
	}
	catalog := t.guestCatalogFor(source.Body)
	vm, err := s.options.Engine.NewVM(catalog)
	if err != nil {
		return nil, unavailable(err)
	}
	r := newRun(s, t, source, language)
	r.begin(vm, catalog)
	r.code, r.parentID = code, in.ToolCallID
	if !t.addRun(r) {
		r.end()
		return nil, &Error{Kind: KindNotFound, Key: "turnId", Msg: "the turn has been deleted"}
	}
	return r.drive(ctx, r.beginInput())
}

// unavailable says why no guest could be had (contract A8, H5).
func unavailable(err error) error {
	if errors.Is(err, engine.ErrOverloaded) {
		return &Error{Kind: KindOverloaded, Msg: "every guest heap or thread is in use; try again shortly", RetryAfter: time.Second}
	}
	return &Error{Kind: KindUnavailable, Msg: "runtime_unavailable: the engine can't start a guest"}
}

// refused is the result of input that no guest was started for.
func (s *Service) refused(t *Turn, text string) *Result {
	return &Result{Status: Failed, Error: text, Code: CodeInvalidInput, Telemetry: s.telemetry(t)}
}

func (s *Service) telemetry(t *Turn) Telemetry {
	return Telemetry{
		CatalogSize: t.catalog.Len(), Sources: t.catalog.Sources(),
		SearchCount: t.counts.search.Load(), DescribeCount: t.counts.describe.Load(), Calls: t.counts.call.Load(),
		Engine: s.EngineName(),
	}
}

// prepareSource judges the input in the contract's order (B1) and makes it ready for the guest.
func (t *Turn) prepareSource(in ExecInput) (*script.Source, string, script.Language, error) {
	code, err := pickSource(in)
	if err != nil {
		return nil, "", "", err
	}
	language, err := pickLanguage(in.Language)
	if err != nil {
		return nil, "", "", err
	}
	if !t.codeMode {
		return nil, "", "", refusal("code mode is disabled.")
	}
	if !t.allowsLanguage(string(language)) {
		return nil, "", "", refusal(fmt.Sprintf("code mode %s input is disabled.", language))
	}
	source, err := script.Prepare(code, language, script.Options{MaxBytes: t.config.MaxSourceBytes, ShellTool: t.shellTool})
	return source, code, language, err
}

func pickSource(in ExecInput) (string, error) {
	code, hasCode := jsonString(in.Code)
	command, hasCommand := jsonString(in.Command)
	switch {
	case hasCode && hasCommand && code != command:
		return "", refusal("code and command must match when both are provided.")
	case hasCommand:
		code = command
	}
	if strings.TrimSpace(code) == "" {
		return "", refusal("code or command must be a non-empty string.")
	}
	return code, nil
}

func pickLanguage(raw json.RawMessage) (script.Language, error) {
	if raw == nil {
		return script.JavaScript, nil
	}
	name, _ := jsonString(raw)
	switch l := script.Language(name); l {
	case script.JavaScript, script.TypeScript:
		return l, nil
	}
	return "", refusal("language must be javascript or typescript.")
}

func jsonString(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	// Valid JSON without a backslash is its own text.
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// The words without which no cell gets hold of API: its name, or a way to a global by another name. A cell that
// spells such a word out of pieces at run time is told that the files are not there.
var waysToFiles = []string{"API", "this", "This", "eval", "Function", "constructor", `\u`}

// guestCatalogFor returns the catalog for a cell. Rendering the declaration files costs more than many a cell, so
// a cell that can't read them does without.
func (t *Turn) guestCatalogFor(body string) []byte {
	for _, word := range waysToFiles {
		if strings.Contains(body, word) {
			return t.guest()
		}
	}
	return t.guestBrief()
}

const maxTimers = 1000

func (r *run) beginInput() []byte {
	c := &r.turn.config
	b := engine.Begin{
		Source: r.source.Body, TypeScript: r.language == script.TypeScript,
		Truncate:    c.OutputOverflow == config.OutputTruncate,
		MemoryLimit: c.MemoryLimitBytes, MaxOutput: c.MaxOutputBytes, MaxValue: c.MaxOutputBytes,
		MaxRequests: c.MaxPendingToolCalls, MaxTimers: maxTimers,
	}
	if b.Truncate {
		// The host cuts by structure, and for that it needs the whole. The heap bounds that.
		b.MaxValue = c.MemoryLimitBytes
	}
	if c.Overflow == config.OverflowQueue {
		b.MaxRequests += c.MaxQueuedToolCalls
	}
	_, _ = rand.Read(b.Seed[:]) // never fails
	return b.Append(make([]byte, 0, len(r.source.Body)+128))
}

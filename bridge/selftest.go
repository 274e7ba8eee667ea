package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/catalog"
)

// trial is a cell that one limit must end, and how that shows: the code of a failure, or a value.
type trial struct {
	limit string
	cell  string
	code  Code
	value string
	// Limits that are no part of what is tried, where they would come first.
	adjust func(*config.Config)
}

// selfTestTime is how long each trial may take. It is far more than any needs.
const selfTestTime = 20 * time.Second

// trials are one cell for each limit that a guest can meet.
func trials(c *config.Config) []trial {
	brief := func(c *config.Config) { c.TimeoutMs = 100 }
	requests := c.MaxPendingToolCalls
	if c.Overflow == config.OverflowQueue {
		requests += c.MaxQueuedToolCalls
	}
	all := []trial{
		{limit: "timeoutMs", code: CodeTimeout, adjust: brief, cell: "for (;;) ;"},
		{
			limit: "timeoutMs inside a builtin", code: CodeTimeout, adjust: brief,
			cell: "return Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)",
		},
		{limit: "memoryLimitBytes", code: CodeMemoryLimit, cell: "const a = []; for (;;) a.push(new Uint8Array(1 << 16).fill(1))"},
		{limit: "depth", value: `"RangeError"`, cell: "const f = () => f() + 1; try { f() } catch (e) { return e.name }"},
		{
			limit: "maxOutputBytes of output", code: CodeOutputLimit,
			cell: `for (;;) text("x".repeat(1000))`, adjust: func(c *config.Config) { c.OutputOverflow = config.OutputFail },
		},
		{
			limit: "maxOutputBytes of the value", code: CodeOutputLimit,
			cell:   fmt.Sprintf(`return "x".repeat(%d)`, c.MaxOutputBytes),
			adjust: func(c *config.Config) { c.OutputOverflow = config.OutputFail },
		},
		{
			limit: "maxPendingToolCalls", value: "1",
			cell: fmt.Sprintf(`let refused = 0; const no = () => refused++;
				for (let i = 0; i <= %d; i++) tools.search("x").catch(no);
				await new Promise((go) => setTimeout(go, 1)); return refused`, requests),
		},
		{
			limit: "maxHeldBytes", value: `"too_many_bytes"`,
			cell:   `return await tools.hold({s: "x".repeat(100_000)}).catch((e) => e.code)`,
			adjust: func(c *config.Config) { c.MaxHeldBytes = 64 << 10 },
		},
		{limit: "timeoutMs of the service", code: CodeTimeout, adjust: brief, cell: `for (;;) await tools.search("x")`},
		{limit: "maxSourceBytes", code: CodeInvalidInput, cell: "//" + strings.Repeat("x", c.MaxSourceBytes)},
	}
	const besides = 1 << 20 // of a heap that keeps so much
	if c.MaxSnapshotBytes < c.MemoryLimitBytes-besides {
		all = append(all, trial{
			limit: "maxSnapshotBytes", code: CodeSnapshotLimit,
			cell: fmt.Sprintf(`globalThis.kept = new Uint8Array(%d).fill(1); await yield_control()`, c.MaxSnapshotBytes),
		})
	}
	return all
}

// configMax is the largest value that a key of the config can have.
func configMax(key string) int {
	for _, k := range config.Keys() {
		if k.Key == key {
			return k.Max
		}
	}
	return 0
}

// SelfTest proves that the configured limits end cells, by running one for each (contract H1, H2). It returns the names
// of the limits. If one does not hold, the service serves no cells from then on, and the error says which. Nothing else
// should be running. Skip names limits that the engine is known not to keep.
func (s *Service) SelfTest(ctx context.Context, skip ...string) ([]string, error) {
	if err := s.Ready(); err != nil {
		return nil, err
	}
	limits := s.options.Config
	limits.Enabled, limits.Languages = true, []string{config.LanguageJavaScript}
	var names []string
	var failures []error
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, one := range trials(&limits) {
		if slices.Contains(skip, one.limit) {
			continue
		}
		names = append(names, one.limit)
		all.Go(func() {
			if err := s.try(ctx, limits, &one); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failures = append(failures, fmt.Errorf("%s: %w", one.limit, err))
			}
		})
	}
	all.Wait()
	if len(failures) == 0 {
		return names, nil
	}
	err := errors.Join(failures...)
	s.unfit.Store(&Error{
		Kind: KindUnavailable, Msg: "runtime_unavailable: a limit does not hold on this machine: " + strings.ReplaceAll(err.Error(), "\n", "; "),
	})
	return names, err
}

// try runs a trial in a turn of its own.
func (s *Service) try(ctx context.Context, limits config.Config, one *trial) error {
	limits.TimeoutMs = configMax("timeoutMs")
	limits.DrainMs, limits.ErrorCodes = limits.TimeoutMs, config.ErrorCodesPrecise
	if one.adjust != nil {
		one.adjust(&limits)
	}
	turn, err := s.prepare("", limits, &TurnRequest{Tools: []catalog.Tool{{Source: catalog.SourceClient, Owner: "self-test", Name: "hold"}}})
	if err != nil {
		return err
	}
	turn.ofService = true
	defer func() { _ = s.DropTurn("", turn.ID()) }()
	// Hooks, approvals and spans are about what clients send.
	turn.hooksBefore, turn.hooksAfter = nil, nil
	turn.observer, turn.tracer = nil, nil
	turn.approvals, turn.approvalLayers = approval.NewRegistry(approval.Options{}).Tenant("", turn.account), nil
	ctx, cancel := context.WithTimeout(ctx, selfTestTime)
	defer cancel()
	code, _ := json.Marshal(one.cell) // a string always encodes
	r, err := turn.Exec(ctx, ExecInput{ToolCallID: "self-test", Code: code})
	switch {
	case err != nil:
		return err
	case one.code != "" && r.Code == one.code, one.code == "" && string(r.Value) == one.value:
		return nil
	case r.Status == Failed:
		return fmt.Errorf("the cell ended otherwise: %s: %s", r.Code, r.Error)
	}
	return fmt.Errorf("the cell was not ended: %s %s", r.Status, r.Value)
}

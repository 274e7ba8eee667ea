package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/catalog"
)

// Bounds of a service's hooks: each is matched with every call, and those that match are asked one after the other.
const (
	maxHooks     = 64
	maxNameBytes = 64
	maxTools     = 100
	maxToolBytes = 1024
)

// Set is the hooks of a service, in the order in which they are asked. It does not change and is safe for concurrent use.
type Set struct{ hooks []*Bound }

// NewSet fails with a text that begins with the place of the hook that can't be used, such as "[2].name must be …".
func NewSet(hooks []Hook) (*Set, error) {
	if len(hooks) > maxHooks {
		return nil, fmt.Errorf(" must have at most %d entries", maxHooks)
	}
	s := &Set{}
	for n, h := range hooks {
		b, err := bind(h)
		if err == nil && slices.ContainsFunc(s.hooks, func(o *Bound) bool { return o.hook.Name == h.Name }) {
			err = fmt.Errorf(".name is that of another hook already: %q", h.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("[%d]%w", n, err)
		}
		s.hooks = append(s.hooks, b)
	}
	return s, nil
}

func bind(h Hook) (*Bound, error) {
	switch {
	case h.Name == "" || len(h.Name) > maxNameBytes || !utf8.ValidString(h.Name):
		return nil, fmt.Errorf(".name must be a text of 1 to %d bytes", maxNameBytes)
	case h.Before == nil && h.After == nil:
		return nil, errors.New(" is asked at no event")
	case h.Timeout < 0 || h.Timeout > MaxTimeout:
		return nil, fmt.Errorf(".timeout must be at most %v", MaxTimeout)
	case len(h.Tools) > maxTools:
		return nil, fmt.Errorf(".tools must have at most %d globs", maxTools)
	}
	if h.Timeout == 0 {
		h.Timeout = DefaultTimeout
	}
	b := &Bound{hook: h}
	for n, glob := range h.Tools {
		if glob == "" || len(glob) > maxToolBytes {
			return nil, fmt.Errorf(".tools[%d] must be a glob over the ids and names of tools, such as openclaw:mail:*", n)
		}
		b.tools = append(b.tools, catalog.NewGlob(glob))
	}
	return b, nil
}

// Of returns the hooks that a tenant's calls concern. A nil Set has none.
func (s *Set) Of(tenant string) (before, after List) {
	if s == nil {
		return nil, nil
	}
	for _, b := range s.hooks {
		if len(b.hook.Tenants) > 0 && !slices.Contains(b.hook.Tenants, tenant) {
			continue
		}
		if b.hook.Before != nil {
			before = append(before, b)
		}
		if b.hook.After != nil {
			after = append(after, b)
		}
	}
	return before, after
}

// List is hooks, in the order in which they are asked.
type List []*Bound

// Concern says whether one of them is to be asked about calls of a tool.
func (l List) Concern(toolID, name string) bool {
	return slices.ContainsFunc(l, func(b *Bound) bool { return b.Concerns(toolID, name) })
}

// Bound is a hook that can be used.
type Bound struct {
	hook  Hook
	tools []catalog.Glob
}

// Name returns the hook's name.
func (b *Bound) Name() string { return b.hook.Name }

// FailsOpen says that a call passes where the hook fails.
func (b *Bound) FailsOpen() bool { return b.hook.FailOpen }

// Concerns says whether the hook is to be asked about calls of a tool. An exec has ExecKind for an id.
func (b *Bound) Concerns(toolID, name string) bool {
	if len(b.tools) == 0 {
		return true
	}
	return slices.ContainsFunc(b.tools, func(g catalog.Glob) bool { return g.Matches(toolID) || g.Matches(name) })
}

// AskBefore asks the hook before a call. An error, which is a *FailedError, means that there is no verdict; while ctx has
// not ended it is the hook's fault.
func (b *Bound) AskBefore(ctx context.Context, call Call) (v Verdict, err error) {
	err = b.ask(ctx, func(ctx context.Context) (err error) {
		if v, err = b.hook.Before.BeforeToolCall(ctx, call); err != nil {
			return err
		}
		if v.Input != nil && !sound(v.Input) {
			return errors.New("it changed the input to what is not JSON or is nested too deeply")
		}
		return nil
	})
	return v, err
}

// AskAfter is the same after a call.
func (b *Bound) AskAfter(ctx context.Context, call Call, outcome Outcome) (r Revision, err error) {
	err = b.ask(ctx, func(ctx context.Context) (err error) {
		if r, err = b.hook.After.AfterToolCall(ctx, call, outcome); err != nil {
			return err
		}
		switch {
		case r.Result != nil && r.Error != "":
			return errors.New("it gave both a result and an error")
		case r.Result != nil && !sound(r.Result):
			return errors.New("it changed the result to what is not JSON or is nested too deeply")
		}
		return nil
	})
	return r, err
}

func sound(text json.RawMessage) bool { return utf8.Valid(text) && jsontext.Valid(text) }

// ask keeps a hook within its time, and one that panics from taking the service along.
func (b *Bound) ask(ctx context.Context, question func(context.Context) error) (err error) {
	limited, cancel := context.WithTimeout(ctx, b.hook.Timeout)
	defer cancel()
	defer func() {
		if recover() != nil {
			err = &FailedError{Hook: b.hook.Name, why: "it broke"}
		}
	}()
	switch err = question(limited); {
	case err == nil:
		return nil
	case ctx.Err() == nil && (limited.Err() != nil || errors.Is(err, context.DeadlineExceeded)):
		return &FailedError{Hook: b.hook.Name, why: fmt.Sprintf("it did not answer within %v", b.hook.Timeout.Round(time.Millisecond))}
	}
	return &FailedError{Hook: b.hook.Name, why: err.Error()}
}

// FailedError says that a hook gave no answer that can be used. A cell may see its text.
type FailedError struct {
	Hook string
	why  string
}

// Error names the hook and what is wrong.
func (e *FailedError) Error() string { return fmt.Sprintf("hook %q failed: %s", e.Hook, e.why) }

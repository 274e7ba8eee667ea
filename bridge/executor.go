package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codecell/codecell/catalog"
)

// Call is one nested tool call, as an executor gets it.
type Call struct {
	ID       string // of the call; a retry of the same call has the same id
	ParentID string // the exec or wait that caused it
	RunID    string
	TurnID   string
	Tool     *catalog.Entry
	Input    json.RawMessage
	Spec     json.RawMessage // the tool's "executor" object
	Context  Context
}

// Executor carries out calls. It must return soon after ctx ends. The result is the tool's own JSON, usually
// {content, details, isError}. An error rejects the guest's promise with its text, which the cell sees: it must
// name nothing of the host.
type Executor interface {
	Execute(ctx context.Context, call Call) (json.RawMessage, error)
}

// The executor types that every service knows.
const (
	executorHTTP   = "http"
	executorEcho   = "echo"
	executorCaller = "caller" // no Executor: the caller delivers the result (contract C10)
)

// checker is an executor that can tell at the turn whether it understands a tool's spec.
type checker interface {
	Check(spec json.RawMessage) error
}

// toolSpec is how the calls of one tool are carried out. A nil executor means: by the caller.
type toolSpec struct {
	executor Executor
	raw      json.RawMessage
	timeout  time.Duration
}

const (
	defaultToolTimeout = 30 * time.Second
	maxToolTimeout     = time.Hour
)

func (s *Service) builtinExecutors() map[string]Executor {
	m := map[string]Executor{executorHTTP: newHTTPExecutor(s.options.HTTPClient, s.options.SigningKey)}
	if s.options.TestExecutors {
		m[executorEcho] = echoExecutor{}
	}
	return m
}

// toolSpecs reads the executors of a turn's tools, so that a mistake shows when the turn is made and not when a
// cell calls the tool.
func (s *Service) toolSpecs(entries *catalog.Catalog) (map[string]toolSpec, error) {
	specs := make(map[string]toolSpec, entries.Len())
	for _, e := range entries.Entries() {
		raw := e.Tool().Executor
		if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
			continue
		}
		spec, err := s.toolSpec(raw)
		if err != nil {
			return nil, &Error{Kind: KindInvalid, Key: "tools", Msg: fmt.Sprintf("executor of tool %s: %v", e.ID(), err)}
		}
		specs[e.ID()] = spec
	}
	return specs, nil
}

func (s *Service) toolSpec(raw json.RawMessage) (toolSpec, error) {
	var head struct {
		Type      string  `json:"type"`
		TimeoutMs float64 `json:"timeoutMs"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return toolSpec{}, fmt.Errorf("not an executor object: %w", err)
	}
	spec := toolSpec{raw: raw, timeout: defaultToolTimeout}
	if head.TimeoutMs > 0 {
		spec.timeout = max(millis(head.TimeoutMs, maxToolTimeout), time.Millisecond)
	}
	if head.Type == executorCaller {
		return toolSpec{}, nil
	}
	spec.executor = s.executors[head.Type]
	if spec.executor == nil {
		return toolSpec{}, fmt.Errorf("unknown type %q; this service knows %s", head.Type, strings.Join(s.executorTypes(), ", "))
	}
	if c, ok := spec.executor.(checker); ok {
		return spec, c.Check(raw)
	}
	return spec, nil
}

// millis converts milliseconds that somebody sent. The bound comes first: a float may be more than a duration holds.
func millis(ms float64, most time.Duration) time.Duration {
	return time.Duration(min(ms, float64(most/time.Millisecond)) * float64(time.Millisecond))
}

func (s *Service) executorTypes() []string {
	types := []string{executorCaller}
	for name := range s.executors {
		types = append(types, name)
	}
	slices.Sort(types)
	return types
}

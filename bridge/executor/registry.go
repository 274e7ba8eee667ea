package executor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/codecell/codecell/bridge/outbound"
	"github.com/codecell/codecell/catalog"
)

// The executor types that every service knows.
const (
	typeHTTP   = "http"
	typeEcho   = "echo"
	typeCaller = "caller" // no Executor: the caller delivers the result (contract C10)
)

// How long a call may take: unless its tool says so, and at most.
const (
	defaultTimeout = 30 * time.Second
	maxTimeout     = time.Hour
)

// maxConcurrent is more calls of one tool than can be under way.
const maxConcurrent = 1 << 20

// Options configure a Registry.
type Options struct {
	// Custom adds executors by the type that a tool names them with. The built-in types can't be replaced.
	Custom map[string]Executor
	// Echo enables the echo executor, which answers without any tool behind it.
	Echo bool
	// Outbound sends the http executor's requests. Nil for one that calls the public internet only.
	Outbound *outbound.Client
	// Keys sign what the http executor sends.
	Keys SigningKeys
	// BreakerFailures is after how many failures in a row a host is left alone, BreakerPause for how long at first. Zero means 5
	// failures and 2 seconds.
	BreakerFailures int
	BreakerPause    time.Duration
	// Logger is told of hosts that fail. Nil for none.
	Logger *slog.Logger
}

// Registry knows the executors by their types. It is safe for concurrent use.
type Registry struct {
	byType map[string]Executor
	places places
}

// NewRegistry returns the built-in executors and those of the options.
func NewRegistry(o Options) *Registry {
	r := &Registry{byType: map[string]Executor{typeHTTP: newHTTPExecutor(o)}}
	if o.Echo {
		r.byType[typeEcho] = echoExecutor{}
	}
	for name, e := range o.Custom {
		if r.byType[name] == nil && name != typeCaller {
			r.byType[name] = e
		}
	}
	return r
}

// Close releases what executors hold between calls.
func (r *Registry) Close() {
	for _, e := range r.byType {
		if c, ok := e.(Closer); ok {
			c.Close()
		}
	}
}

// Bind reads the "executor" object of a tenant's tool, so that a mistake shows when the turn is prepared and not when a cell
// calls the tool. None, null and type "caller" mean that the caller runs the tool: the Binding is then the zero one.
func (r *Registry) Bind(tenant string, spec json.RawMessage, annotations catalog.Annotations) (Binding, error) {
	if len(spec) == 0 || bytes.Equal(spec, []byte("null")) {
		return Binding{}, nil
	}
	var head struct {
		Type          string   `json:"type"`
		TimeoutMs     float64  `json:"timeoutMs"`
		Retries       *float64 `json:"retries"`
		MaxConcurrent float64  `json:"maxConcurrent"`
	}
	if err := json.Unmarshal(spec, &head); err != nil {
		return Binding{}, fmt.Errorf("not an executor object: %w", err)
	}
	if head.Type == typeCaller {
		return Binding{}, noOthers(spec, callerKeys)
	}
	e := r.byType[head.Type]
	if e == nil {
		return Binding{}, fmt.Errorf("unknown type %q; this service knows %s", head.Type, strings.Join(r.types(), ", "))
	}
	b := Binding{executor: e, spec: spec, timeout: defaultTimeout, places: &r.places}
	if head.TimeoutMs > 0 {
		b.timeout = max(milliseconds(head.TimeoutMs), time.Millisecond)
	}
	if head.MaxConcurrent > 0 {
		b.limit = max(1, int(min(head.MaxConcurrent, maxConcurrent)))
	}
	var err error
	if b.retries, err = retriesOf(annotations, head.Retries); err != nil {
		return b, err
	}
	switch c := e.(type) {
	case *httpExecutor:
		b.executor, err = c.bind(tenant, spec)
	case Checker:
		err = c.Check(spec)
	}
	return b, err
}

func (r *Registry) types() []string {
	types := []string{typeCaller}
	for name := range r.byType {
		types = append(types, name)
	}
	slices.Sort(types)
	return types
}

// milliseconds converts what somebody sent, up to maxTimeout. The bound comes first: a float may be more than a duration
// holds.
func milliseconds(ms float64) time.Duration {
	return time.Duration(min(ms, float64(maxTimeout/time.Millisecond)) * float64(time.Millisecond))
}

package config

import "encoding/json"

// Config is tools.codeMode (contract A2) with every value resolved: in range, and consistent with the others. Start
// from Default; the zero value is not usable. It is a value: layering returns a new one.
type Config struct {
	Enabled bool
	// Languages is a non-empty subset of LanguageJavaScript, LanguageTypeScript, in this order.
	Languages []string

	TimeoutMs           int // guest time of one exec or wait
	MemoryLimitBytes    int
	MaxOutputBytes      int // UTF-8 bytes of JSON
	MaxSnapshotBytes    int
	MaxPendingToolCalls int
	SnapshotTTLSeconds  int
	SearchDefaultLimit  int // never over MaxSearchLimit
	MaxSearchLimit      int
	DrainMs             int // never over TimeoutMs
	MaxSuspendedRuns    int
	MaxQueuedToolCalls  int
	MaxSourceBytes      int
	MaxHeldBytes        int // beside the heap

	StoreEnabled    bool // the cells of a session share a store
	StoreMaxKeys    int  // of one session
	StoreMaxBytes   int  // UTF-8 bytes of a session's keys and values
	StoreTTLSeconds int

	// Approvals are lists of rules of which the strictest counts: the operator's, and the turn's. In each, the first rule that
	// matches a tool does.
	Approvals              [][]ApprovalRule
	ApprovalTimeoutSeconds int // never over SnapshotTTLSeconds

	Drain          string // DrainAll or DrainNamespaces
	OutputMode     string // OutputIncremental or OutputCumulative
	OutputOverflow string // OutputFail or OutputTruncate
	Overflow       string // OverflowQueue or OverflowReject
	ErrorCodes     string // ErrorCodesPrecise or ErrorCodesStrict
	SnapshotResume string // ResumeHot or ResumeRestore

	// off is set where the operator wrote a bare `false`: a turn can't undo that.
	off bool
	// storeOff is set where the operator wrote `store: false`, which a turn can't undo either.
	storeOff bool
	// asked holds, by key, numbers as they were before another number capped them: a later layer may lift the cap.
	asked map[string]int
}

// ApprovalRule says when calls of the tools that match a glob need a person's approval (contract G4).
type ApprovalRule struct {
	Tool     string `json:"tool"`     // a glob over ids and names
	Approval string `json:"approval"` // ApprovalNever, ApprovalFirst or ApprovalAlways
}

// Default returns the operator's config when nothing is configured: every key at its default, and code mode off until a
// turn enables it.
func Default() Config {
	c := Config{Languages: bothLanguages()}
	for _, k := range keys {
		switch {
		case k.number != nil:
			*k.number(&c) = k.Default
		case k.choice != nil:
			*k.choice(&c) = k.Allowed[0]
		}
	}
	c.settle()
	return c
}

// Merge lays one of the operator's own layers over c, field by field (contract A2): the global config over the
// defaults, or an agent's over the global one. raw is `true`, `false` or an object; empty and null change nothing. A
// number of the wrong kind takes its default, one out of range is clamped. A bare `false` switches code mode off for
// good, that is, also for turns.
func (c Config) Merge(raw json.RawMessage) (Config, error) {
	next := c
	for key, v := range c.asked {
		k, _ := findKey(key)
		*k.number(&next) = v
	}
	l := layer{config: &next}
	if err := l.apply(raw); err != nil {
		return Config{}, err
	}
	next.settle()
	return next, nil
}

// Narrow lays a turn's config over the operator's c (contract A2): the turn may enable code mode and the store, take any choice,
// ask for more approvals, and lower limits, but never raise one. A number of the wrong kind leaves the operator's value.
func (c Config) Narrow(raw json.RawMessage) (Config, error) {
	next := c
	l := layer{config: &next, ceiling: &c}
	if err := l.apply(raw); err != nil {
		return Config{}, err
	}
	next.Enabled = next.Enabled && !c.off
	next.StoreEnabled = next.StoreEnabled && !c.storeOff
	next.settle()
	return next, nil
}

// settle applies the caps that one number puts on another and remembers what they took away.
func (c *Config) settle() {
	c.asked = make(map[string]int, 2)
	for _, k := range keys {
		if k.CappedBy == "" {
			continue
		}
		bound, _ := findKey(k.CappedBy)
		at := k.number(c)
		c.asked[k.Key] = *at
		*at = min(*at, *bound.number(c))
	}
}

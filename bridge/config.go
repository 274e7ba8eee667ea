package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Config is the page's tools.codeMode (contract A2) with every value resolved:
// in range, and consistent with the others. Start from DefaultConfig; the zero
// value is not usable. It is a value: layering returns a new one.
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

	Drain          string // DrainAll or DrainNamespaces
	OutputMode     string // OutputIncremental or OutputCumulative
	OutputOverflow string // OutputFail or OutputTruncate
	Overflow       string // OverflowQueue or OverflowReject
	ErrorCodes     string // ErrorCodesPrecise or ErrorCodesStrict
	SnapshotResume string // ResumeHot or ResumeRestore

	// off is set where the operator wrote a bare `false`: a turn can't undo that.
	off bool
	// asked holds, by key, numbers as they were before another number capped
	// them: a later layer may lift the cap.
	asked map[string]int
}

// DefaultConfig returns the operator's config when nothing is configured: every
// key at its default, and code mode off until a turn enables it.
func DefaultConfig() Config {
	c := Config{Languages: bothLanguages()}
	for _, k := range configKeys {
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

// Merge lays one of the operator's own layers over c, field by field (contract
// A2): the global config over the defaults, or an agent's over the global one.
// raw is `true`, `false` or an object; empty and null change nothing. A number
// of the wrong kind takes its default, one out of range is clamped. A bare
// `false` switches code mode off for good, that is, also for turns.
func (c Config) Merge(raw json.RawMessage) (Config, error) {
	next := c
	for key, v := range c.asked {
		k, _ := configKey(key)
		*k.number(&next) = v
	}
	l := layer{config: &next}
	if err := l.apply(raw); err != nil {
		return Config{}, err
	}
	next.settle()
	return next, nil
}

// Narrow lays a turn's config over the operator's c (contract A2): the turn may
// enable code mode, take any choice, and lower limits, but never raise one. A
// number of the wrong kind leaves the operator's value.
func (c Config) Narrow(raw json.RawMessage) (Config, error) {
	next := c
	l := layer{config: &next, ceiling: &c}
	if err := l.apply(raw); err != nil {
		return Config{}, err
	}
	next.Enabled = next.Enabled && !c.off
	next.settle()
	return next, nil
}

// settle applies the caps that one number puts on another and remembers what
// they took away.
func (c *Config) settle() {
	c.asked = make(map[string]int, 2)
	for _, k := range configKeys {
		if k.CappedBy == "" {
			continue
		}
		bound, _ := configKey(k.CappedBy)
		at := k.number(c)
		c.asked[k.Key] = *at
		*at = min(*at, *bound.number(c))
	}
}

// layer writes one raw config into config, below ceiling if there is one.
type layer struct {
	config  *Config
	ceiling *Config
}

func (l *layer) apply(raw json.RawMessage) error {
	raw = bytes.TrimSpace(raw)
	switch {
	case isNull(raw):
		return nil
	case bytes.Equal(raw, []byte("true")):
		l.config.Enabled, l.config.off = true, false
		return nil
	case bytes.Equal(raw, []byte("false")):
		l.config.Enabled, l.config.off = false, true
		return nil
	case raw[0] != '{':
		return invalidConfig("config", "the code mode config must be true, false or an object")
	}
	return l.object("", raw)
}

// object applies the members of an object whose keys start with prefix.
func (l *layer) object(prefix string, raw json.RawMessage) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return invalidConfig("config", "the code mode config is not a JSON object: "+err.Error())
	}
	// In order, so that the same mistakes give the same error.
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if err := l.member(prefix+name, members[name]); err != nil {
			return err
		}
	}
	return nil
}

func (l *layer) member(key string, raw json.RawMessage) error {
	if key == "snapshot" {
		if isNull(raw) {
			return nil
		}
		if raw[0] != '{' {
			return invalidConfig(key, `snapshot must be an object such as {"resume": "hot"}`)
		}
		return l.object("snapshot.", raw)
	}
	k, ok := configKey(key)
	switch {
	case !ok:
		return unknownKey(key)
	case isNull(raw):
		// An absent value, as clients that serialise every field send it.
		return nil
	case key == keyEnabled:
		l.config.Enabled = bytes.Equal(raw, []byte("true"))
		if l.config.Enabled {
			l.config.off = false
		}
		return nil
	case key == keyLanguages:
		return l.languages(raw)
	case k.number != nil:
		l.number(k, raw)
		return nil
	}
	return l.choice(k, raw)
}

func (l *layer) number(k ConfigKey, raw json.RawMessage) {
	v, ok := positiveInteger(raw)
	switch {
	case !ok && l.ceiling != nil:
		return
	case !ok:
		v = k.Default
	}
	v = min(max(v, k.Min), k.Max)
	if l.ceiling != nil {
		v = min(v, *k.number(l.ceiling))
	}
	*k.number(l.config) = v
}

func (l *layer) choice(k ConfigKey, raw json.RawMessage) error {
	var v string
	if err := json.Unmarshal(raw, &v); err != nil || !slices.Contains(k.Allowed, v) {
		return invalidConfig(k.Key, fmt.Sprintf("%s must be %s, got %s", k.Key, quotedList(k.Allowed), clip(string(raw))))
	}
	if k.choice != nil {
		*k.choice(l.config) = v
	}
	return nil
}

// languages keeps the known ones; none left means both. A turn can't bring back
// a language that the operator left out.
func (l *layer) languages(raw json.RawMessage) error {
	asked := knownLanguages(raw)
	if len(asked) == 0 {
		asked = bothLanguages()
	}
	if l.ceiling != nil {
		asked = slices.DeleteFunc(asked, func(s string) bool { return !slices.Contains(l.ceiling.Languages, s) })
	}
	if len(asked) == 0 {
		return invalidConfig(keyLanguages, "languages leaves nothing: the operator enables only "+quotedList(l.ceiling.Languages))
	}
	l.config.Languages = asked
	return nil
}

func knownLanguages(raw json.RawMessage) []string {
	var items []any
	if json.Unmarshal(raw, &items) != nil {
		return nil
	}
	var known []string
	for _, name := range bothLanguages() {
		if slices.Contains(items, any(name)) {
			known = append(known, name)
		}
	}
	return known
}

func bothLanguages() []string { return []string{LanguageJavaScript, LanguageTypeScript} }

// positiveInteger reads a JSON number the way the page's own runtime does: 1e3
// and 5.0 are integers. The value saturates; every table maximum is far below.
func positiveInteger(raw json.RawMessage) (int, bool) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f <= 0 || f != math.Trunc(f) {
		return 0, false
	}
	return int(min(f, math.MaxInt32)), true
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

func invalidConfig(key, msg string) *Error {
	return &Error{Kind: KindInvalid, Key: clip(key), Msg: msg}
}

// unknownKey names the key and, when it looks like a slip, the one that was meant.
func unknownKey(key string) *Error {
	msg := fmt.Sprintf("unknown key %q in the code mode config", clip(key))
	if near := nearestKey(key); near != "" {
		return invalidConfig(key, msg+fmt.Sprintf("; did you mean %q?", near))
	}
	names := make([]string, 0, len(configKeys))
	for _, k := range configKeys {
		names = append(names, k.Key)
	}
	return invalidConfig(key, msg+"; known keys: "+strings.Join(names, ", "))
}

// nearestKey finds the known key within two edits of key, letter case aside.
func nearestKey(key string) string {
	if len(key) > 64 {
		return ""
	}
	best, bestDistance := "", 3
	for _, k := range configKeys {
		if d := editDistance(strings.ToLower(key), strings.ToLower(k.Key)); d < bestDistance {
			best, bestDistance = k.Key, d
		}
	}
	return best
}

// editDistance counts the single byte insertions, deletions and replacements
// that turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

func quotedList(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = strconv.Quote(s)
	}
	return strings.Join(quoted, " or ")
}

// clip bounds what an error repeats of a request.
func clip(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

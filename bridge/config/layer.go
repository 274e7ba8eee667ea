package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
)

// layer writes one raw config into config, below ceiling if there is one. The raw text comes from an operator or, as a
// turn's config, from the network: whatever it holds, the result is in range or there is an error that names the key.
type layer struct {
	config  *Config
	ceiling *Config
}

// apply takes the three shapes that the contract allows. Anything else is refused rather than taken for "off": `"true"`
// as a whole config is a slip, not a choice.
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

// member applies one key. Those that nest do so only one level, so the text can't make this recurse further.
func (l *layer) member(key string, raw json.RawMessage) error {
	switch {
	case (key == "snapshot" || key == "store") && isNull(raw):
		return nil
	case key == "snapshot":
		if raw[0] != '{' {
			return invalidConfig(key, `snapshot must be an object such as {"resume": "hot"}`)
		}
		return l.object("snapshot.", raw)
	case key == "store":
		return l.store(raw)
	}
	k, ok := findKey(key)
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
	case key == keyStore:
		l.storeEnabled(bytes.Equal(raw, []byte("true")))
		return nil
	case key == keyLanguages:
		return l.languages(raw)
	case key == keyApprovals:
		return l.approvals(raw)
	case k.number != nil:
		l.number(k, raw)
		return nil
	}
	return l.choice(k, raw)
}

// store takes the same shapes as the config as a whole does.
func (l *layer) store(raw json.RawMessage) error {
	switch {
	case bytes.Equal(raw, []byte("true")), bytes.Equal(raw, []byte("false")):
		l.storeEnabled(raw[0] == 't')
		return nil
	case raw[0] != '{':
		return invalidConfig("store", `store must be true, false or an object such as {"enabled": true}`)
	}
	return l.object("store.", raw)
}

func (l *layer) storeEnabled(on bool) {
	l.config.StoreEnabled, l.config.storeOff = on, !on
}

// number never fails: the contract prefers a default to an error here, so that a config written for another version
// still starts.
func (l *layer) number(k Key, raw json.RawMessage) {
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

// choice fails on what it does not know: no value could be assumed without changing what a cell may do.
func (l *layer) choice(k Key, raw json.RawMessage) error {
	var v string
	if err := json.Unmarshal(raw, &v); err != nil || !slices.Contains(k.Allowed, v) {
		return invalidConfig(k.Key, fmt.Sprintf("%s must be %s, got %s", k.Key, quotedList(k.Allowed), clip(string(raw))))
	}
	if k.choice != nil {
		*k.choice(l.config) = v
	}
	return nil
}

// languages keeps the known ones; none left means both. A turn can't bring back a language that the operator left out.
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

// knownLanguages returns the languages in raw, each once and in the order of the constants; anything else in it is
// passed over.
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

// positiveInteger reads a JSON number as a JavaScript runtime does: 1e3 and 5.0 are integers. The value saturates;
// every table maximum is far below.
func positiveInteger(raw json.RawMessage) (int, bool) {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f <= 0 || f != math.Trunc(f) {
		return 0, false
	}
	return int(min(f, math.MaxInt32)), true
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

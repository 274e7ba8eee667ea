package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/engine/typo"
)

// slip is the problem of an unknown key that most likely was meant to be one that is not there, so that what it says would be
// lost; nil if there is none. What is there under its right name can't be lost.
func (m *members) slip(prefix string) error {
	for _, key := range m.unknown {
		if near := m.nearest(key); near != "" {
			return misspelt(prefix, key, near)
		}
	}
	return nil
}

// nearest is the key that an unknown one stands for and that was not given, or "".
func (m *members) nearest(key string) string {
	near := typo.Nearest(key, m.want)
	if near == "" || m.values[indexOf(m.want, near)].Exists() {
		return ""
	}
	return near
}

func misspelt(prefix, key, near string) *problem {
	return invalid(prefix+key, fmt.Sprintf("unknown key %q%s; did you mean %q?", key, inObject(prefix), near))
}

// inObject says where a key stands: " in tools[3]", or nothing for the body itself.
func inObject(prefix string) string {
	if prefix == "" {
		return ""
	}
	return " in " + strings.TrimSuffix(prefix, ".")
}

// strays are warnings of the unknown keys. A gateway that is newer than this service still works, and one that made a slip is
// told.
func (m *members) strays(prefix string) []string {
	var warnings []string
	for _, key := range m.unknown {
		warning := fmt.Sprintf("unknown key %q was ignored", prefix+key)
		if near := m.nearest(key); near != "" {
			warning += fmt.Sprintf("; did you mean %q?", near)
		}
		warnings = append(warnings, warning)
	}
	return warnings
}

// pickFolded is pick for an object that is decoded as a Go value, where letter case makes no difference.
func pickFolded(raw json.RawMessage, known ...string) *members {
	m := &members{want: known, values: make([]gjson.Result, len(known))}
	doc := gjson.ParseBytes(raw)
	if !doc.IsObject() {
		return m
	}
	doc.ForEach(func(key, value gjson.Result) bool {
		if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, key.Str) }); i >= 0 {
			m.values[i] = value
		} else {
			m.note(key.Str)
		}
		return true
	})
	return m
}

// onlyKnown refuses every unknown key of the object at path.
func (m *members) onlyKnown(path string) error {
	if len(m.unknown) == 0 {
		return nil
	}
	if err := m.slip(path + "."); err != nil {
		return err
	}
	key := m.unknown[0]
	return invalid(path+"."+key, fmt.Sprintf("unknown key %q in %s; it has %s.", key, path, strings.Join(m.want, ", ")))
}

// slips are warnings of the unknown keys that stand for one that is not there, for where unknown keys must be ignored.
func (m *members) slips() []string {
	var warnings []string
	for _, key := range m.unknown {
		if near := m.nearest(key); near != "" {
			warnings = append(warnings, fmt.Sprintf("unknown key %q was ignored; did you mean %q?", key, near))
		}
	}
	return warnings
}

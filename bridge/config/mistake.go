package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/codecell/codecell/engine/typo"
)

// Error is a config that can't be used, and why. Its text may be shown to whoever sent the config.
type Error struct {
	Key string // the offending key, with a dot for nesting; "config" for the whole
	Msg string // says what is wrong and what is allowed
}

// Error returns Msg.
func (e *Error) Error() string { return e.Msg }

// invalidConfig makes the error of contract A2: it always names the key.
func invalidConfig(key, msg string) *Error {
	return &Error{Key: clip(key), Msg: msg}
}

// unknownKey names the key and, when it looks like a slip, the one that was meant.
func unknownKey(key string) *Error {
	msg := fmt.Sprintf("unknown key %q in the code mode config", clip(key))
	names := make([]string, 0, len(keys))
	for _, k := range keys {
		names = append(names, k.Key)
	}
	if near := typo.Nearest(key, names); near != "" {
		return invalidConfig(key, msg+fmt.Sprintf("; did you mean %q?", near))
	}
	return invalidConfig(key, msg+"; known keys: "+strings.Join(names, ", "))
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
	const maxShown = 80 // bytes
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}

package config

import (
	"fmt"
	"strconv"
	"strings"
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
	if near := nearestKey(key); near != "" {
		return invalidConfig(key, msg+fmt.Sprintf("; did you mean %q?", near))
	}
	names := make([]string, 0, len(keys))
	for _, k := range keys {
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
	for _, k := range keys {
		if d := editDistance(strings.ToLower(key), strings.ToLower(k.Key)); d < bestDistance {
			best, bestDistance = k.Key, d
		}
	}
	return best
}

// editDistance counts the single byte insertions, deletions and replacements that turn a into b.
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
	const maxShown = 80 // bytes
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}

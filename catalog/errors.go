package catalog

import "strconv"

// Error says which tool or policy entry New could not accept, and why. The turn is refused with it; nothing of it
// depends on other turns (contract A7).
type Error struct {
	Tool   int    // index in the turn's tools, -1 if the policy is at fault
	Name   string // the tool's name as sent, may be ""
	Field  string // JSON path below the tool or the turn: "name", "policy.allow[2]"
	Reason string // what is wrong and what to send instead
}

// Error reads like `tools[3] "read": parameters: must be a JSON object …`.
func (e *Error) Error() string {
	if e.Tool < 0 {
		return e.Field + ": " + e.Reason
	}
	at := "tools[" + strconv.Itoa(e.Tool) + "]"
	if e.Name != "" {
		at += " " + strconv.Quote(clip(e.Name, 80))
	}
	return at + ": " + e.Field + ": " + e.Reason
}

// LookupError is the answer to an id or name that names no tool, or more than one (contract D4). Its text is exactly
// what the guest sees.
type LookupError struct {
	ID        string // what was asked for, clipped
	Ambiguous bool   // more than one visible tool has this name
	text      string
}

// Error is the text of contract D4.
func (e *LookupError) Error() string { return e.text }

// clip shortens s to at most n bytes at a rune boundary and marks the cut.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}

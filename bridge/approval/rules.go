package approval

import (
	"fmt"
	"strings"

	"github.com/codecell/codecell/catalog"
)

// Mode says when the calls of a tool need an approval.
type Mode string

// The modes, from the least strict to the strictest.
const (
	Never  Mode = "never"
	First  Mode = "first"  // until one is approved in the session
	Always Mode = "always" // unless the session remembers a decision that was to be remembered
)

// modes are in the order of strictness.
var modes = []Mode{Never, First, Always}

// Stricter returns the one of two modes that asks more often. An unknown mode asks always.
func Stricter(a, b Mode) Mode {
	for _, m := range modes {
		switch m {
		case a:
			return b
		case b:
			return a
		}
	}
	return Always
}

// Rule gives the tools that match a glob a mode.
type Rule struct {
	// Tool is matched against ids and names: `*` stands for any run of characters, `?` for one.
	Tool     string `json:"tool"`
	Approval Mode   `json:"approval"`
}

// Bounds of a list of rules, since each is matched with each tool that is called.
const (
	maxRules     = 1000
	maxRuleBytes = 1024
)

// Rules are a list of rules ready for matching. The zero value has none.
type Rules struct {
	globs []catalog.Glob
	modes []Mode
}

// NewRules fails with a text that begins with the place of what is wrong, such as "[3].approval must be …".
func NewRules(list []Rule) (Rules, error) {
	var r Rules
	if len(list) > maxRules {
		return r, fmt.Errorf(" must have at most %d rules; use globs such as openclaw:mail:*", maxRules)
	}
	for i, rule := range list {
		glob := strings.TrimSpace(rule.Tool)
		switch {
		case glob == "":
			return r, fmt.Errorf("[%d].tool must be a glob over the ids and names of tools, such as openclaw:mail:*", i)
		case len(glob) > maxRuleBytes:
			return r, fmt.Errorf("[%d].tool must be at most %d bytes", i, maxRuleBytes)
		case rule.Approval != Never && rule.Approval != First && rule.Approval != Always:
			return r, fmt.Errorf(`[%d].approval must be "always", "first" or "never", not %.40q`, i, rule.Approval)
		}
		r.globs, r.modes = append(r.globs, catalog.NewGlob(glob)), append(r.modes, rule.Approval)
	}
	return r, nil
}

// Mode returns what the first rule that matches a tool says, and whether there is one.
func (r Rules) Mode(id, name string) (Mode, bool) {
	for i, glob := range r.globs {
		if glob.Matches(id) || glob.Matches(name) {
			return r.modes[i], true
		}
	}
	return "", false
}

// None says whether there is no rule.
func (r Rules) None() bool { return len(r.modes) == 0 }

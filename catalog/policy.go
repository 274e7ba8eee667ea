package catalog

import (
	"slices"
	"strconv"
	"strings"
)

// Bounds of one policy list: matching costs patterns × tools.
const (
	maxPatterns     = 4096
	maxPatternBytes = 1024
)

// maxPolicyWork bounds what matching may cost in all: the globs' bytes, each with that of a name added, times the
// tools. Exact ids and names cost nothing.
const maxPolicyWork = 64 << 20

// globOverhead is what a glob costs beside its own bytes.
const globOverhead = 64

// groupMCP is the group name that lets MCP tools through a sandbox's policy.
const groupMCP = "bundle-mcp"

// Policy says which of a turn's tools it may use (contract A1, G1). Entries are globs, case-sensitive, matched against
// the id and the name of a tool: `*` stands for any run of characters, `?` for one.
type Policy struct {
	// Allow is nil for everything; an empty list means no tools by intent (contract A3).
	Allow   []string       `json:"allow"`
	Deny    []string       `json:"deny"` // beats Allow
	Sandbox *SandboxPolicy `json:"sandbox"`
}

// SandboxPolicy is the further layer of a sandboxed agent. Its entries may also name a group: an owner (a plugin's id),
// or "bundle-mcp" for all MCP tools. MCP tools pass only through AlsoAllow (contract A1).
type SandboxPolicy struct {
	Allow     []string `json:"allow"` // nil for everything but MCP
	AlsoAllow []string `json:"alsoAllow"`
	Deny      []string `json:"deny"` // beats both
}

// NoTools tells whether the policy takes all tools away on purpose, which keeps code mode off (contract A3).
func (p Policy) NoTools() bool { return p.Allow != nil && len(p.Allow) == 0 }

// rules is a policy made ready for matching.
type rules struct {
	everything  bool // no allow list
	allow, deny patterns
	sandbox     *sandboxRules
}

type sandboxRules struct {
	everything             bool
	allow, alsoAllow, deny patterns
}

// compile makes the policy ready for that many tools.
func (p Policy) compile(tools int) (*rules, error) {
	r := &rules{everything: p.Allow == nil}
	lists := []struct {
		name string
		from []string
		to   *patterns
	}{
		{"policy.allow", p.Allow, &r.allow},
		{"policy.deny", p.Deny, &r.deny},
	}
	if s := p.Sandbox; s != nil {
		r.sandbox = &sandboxRules{everything: s.Allow == nil}
		lists = append(lists, []struct {
			name string
			from []string
			to   *patterns
		}{
			{"policy.sandbox.allow", s.Allow, &r.sandbox.allow},
			{"policy.sandbox.alsoAllow", s.AlsoAllow, &r.sandbox.alsoAllow},
			{"policy.sandbox.deny", s.Deny, &r.sandbox.deny},
		}...)
	}
	work := 0
	for _, l := range lists {
		if err := l.to.compile(l.name, l.from); err != nil {
			return nil, err
		}
		for _, g := range l.to.globs {
			work += g.work * tools
		}
		if work > maxPolicyWork {
			return nil, &Error{Tool: -1, Field: l.name, Reason: "has too many globs for so many tools; use exact ids, or fewer globs such as openclaw:core:*"}
		}
	}
	return r, nil
}

// pass decides on one tool. Deny wins in either layer, and both layers must agree.
func (r *rules) pass(t *Tool, id string) bool {
	if r.deny.match(id, t.Name) {
		return false
	}
	if !r.everything && !r.allow.match(id, t.Name) {
		return false
	}
	return r.sandbox == nil || r.sandbox.pass(t, id)
}

func (s *sandboxRules) pass(t *Tool, id string) bool {
	names := []string{id, t.Name, t.Owner}
	if t.Source == SourceMCP {
		names = append(names, groupMCP)
		return !s.deny.match(names...) && s.alsoAllow.match(names...)
	}
	if s.deny.match(names...) {
		return false
	}
	return s.everything || s.allow.match(names...) || s.alsoAllow.match(names...)
}

// patterns is one list: plain words in a set, so that a long list of exact ids costs nothing, and the globs one by one.
type patterns struct {
	words map[string]struct{}
	globs []glob
}

func (p *patterns) compile(name string, list []string) error {
	if len(list) > maxPatterns {
		return &Error{Tool: -1, Field: name, Reason: "must have at most 4096 entries; use globs such as openclaw:core:*"}
	}
	for i, s := range list {
		if len(s) > maxPatternBytes {
			return &Error{Tool: -1, Field: name + "[" + strconv.Itoa(i) + "]", Reason: "must be at most 1024 bytes"}
		}
		s = strings.TrimSpace(s)
		switch {
		case strings.ContainsAny(s, "*?"):
			p.globs = append(p.globs, newGlob(s))
		case s != "":
			if p.words == nil {
				p.words = make(map[string]struct{}, len(list))
			}
			p.words[s] = struct{}{}
		}
	}
	return nil
}

// match tells whether any entry of the list matches any of the names.
func (p *patterns) match(names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool {
		if _, ok := p.words[n]; ok {
			return true
		}
		return slices.ContainsFunc(p.globs, func(g glob) bool { return g.match(n) })
	})
}

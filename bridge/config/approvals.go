package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Bounds of a list of approval rules: each is matched with each tool that is called.
const (
	maxApprovalRules = 100
	maxApprovalGlob  = 256 // bytes
)

// approvals takes a list of rules. An operator's replaces the one of the layer below, as any key's value does; a turn's comes
// beside the operator's, so it can only add to what people are asked about.
func (l *layer) approvals(raw json.RawMessage) error {
	rules, err := approvalRules(raw)
	switch {
	case err != nil:
		return err
	case l.ceiling == nil:
		l.config.Approvals = nil
	}
	if len(rules) > 0 {
		l.config.Approvals = append(slices.Clip(l.config.Approvals), rules)
	}
	return nil
}

// approvalRules reads a list. What it does not understand is refused: whoever wrote it wanted a person to be asked.
func approvalRules(raw json.RawMessage) ([]ApprovalRule, error) {
	var items []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil {
		return nil, invalidConfig(keyApprovals, `approvals must be a list such as [{"tool": "openclaw:mail:*", "approval": "always"}]`)
	}
	if len(items) > maxApprovalRules {
		return nil, invalidConfig(keyApprovals, fmt.Sprintf("approvals must have at most %d rules; use globs such as openclaw:mail:*", maxApprovalRules))
	}
	var rules []ApprovalRule
	for n, item := range items {
		rule, wrong := approvalRule(item)
		if wrong != "" {
			return nil, invalidConfig(fmt.Sprintf("%s[%d]", keyApprovals, n), fmt.Sprintf("%s[%d]%s", keyApprovals, n, wrong))
		}
		rules = append(rules, rule)
	}
	return rules, nil
}

func approvalRule(item json.RawMessage) (r ApprovalRule, wrong string) {
	decoder := json.NewDecoder(bytes.NewReader(item))
	decoder.DisallowUnknownFields()
	if item[0] != '{' || decoder.Decode(&r) != nil {
		return r, ` must be an object such as {"tool": "openclaw:mail:*", "approval": "always"}, with no other keys`
	}
	modes := []string{ApprovalAlways, ApprovalFirst, ApprovalNever}
	r.Tool = strings.TrimSpace(r.Tool)
	switch {
	case r.Tool == "" || len(r.Tool) > maxApprovalGlob:
		return r, fmt.Sprintf(".tool must be a glob of at most %d bytes over the ids and names of tools, such as openclaw:mail:*", maxApprovalGlob)
	case !slices.Contains(modes, r.Approval):
		return r, fmt.Sprintf(".approval must be %s, got %s", quotedList(modes), clip(fmt.Sprintf("%q", r.Approval)))
	}
	return r, ""
}

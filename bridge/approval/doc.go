// Package approval decides which nested calls need a person's word, and keeps those that wait for it (contract G4).
//
// It owns the rules, by which a tool is always asked for, once a session, or never; the registry of approvals, each decided
// once; and the decisions that a session remembers. It knows no run: whoever waits is a Call, which is told how its approval
// ended.
//
// Everything is a tenant's own. What is kept is bounded in number for each tenant and in sum, and its bytes are held in the
// tenant's account (contract H6).
package approval

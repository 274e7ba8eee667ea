// Package hook asks others about calls (contract G1, G2): before a call, when a hook may block it or change its input, and
// after it, when a hook may replace the result.
//
// It owns what a hook is told and may answer, which hooks concern which calls of which tenants, their time limits, and hooks
// that are asked over HTTP. What becomes of a call, also where a hook fails, is decided by who asks.
package hook

package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/engine/typo"
)

// approvalsAnswer is the answer of GET /v1/approvals.
type approvalsAnswer struct {
	Approvals []approval.Approval `json:"approvals"`
	Next      string              `json:"next,omitempty"` // for after
}

// listApprovals is GET /v1/approvals (contract G4).
func (s *Server) listApprovals(c echo.Context) error {
	query, err := parseApprovalQuery(c.Request().URL.RawQuery)
	if err != nil {
		return err
	}
	page := s.backend.Approvals(Tenant(c), query)
	answer := approvalsAnswer{Approvals: page.Approvals}
	if page.Next > 0 {
		answer.Next = strconv.FormatUint(page.Next, 10)
	}
	return s.sendCounted(c, page.Bytes, answer)
}

// showApproval is GET /v1/approvals/{id}.
func (s *Server) showApproval(c echo.Context) error {
	a, err := s.backend.Approval(Tenant(c), pathParam(c, "id"))
	if err != nil {
		return err
	}
	return s.sendCounted(c, a.Bytes(), a)
}

// sendCounted is sendValue for an answer that clients can size. It is counted like the request bodies that are in memory.
func (s *Server) sendCounted(c echo.Context, size int, v any) error {
	const copies = 2 // while it is encoded
	held := &body{tenant: Tenant(c), budgets: s.bodies}
	if size *= copies; size > freeBody {
		if err := held.reserve(int64(size)); err != nil {
			return err
		}
		defer held.budgets.giveBack(held.tenant, held.reserved)
	}
	return sendValue(c, http.StatusOK, v)
}

// decide is POST /v1/approvals/{id}. It is decided once; a retry with the same Idempotency-Key gets the first answer.
func (s *Server) decide(c echo.Context) error {
	body, err := s.readBody(c, maxBody)
	if err != nil {
		return err
	}
	defer body.release()
	d, err := parseDecision(body.bytes)
	if err != nil {
		return err
	}
	id := pathParam(c, "id")
	of := request{route: "approvals", turn: id, path: c.Request().URL.Path, body: body.bytes}
	return s.answerOnce(c, of, func(ctx context.Context, dst []byte) ([]byte, error) {
		decided, err := s.backend.Decide(ctx, Tenant(c), id, d)
		if err != nil {
			return dst, err
		}
		out, err := json.Marshal(decided)
		return append(dst, out...), err
	})
}

// parseDecision reads a decision. Every key counts: one that is not understood may be the one that mattered. What is null is
// left out.
func parseDecision(raw []byte) (d approval.Decision, err error) {
	doc, err := parseObject(raw)
	if err != nil {
		return d, err
	}
	m, err := pick(doc, "", "decision", "reason", "who", "remember", "input")
	if err != nil {
		return d, err
	}
	if err := m.slip(""); err != nil {
		return d, err
	}
	if len(m.unknown) > 0 {
		return d, invalid(m.unknown[0], fmt.Sprintf("%q is no key of a decision; it has %s.", m.unknown[0], strings.Join(m.want, ", ")))
	}
	var verdict string
	for key, into := range map[string]*string{"decision": &verdict, "reason": &d.Reason, "who": &d.Who, "remember": &d.Remember} {
		if *into, err = m.text("", key); err != nil {
			return d, err
		}
	}
	if verdict == "" {
		return d, invalid("decision", fmt.Sprintf("decision is missing. Send %q or %q.", approval.Approve, approval.Deny))
	}
	d.Verdict = approval.Verdict(verdict)
	if input := m.raw("input"); string(input) != "null" {
		d.Input = input
	}
	return d, nil
}

// approvalFilters are the query parameters of GET /v1/approvals.
var approvalFilters = []string{"state", "turnId", "runId", "tool", "sessionId", "limit", "after"}

// parseApprovalQuery refuses what it does not understand: whoever misspells a filter must not take the answer for filtered.
func parseApprovalQuery(raw string) (q approval.Query, err error) {
	params, err := url.ParseQuery(raw)
	if err != nil {
		return q, invalid("", "The query can't be read: "+err.Error())
	}
	for key, values := range params {
		switch {
		case !slices.Contains(approvalFilters, key):
			return q, unknownFilter(key)
		case len(values) > 1:
			return q, invalid(key, key+" is given twice; send it once.")
		case values[0] == "":
			return q, invalid(key, key+" is empty; leave it out.")
		}
	}
	q = approval.Query{
		State: approval.State(params.Get("state")), TurnID: params.Get("turnId"), RunID: params.Get("runId"),
		Tool: params.Get("tool"), SessionID: params.Get("sessionId"), Limit: approval.DefaultLimit,
	}
	if q.State != "" && !slices.Contains(approval.States, q.State) {
		return q, invalid("state", fmt.Sprintf("state must be one of %v.", approval.States))
	}
	if text := params.Get("limit"); text != "" {
		if q.Limit, err = strconv.Atoi(text); err != nil || q.Limit < 1 || q.Limit > approval.MaxLimit {
			return q, invalid("limit", fmt.Sprintf("limit must be a number from 1 to %d.", approval.MaxLimit))
		}
	}
	if text := params.Get("after"); text != "" {
		if q.After, err = strconv.ParseUint(text, 10, 64); err != nil {
			return q, invalid("after", "after must be what the page before gave as next.")
		}
	}
	return q, nil
}

func unknownFilter(key string) error {
	const longest = 64
	text := fmt.Sprintf("%q is no filter of approvals; they are %s.", key[:min(len(key), longest)], strings.Join(approvalFilters, ", "))
	if near := typo.Nearest(key, approvalFilters); near != "" {
		text += fmt.Sprintf(" Did you mean %q?", near)
	}
	return invalid(key[:min(len(key), longest)], text)
}

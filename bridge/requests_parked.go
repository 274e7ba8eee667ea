package bridge

import (
	"errors"
	"fmt"
)

// park lets a call wait for somebody outside. It returns false if the run is over.
func (s *requests) park(c *call, kind requestKind) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	s.become(c.request, kind)
	s.idle(c)
	c.brought = answeredRequest
	if kind == callerRequest {
		s.note(c.request, statePending)
	}
	s.stir()
	return true
}

// become says who settles a pending request from now on. mu must be held.
func (s *requests) become(q *request, kind requestKind) {
	s.count[q.kind]--
	s.count[kind]++
	q.kind = kind
}

// Why a parked call can't go on: nobody waits for what was brought (contract C10, G4).
var (
	errNotPending = errors.New("no such call is pending in this run")
	errNotCallers = errors.New("this call is not the caller's to run")
	errHasResult  = errors.New("this call has its result already")
	errNotDecided = errors.New("this call waits for a person's approval first")
	errLeaving    = errors.New("this run is about to leave this service; deliver the result where it goes on")
)

// parked returns the call of that number, if it waits for somebody of that kind.
func (s *requests) parked(id uint32, kind requestKind) (*call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.parkedLocked(id, kind)
}

func (s *requests) parkedLocked(id uint32, kind requestKind) (*call, error) {
	q := s.byID[id]
	switch {
	case q == nil || s.ended:
		return nil, errNotPending
	case q.brought == kind:
		return nil, errHasResult
	case q.call != nil && q.ctx == nil: // what was not started is not known outside
		return nil, errNotPending
	case q.kind != kind && q.kind == approvalRequest:
		return nil, errNotDecided
	case q.kind != kind:
		return nil, errNotCallers
	case s.leaving:
		return nil, errLeaving
	}
	return q.call, nil
}

// leave says whether the run is about to leave this service. It returns the calls that wait for an approval.
func (s *requests) leave(leaving bool) []*call {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving = leaving
	return s.gatedLocked()
}

// gated returns the calls that wait for an approval.
func (s *requests) gated() []*call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gatedLocked()
}

func (s *requests) gatedLocked() []*call {
	var calls []*call
	for q := s.first; q != nil && s.count[approvalRequest] > 0; q = q.next {
		if q.kind == approvalRequest {
			calls = append(calls, q.call)
		}
	}
	return calls
}

// unpark makes the caller the one that is at work on a parked call: of several that bring what it waits for, one succeeds,
// and has to call run.goOn. The result that is brought has so many bytes; what there is no room for is refused, and the call
// stays parked.
func (s *requests) unpark(id uint32, kind requestKind, size int) (*call, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.parkedLocked(id, kind)
	if err != nil {
		return nil, err
	}
	if err := s.account.Hold(size); err != nil {
		return nil, fmt.Errorf("the result has %d bytes, and %w", size, err)
	}
	c.heldResult, c.brought, c.busy = size, kind, true
	s.become(c.request, localRequest)
	return c, nil
}

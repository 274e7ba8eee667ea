package bridge

import (
	"encoding/json"
	"fmt"
)

// What is held for calls on their way changes with their inputs and results.

// rewrite changes the input of a call. It fails if there is no room for it.
func (s *requests) rewrite(q *request, input json.RawMessage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.chargeLocked(q, len(input)-len(q.input)); err != nil {
		return &refusalError{codeTooManyBytes, fmt.Sprintf("the call's input was changed to one of %d bytes, and %v", len(input), err)}
	}
	q.input = input
	return nil
}

// roomFor says why the input of a pending call can't be changed to one of so many bytes, nil if it can.
func (s *requests) roomFor(id uint32, size int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.byID[id]
	if q == nil || s.ended {
		return nil // whoever changes it is told so
	}
	more := max(size-len(q.input), 0)
	err := s.account.Hold(more)
	if err == nil {
		s.account.Release(more)
	}
	return err
}

// charge counts bytes more, or less, as held for a request.
func (s *requests) charge(q *request, more int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.chargeLocked(q, more)
}

func (s *requests) chargeLocked(q *request, more int) error {
	if q.held == 0 || s.ended { // it is counted when it is added, or not any more
		return nil
	}
	if err := s.account.Hold(max(more, 0)); err != nil {
		return err
	}
	s.account.Release(max(-more, 0))
	q.held += more
	return nil
}

// keepResult counts the result of a call that goes on to hooks, and lists what the tool did: it happened, whatever they make
// of it.
func (s *requests) keepResult(c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errRunOver
	}
	if c.effect != nil {
		c.effect.State = c.ran
	}
	if err := s.exchange(&c.heldResult, len(c.result)); err != nil {
		return &refusalError{codeTooManyBytes, fmt.Sprintf("the result has %d bytes, and %v", len(c.result), err)}
	}
	return nil
}

// exchange makes the account hold size bytes in place of those that it held so far.
func (s *requests) exchange(held *int, size int) error {
	if err := s.account.Hold(max(size-*held, 0)); err != nil {
		return err
	}
	s.account.Release(max(*held-size, 0))
	*held = size
	return nil
}

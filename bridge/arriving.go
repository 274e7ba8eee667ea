package bridge

import "errors"

// arriving counts the bytes of a tool's answer in the run's account while it arrives. What of it is kept then is counted by
// whoever keeps it.
type arriving struct {
	requests *requests
	held     int
}

// hold counts more bytes. It may be called on any goroutine.
func (a *arriving) hold(n int) error {
	s := a.requests
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return errors.New("the run is over")
	}
	if err := s.account.Hold(n); err != nil {
		return err
	}
	a.held += n
	return nil
}

// release counts them no more. The account of a run that is over has let go of all.
func (a *arriving) release() {
	s := a.requests
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended {
		s.account.Release(a.held)
	}
	a.held = 0
}

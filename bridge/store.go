package bridge

// keep gives a run a place among the suspended ones; one that is being resumed has kept its own (contract C6). It
// returns false when all places of the tenant's config are taken.
func (s *Service) keep(r *run) bool {
	r.mu.Lock()
	id := r.runID()
	r.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if held := s.runs[id]; held != nil {
		return held == r // an import may bring an id that is here already
	}
	if len(s.runs) >= min(s.options.Config.MaxSuspendedRuns, r.turn.config.MaxSuspendedRuns) {
		return false
	}
	s.runs[id] = r
	return true
}

func (s *Service) forget(r *run) {
	r.mu.Lock()
	id := r.id
	r.mu.Unlock()
	if id == "" {
		return
	}
	s.mu.Lock()
	if s.runs[id] == r {
		delete(s.runs, id)
	}
	s.mu.Unlock()
}

// AbortRun ends a suspended run, or one that is being resumed (contract G7).
func (s *Service) AbortRun(tenant, runID string) error {
	s.mu.Lock()
	r := s.runs[runID]
	s.mu.Unlock()
	if r == nil || r.turn.tenant != tenant {
		return &Error{Kind: KindNotFound, Key: "runId", Msg: errNoRun.Error()}
	}
	r.abort()
	return nil
}

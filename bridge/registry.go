package bridge

// The registry of suspended runs: by id, and how many each tenant has.

// run returns a suspended run, or one that is being resumed, nil if there is none.
func (s *Service) run(id string) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runs[id]
}

// register gives a run a place among the suspended ones; one that is being resumed has kept its own (contract C6). It
// returns false when all places of its tenant, or of the service, are taken, or an import brings an id that is here.
func (s *Service) register(r *run) bool {
	id := r.id.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.runs[id]; known != nil {
		return known == r
	}
	tenant := r.turn.tenant
	if len(s.runs) >= s.options.MaxSuspendedRuns ||
		s.suspended[tenant] >= min(s.options.Config.MaxSuspendedRuns, r.turn.config.MaxSuspendedRuns) {
		return false
	}
	s.runs[id] = r
	s.suspended[tenant]++
	return true
}

// unregister gives a run's place back, if it has one.
func (s *Service) unregister(r *run) {
	if !r.id.given() {
		return
	}
	id, tenant := r.id.String(), r.turn.tenant
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs[id] != r {
		return
	}
	delete(s.runs, id)
	if s.suspended[tenant]--; s.suspended[tenant] == 0 {
		delete(s.suspended, tenant)
	}
}

// AbortRun ends a suspended run, or one that is being resumed (contract G7).
func (s *Service) AbortRun(tenant, runID string) error {
	r := s.run(runID)
	if r == nil || r.turn.tenant != tenant {
		return &Error{Kind: KindNotFound, Key: "runId", Msg: errNoRun.Error()}
	}
	r.abort()
	return nil
}

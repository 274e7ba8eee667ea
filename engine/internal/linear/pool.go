package linear

import (
	"sync"

	"github.com/codecell/codecell/engine"
)

// pool lends instances that are fresh guests.
type pool struct {
	limit int // instances in use at once
	spare int // instances kept

	mu   sync.Mutex
	free []*instance // fresh
	used int
}

// acquire returns a fresh guest's instance, or engine.ErrOverloaded if too many are in use.
func (p *pool) acquire(m *Module) (*instance, error) {
	p.mu.Lock()
	if p.used >= p.limit {
		p.mu.Unlock()
		return nil, engine.ErrOverloaded
	}
	p.used++
	if n := len(p.free); n > 0 {
		i := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return i, nil
	}
	p.mu.Unlock()
	i, err := m.instantiate()
	if err != nil {
		p.mu.Lock()
		p.used--
		p.mu.Unlock()
		return nil, err
	}
	if !i.freshen() {
		panic("linear: a machine that was never used can't be used")
	}
	return i, nil
}

// release takes an instance back. It is wiped at once, or closed if it can't be used again or enough are at hand.
func (p *pool) release(i *instance) {
	keep := i.freshen()
	p.mu.Lock()
	p.used--
	if keep = keep && len(p.free) < p.spare; keep {
		p.free = append(p.free, i)
	}
	p.mu.Unlock()
	if !keep {
		i.Close()
	}
}

func (p *pool) counts() (all, used int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used + len(p.free), p.used
}

func (p *pool) close() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range p.free {
		i.Close()
	}
	p.free = nil
	return p.used
}

package breaker

import (
	"fmt"
	"hash/maphash"
	"log/slog"
	"sync"
	"time"
)

// maxCircuits bounds the circuits of a tenant. Only those are kept that had a failure since the last success.
const maxCircuits = 1024

// Breakers are the circuits of all tenants. The zero value is ready, and logs nothing. It is safe for concurrent use.
type Breakers struct {
	// Logger is told of hosts that are left alone. Nil for none.
	Logger *slog.Logger
	// Limits say when hosts are left alone.
	Limits Limits

	mu      sync.Mutex
	tenants map[string]map[uint64]*circuit
}

// Caller says who calls which host.
type Caller struct{ Tenant, Session, Host string }

// Outcome is what a call showed of its host.
type Outcome int

const (
	// Unknown is a call that was ended before it showed anything.
	Unknown Outcome = iota
	// Answered is a host that is well.
	Answered
	// Failed is a host that was connected to and gave no proper answer.
	Failed
	// Unreachable is one that could not be connected to.
	Unreachable
)

// OpenError says that a host is left alone.
type OpenError struct {
	Failures int           // in a row
	For      time.Duration // how much longer
}

// Error names the number of failures and the time.
func (e *OpenError) Error() string {
	return fmt.Sprintf("its host failed %d times in a row and is left alone; try again in %v", e.Failures, e.For.Round(100*time.Millisecond))
}

// Pass is a call that was let through. Its zero value is none.
type Pass struct {
	breakers                 *Breakers
	caller                   Caller
	began                    time.Time
	sessionTrial, hostsTrial bool
}

var seed = maphash.MakeSeed()

// keys are those of the session's circuit and the tenant's. They are hashes, so that nobody sizes what is kept.
func (c Caller) keys() (session, host uint64) {
	type ofSession struct{ session, host string }
	return maphash.Comparable(seed, ofSession{c.Session, c.Host}), maphash.String(seed, c.Host)
}

// Enter lets a call through, of which Pass.Done must be told what came of it, or fails with an *OpenError.
func (b *Breakers) Enter(c Caller) (Pass, error) {
	p := Pass{breakers: b, caller: c, began: time.Now()}
	b.mu.Lock()
	defer b.mu.Unlock()
	circuits := b.tenants[c.Tenant]
	if len(circuits) == 0 {
		return p, nil
	}
	sessionKey, hostKey := c.keys()
	session, host := circuits[sessionKey], circuits[hostKey]
	for _, one := range []*circuit{session, host} {
		if one == nil {
			continue
		}
		if left := one.blocked(p.began); left > 0 {
			return Pass{}, &OpenError{one.failures, left}
		}
	}
	p.sessionTrial = session != nil && session.begin(p.began)
	p.hostsTrial = host != nil && host.begin(p.began)
	return p, nil
}

// Done says what came of the call.
func (p Pass) Done(o Outcome) {
	b := p.breakers
	b.mu.Lock()
	defer b.mu.Unlock()
	circuits := b.tenants[p.caller.Tenant]
	if len(circuits) == 0 && (o == Answered || o == Unknown) {
		return
	}
	session, host := p.caller.keys()
	switch o {
	case Unknown:
		if p.sessionTrial && circuits[session] != nil {
			circuits[session].abandon(p.began)
		}
		if p.hostsTrial && circuits[host] != nil {
			circuits[host].abandon(p.began)
		}
	case Answered:
		b.answered(circuits, session, host, p.caller)
	default:
		now := time.Now()
		opened := b.circuit(p.caller.Tenant, session, now).fail(p.began, now, b.Limits)
		if opened || o == Unreachable || p.hostsTrial {
			began := p.began
			if opened {
				began = now // it is the session that failed, whenever its calls began
			}
			if b.circuit(p.caller.Tenant, host, now).fail(began, now, b.Limits) && b.Logger != nil {
				b.Logger.Warn("a host fails and is left alone for a while", "tenant", p.caller.Tenant, "host", p.caller.Host)
			}
		}
	}
}

// answered closes the circuits of a host that is well. mu must be held.
func (b *Breakers) answered(circuits map[uint64]*circuit, session, host uint64, c Caller) {
	if one := circuits[host]; one != nil && one.pause > 0 && b.Logger != nil {
		b.Logger.Info("a host answers again", "tenant", c.Tenant, "host", c.Host)
	}
	delete(circuits, session)
	delete(circuits, host)
	if len(circuits) == 0 {
		delete(b.tenants, c.Tenant)
	}
}

// circuit returns one, which is made if there is none. Where a tenant has too many the one goes that has not failed for the
// longest time. mu must be held.
func (b *Breakers) circuit(tenant string, key uint64, now time.Time) *circuit {
	circuits := b.tenants[tenant]
	if circuits == nil {
		circuits = map[uint64]*circuit{}
		if b.tenants == nil {
			b.tenants = map[string]map[uint64]*circuit{}
		}
		b.tenants[tenant] = circuits
	}
	if one := circuits[key]; one != nil {
		return one
	}
	if len(circuits) >= maxCircuits {
		forgetOldest(circuits)
	}
	one := &circuit{failedAt: now}
	circuits[key] = one
	return one
}

func forgetOldest(circuits map[uint64]*circuit) {
	var oldest uint64
	var at time.Time
	for key, one := range circuits {
		if at.IsZero() || one.failedAt.Before(at) {
			oldest, at = key, one.failedAt
		}
	}
	delete(circuits, oldest)
}

package server

import (
	"fmt"
	"sync"
	"time"
)

// streamPlaces bounds the streams that are open at once, so that they leave connections to others.
type streamPlaces struct {
	most, tenantMost int

	mu      sync.Mutex
	open    int
	tenants map[string]int
}

func newStreamPlaces(most, tenantMost int) *streamPlaces {
	return &streamPlaces{most: most, tenantMost: tenantMost, tenants: map[string]int{}}
}

// take gives a tenant's stream its place, which leave is to be called for.
func (p *streamPlaces) take(tenant string) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	const advice = "Close one, or send the request again later."
	switch {
	case p.tenants[tenant] >= p.tenantMost:
		return nil, &problem{
			kind: kindQuota, retryAfter: time.Minute,
			detail: fmt.Sprintf("Your tenant has %d streams of events open, and no more may be. %s", p.tenantMost, advice),
		}
	case p.open >= p.most:
		return nil, &problem{
			kind: kindOverloaded, retryAfter: time.Minute,
			detail: "As many streams of events are open as may be. " + advice,
		}
	}
	p.open++
	p.tenants[tenant]++
	return func() { p.giveBack(tenant) }, nil
}

func (p *streamPlaces) giveBack(tenant string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if p.tenants[tenant]--; p.tenants[tenant] == 0 {
		delete(p.tenants, tenant)
	}
}

package server

import (
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

// Rate is how often a tenant may send requests (contract I2): so many a second in the long run, and Burst at once after a
// rest. The zero value is no bound.
type Rate struct {
	PerSecond float64
	Burst     int // below 1 it is 1
}

// rates holds each tenant to its rate.
type rates struct {
	of      func(tenant string) Rate // nil for no bounds
	buckets sync.Map                 // of *bucket, by tenant: no more than there ever were keys
}

// bucket holds the requests that a tenant may send at once. It fills with time.
type bucket struct {
	mu     sync.Mutex
	tokens float64
	at     time.Time // when tokens were counted
}

// take takes a token if there is one, and else says how long it will be until there is.
func (b *bucket) take(r Rate, now time.Time) (wait time.Duration) {
	full := max(1, float64(r.Burst))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at.IsZero() {
		b.tokens = full
	}
	// The rate may have been changed meanwhile.
	b.tokens = min(full, b.tokens+now.Sub(b.at).Seconds()*r.PerSecond)
	b.at = now
	if b.tokens >= 1 {
		b.tokens--
		return 0
	}
	return time.Duration((1 - b.tokens) / r.PerSecond * float64(time.Second))
}

// middleware counts every request, apart from those that give something back.
func (r *rates) middleware(next echo.HandlerFunc) echo.HandlerFunc {
	if r.of == nil {
		return next
	}
	return func(c echo.Context) error {
		tenant := Tenant(c)
		rate := r.of(tenant)
		if rate.PerSecond <= 0 || c.Request().Method == http.MethodDelete {
			return next(c)
		}
		known, ok := r.buckets.Load(tenant)
		if !ok {
			known, _ = r.buckets.LoadOrStore(tenant, &bucket{})
		}
		if wait := known.(*bucket).take(rate, time.Now()); wait > 0 {
			return &problem{
				kind: kindQuota, retryAfter: wait,
				detail: "Your tenant sends more requests than its rate allows. Send them more slowly; this one was not looked at.",
			}
		}
		return next(c)
	}
}

package server

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/codecell/codecell/bridge"
)

// AnswerBounds bound what is remembered of requests with an Idempotency-Key. Zero values take the defaults. TenantEntries
// and TenantBytes are for one tenant; by default half of the rest, or all of it when there is only one.
type AnswerBounds struct {
	// Entries is how many keys are remembered, each for 15 minutes and with about 1 KiB beside its answer. Default 65,536.
	Entries       int
	TenantEntries int
	// Bytes is how many bytes of answers are kept. Default 64 MiB.
	Bytes       int64
	TenantBytes int64
}

func (b AnswerBounds) withDefaults(severalTenants bool) AnswerBounds {
	if b.Entries <= 0 {
		b.Entries = 1 << 16
	}
	if b.Bytes <= 0 {
		b.Bytes = 64 << 20
	}
	if b.TenantEntries <= 0 {
		b.TenantEntries = int(tenantShare(int64(b.Entries), severalTenants))
	}
	if b.TenantBytes <= 0 {
		b.TenantBytes = tenantShare(b.Bytes, severalTenants)
	}
	return b
}

// tenantShare is what one tenant may have when nothing else is configured.
func tenantShare(all int64, severalTenants bool) int64 {
	if !severalTenants {
		return all
	}
	return (all + 1) / 2
}

const (
	answerTTL = 15 * time.Minute
	// answerBatch is how many entries are dropped before others may use the store.
	answerBatch = 256
	// answerRetry is when it is worth asking again for room.
	answerRetry = time.Minute
)

// slot is the place of a key in the store.
type slot struct{ tenant, route, turn, key string }

// outcome is what became of a request. body and err are set before done is closed and never after.
type outcome struct {
	done chan struct{}
	body []byte
	err  error
}

// notKept is the outcome of a request whose answer had to make room.
var notKept = &outcome{done: closedChannel(), err: &problem{
	kind: kindConflict, key: headerIdempotency,
	detail: "This request was answered, and the answer is not kept any more: there was no room for it, or for your tenant's newer ones. " +
		"It was not run again. To run it anew, take a new key.",
}}

func closedChannel() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// entry is a key that is remembered.
type entry struct {
	slot    slot
	digest  [sha256.Size]byte
	outcome *outcome
	expires time.Time
	kept    *list.Element // in bodies of its tenant, nil without an answer
}

// tenantAnswers is what is remembered for one tenant.
type tenantAnswers struct {
	entries int
	bytes   int64
	bodies  *list.List // of *entry with an answer, oldest first
}

// answers keeps finished answers so that a retry gets the first one and runs nothing twice (contract I3, H6).
//
// A key is remembered until it expires, whatever happens: a tenant that has used up its entries is refused new keys. An
// answer is kept for as long as its tenant has room for it; then the tenant's own oldest ones go, and a retry of theirs is
// told so instead of running again. Nothing that one tenant does takes another's.
type answers struct {
	bounds AnswerBounds
	now    func() time.Time

	mu       sync.Mutex
	bySlot   map[slot]*entry
	finished *list.List // of *entry, oldest first: all live equally long
	tenants  map[string]*tenantAnswers
	bytes    int64
}

func newAnswers(b AnswerBounds) *answers {
	return &answers{
		bounds: b, now: time.Now, bySlot: map[slot]*entry{}, finished: list.New(), tenants: map[string]*tenantAnswers{},
	}
}

// claim returns the outcome of a slot; mine tells that the caller must produce it.
func (a *answers) claim(at slot, digest [sha256.Size]byte) (o *outcome, mine bool, err error) {
	for {
		o, mine, err = a.tryClaim(at, digest)
		if err == nil || !a.expire() {
			return o, mine, err
		}
	}
}

func (a *answers) tryClaim(at slot, digest [sha256.Size]byte) (*outcome, bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expireSome(2) // more than come, so that what has expired never piles up
	if e := a.bySlot[at]; e != nil {
		if e.digest != digest {
			return nil, false, &problem{
				kind: kindReused, key: headerIdempotency,
				detail: "This Idempotency-Key was used with a different body. Repeat that request exactly, or take a new key.",
			}
		}
		return e.outcome, false, nil
	}
	t := a.tenants[at.tenant]
	if t == nil {
		t = &tenantAnswers{bodies: list.New()}
	}
	if err := a.room(t); err != nil {
		return nil, false, err
	}
	t.entries++
	a.tenants[at.tenant] = t
	e := &entry{slot: at, digest: digest, outcome: &outcome{done: make(chan struct{})}}
	a.bySlot[at] = e
	return e.outcome, true, nil
}

// room says whether a tenant may have one more entry. It needs mu.
func (a *answers) room(t *tenantAnswers) error {
	const advice = "Each is remembered for 15 minutes. Send the request again later, or without an Idempotency-Key."
	switch {
	case t.entries >= a.bounds.TenantEntries:
		return &problem{
			kind: kindQuota, key: headerIdempotency, retryAfter: answerRetry,
			detail: "Your tenant has used as many idempotency keys as it may. " + advice,
		}
	case len(a.bySlot) >= a.bounds.Entries:
		return &problem{
			kind: kindOverloaded, key: headerIdempotency, retryAfter: answerRetry,
			detail: "The service remembers as many idempotency keys as it may. " + advice,
		}
	}
	return nil
}

// finish publishes the outcome of a claimed slot. A refusal is shared with those who wait, then forgotten: nothing ran, so
// a retry may.
func (a *answers) finish(at slot, body []byte, err error) {
	if errors.Is(err, context.Canceled) {
		// The next request with this key did not give up: it must be told what became of the first, and must not run the
		// cell again.
		err = &problem{
			kind: kindConflict, key: headerIdempotency,
			detail: "The first request with this Idempotency-Key was given up by its client before it had an answer. To run it anew, take a new key.",
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	e := a.bySlot[at]
	e.outcome.body, e.outcome.err = body, err
	close(e.outcome.done)
	var refusal *bridge.Error
	if errors.As(err, &refusal) {
		a.remove(e)
		return
	}
	e.expires = a.now().Add(answerTTL)
	a.finished.PushBack(e)
	if err == nil && !a.keep(e) {
		e.outcome = notKept
	}
}

// keep makes room for an answer among those of its tenant. It tells whether there is any. It needs mu.
func (a *answers) keep(e *entry) bool {
	size, t := int64(len(e.outcome.body)), a.tenants[e.slot.tenant]
	if size > a.bounds.TenantBytes {
		return false
	}
	for range answerBatch {
		if t.bytes+size <= a.bounds.TenantBytes && a.bytes+size <= a.bounds.Bytes {
			e.kept = t.bodies.PushBack(e)
			t.bytes += size
			a.bytes += size
			return true
		}
		oldest := t.bodies.Front()
		if oldest == nil {
			return false
		}
		a.dropBody(oldest.Value.(*entry))
	}
	return false
}

// dropBody forgets the answer of an entry and not that there was one. It needs mu.
func (a *answers) dropBody(e *entry) {
	if e.kept == nil {
		return
	}
	t, size := a.tenants[e.slot.tenant], int64(len(e.outcome.body))
	t.bodies.Remove(e.kept)
	t.bytes -= size
	a.bytes -= size
	e.kept, e.outcome = nil, notKept
}

// remove forgets an entry. It needs mu.
func (a *answers) remove(e *entry) {
	a.dropBody(e)
	delete(a.bySlot, e.slot)
	t := a.tenants[e.slot.tenant]
	if t.entries--; t.entries == 0 {
		delete(a.tenants, e.slot.tenant)
	}
}

// expire drops a batch of what has expired. It tells whether there was any.
func (a *answers) expire() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.expireSome(answerBatch) > 0
}

// expireSome drops at most n entries that have expired and says how many. It needs mu.
func (a *answers) expireSome(n int) (dropped int) {
	for now := a.now(); dropped < n; dropped++ {
		oldest := a.finished.Front()
		if oldest == nil || now.Before(oldest.Value.(*entry).expires) {
			break
		}
		a.remove(a.finished.Remove(oldest).(*entry))
	}
	return dropped
}

func (o *outcome) await(ctx context.Context) ([]byte, error) {
	select {
	case <-o.done:
		return o.body, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

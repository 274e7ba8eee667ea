package server

import (
	"container/list"
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/bridge"
)

const (
	headerIdempotency = "Idempotency-Key"
	// headerReplayed marks an answer that an earlier request produced.
	headerReplayed = "Idempotency-Replayed"

	maxIdempotencyKey = 255
	answerTTL         = 15 * time.Minute
	maxAnswers        = 10_000
	maxAnswerBytes    = 64 << 20
)

// request is what identifies a request to the answer store.
type request struct {
	route, turn string
	path        string // differs within a route where the path names a run
	body        []byte
}

func (r request) digest() [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte(r.path))
	h.Write([]byte{0})
	h.Write(r.body)
	return [sha256.Size]byte(h.Sum(nil))
}

// slot is the place of a key in the store.
type slot struct{ tenant, route, turn, key string }

// answer is one request's outcome. body and err are set before done is closed
// and never after.
type answer struct {
	slot    slot
	digest  [sha256.Size]byte
	done    chan struct{}
	body    []byte
	err     error
	expires time.Time
	order   *list.Element
}

// answers keeps finished answers so that a retry gets the first one and runs
// nothing twice (contract I3). All entries live equally long, so one list in
// order of completion serves expiry and both bounds; entries still running are
// in the map alone, and the number of open requests bounds them.
type answers struct {
	now func() time.Time

	mu       sync.Mutex
	bySlot   map[slot]*answer
	finished *list.List // of *answer, oldest first
	bytes    int
}

func newAnswers() *answers {
	return &answers{now: time.Now, bySlot: map[slot]*answer{}, finished: list.New()}
}

// claim returns the answer of a slot; mine tells that the caller must produce it.
func (a *answers) claim(at slot, digest [sha256.Size]byte) (found *answer, mine bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expire()
	if found = a.bySlot[at]; found != nil {
		if found.digest != digest {
			return nil, false, &problem{
				kind: kindReused, key: headerIdempotency,
				detail: "This Idempotency-Key was used with a different body. Repeat that request exactly, or take a new key.",
			}
		}
		return found, false, nil
	}
	found = &answer{slot: at, digest: digest, done: make(chan struct{})}
	a.bySlot[at] = found
	return found, true, nil
}

// finish publishes the outcome of a claimed answer. A refusal is shared with
// those who wait, then forgotten: nothing ran, so a retry may.
func (a *answers) finish(e *answer, body []byte, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if errors.Is(err, context.Canceled) {
		// The next request with this key did not give up: it must be told what
		// became of the first, and must not run the cell again.
		err = &problem{
			kind: kindConflict, key: headerIdempotency,
			detail: "The first request with this Idempotency-Key was given up by its client before it had an answer. To run it anew, take a new key.",
		}
	}
	e.body, e.err = body, err
	close(e.done)
	var refusal *bridge.Error
	if errors.As(err, &refusal) {
		delete(a.bySlot, e.slot)
		return
	}
	e.expires = a.now().Add(answerTTL)
	e.order = a.finished.PushBack(e)
	a.bytes += e.size()
	for a.finished.Len() > maxAnswers || a.bytes > maxAnswerBytes {
		a.remove(a.finished.Front())
	}
}

func (a *answers) expire() {
	now := a.now()
	for oldest := a.finished.Front(); oldest != nil && !now.Before(oldest.Value.(*answer).expires); oldest = a.finished.Front() {
		a.remove(oldest)
	}
}

func (a *answers) remove(at *list.Element) {
	e := a.finished.Remove(at).(*answer)
	a.bytes -= e.size()
	delete(a.bySlot, e.slot)
}

// size counts what an entry holds; the constant stands for its own fields.
func (e *answer) size() int {
	return 256 + len(e.body) + len(e.slot.tenant) + len(e.slot.route) + len(e.slot.turn) + len(e.slot.key)
}

// answerOnce sends what produce appends. With an Idempotency-Key, produce runs at
// most once for each key, turn and route of a tenant; who comes second waits.
func (s *Server) answerOnce(c echo.Context, of request, produce func(dst []byte) ([]byte, error)) error {
	keys := c.Request().Header[headerIdempotency]
	if len(keys) == 0 {
		buffer := takeBuffer()
		defer giveBuffer(buffer)
		var err error
		if *buffer, err = produce(*buffer); err != nil {
			return err
		}
		return send(c, http.StatusOK, mimeJSON, *buffer)
	}
	if err := checkIdempotencyKey(keys); err != nil {
		return err
	}
	e, mine, err := s.answers.claim(slot{Tenant(c), of.route, of.turn, keys[0]}, of.digest())
	if err != nil {
		return err
	}
	if mine {
		s.produce(e, produce)
	} else {
		c.Response().Header().Set(headerReplayed, "true")
	}
	body, err := e.await(c.Request().Context())
	if err != nil {
		return err
	}
	return send(c, http.StatusOK, mimeJSON, body)
}

// produce fills a claimed answer, whatever happens: a claim that is never
// finished would block its key for good.
func (s *Server) produce(e *answer, produce func([]byte) ([]byte, error)) {
	body, err := []byte(nil), error(&problem{kind: kindInternal})
	defer func() { s.answers.finish(e, body, err) }()
	body, err = produce(nil)
}

func (e *answer) await(ctx context.Context) ([]byte, error) {
	select {
	case <-e.done:
		return e.body, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func checkIdempotencyKey(keys []string) error {
	key := keys[0]
	if len(keys) > 1 || key == "" || len(key) > maxIdempotencyKey {
		return invalid(headerIdempotency, "Send one Idempotency-Key of 1 to 255 bytes.")
	}
	for i := range len(key) {
		if key[i] < 0x20 || key[i] > 0x7e {
			return invalid(headerIdempotency, "An Idempotency-Key is printable ASCII.")
		}
	}
	return nil
}

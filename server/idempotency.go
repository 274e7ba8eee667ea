package server

import (
	"context"
	"crypto/sha256"
	"net/http"

	"github.com/labstack/echo/v4"
)

const (
	headerIdempotency = "Idempotency-Key"
	// headerReplayed marks an answer that an earlier request produced.
	headerReplayed = "Idempotency-Replayed"

	maxIdempotencyKey = 255
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

// producer appends an answer to dst. It returns dst also with an error.
type producer = func(ctx context.Context, dst []byte) ([]byte, error)

// answerOnce sends what produce appends. With an Idempotency-Key, produce runs at most once for each key, turn and
// route of a tenant; who comes second waits. A client that asks for events gets them as well (contract I5).
func (s *Server) answerOnce(c echo.Context, of request, produce producer) error {
	keys := c.Request().Header[headerIdempotency]
	streams := (of.route == "exec" || of.route == "wait") && wantsEvents(c)
	switch {
	case len(keys) > 0:
		return s.answerKeyed(c, of, keys, streams, produce)
	case streams:
		return s.streamAnswer(c, func(ctx context.Context) ([]byte, error) { return produce(ctx, nil) })
	}
	buffer := takeBuffer()
	defer giveBuffer(buffer)
	var err error
	if *buffer, err = produce(c.Request().Context(), *buffer); err != nil {
		return err
	}
	return send(c, http.StatusOK, mimeJSON, *buffer)
}

func (s *Server) answerKeyed(c echo.Context, of request, keys []string, streams bool, produce producer) error {
	if err := checkIdempotencyKey(keys); err != nil {
		return err
	}
	at := slot{Tenant(c), of.route, of.turn, keys[0]}
	first, mine, err := s.answers.claim(at, of.digest())
	if err != nil {
		return err
	}
	if !mine {
		c.Response().Header().Set(headerReplayed, "true")
	}
	give := func(ctx context.Context) ([]byte, error) {
		if mine {
			s.produce(ctx, at, produce)
		}
		return first.await(ctx)
	}
	if streams {
		return s.streamAnswer(c, give)
	}
	body, err := give(c.Request().Context())
	if err != nil {
		return err
	}
	return send(c, http.StatusOK, mimeJSON, body)
}

// produce fills a claimed slot, whatever happens: a claim that is never finished would block its key for good.
func (s *Server) produce(ctx context.Context, at slot, produce producer) {
	body, err := []byte(nil), error(&problem{kind: kindInternal})
	defer func() { s.answers.finish(at, body, err) }()
	body, err = produce(ctx, nil)
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

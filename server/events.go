package server

import (
	"context"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/bridge/events"
)

const mimeEvents = "text/event-stream"

// headerLastEvent is how a client that comes back says what it has heard last.
const headerLastEvent = "Last-Event-ID"

// turnEvents is GET /v1/turns/{id}/events (contract I5).
func (s *Server) turnEvents(c echo.Context) error {
	turn, err := s.backend.Turn(Tenant(c), pathParam(c, "id"))
	if err != nil {
		return err
	}
	return s.stream(c, turn.Follow)
}

// runEvents is GET /v1/runs/{runId}/events (contract I5).
func (s *Server) runEvents(c echo.Context) error {
	return s.stream(c, func(after string) (*events.Listener, error) {
		return s.backend.FollowRun(Tenant(c), pathParam(c, "runId"), after)
	})
}

// stream sends what a listener hears until there is no more, or the client has gone.
func (s *Server) stream(c echo.Context, follow func(after string) (*events.Listener, error)) error {
	leave, err := s.streams.take(Tenant(c))
	if err != nil {
		return err
	}
	defer leave()
	at, err := follow(c.Request().Header.Get(headerLastEvent))
	if err != nil {
		return err
	}
	defer at.Close()
	w := newEventWriter(c)
	if c.Request().Method == http.MethodHead {
		w.begin()
		return nil
	}
	w.comeBack()
	w.place(at)
	w.follow(at, c.Request().Context().Done(), true)
	return w.flush()
}

// wantsEvents says whether the client of an exec or wait prefers events to JSON.
func wantsEvents(c echo.Context) bool {
	var asked, json float64
	for _, line := range c.Request().Header["Accept"] {
		for part := range strings.SplitSeq(line, ",") {
			if !strings.Contains(part, "event-stream") && !strings.Contains(part, "json") {
				continue
			}
			media, params, err := mime.ParseMediaType(part)
			if err != nil {
				continue
			}
			quality := 1.0
			if q, ok := params["q"]; ok {
				quality, _ = strconv.ParseFloat(q, 64) // what is no number is 0: not wanted
			}
			switch media {
			case mimeEvents:
				asked = max(asked, quality)
			case echo.MIMEApplicationJSON:
				json = max(json, quality)
			}
		}
	}
	return asked > json
}

// patience is how long the answer to an exec or wait waits for more than the run's beginning: until then it may still be
// refused with a status of its own.
const patience = 50 * time.Millisecond

// streamAnswer sends the events of an exec or wait while give is at work on its answer, and then that. A request that is
// refused before anything else happened is answered as ever.
func (s *Server) streamAnswer(c echo.Context, give func(context.Context) ([]byte, error)) error {
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	at := events.NewListener()
	defer at.Close()
	w := newEventWriter(c)
	w.quietUntil = time.Now().Add(patience)
	body, err := w.beside(at, cancel, func() ([]byte, error) { return give(events.With(ctx, at)) })
	switch {
	case err == nil:
		w.event("", "result", body)
	case !w.begun || c.Request().Context().Err() != nil:
		return err
	default:
		p, instance := s.failed(c, err)
		w.event("", "problem", p.document(instance))
	}
	return w.flush()
}

// beside sends the events that the listener hears while work is done. gone is called if the client does not take them.
func (w *eventWriter) beside(at *events.Listener, gone func(), work func() ([]byte, error)) ([]byte, error) {
	over, told := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(told)
		if w.follow(at, over, false); w.err != nil {
			gone()
		}
	}()
	defer func() {
		close(over)
		<-told
	}()
	return work()
}

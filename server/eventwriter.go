package server

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/bridge/events"
)

const (
	// heartbeat is how often a stream on which nothing happens is written to, so that a client that has gone is noticed, and
	// nobody between takes the connection for dead.
	heartbeat = 15 * time.Second
	// writePatience is how long a client may take to make room for what is written.
	writePatience = 30 * time.Second
	// reconnectAfter is how long a client that has lost its connection is asked to wait.
	reconnectAfter = 2 * time.Second
	// maxUnsent is how many bytes are gathered before they are written.
	maxUnsent = 32 << 10
)

// eventWriter writes server-sent events. It belongs to one goroutine at a time.
type eventWriter struct {
	response   *echo.Response
	control    *http.ResponseController
	unsent     []byte
	gathered   int       // events
	begun      bool      // the status has been sent
	quietUntil time.Time // before that the first event is not sent alone
	err        error     // of writing: the client has gone
}

func newEventWriter(c echo.Context) *eventWriter {
	return &eventWriter{response: c.Response(), control: http.NewResponseController(c.Response())}
}

// follow sends what the listener hears until there is no more, the client has gone, or done is closed and all that was told
// by then is gathered. strict ends it where events are lost.
func (w *eventWriter) follow(at *events.Listener, done <-chan struct{}, strict bool) {
	for over := false; w.err == nil; {
		e, more, err := at.Next()
		var missed *events.MissedError
		switch {
		case errors.As(err, &missed):
			w.missed(missed)
			if strict && missed.Events > 0 {
				return
			}
		case errors.Is(err, io.EOF), more != nil && over:
			return
		case more != nil:
			over = w.wait(at, more, done)
		default:
			w.event(e.ID, e.Name, e.Data)
			if len(w.unsent) >= maxUnsent {
				_ = w.flush()
			}
		}
	}
}

// wait sends what is gathered and waits for more. It returns true when done is closed.
func (w *eventWriter) wait(at *events.Listener, more, done <-chan struct{}) bool {
	patience := heartbeat
	if quiet := time.Until(w.quietUntil); !w.begun && quiet > 0 && w.gathered < 2 {
		patience = quiet
	} else {
		_ = w.flush()
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-more:
	case <-done:
		return true
	case <-timer.C:
		if patience == heartbeat {
			w.place(at)
		}
	}
	return false
}

// begin sends the headers.
func (w *eventWriter) begin() {
	w.begun = true
	h := w.response.Header()
	h.Set("Content-Type", mimeEvents)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // asks a proxy not to gather what is sent
	h["X-Content-Type-Options"] = noSniff
	w.response.WriteHeader(http.StatusOK)
}

// flush writes what is gathered. After the first error nothing is written any more.
func (w *eventWriter) flush() error {
	if w.err != nil || len(w.unsent) == 0 {
		return w.err
	}
	if !w.begun {
		w.begin()
	}
	_ = w.control.SetWriteDeadline(time.Now().Add(writePatience)) // where it can't be set, the server's own holds
	if _, w.err = w.response.Write(w.unsent); w.err == nil {
		w.err = w.control.Flush()
	}
	w.unsent = w.unsent[:0]
	return w.err
}

// place says which event the client has heard last, without telling one, and that the stream is alive.
func (w *eventWriter) place(at *events.Listener) {
	w.id(at.At())
	w.unsent = append(w.unsent, ":\n\n"...)
}

// comeBack says how soon a client that loses the connection may come back.
func (w *eventWriter) comeBack() {
	w.unsent = append(strconv.AppendInt(append(w.unsent, "retry: "...), reconnectAfter.Milliseconds(), 10), '\n')
}

// missed tells of events that are lost to the client.
func (w *eventWriter) missed(m *events.MissedError) {
	data := []byte("{}")
	if m.Events > 0 {
		data = append(strconv.AppendUint([]byte(`{"events":`), m.Events, 10), '}')
	}
	w.event("", "missed", data)
}

func (w *eventWriter) id(id string) {
	if id != "" {
		w.unsent = append(append(append(w.unsent, "id: "...), id...), '\n')
	}
}

// event gathers an event. Its id may be empty.
func (w *eventWriter) event(id, name string, data []byte) {
	w.gathered++
	w.id(id)
	w.unsent = append(append(append(w.unsent, "event: "...), name...), "\ndata: "...)
	from := len(w.unsent)
	w.unsent = append(w.unsent, data...)
	for i, c := range w.unsent[from:] {
		if c == '\n' || c == '\r' { // in JSON that is white space, and here it would end the line
			w.unsent[from+i] = ' '
		}
	}
	w.unsent = append(w.unsent, "\n\n"...)
}

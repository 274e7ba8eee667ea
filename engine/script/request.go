package script

import (
	"context"
	"errors"
	"time"
)

// Request is a cell that is to be prepared under limits.
type Request struct {
	// Tenant is who pays for it, and with whom it shares what is kept of earlier cells.
	Tenant   string
	Code     string
	Language Language
	Options  Options
	// Limit bounds how long a parser may be busy with it, by the wall clock.
	Limit time.Duration
}

// Preparer prepares cells as Prepare does, under limits (contract H6). It is safe for concurrent use.
type Preparer interface {
	// Prepare also returns how much processor time the parsers took. If they took too long, or too much memory, or the
	// cell is refused for any other reason, the error is an *Error. It wraps ErrBusy if the cell was not tried since others
	// were, ErrUnavailable if there is nothing to try it with, and is that of ctx if it has ended.
	Prepare(ctx context.Context, r Request) (*Source, time.Duration, error)
}

var (
	// ErrBusy means that a cell was not tried: too many others are being prepared. The same cell may be tried again.
	ErrBusy = errors.New("too many cells are being prepared")
	// ErrUnavailable means that no cell that needs a parser can be prepared now, whatever it is.
	ErrUnavailable = errors.New("no parser can be started")
)

// InProcess is a Preparer that knows no limits: it is for cells that are trusted, and for tests.
type InProcess struct{}

// Prepare implements Preparer.
func (InProcess) Prepare(_ context.Context, r Request) (*Source, time.Duration, error) {
	text, source, err := Check(r.Code, r.Language, r.Options)
	if err != nil || source != nil {
		return source, 0, err
	}
	start := time.Now()
	source, err = Parse(text, r.Language, r.Options)
	return source, time.Since(start), err
}

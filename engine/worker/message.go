package worker

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/frame"
	"github.com/codecell/codecell/engine/internal/wire"
)

// The kinds of frames. On a connection the parent sends requests and the worker replies, one at a time; on the control
// stream both send what they have. Numbers are little-endian.
const (
	requestStep      = 'S' // step
	requestRestore   = 'R' // restore
	requestImage     = 'I' // u64 guest
	requestFootprint = 'F' // u64 guest

	replyStep      = 's' // outcome, u64 wall, u64 processor (ns), u64 bytes of heap, u8 flags, effects
	replyRestored  = 'r' // outcome
	replyImage     = 'i' // outcome, image
	replyFootprint = 'f' // outcome, u64 bytes
	replyCatalog   = 'c' // nothing: the catalog that the guest was to see is not known here

	controlHello     = 'H' // JSON of Settings
	controlReady     = 'h' // JSON of ready
	controlPing      = 'P' // u32 n, n times u64: guests to close
	controlPong      = 'p' // u32: heaps
	controlInterrupt = 'X' // u64 guest
	controlRaise     = 'T' // u32 thread: it let others go first, and gets nowhere
)

// stepRequest asks for a step.
type stepRequest struct {
	guest    uint64
	until    time.Duration // the guest's deadline, by the machine's monotonic clock
	fresh    bool          // the guest is to be made
	catalog  catalog
	long     bool // the run has used much already: see engine.Claim
	replayed bool // it was executed before: clock is what was read then
	clock    []engine.ClockRun
	closed   []uint64 // guests that are to be closed afterwards
	input    []byte
}

// catalog is what a guest sees of the tools, by its number. Workers keep those that they have seen; known says that the text
// is left out.
type catalog struct {
	id    uint64
	known bool
	text  []byte
}

const (
	flagFresh = 1 << iota
	flagReplayed
	flagKnown
	flagLong
)

func (s *stepRequest) append(b []byte) []byte {
	var flags byte
	if s.fresh {
		flags |= flagFresh
	}
	if s.replayed {
		flags |= flagReplayed
	}
	if s.catalog.known {
		flags |= flagKnown
	}
	if s.long {
		flags |= flagLong
	}
	b = append(b, flags)
	b = wire.U64(b, s.guest)
	b = wire.U64(b, uint64(s.until))
	b = appendGuests(b, s.closed)
	if s.fresh {
		b = s.catalog.append(b)
	}
	if s.replayed {
		b = wire.U32(b, len(s.clock))
		for _, r := range s.clock {
			b = wire.U64(b, uint64(r.Millis))
			b = wire.U32(b, int(r.Count))
		}
	}
	return append(b, s.input...)
}

func (s *stepRequest) parse(b []byte) error {
	r := read(b)
	flags := r.U8()
	s.fresh, s.replayed, s.catalog.known = flags&flagFresh != 0, flags&flagReplayed != 0, flags&flagKnown != 0
	s.long = flags&flagLong != 0
	s.guest, s.until, s.closed = r.U64(), time.Duration(r.U64()), r.guests()
	if s.fresh {
		s.catalog.parse(r)
	}
	if s.replayed {
		const size = 12
		for range r.Count(size) {
			s.clock = append(s.clock, engine.ClockRun{Millis: int64(r.U64()), Count: r.U32()})
		}
	}
	s.input = r.Rest()
	return r.err()
}

func (c *catalog) append(b []byte) []byte {
	b = wire.U64(b, c.id)
	if c.known {
		return b
	}
	return wire.Text(b, c.text)
}

func (c *catalog) parse(r *reader) {
	if c.id = r.U64(); !c.known {
		c.text = r.Text()
	}
}

// restoreRequest asks for a guest made of an image.
type restoreRequest struct {
	guest   uint64
	catalog catalog
	image   []byte
}

func (r *restoreRequest) append(b []byte) []byte {
	var flags byte
	if r.catalog.known {
		flags |= flagKnown
	}
	b = append(b, flags)
	b = wire.U64(b, r.guest)
	b = r.catalog.append(b)
	return append(b, r.image...)
}

func (r *restoreRequest) parse(b []byte) error {
	from := read(b)
	r.catalog.known = from.U8()&flagKnown != 0
	r.guest = from.U64()
	r.catalog.parse(from)
	r.image = from.Rest()
	return from.err()
}

// stepReply is what became of a step. raw are its effects, nil if there are none. closed says that no other step can follow and
// that the worker closes the guest by itself: right after the step is cheapest, since what the guest wrote still lies in
// the cache.
type stepReply struct {
	err       error
	wall, cpu time.Duration
	heap      int
	closed    bool
	raw       []byte
}

const (
	flagEffects = 1 << iota
	flagGuestClosed
)

func (s *stepReply) append(b []byte) []byte {
	b = appendOutcome(b, s.err)
	b = wire.U64(b, uint64(s.wall))
	b = wire.U64(b, uint64(s.cpu))
	b = wire.U64(b, uint64(s.heap))
	var flags byte
	if s.closed {
		flags |= flagGuestClosed
	}
	if s.raw != nil {
		flags |= flagEffects
	}
	return append(append(b, flags), s.raw...)
}

func (s *stepReply) parse(b []byte) error {
	r := read(b)
	s.err = r.outcome()
	s.wall, s.cpu = r.duration(), r.duration()
	s.heap = int(min(r.U64(), 1<<40))
	flags := r.U8()
	s.closed = flags&flagGuestClosed != 0
	if flags&flagEffects != 0 {
		s.raw = r.Rest()
		if s.raw == nil {
			s.raw = []byte{}
		}
	}
	return r.err()
}

// The errors of engines, in the order of their numbers; zero is none. What is not among them is errOther.
var outcomes = []error{
	nil,
	engine.ErrTimeout, engine.ErrStopped, engine.ErrMemory, engine.ErrOutput, engine.ErrOverloaded, engine.ErrClosed,
	engine.ErrBroken, engine.ErrDiverged, engine.ErrImage, engine.ErrProtocol, engine.ErrPinned, errOther,
}

// errOther stands for errors of an engine that are not listed.
var errOther = errors.New("the worker's engine failed")

// maxDetail is how many bytes of an error's text travel along, for the log.
const maxDetail = 500

// appendOutcome appends u8 number, u32 length, text.
func appendOutcome(b []byte, err error) []byte {
	if err == nil {
		return append(b, 0, 0, 0, 0, 0)
	}
	number := len(outcomes) - 1
	for n, known := range outcomes[1:number] {
		if errors.Is(err, known) {
			number = n + 1
			break
		}
	}
	text := err.Error()
	if text == outcomes[number].Error() {
		text = ""
	}
	return wire.Text(append(b, byte(number)), []byte(text[:min(len(text), maxDetail)]))
}

// reader takes values off the front of a frame's body.
type reader struct{ wire.Reader }

func read(body []byte) *reader { return &reader{wire.Read(body)} }

// maxDuration keeps durations from the other side so small that they can be added up.
const maxDuration = 24 * time.Hour

func (r *reader) duration() time.Duration { return time.Duration(min(r.U64(), uint64(maxDuration))) }

func (r *reader) guests() []uint64 {
	const size = 8
	n := r.Count(size)
	if n == 0 {
		return nil
	}
	guests := make([]uint64, n)
	for i := range guests {
		guests[i] = r.U64()
	}
	return guests
}

func (r *reader) outcome() error {
	number, text := int(r.U8()), string(r.Text())
	switch {
	case r.Bad() || number >= len(outcomes) || len(text) > maxDetail:
		r.Fail()
		return nil
	case number == 0 || text == "":
		return outcomes[number]
	}
	return &failure{outcomes[number], strings.ToValidUTF8(text, "?")}
}

func (r *reader) err() error {
	if !r.Done() {
		return fmt.Errorf("%w: its body is cut short or too long", frame.ErrProtocol)
	}
	return nil
}

// failure is an engine's error as the worker described it.
type failure struct {
	kind error
	text string
}

func (f *failure) Error() string { return f.text }
func (f *failure) Unwrap() error { return f.kind }

// monotonic is the clock that all processes of a machine share.
func monotonic() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) // fails for no clock that exists
	return time.Duration(t.Nano())
}

func appendGuests(b []byte, guests []uint64) []byte {
	b = wire.U32(b, len(guests))
	for _, g := range guests {
		b = wire.U64(b, g)
	}
	return b
}

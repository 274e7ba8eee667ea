package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"sync"
	"time"
)

// Bounds of what is held while the disk is behind, in bytes. From the first on Ready fails; from the second on lines are lost,
// and counted: those of calls that had begun before.
const (
	maxHeld  = 8 << 20
	mostHeld = 2 * maxHeld
	maxBatch = 1 << 20 // that is written and flushed at once
)

// retryAfter is how long a file is left alone that could not be written.
const retryAfter = time.Second

// file is what a Log needs of one.
type file interface {
	Write(p []byte) (int, error)
	Sync() error
	Close() error
}

// Log appends lines to a file. It is safe for concurrent use.
type Log struct {
	path   string
	logger *slog.Logger
	file   file
	end    chain // of what has been written, and what is being written

	mu      sync.Mutex
	waiting []entry
	held    int // bytes that wait or are being written
	lost    int
	failure error // of the last attempt to write
	closed  bool

	wake chan struct{}
	stop context.Context // when nothing is tried again
	quit context.CancelFunc
	done chan struct{} // the writer has ended
}

type entry struct {
	at      time.Time
	members []byte
}

// entryOverhead is what a line takes beside its members, in bytes.
const entryOverhead = 192

// Open opens a file, which is made if there is none, and goes on with its chain. It fails if the file can't be written, is
// written by another process, or ends with a line that is broken. A last line that is unfinished is noted and left as it is.
func Open(path string, logger *slog.Logger) (*Log, error) {
	f, end, whole, err := openFile(path)
	if err != nil {
		return nil, fmt.Errorf("audit file: %w", err)
	}
	l := newLog(f, end, path, logger)
	if whole != nil {
		logger.Warn("the last line of the audit file is unfinished: the service was killed while it wrote it", "file", path)
	}
	if err := l.begin(whole); err != nil {
		return nil, errors.Join(fmt.Errorf("audit file: %w", err), f.Close())
	}
	go l.run()
	return l, nil
}

func newLog(f file, end chain, path string, logger *slog.Logger) *Log {
	l := &Log{path: path, logger: logger, file: f, end: end, wake: make(chan struct{}, 1), done: make(chan struct{})}
	l.stop, l.quit = context.WithCancel(context.Background())
	return l
}

// begin writes the first line, and an end of the one before if that is unfinished.
func (l *Log) begin(whole *chain) error {
	var batch []byte
	if whole != nil {
		batch = append(batch, '\n')
	}
	if _, err := l.file.Write(l.end.append(batch, time.Now(), opening(whole))); err != nil {
		return err
	}
	return l.file.Sync()
}

// Ready returns nil if what happens now will be in the file, else why it may not.
func (l *Log) Ready() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return errors.New("the audit file is closed")
	case l.failure != nil:
		return errors.New("the audit file can't be written")
	case l.held >= maxHeld:
		return errors.New("the audit file is written too slowly")
	}
	return nil
}

// Append has a line written: the members of a JSON object, without braces. It does not wait for that, and keeps members.
func (l *Log) Append(members []byte) {
	size := len(members) + entryOverhead
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.held+size > mostHeld {
		l.lost++
		return
	}
	l.held += size
	l.waiting = append(l.waiting, entry{time.Now(), members})
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Close writes what is left, for as long as ctx lasts, and closes the file. It fails if lines are lost.
func (l *Log) Close(ctx context.Context) error {
	l.mu.Lock()
	if !l.closed {
		l.waiting = append(l.waiting, entry{time.Now(), []byte(`"type":"closed"`)})
		l.held += entryOverhead
	}
	l.closed = true
	l.mu.Unlock()
	defer context.AfterFunc(ctx, l.quit)()
	select {
	case l.wake <- struct{}{}:
	default:
	}
	<-l.done
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failure != nil || l.lost+len(l.waiting) > 0 {
		return fmt.Errorf("audit file: not all lines were written: %w", errors.Join(l.failure, ctx.Err()))
	}
	return nil
}

// run writes lines until the log is closed and all are written, or there is no more time for that.
func (l *Log) run() {
	defer close(l.done)
	defer func() {
		if err := l.file.Close(); err != nil {
			l.logger.Error("the audit file could not be closed", "file", l.path, "error", err)
		}
	}()
	for {
		batch, size, closed := l.batch()
		if batch == nil {
			if closed {
				return
			}
			<-l.wake
			continue
		}
		if !l.write(batch) {
			return
		}
		l.mu.Lock()
		l.held -= size
		l.mu.Unlock()
	}
}

// batch takes lines that wait, and makes the text of them. size is how many bytes are held for them.
func (l *Log) batch() (text []byte, size int, closed bool) {
	l.mu.Lock()
	n := 0
	for n < len(l.waiting) && size < maxBatch {
		size += len(l.waiting[n].members) + entryOverhead
		n++
	}
	taken := l.waiting[:n:n]
	if l.waiting = l.waiting[n:]; len(l.waiting) == 0 {
		l.waiting = nil
	}
	lost := l.lost
	l.lost = 0
	closed = l.closed
	l.mu.Unlock()
	if lost > 0 {
		members := strconv.AppendInt([]byte(`"type":"lost","lines":`), int64(lost), 10)
		text = l.end.append(text, time.Now(), members)
	}
	for _, e := range taken {
		text = l.end.append(text, e.at, e.members)
	}
	return text, size, closed
}

// write writes a text and flushes it to the disk, however often that takes. It returns false when it has to give up.
func (l *Log) write(text []byte) bool {
	for {
		n, err := l.file.Write(text)
		if text = text[n:]; err == nil && len(text) == 0 {
			err = l.file.Sync()
		}
		l.note(err)
		if err == nil {
			return true
		}
		select {
		case <-l.stop.Done():
			return false
		case <-time.After(retryAfter):
		}
	}
}

// note tells the operator when the file can't be written any more, and when it can again.
func (l *Log) note(err error) {
	l.mu.Lock()
	was := l.failure
	l.failure = err
	l.mu.Unlock()
	switch {
	case err != nil && was == nil:
		l.logger.Error("the audit file can't be written; calls of tools are refused", "file", l.path, "error", err)
	case err == nil && was != nil:
		l.logger.Info("the audit file is written again", "file", l.path)
	}
}

var _ file = (*os.File)(nil)

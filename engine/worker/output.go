package worker

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// outputHead keeps the beginning of what a worker writes to standard error, where a crash is described.
type outputHead struct {
	mu   sync.Mutex
	text bytes.Buffer
}

var _ io.Writer = (*outputHead)(nil)

const maxOutputHead = 4 << 10

// Write implements io.Writer. It accepts everything.
func (h *outputHead) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Write(b[:min(len(b), maxOutputHead-h.text.Len())])
	return len(b), nil
}

func (h *outputHead) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(h.text.String()), "?")
}

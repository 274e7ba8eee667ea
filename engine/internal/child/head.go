package child

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// head keeps the beginning of what is written to it. It is safe for concurrent use.
type head struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const headBytes = 4 << 10

var _ io.Writer = (*head)(nil)

// Write implements io.Writer and takes everything.
func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text.Write(b[:min(len(b), headBytes-h.text.Len())])
	return len(b), nil
}

func (h *head) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(h.text.String()), "?")
}

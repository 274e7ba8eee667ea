package events

import (
	"sync"

	"github.com/codecell/codecell/bridge/internal/account"
)

// Hub finds the logs that tell of a run. Its lock is taken inside those of logs, and nothing inside it.
type Hub struct {
	mu    sync.Mutex
	byRun map[string]*Log
}

// NewHub returns a hub without logs.
func NewHub() *Hub { return &Hub{byRun: map[string]*Log{}} }

// NewLog begins a log for a turn of the tenant, whose account is charged for what is kept. forget is called when nobody has
// listened for Linger: the log is closed then, and another one may take its place. The log must get a listener, or be ended.
func (h *Hub) NewLog(tenant string, held *account.Account, forget func()) *Log {
	return newLog(h, tenant, held, forget)
}

// Find returns the log of the tenant that tells of a run, nil if there is none.
func (h *Hub) Find(tenant, run string) *Log {
	h.mu.Lock()
	defer h.mu.Unlock()
	if l := h.byRun[run]; l != nil && l.tenant == tenant {
		return l
	}
	return nil
}

func (h *Hub) put(run string, l *Log) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.byRun[run] = l
}

// remove forgets that the log tells of the run, if that is what the hub knows.
func (h *Hub) remove(run string, l *Log) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.byRun[run] == l {
		delete(h.byRun, run)
	}
}

package worker

import (
	"sync"
	"time"
)

// largeReplyBytes is how much all replies that don't fit a connection's ordinary buffer may take at once, while they are
// read and decoded. A worker may answer each step with as much as a heap holds, so one that was taken over, or many cells at
// once, could otherwise fill the memory of the service.
const largeReplyBytes = 256 << 20

// largeReplyTime is how long a reply that had to wait for others may take to arrive.
const largeReplyTime = time.Second

// replyBudget is what is left of largeReplyBytes. It is safe for concurrent use.
type replyBudget struct {
	mu    sync.Mutex
	freed sync.Cond
	free  int
}

func newReplyBudget() *replyBudget {
	b := &replyBudget{free: largeReplyBytes}
	b.freed.L = &b.mu
	return b
}

// acquire waits until n bytes are free, or all of them for a larger reply, and returns how many release gives back.
// Whoever holds some is reading under a deadline, so the wait ends.
func (b *replyBudget) acquire(n int) int {
	n = min(n, largeReplyBytes)
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.free < n {
		b.freed.Wait()
	}
	b.free -= n
	return n
}

func (b *replyBudget) release(n int) {
	b.mu.Lock()
	b.free += n
	b.mu.Unlock()
	b.freed.Broadcast()
}

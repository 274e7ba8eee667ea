package worker

import (
	"sync"
	"time"

	"github.com/codecell/codecell/engine/internal/frame"
)

// conn is a connection to a worker, on which one request at a time is under way.
type conn struct {
	frame.Conn
	replies  *replyBudget
	reserved int // bytes of it
}

func newConn(socket frame.Socket, replies *replyBudget) *conn {
	c := &conn{Conn: frame.Conn{Socket: socket}, replies: replies}
	c.Large = func(bytes int) {
		began := time.Now()
		c.reserved = replies.acquire(bytes)
		if time.Since(began) > time.Millisecond {
			_ = c.SetReadDeadline(time.Now().Add(largeReplyTime)) // the worker is not why it is late
		}
	}
	return c
}

// finish ends what the last reply took.
func (c *conn) finish() {
	c.Trim()
	if c.reserved > 0 {
		c.replies.release(c.reserved)
		c.reserved = 0
	}
}

// conns lends a worker's connections, the one that was used last first: what it touches still lies in the cache.
type conns struct {
	mu     sync.Mutex
	freed  sync.Cond
	free   []*conn
	all    []*conn
	closed bool
}

func newConns(all []*conn) *conns {
	c := &conns{all: all, free: append([]*conn(nil), all...)}
	c.freed.L = &c.mu
	return c
}

// acquire waits for a free connection. It returns nil if they are closed. There are more of them than steps at once.
func (c *conns) acquire() *conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.free) == 0 && !c.closed {
		c.freed.Wait()
	}
	if c.closed {
		return nil
	}
	n := len(c.free) - 1
	one := c.free[n]
	c.free = c.free[:n]
	return one
}

func (c *conns) release(one *conn) {
	one.finish()
	c.mu.Lock()
	c.free = append(c.free, one)
	c.mu.Unlock()
	c.freed.Signal()
}

func (c *conns) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.freed.Broadcast()
}

package bench

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Load sends one request over and over on connections that are kept alive. Use one goroutine at a time.
//
// Load and service share the machine, so whatever the client spends is missing on the other side: the request is bytes
// made beforehand, and of an answer only what tells whether it is the right one is looked at.
type Load struct {
	connections []*connection
}

// Dial opens the connections. request is what Post returned; want is how the body of each answer must begin.
func Dial(address string, connections int, request, want []byte) (*Load, error) {
	l := &Load{}
	for range connections {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("load: %w", err), l.Close())
		}
		l.connections = append(l.connections, newConnection(c, request, want))
	}
	return l, nil
}

// Run sends n requests, spread over the connections as they become free, and returns when all are answered. It stops at
// the first answer that is not the right one.
func (l *Load) Run(n int) (*Report, error) {
	var left atomic.Int64
	left.Store(int64(n))
	return l.spread(time.Now(), func(c *connection) (*Report, error) { return c.work(&left) })
}

// spread lets every connection work and adds up what they report.
func (l *Load) spread(start time.Time, work func(*connection) (*Report, error)) (*Report, error) {
	reports, failures := make([]*Report, len(l.connections)), make([]error, len(l.connections))
	var all sync.WaitGroup
	for i, c := range l.connections {
		all.Go(func() { reports[i], failures[i] = work(c) })
	}
	all.Wait()
	total := newReport()
	for _, r := range reports {
		total.merge(r)
	}
	total.Elapsed = time.Since(start)
	return total, errors.Join(failures...)
}

// RunAt sends n requests at a steady rate, a second, whether or not earlier ones are answered by then, and measures each
// from the moment when it was due: a service that falls behind is seen to.
func (l *Load) RunAt(rate float64, n int) (*Report, error) {
	due := make(chan time.Time, n)
	start := time.Now()
	for i := range n {
		due <- start.Add(time.Duration(float64(i) / rate * float64(time.Second)))
	}
	close(due)
	return l.spread(start, func(c *connection) (*Report, error) { return c.workAt(due) })
}

// Close closes the connections.
func (l *Load) Close() error {
	var errs []error
	for _, c := range l.connections {
		errs = append(errs, c.conn.Close())
	}
	return errors.Join(errs...)
}

package server

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// callers is a listener to which clients connect in memory. It is closed once.
type callers struct {
	calling chan net.Conn
	closed  chan struct{}
}

func (c *callers) Accept() (net.Conn, error) {
	select {
	case conn := <-c.calling:
		return conn, nil
	case <-c.closed:
		return nil, net.ErrClosed
	}
}

func (c *callers) Close() error {
	close(c.closed)
	return nil
}

func (*callers) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// call connects a client, and returns its end of the connection.
func (c *callers) call() net.Conn {
	ours, theirs := net.Pipe()
	go func() {
		select {
		case c.calling <- theirs:
		case <-c.closed:
		}
	}()
	return ours
}

func TestConnections(t *testing.T) {
	t.Run("H5 connections beyond http.maxConnections wait until others are closed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			const most = 3
			l := &callers{make(chan net.Conn), make(chan struct{})}
			s := newTestServer(t, Options{Backend: newFake(), MaxConnections: most})
			stopping, stop := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- s.Serve(stopping, t.Context(), l, time.Second) }()

			answered := make(chan net.Conn, 2*most)
			for range 2 * most {
				go func() {
					client := l.call()
					fmt.Fprint(client, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
					if answer, err := http.ReadResponse(bufio.NewReader(client), nil); err == nil && answer.Body.Close() == nil {
						answered <- client
					}
				}()
			}
			synctest.Wait()
			require.Len(t, answered, most, "the others are not even accepted")
			for range most {
				require.NoError(t, (<-answered).Close())
			}
			synctest.Wait()
			require.Len(t, answered, most, "each that is closed makes room for another")
			for range most {
				require.NoError(t, (<-answered).Close())
			}
			stop()
			require.NoError(t, <-served)
		})
	})
}

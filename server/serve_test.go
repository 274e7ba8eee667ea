package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

// running is a server on a loopback port.
type running struct {
	address   string
	stop, end context.CancelFunc // as the first and the second signal do
	done      chan error
}

func serve(t *testing.T, s *Server, grace time.Duration) *running {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &running{address: l.Addr().String(), done: make(chan error, 1)}
	var ctx, now context.Context
	ctx, r.stop = context.WithCancel(context.Background())
	now, r.end = context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.done <- s.Serve(ctx, now, l, grace)
	}()
	t.Cleanup(func() {
		r.stop()
		r.end()
		http.DefaultClient.CloseIdleConnections()
		<-ended
	})
	return r
}

func (r *running) post(t *testing.T, path, body string) (int, string) {
	t.Helper()
	answer, err := http.Post("http://"+r.address+path, "application/json", strings.NewReader(body))
	require.NoError(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(text)
}

// dial opens a raw connection, for what no HTTP client would do.
func (r *running) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", r.address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func status(t *testing.T, conn net.Conn) int {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer answer.Body.Close()
	return answer.StatusCode
}

func TestHangUp(t *testing.T) {
	t.Run("G7 a client that goes away ends the cell", func(t *testing.T) {
		f := newFake()
		started, ended := make(chan bool), make(chan error, 1)
		f.exec = func(ctx context.Context, _ bridge.ExecInput) (*bridge.Result, error) {
			close(started)
			<-ctx.Done()
			ended <- ctx.Err()
			return nil, ctx.Err()
		}
		r := serve(t, newTestServer(t, Options{Backend: f}), time.Second)
		conn := r.dial(t)
		fmt.Fprintf(conn, "POST /v1/exec HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(cell), cell)
		<-started
		require.NoError(t, conn.Close())
		require.ErrorIs(t, <-ended, context.Canceled)
	})
	t.Run("G7 a cell outlives the time its body had", func(t *testing.T) {
		f := newFake()
		f.exec = func(ctx context.Context, _ bridge.ExecInput) (*bridge.Result, error) {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(300 * time.Millisecond):
				return completedTwo, nil
			}
		}
		r := serve(t, newTestServer(t, Options{Backend: f, BodyTimeout: 50 * time.Millisecond}), time.Second)
		code, body := r.post(t, "/v1/exec", cell)
		require.Equal(t, 200, code, body)
	})
}

func TestHostileBodies(t *testing.T) {
	const head = "POST /v1/exec HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	r := serve(t, newTestServer(t, Options{Backend: newFake(), BodyTimeout: 100 * time.Millisecond}), time.Second)
	t.Run("I3 a body that does not come", func(t *testing.T) {
		conn := r.dial(t)
		fmt.Fprint(conn, head+"Content-Length: 50\r\n\r\n{")
		require.Equal(t, http.StatusRequestTimeout, status(t, conn))
	})
	t.Run("I3 a chunk that does not come", func(t *testing.T) {
		conn := r.dial(t)
		fmt.Fprint(conn, head+"Transfer-Encoding: chunked\r\n\r\n5\r\n{\"a")
		require.Equal(t, http.StatusRequestTimeout, status(t, conn))
	})
	t.Run("I3 a body that breaks off", func(t *testing.T) {
		conn := r.dial(t)
		fmt.Fprint(conn, head+"Content-Length: 50\r\n\r\n{")
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
		require.Equal(t, http.StatusBadRequest, status(t, conn))
	})
	t.Run("I3 a forged length is refused unread", func(t *testing.T) {
		conn := r.dial(t)
		fmt.Fprint(conn, head+"Content-Length: 99999999999\r\n\r\n")
		require.Equal(t, http.StatusRequestEntityTooLarge, status(t, conn))
	})
	t.Run("I3 chunks without end", func(t *testing.T) {
		conn := serve(t, newTestServer(t, Options{Backend: newFake()}), time.Second).dial(t)
		fmt.Fprint(conn, head+"Transfer-Encoding: chunked\r\n\r\n")
		chunk := "100000\r\n" + strings.Repeat(" ", 1<<20) + "\r\n"
		for range 17 {
			// The server may close before the last of them.
			if _, err := io.WriteString(conn, chunk); err != nil {
				break
			}
		}
		require.Equal(t, http.StatusRequestEntityTooLarge, status(t, conn))
	})
	t.Run("H5 the service goes on", func(t *testing.T) {
		code, _ := r.post(t, "/v1/exec", cell)
		require.Equal(t, 200, code)
	})
}

func TestStop(t *testing.T) {
	t.Run("I1 running cells finish, new ones are refused, results are taken", func(t *testing.T) {
		f := newFake()
		started, release := make(chan bool), make(chan bool)
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
			close(started)
			<-release
			return completedTwo, nil
		}
		closing := make(chan bool)
		f.close = func(ctx context.Context) error {
			close(closing)
			<-release
			return nil
		}
		r := serve(t, newTestServer(t, Options{Backend: f}), time.Minute)
		answer := make(chan string)
		go func() {
			_, body := r.post(t, "/v1/exec", cell)
			answer <- body
		}()
		<-started
		r.stop()
		<-closing
		for _, path := range []string{"/v1/exec", "/v1/wait", "/v1/turns"} {
			code, body := r.post(t, path, cell)
			require.Equal(t, 503, code)
			require.Contains(t, body, "shutting down")
		}
		code, _ := r.post(t, "/v1/runs/run-1/results", `{"turnId":"turn-1"}`)
		require.Equal(t, 200, code)
		ready, err := http.Get("http://" + r.address + "/readyz")
		require.NoError(t, err)
		ready.Body.Close()
		require.Equal(t, 503, ready.StatusCode)
		close(release)
		require.Equal(t, text(completedTwo), <-answer)
		require.NoError(t, <-r.done)
	})
	t.Run("I1 cells that do not finish are ended after the grace period", func(t *testing.T) {
		f := newFake()
		f.close = func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}
		r := serve(t, newTestServer(t, Options{Backend: f}), 20*time.Millisecond)
		r.stop()
		require.NoError(t, <-r.done)
	})
	t.Run("I1 a second signal aborts the cells, and their answers go out", func(t *testing.T) {
		f := newFake()
		started, aborted := make(chan bool), make(chan bool)
		f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) {
			close(started)
			<-aborted
			return completedTwo, nil
		}
		f.close = func(ctx context.Context) error {
			<-ctx.Done()
			close(aborted)
			return nil
		}
		r := serve(t, newTestServer(t, Options{Backend: f}), time.Hour)
		answer := make(chan string)
		go func() {
			_, body := r.post(t, "/v1/exec", cell)
			answer <- body
		}()
		<-started
		r.stop()
		r.end()
		require.Equal(t, text(completedTwo), <-answer)
		require.NoError(t, <-r.done)
	})
	t.Run("I2 without keys it does not serve strangers", func(t *testing.T) {
		l, err := net.Listen("tcp", "0.0.0.0:0")
		require.NoError(t, err)
		closed := false
		f := newFake()
		f.close = func(context.Context) error {
			closed = true
			return nil
		}
		err = newTestServer(t, Options{Backend: f}).Serve(t.Context(), t.Context(), l, 0)
		require.ErrorIs(t, err, errNoKeys)
		require.True(t, closed)
		_, err = net.Dial("tcp", l.Addr().String())
		require.Error(t, err)
	})
	t.Run("I2 without keys it does not even open such an address", func(t *testing.T) {
		_, err := newTestServer(t, Options{Backend: newFake()}).Listen("0.0.0.0:0")
		require.ErrorIs(t, err, errNoKeys)
		l, err := newTestServer(t, Options{Backend: newFake()}).Listen("127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, l.Close())
		_, err = newTestServer(t, Options{Backend: newFake()}).Listen("nonsense")
		require.Error(t, err)
	})
	t.Run("I1 a listener that fails is an error", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		require.NoError(t, l.Close())
		require.Error(t, newTestServer(t, Options{Backend: newFake()}).Serve(t.Context(), t.Context(), l, 0))
	})
}

func TestDrain(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	s.Drain(true)
	for _, tc := range []struct {
		call   call
		status int
	}{
		{post("/v1/exec", cell), 503},
		{post("/v1/turns", `{}`), 503},
		{post("/v1/wait", `{"turnId":"turn-1","runId":"r"}`), 200},
		{post("/v1/runs/r/results", `{"turnId":"turn-1","results":[]}`), 200},
		{call{method: http.MethodGet, path: "/readyz"}, 503},
		{call{method: http.MethodGet, path: "/healthz"}, 200},
		{call{method: http.MethodDelete, path: "/v1/turns/turn-1"}, 204},
	} {
		t.Run("I1 while it is drained, "+tc.call.method+" "+tc.call.path, func(t *testing.T) {
			require.Equal(t, tc.status, do(t, s, tc.call).Code)
		})
	}
	t.Run("I1 and back", func(t *testing.T) {
		s.Drain(false)
		require.Equal(t, 200, do(t, s, call{method: http.MethodGet, path: "/readyz"}).Code)
	})
}

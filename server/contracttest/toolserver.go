package contracttest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// toolServer is a real HTTP tool (contract G3) that counts.
type toolServer struct {
	URL    string
	calls  atomic.Int64 // that arrived
	gone   atomic.Int64 // whose caller hung up while stall held them
	active atomic.Int64
	most   atomic.Int64 // calls at once
	stop   chan struct{}

	mu   sync.Mutex
	last toolRequest
}

// toolRequest is what a tool was sent.
type toolRequest struct {
	header http.Header
	raw    []byte
	body   gjson.Result
}

// newToolServer serves a tool until the test ends. answer may be nil: then the tool answers {"details":{"ok":true}}.
func newToolServer(t testing.TB, answer func(*toolServer, http.ResponseWriter, *http.Request)) *toolServer {
	s := &toolServer{stop: make(chan struct{})}
	if answer == nil {
		answer = func(_ *toolServer, w http.ResponseWriter, _ *http.Request) {
			respond(w, http.StatusOK, `{"details":{"ok":true}}`)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.last = toolRequest{header: r.Header.Clone(), raw: raw, body: gjson.ParseBytes(raw)}
		s.most.Store(max(s.most.Load(), s.active.Add(1)))
		s.mu.Unlock()
		defer s.active.Add(-1)
		s.calls.Add(1)
		answer(s, w, r)
	}))
	s.URL = server.URL
	t.Cleanup(func() {
		close(s.stop)
		server.Close()
	})
	return s
}

// respond answers with a JSON text.
func respond(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// stall never answers. It notes when the caller gives up, which is how a case proves that the call was cancelled
// (contract G7).
func stall(s *toolServer, _ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
		s.gone.Add(1)
	case <-s.stop:
	}
}

func (s *toolServer) request() toolRequest {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// called wants exactly n calls to have arrived.
func (s *toolServer) called(t testing.TB, n int64) {
	t.Helper()
	require.Equal(t, n, s.calls.Load(), "calls that reached the tool")
}

// holds waits until n calls are there and not answered; cancelled until n of them have been given up by the service.
func (s *toolServer) holds(t testing.TB, n int64) { t.Helper(); until(t, "held", &s.active, n) }

func (s *toolServer) cancelled(t testing.TB, n int64) { t.Helper(); until(t, "cancelled", &s.gone, n) }

func until(t testing.TB, what string, count *atomic.Int64, n int64) {
	t.Helper()
	require.Eventually(t, func() bool { return count.Load() == n }, 5*time.Second, 2*time.Millisecond,
		"the tool's calls never came to be %s", what)
}

package mcpserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"

	"github.com/tidwall/gjson"
)

// sessionHeader is what a client of the protocol's versions before 2026-07-28 names its session by.
const sessionHeader = "Mcp-Session-Id"

// inFlight are the requests over HTTP that are being answered. Clients of the older versions keep the connection and send a
// message to cancel one. The ids of requests are each client's own, so a session is needed to tell whose is meant; it is a
// random name that the client got, and nothing is kept for it. The zero value is empty.
type inFlight struct {
	mu       sync.Mutex
	requests map[requestKey]*context.CancelFunc
}

type requestKey struct{ tenant, session, id string }

// track prepares a request whose message is body: it names the session that begins, carries out what is cancelled, and
// returns the request with a context that can be cancelled in the same way. done is to be called when it is answered.
func (f *inFlight) track(w http.ResponseWriter, r *http.Request, tenant string, body []byte) (tracked *http.Request, done func()) {
	key := requestKey{tenant, r.Header.Get(sessionHeader), gjson.GetBytes(body, "id").Raw}
	switch gjson.GetBytes(body, "method").Str {
	case "initialize":
		w.Header().Set(sessionHeader, rand.Text())
	case "notifications/cancelled":
		key.id = gjson.GetBytes(body, "params.requestId").Raw
		f.cancel(key)
	case "tools/call":
		if key.session != "" && key.id != "" {
			return f.add(r, key)
		}
	}
	return r, func() {}
}

func (f *inFlight) add(r *http.Request, key requestKey) (*http.Request, func()) {
	ctx, cancel := context.WithCancel(r.Context())
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.requests == nil {
		f.requests = map[requestKey]*context.CancelFunc{}
	}
	f.requests[key] = &cancel
	return r.WithContext(ctx), func() {
		f.mu.Lock()
		if f.requests[key] == &cancel { // and not another one's of the same id
			delete(f.requests, key)
		}
		f.mu.Unlock()
		cancel()
	}
}

func (f *inFlight) cancel(key requestKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel := f.requests[key]; cancel != nil {
		(*cancel)()
	}
}

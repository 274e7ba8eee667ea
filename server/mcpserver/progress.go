package mcpserver

import (
	"context"
	"math"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/codecell/codecell/bridge"
)

// Bounds on what one request may have to tell.
const (
	maxNotes        = 64   // that the client has not taken yet; more are dropped
	maxReported     = 1000 // calls; what others say is dropped
	maxMessageBytes = 1024 // of a note; the rest is cut
)

// reporter tells a client how far the tools behind its exec or wait have come (contract E5). Nobody waits for a client that
// is slow to hear it.
type reporter struct {
	token any
	notes chan *mcp.ProgressNotificationParams

	mu          sync.Mutex
	calls       map[string][2]float64 // what each has done, of how much
	done, total float64               // the sums
	known       bool                  // of all calls it is known how much there is to do
	ended       bool
}

func newReporter(token any) *reporter {
	return &reporter{token: token, notes: make(chan *mcp.ProgressNotificationParams, maxNotes), calls: map[string][2]float64{}, known: true}
}

// report has ctx's exec or wait report to the client, if its request has a progress token. The function that it returns
// is to be called before the answer is sent, and waits until all is told.
func report(ctx context.Context, r *mcp.CallToolRequest) (context.Context, func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	p := newReporter(token)
	told := make(chan struct{})
	go func() {
		defer close(told)
		for note := range p.notes {
			_ = r.Session.NotifyProgress(ctx, note) // a client that is gone needs none
		}
	}()
	return bridge.WithProgress(ctx, p.heard), func() {
		p.mu.Lock()
		p.ended = true
		close(p.notes)
		p.mu.Unlock()
		<-told
	}
}

// heard makes a note of what a tool says: all that was done by now, of all that is to do. The protocol wants it to grow with
// each note.
func (p *reporter) heard(e bridge.CallProgressed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before, old := p.calls[e.CallID]
	grown := e.Done - before[0]
	if p.ended || !(p.done+grown > p.done) || math.IsInf(p.done+grown, 0) || !old && len(p.calls) == maxReported {
		return
	}
	p.calls[e.CallID] = [2]float64{e.Done, e.Total}
	p.done, p.total = p.done+grown, p.total+e.Total-before[1]
	p.known = p.known && e.Total > 0
	note := &mcp.ProgressNotificationParams{ProgressToken: p.token, Progress: p.done, Message: e.Message}
	if note.Message == "" {
		note.Message = e.ToolID
	}
	note.Message = strings.ToValidUTF8(note.Message[:min(len(note.Message), maxMessageBytes)], "\uFFFD")
	if p.known && !math.IsInf(p.total, 0) && !math.IsNaN(p.total) {
		note.Total = p.total
	}
	select {
	case p.notes <- note:
	default:
	}
}

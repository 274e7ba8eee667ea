package bridge

import (
	"math"
	"strconv"
	"time"

	"github.com/codecell/codecell/bridge/events"
	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// The names of events, as listeners are told of them (contract I5).
const (
	eventRunStarted   = "run.started"
	eventOutput       = "output"
	eventCallStarted  = "call.started"
	eventCallProgress = "call.progress"
	eventCallWaiting  = "call.waiting"
	eventCallDecided  = "call.decided"
	eventCallEnded    = "call.ended"
	eventRunSuspended = "run.suspended"
	eventRunResumed   = "run.resumed"
	eventRunEnded     = events.Ended
	eventTurnEnded    = "turn.ended"
)

// maxToldMessage bounds what a tool says of its progress, in bytes.
const maxToldMessage = 4 << 10

// tell lets those who listen know of an event. Where nobody does, it costs a look.
func (r *run) tell(e Event) {
	log := r.turn.log.Load()
	if log == nil {
		return
	}
	id := r.id.String()
	t := telling{jsontext.AppendString([]byte(`{"runId":`), id)}
	if name := t.describe(r, e); name != "" {
		t.number("at", float64(time.Now().UnixMilli()))
		log.Tell(&r.told, id, name, append(t.text, '}'))
	}
}

// telling is the data of an event as it is written.
type telling struct{ text []byte }

// describe adds what there is to say of an event, and returns its name; empty for one that listeners are not told of.
func (t *telling) describe(r *run, e Event) string {
	switch e := e.(type) {
	case RunStarted:
		t.string("turnId", r.turn.id)
		t.string("toolCallId", r.parent)
		if r.imported {
			t.text = append(t.text, `,"imported":true`...)
		}
		return eventRunStarted
	case OutputAdded:
		t.item(e.Item)
		return eventOutput
	case CallStarted:
		t.call(e.CallID, e.ToolID)
		return eventCallStarted
	case CallProgressed:
		t.call(e.CallID, e.ToolID)
		t.number("progress", e.Done)
		if e.Total != 0 {
			t.number("total", e.Total)
		}
		t.string("message", cutText(e.Message, maxToldMessage))
		return eventCallProgress
	case CallWaits:
		t.call(e.CallID, e.ToolID)
		t.string("for", e.For)
		t.string("approvalId", e.ApprovalID)
		return eventCallWaiting
	case CallDecided:
		t.call(e.CallID, e.ToolID)
		t.string("approvalId", e.ApprovalID)
		t.string("decision", e.State)
		t.string("who", cutText(e.By, maxToldMessage))
		return eventCallDecided
	case CallEnded:
		t.call(e.CallID, e.ToolID)
		t.string("state", e.State)
		t.string("code", e.Code)
		t.number("tookMs", float64(e.Took)/float64(time.Millisecond))
		return eventCallEnded
	case RunSuspended:
		return eventRunSuspended
	case RunResumed:
		return eventRunResumed
	case RunEnded:
		status := string(e.Status)
		if status == "" {
			status = string(e.Cause)
		}
		t.string("status", status)
		t.string("code", string(e.Code))
		return eventRunEnded
	}
	return ""
}

func (t *telling) call(id, tool string) {
	t.string("callId", id)
	t.string("toolId", tool)
}

// string adds a member that is not empty.
func (t *telling) string(key, value string) { t.text = jsontext.AppendField(t.text, key, value) }

// number adds a member that is a number.
func (t *telling) number(key string, value float64) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return
	}
	t.text = append(append(append(t.text, `,"`...), key...), '"', ':')
	t.text = strconv.AppendFloat(t.text, value, 'f', -1, 64)
}

// item adds an output item; one that is too large for an event comes with the result only.
func (t *telling) item(item []byte) {
	if len(item) > events.MaxEventBytes {
		t.text = append(t.text, `,"omittedBytes":`...)
		t.text = strconv.AppendInt(t.text, int64(len(item)), 10)
		return
	}
	t.text = append(append(t.text, `,"item":`...), item...)
}

func appendTurnEnded(dst []byte, turnID string) []byte {
	return append(jsontext.AppendString(append(dst, `{"turnId":`...), turnID), '}')
}

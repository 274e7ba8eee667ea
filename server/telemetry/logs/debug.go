package logs

import (
	"context"
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/redact"
	"github.com/codecell/codecell/catalog"
)

// What Debug.Payloads may be.
const (
	PayloadTools = "tools"         // the names of the tools that the model is shown
	PayloadFull  = "full-redacted" // what it is sent, redacted and cut
)

// Bounds of what is written for somebody who looks for a fault.
const (
	maxLines   = 500      // a second
	maxPayload = 16 << 10 // bytes of a payload
	maxNames   = 50       // of its tools
)

// Debug writes what happens to turns and runs while somebody looks for a fault. It is a bridge.Observer.
type Debug struct {
	Logger   *slog.Logger
	Redactor *redact.Redactor // hides secrets
	CodeMode bool             // each step, call and decision, and which tools the model is shown
	Payloads string           // PayloadTools, PayloadFull or empty

	mu      sync.Mutex
	second  int64
	lines   int
	leftOut int
}

// On says whether anything is asked for.
func (d *Debug) On() bool { return d.CodeMode || d.Payloads != "" }

// Observe implements bridge.Observer.
func (d *Debug) Observe(_ context.Context, run bridge.RunInfo, e bridge.Event) {
	if !d.CodeMode {
		return
	}
	switch e := e.(type) {
	case bridge.CellRefused:
		d.write("cell refused", run, slog.String("code", string(e.Code)))
	case bridge.RunStarted:
		d.write("run started", run, slog.Bool("typescript", e.TypeScript))
	case bridge.StepEnded:
		d.write("step", run, millis("queuedMs", e.Queued), millis("tookMs", e.Wall), millis("cpuMs", e.CPU), slog.Int("heapBytes", e.HeapBytes))
	case bridge.CallStarted:
		d.write("call started", run, slog.String("call", e.CallID), slog.String("tool", cut(e.ToolID)))
	case bridge.CallWaits:
		d.write("call waits", run, slog.String("call", e.CallID), slog.String("tool", cut(e.ToolID)), slog.String("for", e.For))
	case bridge.CallEnded:
		d.write("call ended", run, slog.String("call", e.CallID), slog.String("tool", cut(e.ToolID)), slog.String("state", e.State),
			slog.String("code", e.Code), millis("tookMs", e.Took), slog.Any("decisions", d.decisions(e.Decisions)))
	case bridge.HookAnswered:
		d.write("hook answered", run, slog.String("hook", e.Hook), slog.String("outcome", e.Outcome))
	case bridge.RunSuspended:
		d.write("run suspended", run)
	case bridge.RunResumed:
		d.write("run resumed", run)
	case bridge.RunEnded:
		d.write("run ended", run, slog.String("status", string(e.Status)), slog.String("code", string(e.Code)), slog.String("cause", string(e.Cause)))
	}
}

// decisions are those of a call, with reasons as they may be shown.
func (d *Debug) decisions(all []bridge.Decision) []bridge.Decision {
	shown := make([]bridge.Decision, len(all))
	for n, one := range all {
		if one.Reason != "" {
			one.Reason, _ = d.Redactor.Text(one.Reason, maxText)
		}
		one.By = cut(one.By)
		shown[n] = one
	}
	return shown
}

// Payload tells what the model is shown. where says on which occasion; payload is a list of tools in a provider's form, or an
// object that has it as tools.
func (d *Debug) Payload(tenant, where string, payload []byte) {
	if !d.On() {
		return
	}
	attrs := []slog.Attr{slog.String("where", where)}
	tools := json.RawMessage(payload)
	if doc := gjson.GetBytes(payload, "tools"); doc.Exists() {
		tools = json.RawMessage(doc.Raw)
	}
	found, err := catalog.CheckPayload(tools)
	if err != nil {
		attrs = append(attrs, slog.String("error", cut(err.Error())))
	} else {
		names := make([]string, 0, maxNames)
		for _, name := range found.Names[:min(len(found.Names), maxNames)] {
			names = append(names, cut(name))
		}
		attrs = append(attrs, slog.Any("tools", names), slog.Int("count", len(found.Names)), slog.Bool("codeMode", found.OK))
		if found.Problem != "" {
			attrs = append(attrs, slog.String("problem", cut(found.Problem)))
		}
	}
	if d.Payloads == PayloadFull {
		shown, omitted := d.Redactor.JSON(payload, maxPayload)
		attrs = append(attrs, slog.Any("payload", shown), slog.Int("omittedBytes", omitted))
	}
	d.write("payload", bridge.RunInfo{Tenant: tenant}, attrs...)
}

func cut(text string) string { return text[:min(len(text), maxText)] }

// write writes a line, unless there were too many of them in this second.
func (d *Debug) write(what string, run bridge.RunInfo, attrs ...slog.Attr) {
	ok, leftOut := d.mayWrite(time.Now().Unix())
	if leftOut > 0 {
		d.Logger.Warn("debug: lines were left out", "lines", leftOut)
	}
	if ok {
		d.Logger.LogAttrs(context.Background(), slog.LevelInfo, "debug: "+what, append(whose(run), attrs...)...)
	}
}

// mayWrite says whether there is room for a line in a second, and how many there was none for in the one before.
func (d *Debug) mayWrite(second int64) (ok bool, leftOut int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.second != second {
		leftOut = d.leftOut
		d.second, d.lines, d.leftOut = second, 0, 0
	}
	if d.lines == maxLines {
		d.leftOut++
		return false, leftOut
	}
	d.lines++
	return true, leftOut
}

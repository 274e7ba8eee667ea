package bridge

import (
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/engine"
)

var levelNames = [...]string{"", "log", "info", "debug", "warn", "error"}

// outputLog is what a run has put out (contract D8): items in call order, each already JSON, so that the limit on the
// bytes of the whole array is exact.
type outputLog struct {
	items     [][]byte
	delivered int // items that earlier results have carried
	bytes     int // of the JSON array of all items, delivered or not
	limit     int
	truncate  bool
	omitted   int64
	over      bool // the limit was passed, and truncate is off
}

func newOutputLog(c *config.Config) outputLog {
	return outputLog{bytes: len("[]"), limit: c.MaxOutputBytes, truncate: c.OutputOverflow == config.OutputTruncate}
}

func (l *outputLog) add(o engine.Output) {
	if l.over {
		return // what follows would hide that something is missing
	}
	item := renderOutput(o)
	comma := min(len(l.items), 1)
	if size := comma + len(item); l.bytes+size <= l.limit {
		l.items = append(l.items, item)
		l.bytes += size
		return
	}
	if !l.truncate {
		l.over = true
		return
	}
	// The first item that does not fit is cut: the beginning of a log is worth more than nothing.
	l.omitted += int64(comma + len(item))
	if cut := cutOutput(o, l.limit-l.bytes-comma); cut != nil {
		l.omitted -= int64(comma + len(cut))
		l.items = append(l.items, cut)
	}
	l.bytes = l.limit
}

// take returns the items for the next result, and how many bytes were left out of them: all in cumulative mode, else
// what no result has carried yet (contract C7).
func (l *outputLog) take(cumulative bool) ([][]byte, int64) {
	if cumulative {
		return l.items, l.omitted
	}
	items, omitted := l.items[l.delivered:], l.omitted
	l.delivered, l.omitted = len(l.items), 0
	return items, omitted
}

func renderOutput(o engine.Output) []byte {
	item := make([]byte, 0, len(o.Data)+32)
	if o.JSON {
		return append(append(append(item, `{"type":"json","value":`...), o.Data...), '}')
	}
	item = jsontext.AppendString(append(item, `{"type":"text","text":`...), string(o.Data))
	item = jsontext.AppendField(item, "level", levelNames[o.Level])
	return append(item, '}')
}

// leastCut is the room below which a part of an item is not worth having, in bytes.
const leastCut = 64

// cutOutput returns the item with as much of its text or value as room allows, nil if that is next to nothing.
func cutOutput(o engine.Output, room int) []byte {
	if o.JSON {
		empty := len(renderOutput(engine.Output{JSON: true}))
		if room-empty < leastCut {
			return nil
		}
		o.Data, _ = truncateJSON(o.Data, room-empty)
		return renderOutput(o)
	}
	for n := min(len(o.Data), room); n >= leastCut; n -= max(n/8, 1) {
		item := renderOutput(engine.Output{Level: o.Level, Data: o.Data[:runeStart(o.Data, n)]})
		if len(item) <= room {
			return item
		}
	}
	return nil
}

// runeStart returns n, or less if n lies inside a character.
func runeStart(s []byte, n int) int {
	for n > 0 && n < len(s) && s[n]&0xC0 == 0x80 {
		n--
	}
	return n
}

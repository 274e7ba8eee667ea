package executor

import (
	"strings"
	"sync"
	"time"
)

// What of a tool's progress is passed on. Who listens must not be flooded: the rest is left out.
const (
	progressBurst   = 100
	progressPerTime = 50 * time.Millisecond
	maxMessage      = 1024 // bytes
)

// paced passes on progress at a bounded rate, with texts of a bounded size. It may be called on any goroutine.
func paced(next func(done, total float64, message string)) func(done, total float64, message string) {
	var mu sync.Mutex
	left, at := progressBurst, time.Time{}
	allowed := func() bool {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if at.IsZero() {
			at = now
		}
		if more := int(now.Sub(at) / progressPerTime); more > 0 {
			left, at = min(left+more, progressBurst), at.Add(time.Duration(more)*progressPerTime)
		}
		if left == 0 {
			return false
		}
		left--
		return true
	}
	return func(done, total float64, message string) {
		if !allowed() {
			return
		}
		if len(message) > maxMessage {
			message = message[:maxMessage-len("…")] + "…"
		}
		next(done, total, strings.ToValidUTF8(message, ""))
	}
}

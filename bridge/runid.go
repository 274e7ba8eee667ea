package bridge

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
)

// runID is the name of a run, which is a capability: 128 random bits. Most runs end without ever needing one, so it is made
// when it is first asked for. Any goroutine may ask.
type runID struct {
	mu   sync.Mutex
	text string
}

// String returns the name.
func (id *runID) String() string {
	id.mu.Lock()
	defer id.mu.Unlock()
	if id.text == "" {
		id.text = "cm_" + rand.Text()
	}
	return id.text
}

// given says whether anybody has asked for the name.
func (id *runID) given() bool {
	id.mu.Lock()
	defer id.mu.Unlock()
	return id.text != ""
}

// call names a nested call to the world. Unlike the guest's own number it is unique across runs.
func (id *runID) call(number uint32) string {
	return id.String() + "." + strconv.FormatUint(uint64(number), 36)
}

// number returns the guest's own number of a call, and whether it is a call of this run.
func (id *runID) number(callID string) (uint32, bool) {
	number, ok := strings.CutPrefix(callID, id.String()+".")
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(number, 36, 32)
	return uint32(n), err == nil && id.call(uint32(n)) == callID
}

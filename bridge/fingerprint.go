package bridge

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// owner is who a turn's runs belong to (contract C5), as one text.
func owner(c Context) string {
	text, _ := json.Marshal(c) // strings only
	return string(text)
}

// newFingerprint identifies what a turn is made of: context, limits, and the tools after policy. The same turn prepared in
// another process has the same one, and no other turn has.
func (t *Turn) newFingerprint() string {
	h := sha256.New()
	add := func(part []byte) {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	config, _ := json.Marshal(t.config) // numbers, strings and booleans
	add([]byte(owner(t.context)))
	add(config)
	for _, e := range t.catalog.Entries() {
		add([]byte(e.ID()))
		add(e.DescribeJSON())
		tool := t.executor(e)
		add(tool.Spec())
	}
	return hex.EncodeToString(h.Sum(nil))
}

package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// The file is JSON Lines. Each line begins with prev, the SHA-256 of the line before (64 zeros in the first), in hex and without
// its line break; and with seq, which is its number, from 1. Types of lines that this package writes itself:
//
//	opened  a process has begun to write; if torn, the line before was cut short by the end of another process, and after is
//	        the hash of the one before that
//	lost    so many lines were not written, because there was no room to hold them
//	closed  the process has ended in order

// chain is where a file ends.
type chain struct {
	prev [sha256.Size]byte // of the last line
	seq  int64             // of the last line
}

// append appends a line of these members of a JSON object.
func (c *chain) append(dst []byte, at time.Time, members []byte) []byte {
	from := len(dst)
	dst = c.appendHead(dst)
	dst = at.UTC().AppendFormat(append(dst, `"time":"`...), "2006-01-02T15:04:05.000000Z")
	dst = append(append(append(dst, `",`...), members...), '}')
	c.take(dst[from:])
	return append(dst, '\n')
}

// appendHead appends what the next line begins with.
func (c *chain) appendHead(dst []byte) []byte {
	var prev [sha256.Size]byte
	if c.seq > 0 {
		prev = c.prev
	}
	dst = hex.AppendEncode(append(dst, `{"prev":"`...), prev[:])
	dst = strconv.AppendInt(append(dst, `","seq":`...), c.seq+1, 10)
	return append(dst, ',')
}

// take goes on to a line, without its line break.
func (c *chain) take(line []byte) {
	c.prev = sha256.Sum256(line)
	c.seq++
}

// check says what is wrong with the next line.
func (c *chain) check(line []byte) error {
	head := c.appendHead(nil)
	switch {
	case !gjson.ValidBytes(line):
		return errors.New("it is not JSON")
	case bytes.HasPrefix(line, head):
		return nil
	}
	doc := gjson.ParseBytes(line)
	if prev := gjson.ParseBytes(append(head[:len(head)-1], '}')).Get("prev").Str; doc.Get("prev").Str != prev {
		return fmt.Errorf("its prev is not the hash of line %d: one of the two was changed, or lines between them are missing", c.seq)
	}
	return fmt.Errorf("its seq must be %d", c.seq+1)
}

// opening returns the members of the first line of a process; after is where the chain was before a line that was cut short,
// nil if none was.
func opening(after *chain) []byte {
	members := []byte(`"type":"` + typeOpened + `"`)
	if after == nil {
		return members
	}
	members = append(members, `,"torn":true,"after":"`...)
	return append(hex.AppendEncode(members, after.prev[:]), '"')
}

// repairs says whether a line tells that the one before was cut short, and that the chain was here before that.
func (c *chain) repairs(line []byte) bool {
	doc := gjson.ParseBytes(line)
	return doc.Get("type").Str == typeOpened && doc.Get("torn").Bool() && doc.Get("after").Str == hex.EncodeToString(c.prev[:])
}

const typeOpened = "opened"

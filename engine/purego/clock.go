package purego

import (
	"encoding/binary"
	"math/bits"
	"time"

	"github.com/codecell/codecell/engine"
)

// clock is a run's time: it never runs backwards, and every read is recorded.
type clock struct {
	last     int64
	runs     []engine.ClockRun
	replayed bool
	reads    []engine.ClockRun
	used     uint32
	missing  bool // a step that is taken again reads it more often than it did
}

func (c *clock) begin(replayed bool, reads []engine.ClockRun) {
	c.runs, c.replayed, c.reads, c.used, c.missing = nil, replayed, reads, 0, false
}

func (c *clock) read() int64 {
	ms := max(c.source(), c.last)
	c.last = ms
	if n := len(c.runs); n > 0 && c.runs[n-1].Millis == ms {
		c.runs[n-1].Count++
	} else {
		c.runs = append(c.runs, engine.ClockRun{Millis: ms, Count: 1})
	}
	return ms
}

func (c *clock) source() int64 {
	if !c.replayed {
		return time.Now().UnixMilli()
	}
	for len(c.reads) > 0 && c.used == c.reads[0].Count {
		c.reads, c.used = c.reads[1:], 0
	}
	if len(c.reads) == 0 {
		c.missing = true
		return c.last
	}
	c.used++
	return c.reads[0].Millis
}

func (c *clock) record(r *records) {
	if len(c.runs) == 0 {
		return
	}
	var b []byte
	for _, run := range c.runs {
		b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(b, uint64(run.Millis)), run.Count)
	}
	r.record('C', b)
}

// chance is xoshiro256**, as in every engine.
type chance [4]uint64

func newChance(seed [32]byte) *chance {
	var c chance
	for n := range c {
		c[n] = binary.LittleEndian.Uint64(seed[8*n:])
	}
	c[0] |= 1
	return &c
}

func (s *chance) float() float64 {
	result, t := bits.RotateLeft64(s[1]*5, 7)*9, s[1]<<17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return float64(result>>11) * 0x1p-53
}

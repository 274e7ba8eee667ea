package purego

import (
	"encoding/binary"
	"math/bits"
	"time"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/internal/stepper"
)

// clock is a run's time: it never runs backwards, and every read is recorded.
type clock struct {
	last    int64
	runs    []engine.ClockRun
	reads   *stepper.Reads // nil unless the step is replayed
	missing bool           // a step that is replayed reads it more often than the first time
}

func (c *clock) begin(reads *stepper.Reads) { c.runs, c.reads, c.missing = nil, reads, false }

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
	if c.reads == nil {
		return time.Now().UnixMilli()
	}
	millis, ok := c.reads.Next()
	if !ok {
		c.missing = true
		return c.last
	}
	return millis
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

// random is xoshiro256**, as in every engine.
type random [4]uint64

func newRandom(seed [32]byte) *random {
	var c random
	for n := range c {
		c[n] = binary.LittleEndian.Uint64(seed[8*n:])
	}
	c[0] |= 1
	return &c
}

func (s *random) float() float64 {
	result, t := bits.RotateLeft64(s[1]*5, 7)*9, s[1]<<17
	s[2] ^= s[0]
	s[3] ^= s[1]
	s[1] ^= s[2]
	s[0] ^= s[3]
	s[2] ^= t
	s[3] = bits.RotateLeft64(s[3], 45)
	return float64(result>>11) * 0x1p-53
}

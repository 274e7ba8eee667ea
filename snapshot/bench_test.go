package snapshot

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// image is like one of a guest: four of five bytes are zero, the rest are what heaps are made of, small numbers, addresses
// that are near each other, and text.
func image(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	b := make([]byte, size)
	var block []byte
	for at := 0; at < len(b); at += 128 {
		if r.IntN(5) != 0 {
			continue
		}
		block = block[:0]
		for range 8 {
			block = binary.LittleEndian.AppendUint32(block, uint32(r.IntN(32)))
			block = binary.LittleEndian.AppendUint32(block, 1<<20+8*uint32(r.IntN(1<<13)))
		}
		block = fmt.Appendf(block, "property%d=%x the rest of a text of some length", r.IntN(500), r.Uint32())
		copy(b[at:min(at+128, len(b))], block)
	}
	return b
}

const benchSize = 200 << 10

func BenchmarkSeal(b *testing.B) {
	s := newSealer(b, "")
	snap := &Snapshot{Image: image(benchSize)}
	b.ReportAllocs()
	b.SetBytes(benchSize)
	for b.Loop() {
		s.Seal(snap, someone)
	}
	b.ReportMetric(float64(len(s.Seal(snap, someone))), "sealed-bytes")
}

func BenchmarkOpen(b *testing.B) {
	s := newSealer(b, "")
	sealed := s.Seal(&Snapshot{Image: image(benchSize)}, someone)
	b.ReportAllocs()
	b.SetBytes(benchSize)
	for b.Loop() {
		if _, err := s.Open(sealed, someone, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCodec is why packing uses S2.
func BenchmarkCodec(b *testing.B) {
	type codec struct {
		name           string
		encode, decode func(dst, src []byte) []byte
	}
	decodeS2 := func(dst, src []byte) []byte { out, _ := s2.Decode(dst[:cap(dst)], src); return out }
	codecs := []codec{
		{"s2", func(dst, src []byte) []byte { return s2.Encode(dst[:cap(dst)], src) }, decodeS2},
		{"s2-better", func(dst, src []byte) []byte { return s2.EncodeBetter(dst[:cap(dst)], src) }, decodeS2},
	}
	for _, level := range []zstd.EncoderLevel{zstd.SpeedFastest, zstd.SpeedDefault} {
		enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(false))
		require.NoError(b, err)
		dec, err := zstd.NewReader(nil)
		require.NoError(b, err)
		defer dec.Close()
		codecs = append(codecs, codec{
			"zstd-" + level.String(), func(dst, src []byte) []byte { return enc.EncodeAll(src, dst[:0]) },
			func(dst, src []byte) []byte { out, _ := dec.DecodeAll(src, dst[:0]); return out },
		})
	}
	plain := image(benchSize)
	buffer := make([]byte, s2.MaxEncodedLen(benchSize))
	for _, c := range codecs {
		packed := c.encode(make([]byte, len(buffer)), plain)
		require.Equal(b, plain, c.decode(buffer, packed))
		b.Run(c.name+"/pack", func(b *testing.B) {
			for b.Loop() {
				c.encode(buffer, plain)
			}
			b.ReportMetric(float64(len(packed)), "packed-bytes")
		})
		b.Run(c.name+"/unpack", func(b *testing.B) {
			for b.Loop() {
				c.decode(buffer, packed)
			}
		})
	}
}

// BenchmarkMemory puts, claims and acknowledges one snapshot beside many.
func BenchmarkMemory(b *testing.B) {
	m := NewMemory(MemoryOptions{})
	defer m.Close()
	ctx, r := context.Background(), Record{Tenant: "t", Sealed: make([]byte, 5000)}
	for n := range 10_000 {
		require.NoError(b, m.Put(ctx, fmt.Sprint("beside ", n), r, time.Hour))
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := m.Put(ctx, "a", r, time.Hour); err != nil {
			b.Fatal(err)
		}
		claim, err := m.Claim(ctx, "a", time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		if err := m.Ack(ctx, "a", claim.Fence); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemoryFull is what a store that refuses costs.
func BenchmarkMemoryFull(b *testing.B) {
	const kept = 100_000
	m := NewMemory(MemoryOptions{Bounds: Bounds{Snapshots: kept, TenantSnapshots: kept}})
	defer m.Close()
	ctx, r := context.Background(), Record{Tenant: "t", Sealed: make([]byte, 100)}
	for n := range kept {
		require.NoError(b, m.Put(ctx, fmt.Sprint("beside ", n), r, time.Hour))
	}
	b.ReportAllocs()
	for b.Loop() {
		if m.Put(ctx, "a", r, time.Hour) == nil {
			b.Fatal("it had room")
		}
	}
}

package snapshot

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/s2"
)

// Why a snapshot does not open. All are told before anything of the guest is read.
var (
	// ErrSealed means that the snapshot was changed or cut, was sealed with another key, or belongs to another tenant,
	// session, turn, run or engine build. Which of these, it does not tell.
	ErrSealed = errors.New("the snapshot does not open: it was changed, or belongs to another tenant, session, turn, run, engine build or key")
	// ErrFormat means that the bytes are no snapshot of this format.
	ErrFormat = errors.New("not a snapshot of this format")
	// ErrTooLarge means that the snapshot is larger than allowed once it is unpacked.
	ErrTooLarge = errors.New("the snapshot is larger than allowed")
)

// The sealed form: magic, u8 version, then AES-GCM's nonce, ciphertext and tag. The plain text is compressed: u32 length of
// the host's part, and both parts. S2 and not a stronger codec: an image is mostly zeros, which any codec removes, and a
// stronger one took longer than all the rest of suspending.
const (
	magic      = "ccsn"
	version    = 1
	headerSize = len(magic) + 1
)

// Sealer seals and opens snapshots. It is safe for concurrent use.
type Sealer struct {
	aead    cipher.AEAD
	scratch sync.Pool // *scratch
}

// scratch is what one Seal or Open needs in passing. Suspending makes no garbage but what it returns.
type scratch struct{ plain, packed []byte }

func (s *Sealer) take() *scratch {
	if b, ok := s.scratch.Get().(*scratch); ok {
		return b
	}
	return &scratch{}
}

// maxScratch is how large a buffer is kept.
const maxScratch = 1 << 20

func (s *Sealer) give(b *scratch) {
	if cap(b.plain) <= maxScratch && cap(b.packed) <= maxScratch {
		s.scratch.Put(b)
	}
}

// NewSealer returns a sealer with that secret. Processes with the same secret open each other's snapshots; an empty one
// makes a key that no other process has.
func NewSealer(secret []byte) (*Sealer, error) {
	if len(secret) == 0 {
		secret = make([]byte, 32)
		_, _ = rand.Read(secret) // never fails
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "codecell snapshot v1", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the snapshot key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Sealer{aead: aead}, nil
}

// Seal returns the snapshot in a form that only Open with the same binding opens.
func (s *Sealer) Seal(snap *Snapshot, b Binding) []byte {
	buffers := s.take()
	defer s.give(buffers)
	plain := binary.LittleEndian.AppendUint32(buffers.plain[:0], uint32(len(snap.Host)))
	plain = append(append(plain, snap.Host...), snap.Image...)
	packed := s2.Encode(buffers.packed[:cap(buffers.packed)], plain)
	buffers.plain, buffers.packed = plain, packed
	sealed := append(make([]byte, 0, headerSize+len(packed)+s.aead.Overhead()), magic...)
	sealed = append(sealed, version)
	return s.aead.Seal(sealed, nil, packed, s.additional(b))
}

// additional is what is authenticated beside the contents.
func (s *Sealer) additional(b Binding) []byte { return append([]byte{version}, b.bytes()...) }

// Open returns the snapshot that was sealed for the binding. Unpacked it may have limit bytes, the host's part included.
func (s *Sealer) Open(sealed []byte, b Binding, limit int) (*Snapshot, error) {
	if len(sealed) < headerSize || string(sealed[:len(magic)]) != magic {
		return nil, ErrFormat
	}
	if v := sealed[len(magic)]; v != version {
		return nil, fmt.Errorf("%w: version %d, and this is version %d", ErrFormat, v, version)
	}
	buffers := s.take()
	defer s.give(buffers)
	packed, err := s.aead.Open(buffers.packed[:0], nil, sealed[headerSize:], s.additional(b))
	if err != nil {
		return nil, ErrSealed
	}
	buffers.packed = packed
	plain, err := s.unpack(packed, limit)
	if err != nil {
		return nil, err
	}
	host := binary.LittleEndian.Uint32(plain)
	rest := plain[4:]
	if uint64(host) > uint64(len(rest)) {
		return nil, ErrFormat
	}
	return &Snapshot{Host: rest[:host:host], Image: rest[host:]}, nil
}

// unpack returns what was packed, which is at least the length of the host's part.
func (s *Sealer) unpack(packed []byte, limit int) ([]byte, error) {
	size, err := s2.DecodedLen(packed)
	if err != nil || size < 4 {
		return nil, ErrFormat
	}
	if size > limit {
		return nil, fmt.Errorf("%w: %d bytes, and %d may be", ErrTooLarge, size, limit)
	}
	plain, err := s2.Decode(nil, packed)
	if err != nil {
		return nil, ErrFormat
	}
	return plain, nil
}

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

	"github.com/klauspost/compress/zstd"
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

// The sealed form: magic, u8 version, then AES-GCM's nonce, ciphertext and tag. The plain text is u64 length, and so many
// bytes compressed: u32 length of the host's part, and both parts.
const (
	magic      = "ccsn"
	version    = 1
	headerSize = len(magic) + 1
)

// Sealer seals and opens snapshots. It is safe for concurrent use.
type Sealer struct {
	aead    cipher.AEAD
	encoder *zstd.Encoder
	decoder *zstd.Decoder
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
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, err
	}
	return &Sealer{aead: aead, encoder: encoder, decoder: decoder}, nil
}

// Close frees what the sealer holds.
func (s *Sealer) Close() {
	_ = s.encoder.Close()
	s.decoder.Close()
}

// Seal returns the snapshot in a form that only Open with the same binding opens.
func (s *Sealer) Seal(snap *Snapshot, b Binding) []byte {
	plain := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(snap.Host)+len(snap.Image)), uint32(len(snap.Host)))
	plain = append(append(plain, snap.Host...), snap.Image...)
	packed := s.encoder.EncodeAll(plain, binary.LittleEndian.AppendUint64(nil, uint64(len(plain))))
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
	packed, err := s.aead.Open(nil, nil, sealed[headerSize:], s.additional(b))
	if err != nil {
		return nil, ErrSealed
	}
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
	if len(packed) < 8 {
		return nil, ErrFormat
	}
	size := binary.LittleEndian.Uint64(packed)
	if size > uint64(limit) {
		return nil, fmt.Errorf("%w: %d bytes, and %d may be", ErrTooLarge, size, limit)
	}
	plain, err := s.decoder.DecodeAll(packed[8:], make([]byte, 0, size))
	if err != nil || len(plain) < 4 || uint64(len(plain)) != size {
		return nil, ErrFormat
	}
	return plain, nil
}

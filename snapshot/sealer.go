package snapshot

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
)

// Sealer seals and opens snapshots (contract H4). It is safe for concurrent use.
//
// Nonces are random. One secret is good for 2^32 snapshots, at a thousand a second for seven weeks; past that the odds
// that two share a nonce rise above 2^-32.
type Sealer struct {
	aead    cipher.AEAD
	header  []byte // of what this sealer seals
	packing packing
}

// NewSealer returns a sealer with that secret, of any length. Processes with the same secret open each other's snapshots;
// an empty one makes a key that no other process has.
func NewSealer(secret []byte) (*Sealer, error) {
	if len(secret) == 0 {
		secret = make([]byte, 32)
		_, _ = rand.Read(secret) // never fails
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "codecell snapshot v1", 32)
	if err != nil {
		return nil, fmt.Errorf("derive the snapshot key: %w", err)
	}
	// Derived beside the key and not from it: it is public, and tells nothing of the key.
	keyID, err := hkdf.Key(sha256.New, secret, nil, "codecell snapshot key id v1", keyIDSize)
	if err != nil {
		return nil, fmt.Errorf("derive the snapshot key's id: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Sealer{aead: aead, header: header(keyID)}, nil
}

// Seal returns the snapshot in a form that only Open with the same binding opens. Its parts may have less than 4 GiB
// together; a guest's heap has 1 GiB at most.
func (s *Sealer) Seal(snap *Snapshot, b Binding) []byte {
	buffers := s.packing.take()
	defer s.packing.give(buffers)
	packed := buffers.pack(snap)
	sealed := append(make([]byte, 0, headerSize+len(packed)+s.aead.Overhead()), s.header...)
	return s.aead.Seal(sealed, nil, packed, s.additional(b))
}

// additional is what is authenticated beside the contents.
func (s *Sealer) additional(b Binding) []byte {
	return b.append(append(make([]byte, 0, headerSize+b.size()), s.header...))
}

// Open returns the snapshot that was sealed for the binding. Unpacked it may have limit bytes, the host's part and four
// more included. Nothing is unpacked before it is known to be whole and to belong here. Errors: ErrSealed, ErrFormat,
// ErrTooLarge.
func (s *Sealer) Open(sealed []byte, b Binding, limit int) (*Snapshot, error) {
	if err := checkHeader(sealed, s.header); err != nil {
		return nil, err
	}
	buffers := s.packing.take()
	defer s.packing.give(buffers)
	packed, err := s.aead.Open(buffers.packed[:0], nil, sealed[headerSize:], s.additional(b))
	if err != nil {
		return nil, ErrSealed
	}
	buffers.packed = packed
	return unpack(packed, limit)
}

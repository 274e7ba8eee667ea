package snapshot

import (
	"bytes"
	"errors"
	"fmt"
)

// Why a snapshot does not open. All are told before anything of the guest is read.
var (
	// ErrSealed means that the snapshot was changed or cut, was sealed with another key, or belongs to another tenant,
	// session, turn, run or engine build. Of what it belongs to, it does not tell which differs (contract A7, H4).
	ErrSealed = errors.New("the snapshot does not open: it was changed, or belongs to another tenant, session, turn, run, engine build or key")
	// ErrFormat means that the bytes are no snapshot of this format.
	ErrFormat = errors.New("not a snapshot of this format")
	// ErrTooLarge means that the snapshot is larger than allowed once it is unpacked.
	ErrTooLarge = errors.New("the snapshot is larger than allowed")
)

// The sealed form: magic, u8 version, the key's id, then AES-GCM's nonce, ciphertext and tag. What stands before the nonce
// can be read without the key, so that an operator whose replicas differ in key or release is told that; it is
// authenticated with the rest, and so says nothing that could be believed of a forged snapshot.
const (
	magic      = "ccsn"
	version    = 1
	keyIDSize  = 4
	headerSize = len(magic) + 1 + keyIDSize
	nonceSize  = 12
)

// header returns what the sealed form begins with under the key of that id.
func header(keyID []byte) []byte {
	return append(append([]byte(magic), version), keyID...)
}

// checkHeader says whether it is worth trying to open a snapshot, given the header of those that can be opened.
func checkHeader(sealed, own []byte) error {
	switch {
	case len(sealed) <= len(magic) || string(sealed[:len(magic)]) != magic:
		return ErrFormat
	case sealed[len(magic)] != version:
		return fmt.Errorf("%w: version %d, and this is version %d", ErrFormat, sealed[len(magic)], version)
	case len(sealed) < headerSize:
		return ErrSealed // cut
	case !bytes.Equal(sealed[:headerSize], own):
		return fmt.Errorf("%w. Its key is not the one in use here: processes that exchange snapshots need the same snapshot key", ErrSealed)
	}
	return nil
}

package aot

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"sync"

	"github.com/codecell/codecell/engine/guest"
	"github.com/codecell/codecell/engine/wasi"
)

// ErrStale means that the linked object was made of another guest.wasm than the one that is embedded.
var ErrStale = errors.New("the guest that is compiled ahead of time was made of another guest.wasm: run `make guest` before the build")

// Missing is why this binary does not have the engine, nil if it does.
func Missing() error { return missing() }

var missing = sync.OnceValue(func() error {
	if err := guest.SandboxMissing(); err != nil {
		return err
	}
	wasm, err := wasi.Module()
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(wasm); guest.SandboxModule() != hex.EncodeToString(sum[:]) {
		return ErrStale
	}
	return nil
})

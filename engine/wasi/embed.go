package wasi

import (
	"embed"
	"errors"
	"io/fs"
)

//go:embed guest
var embedded embed.FS

// ErrNoGuest means that the binary was built without the WebAssembly guest.
var ErrNoGuest = errors.New("this binary was built without guest.wasm: run `make guest` before the build")

// Module returns the WebAssembly guest, or ErrNoGuest.
func Module() ([]byte, error) {
	wasm, err := fs.ReadFile(embedded, "guest/guest.wasm")
	if err != nil {
		return nil, ErrNoGuest
	}
	return wasm, nil
}

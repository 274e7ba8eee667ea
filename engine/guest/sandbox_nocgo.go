//go:build !cgo

package guest

import "errors"

// ErrNoSandbox means that this binary can have no guests that are compiled ahead of time.
var ErrNoSandbox = errors.New("this binary was built without cgo, and guests that are compiled ahead of time need it: build with a C compiler and CGO_ENABLED=1")

// SandboxModule returns nothing: no code was linked.
func SandboxModule() string { return "" }

// SandboxMissing is why this binary can make no sandbox.
func SandboxMissing() error { return ErrNoSandbox }

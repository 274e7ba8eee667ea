//go:build !cgo

package native

import (
	"errors"

	"github.com/codecell/codecell/engine"
)

// Linked says whether this binary has the engine.
const Linked = false

// Engine is never made in a binary that was built without cgo.
type Engine struct{ engine.Engine }

// New says that the native engine is not in this binary.
func New(Options) (*Engine, error) {
	return nil, errors.New("this binary was built without cgo, and the native engine needs it: build with a C compiler and CGO_ENABLED=1")
}

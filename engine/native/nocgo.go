//go:build !cgo

package native

import "github.com/codecell/codecell/engine"

// Linked says whether this binary has the engine.
const Linked = false

// Engine is never made in a binary that was built without cgo.
type Engine struct{ engine.Engine }

// New fails with ErrNotLinked.
func New(Options) (*Engine, error) { return nil, ErrNotLinked }

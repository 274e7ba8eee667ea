//go:build !cgo

package aot

import "github.com/codecell/codecell/engine/internal/linear"

// Engine is never made in a binary that was built without cgo.
type Engine struct{ *linear.Engine }

// New fails with what Missing returns.
func New(Options) (*Engine, error) { return nil, Missing() }

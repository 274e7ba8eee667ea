//go:build race

package worker

import "time"

// The race detector slows a worker's Go code down ten-fold and more, so what the watchdog allows for it is more here. The
// tests without the detector hold workers to what the product allows.
func init() { watchdog = 2 * time.Second }

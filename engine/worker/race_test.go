//go:build race

package worker

import "time"

// The race detector slows a worker's Go code down ten-fold and more, so what the watchdog allows for it is more here. The
// longest of it that nothing interrupts is in wazero, which copies its stack each time that it doubles: the first recursion of
// a guest that is as deep as can be takes 100 ms of processor time for that, and 10 ms without the detector; the ones after it
// take 1 ms with both. The tests without the detector hold workers to what the product allows.
func init() { watchdog = 2 * time.Second }

//go:build cgo && !race

package differential

// raceDetector says that the tests run under it.
const raceDetector = false

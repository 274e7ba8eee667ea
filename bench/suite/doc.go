// Package suite measures engines and the service on the machine that it runs on, and writes down what it found.
//
// It owns what is measured and how: every subject runs the same programs, in rounds that take turns, so that a ratio
// compares what was measured side by side. It knows engines by their interfaces and the service by its public ones;
// peers that are not Codecell's are subjects that somebody else brings (package peers).
package suite

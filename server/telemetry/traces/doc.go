// Package traces sends spans to a collector of OpenTelemetry, over OTLP (contract I4).
//
// What spans there are is said where they begin: in server, and in bridge/trace.go. This package has the exporter: a bounded
// queue, from which batches are sent, and where spans are dropped when the collector can't keep up. No request waits for it.
package traces

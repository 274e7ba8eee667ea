// Package metrics counts what the service does, for Prometheus (contract I4).
//
// It listens to runs as a bridge.Observer, and asks service, engines and parsers what they hold when it is scraped. How many
// series there are is bounded: tools, hooks and tenants beyond a number are counted under one name, since clients choose the
// names of tools. It owns the names of metrics, which docs/metrics.md lists; a listener is the caller's.
package metrics

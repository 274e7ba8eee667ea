// Package admin serves those who operate a service, on a listener apart from the service's own (contract I2): metrics,
// profiles, approvals, draining, the log's level. What it serves besides comes from others, as handlers by their paths.
package admin

// Package server is the HTTP face of Codecell: routes, the wire format (contract J), problem documents and idempotency
// (I3), the OpenAPI document (I4), bearer keys (I2), readiness (H5), and a graceful end (I1).
//
// It decodes envelopes and never payloads: a cell's source, a tool's schema and a call's value pass through as raw
// JSON. It knows nothing of engines, tool policy or the life of a run; all of that is behind Backend. Every byte that
// arrives is taken to be hostile: bodies are bounded in size, depth, time and total memory before anything reads them.
package server

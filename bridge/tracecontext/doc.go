// Package tracecontext passes on the trace that a request is part of, in the headers of W3C Trace Context: from the request
// that drives a run to the calls that the run makes (contract I4).
//
// Where the service records spans (the context has one of OpenTelemetry's), its calls are part of that span. Where it does
// not, what came in goes on as it is: a tool's spans are children of the gateway's, and whether they are sampled is the
// gateway's decision. Where nothing came in nothing is sent, since a tool would take that for a decision.
package tracecontext

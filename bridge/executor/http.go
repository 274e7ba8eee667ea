package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/codecell/codecell/bridge/internal/breaker"
	"github.com/codecell/codecell/bridge/outbound"
)

// httpExecutor posts calls to the URLs of tools (contract G3).
//
// The request is JSON {callId, parentCallId, runId, turnId, toolId, name, input, context}, signed if there is a key for
// the tenant (see Signature). The response must be JSON: {content, details, isError}, or a stream that ends with it.
type httpExecutor struct {
	client   *outbound.Client
	keys     SigningKeys
	breakers breaker.Breakers
}

func newHTTPExecutor(o Options) *httpExecutor {
	limits := breaker.Limits{Failures: o.BreakerFailures, Pause: o.BreakerPause}
	h := &httpExecutor{client: o.Outbound, keys: o.Keys, breakers: breaker.Breakers{Logger: o.Logger, Limits: limits}}
	if h.client == nil {
		h.client, _ = outbound.New(outbound.Options{}) // fails for a list that can't be read, and there is none
	}
	return h
}

// Close implements Closer: connections that no call uses are closed.
func (h *httpExecutor) Close() { h.client.CloseIdle() }

// Execute implements Executor, for a tool that was not bound.
func (h *httpExecutor) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	tool, err := h.bind(call.Tenant, call.Spec)
	if err != nil {
		return nil, err
	}
	return tool.Execute(ctx, call)
}

// httpTool is a tool behind HTTP.
type httpTool struct {
	*httpExecutor
	spec        httpSpec
	host        string // and port
	maxResponse int
}

// bind reads a tenant's tool: which hosts may be called is a matter of the tenant.
func (h *httpExecutor) bind(tenant string, raw json.RawMessage) (*httpTool, error) {
	spec, u, err := parseHTTPSpec(raw)
	if err != nil {
		return nil, err
	}
	if err := h.client.Check(tenant, u); err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if err := onlyKeys(raw, httpKeys...); err != nil {
		return nil, err
	}
	t := &httpTool{httpExecutor: h, spec: spec, host: u.Scheme + "://" + strings.ToLower(u.Host), maxResponse: maxResponse}
	if spec.MaxResponseBytes > 0 {
		t.maxResponse = max(1, int(min(spec.MaxResponseBytes, maxResponse)))
	}
	return t, nil
}

// httpKeys are those of httpSpec.
var httpKeys = []string{"url", "headers", "maxResponseBytes"}

type httpSpec struct {
	URL              string            `json:"url"`
	Headers          map[string]string `json:"headers"`
	MaxResponseBytes float64           `json:"maxResponseBytes"`
}

func parseHTTPSpec(raw json.RawMessage) (httpSpec, *url.URL, error) {
	var spec httpSpec
	if err := json.Unmarshal(raw, &spec); err != nil {
		return spec, nil, err
	}
	u, err := url.Parse(spec.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return spec, nil, fmt.Errorf("url must be an http or https URL, got %q", spec.URL)
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Headers)) {
		if !httpguts.ValidHeaderFieldName(name) {
			return spec, nil, fmt.Errorf("headers: %q is no name of an HTTP header", name)
		}
		if !httpguts.ValidHeaderFieldValue(spec.Headers[name]) {
			return spec, nil, fmt.Errorf("headers.%s: the value has line breaks or control characters", name)
		}
	}
	return spec, u, nil
}

// Execute implements Executor.
func (t *httpTool) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	req, err := t.request(ctx, &call)
	if err != nil {
		return nil, err
	}
	pass, err := t.breakers.Enter(breaker.Caller{Tenant: call.Tenant, Session: call.Context.session(), Host: t.host})
	if err != nil {
		return nil, &notTriedError{fmt.Errorf("tool %s is not called: %w", call.Tool.ID(), err)}
	}
	a := answer{call: &call, limit: t.maxResponse}
	resp, err := t.client.Do(call.Tenant, req)
	if err == nil {
		defer resp.Body.Close()
		a.read(ctx, resp)
	} else {
		a.lost(ctx, err, "did not answer: the connection was lost")
	}
	pass.Done(a.showed)
	return a.result, a.err
}

// session is whose calls are judged together.
func (c *Context) session() string {
	if c.SessionID != "" {
		return c.SessionID
	}
	return c.SessionKey
}

func (t *httpTool) request(ctx context.Context, call *Call) (*http.Request, error) {
	body, err := json.Marshal(struct {
		CallID       string          `json:"callId"`
		ParentCallID string          `json:"parentCallId,omitempty"`
		RunID        string          `json:"runId"`
		TurnID       string          `json:"turnId"`
		ToolID       string          `json:"toolId"`
		Name         string          `json:"name"`
		Input        json.RawMessage `json:"input"`
		Context      Context         `json:"context"`
	}{call.ID, call.ParentID, call.RunID, call.TurnID, call.Tool.ID(), call.Tool.Name(), call.Input, call.Context})
	if err != nil {
		return nil, fmt.Errorf("tool %s: the input can't be sent: %w", call.Tool.ID(), err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.spec.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("tool %s: the request can't be made", call.Tool.ID())
	}
	for name, value := range t.spec.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accepted)
	if call.Attempt > 1 {
		req.Header.Set("X-Codecell-Attempt", strconv.Itoa(call.Attempt))
	}
	t.keys.Sign(req, call.Tenant, body)
	if !repeatable(call.Tool.Tool().Annotations) && (req.Header["Idempotency-Key"] != nil || req.Header["X-Idempotency-Key"] != nil) {
		// net/http takes such a header for the permission to send a request again when its connection is lost. Without
		// GetBody it can't.
		req.GetBody = nil
	}
	return req, nil
}

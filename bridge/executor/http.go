package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/bridge/outbound"
)

const (
	maxResponse     = 16 << 20
	maxErrorSnippet = 300
)

// httpExecutor posts a call to the tool's URL (contract G3).
//
// The request is JSON {callId, parentCallId, runId, turnId, toolId, name, input, context}, signed if there is a key for
// the tenant (see Signature). The response must be JSON: {content, details, isError}.
type httpExecutor struct {
	client *outbound.Client
	keys   SigningKeys
}

func newHTTPExecutor(client *outbound.Client, keys SigningKeys) *httpExecutor {
	if client == nil {
		client, _ = outbound.New(outbound.Options{}) // fails for a list that can't be read, and there is none
	}
	return &httpExecutor{client: client, keys: keys}
}

// Close implements Closer: connections that no call uses are closed.
func (h *httpExecutor) Close() { h.client.CloseIdle() }

type httpSpec struct {
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
}

// check is Checker.Check for a tenant's tool: which hosts may be called is a matter of the tenant.
func (h *httpExecutor) check(tenant string, raw json.RawMessage) error {
	spec, err := parseHTTPSpec(raw)
	if err != nil {
		return err
	}
	if u, err := url.Parse(spec.URL); err == nil {
		if err := h.client.Check(tenant, u); err != nil {
			return fmt.Errorf("url: %w", err)
		}
	}
	return onlyKeys(raw, "url", "headers")
}

func parseHTTPSpec(raw json.RawMessage) (httpSpec, error) {
	var spec httpSpec
	if err := json.Unmarshal(raw, &spec); err != nil {
		return spec, err
	}
	u, err := url.Parse(spec.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return spec, fmt.Errorf("url must be an http or https URL, got %q", spec.URL)
	}
	for _, name := range slices.Sorted(maps.Keys(spec.Headers)) {
		if !httpguts.ValidHeaderFieldName(name) {
			return spec, fmt.Errorf("headers: %q is no name of an HTTP header", name)
		}
		if !httpguts.ValidHeaderFieldValue(spec.Headers[name]) {
			return spec, fmt.Errorf("headers.%s: the value has line breaks or control characters", name)
		}
	}
	return spec, nil
}

// Execute implements Executor.
func (h *httpExecutor) Execute(ctx context.Context, call Call) (json.RawMessage, error) {
	req, err := h.request(ctx, call)
	if err != nil {
		return nil, err
	}
	resp, err := h.client.Do(call.Tenant, req)
	if err != nil {
		return nil, transportError(ctx, call, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	switch {
	case err != nil:
		return nil, transportError(ctx, call, err)
	case len(body) > maxResponse:
		return nil, fmt.Errorf("tool %s answered with more than %d bytes", call.Tool.ID(), maxResponse)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return nil, fmt.Errorf("tool %s answered HTTP %d: %s", call.Tool.ID(), resp.StatusCode, snippet(body))
	case !jsontext.Valid(body):
		return nil, fmt.Errorf("tool %s did not answer with JSON: %s", call.Tool.ID(), snippet(body))
	}
	return body, nil
}

func (h *httpExecutor) request(ctx context.Context, call Call) (*http.Request, error) {
	spec, err := parseHTTPSpec(call.Spec)
	if err != nil {
		return nil, err
	}
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
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, spec.URL, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("tool %s: the request can't be made", call.Tool.ID())
	}
	for name, value := range spec.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	h.keys.sign(req, call.Tenant, body)
	return req, nil
}

// transportError says what a cell may know: that the tool did not answer, not where it is.
func transportError(ctx context.Context, call Call, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if refused, ok := outbound.Refused(err); ok {
		return fmt.Errorf("tool %s can't be called: %w", call.Tool.ID(), refused)
	}
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("tool %s did not answer in time", call.Tool.ID())
	}
	return fmt.Errorf("tool %s can't be reached", call.Tool.ID())
}

func snippet(body []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 2*maxErrorSnippet)]), "\uFFFD")), " ")
	if len(text) > maxErrorSnippet {
		text = strings.ToValidUTF8(text[:maxErrorSnippet], "") + "…"
	}
	if text == "" {
		return "(empty)"
	}
	return text
}

package hook

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

	"golang.org/x/net/http/httpguts"

	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/outbound"
)

// Webhook is a hook that is asked over HTTP.
//
// The request is a POST of JSON: {event, callId, parentCallId, runId, turnId, toolId, name, toolKind, toolInputKind, input,
// context}, and after a call also {result | error, code, tookMs}. It is signed like those of http executors, if there is a
// key for the tenant. Status 2xx with an object, or nothing, is an answer: {block, reason, input} before a call, {result |
// error, reason} after it. Whatever else comes means that the hook has failed. It is not asked twice.
type Webhook struct {
	// URL is where to ask; http or https.
	URL string
	// Headers are sent along.
	Headers map[string]string
	// Client sends the requests: only to hosts that the operator allows.
	Client *outbound.Client
	// Keys sign the requests.
	Keys executor.SigningKeys
}

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 4 << 20

// Check says why the hook can't be used for a tenant's calls, as far as that is known before it is asked.
func (w *Webhook) Check(tenant string) error {
	u, err := url.Parse(w.URL)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf(".url must be an http or https URL, got %q", w.URL)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Headers)) {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(w.Headers[name]) {
			return fmt.Errorf(".headers: %q is no HTTP header", name)
		}
	}
	if err := w.Client.Check(tenant, u); err != nil {
		return fmt.Errorf(".url: %w", err)
	}
	return nil
}

type question struct {
	Event string `json:"event"`
	Call
	Result json.RawMessage `json:"result,omitempty"`
	Error  string          `json:"error,omitempty"`
	Code   string          `json:"code,omitempty"`
	TookMs float64         `json:"tookMs,omitempty"`
}

// BeforeToolCall implements Before.
func (w *Webhook) BeforeToolCall(ctx context.Context, call Call) (Verdict, error) {
	answer, err := w.ask(ctx, &question{Event: BeforeToolCall, Call: call})
	if err != nil {
		return Verdict{}, err
	}
	return readVerdict(answer)
}

// AfterToolCall implements After.
func (w *Webhook) AfterToolCall(ctx context.Context, call Call, o Outcome) (Revision, error) {
	answer, err := w.ask(ctx, &question{
		Event: AfterToolCall, Call: call, Result: o.Result, Error: o.Error, Code: o.Code, TookMs: o.Took.Seconds() * 1000,
	})
	if err != nil {
		return Revision{}, err
	}
	return readRevision(answer)
}

// ask returns the body of the answer. Errors name no address: a cell may see them.
func (w *Webhook) ask(ctx context.Context, q *question) ([]byte, error) {
	body, err := json.Marshal(q)
	if err != nil {
		return nil, errors.New("the question can't be sent")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the question can't be sent")
	}
	for name, value := range w.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	w.Keys.Sign(req, q.Tenant, body)
	resp, err := w.Client.Do(q.Tenant, req)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, fmt.Errorf("it answered HTTP %d", resp.StatusCode)
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, unreachable(ctx, err)
	case len(answer) > maxAnswer:
		return nil, fmt.Errorf("its answer has more than %d bytes", maxAnswer)
	}
	return answer, nil
}

func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if refused, ok := outbound.Refused(err); ok {
		return fmt.Errorf("it can't be asked: %w", refused)
	}
	return errors.New("it can't be reached")
}

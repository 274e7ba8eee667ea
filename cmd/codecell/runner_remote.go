package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"
)

// maxAnswer bounds what is read from a server, in bytes.
const maxAnswer = 64 << 20

// remoteRunner runs the cell on a server.
type remoteRunner struct {
	client *http.Client
	base   string
	key    string
	turnID string
}

// newRemoteRunner prepares a turn on the server at base, such as http://127.0.0.1:8080.
func newRemoteRunner(ctx context.Context, base, key string, turn []byte, warn func(string)) (runner, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, usageError{fmt.Errorf("--server must be a URL such as http://127.0.0.1:8080, not %q", base)}
	}
	r := &remoteRunner{client: &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment}}, base: strings.TrimRight(base, "/"), key: key}
	body, err := r.send(ctx, http.MethodPost, "/v1/turns", turn)
	if err != nil {
		return nil, err
	}
	prepared := gjson.ParseBytes(body)
	if r.turnID = prepared.Get("turnId").Str; r.turnID == "" {
		return nil, fmt.Errorf("%s did not answer like a codecell service: no turnId", base)
	}
	for _, w := range prepared.Get("warnings").Array() {
		warn(w.String())
	}
	return r, nil
}

func (r *remoteRunner) exec(ctx context.Context, c cell) ([]byte, error) {
	return r.post(ctx, "/v1/exec", struct {
		TurnID string `json:"turnId"`
		cell
	}{r.turnID, c})
}

func (r *remoteRunner) wait(ctx context.Context, runID string) ([]byte, error) {
	return r.post(ctx, "/v1/wait", map[string]string{"turnId": r.turnID, "runId": runID})
}

// close deletes the turn, which also ends a cell that was left waiting (contract G7).
func (r *remoteRunner) close(ctx context.Context) error {
	defer r.client.CloseIdleConnections()
	_, err := r.send(ctx, http.MethodDelete, "/v1/turns/"+url.PathEscape(r.turnID), nil)
	return err
}

func (r *remoteRunner) post(ctx context.Context, path string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return r.send(ctx, http.MethodPost, path, body)
}

// send returns the body of an answer, or the server's own words of what was wrong.
func (r *remoteRunner) send(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, r.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if r.key != "" {
		req.Header.Set("Authorization", "Bearer "+r.key)
	}
	res, err := r.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	// The server is the user's choice, but may still be the wrong one.
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, err
	case res.StatusCode >= 300:
		return nil, problemError(res.Status, text)
	}
	return text, nil
}

// problemError quotes a problem document (contract I3): its detail says what to do.
func problemError(status string, body []byte) error {
	p := gjson.ParseBytes(body)
	if title := p.Get("title").Str; title != "" {
		return fmt.Errorf("the server says %s: %s: %s", status, title, p.Get("detail").Str)
	}
	return fmt.Errorf("the server says %s", status)
}

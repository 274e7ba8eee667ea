package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge/tracecontext"
)

// remote returns the transport to a streamable HTTP endpoint.
func (s *server) remote() mcp.Transport {
	return &mcp.StreamableClientTransport{
		Endpoint: s.config.URL, MaxEventSize: 4 * maxMessage, // a list of tools has grown by its schemas as text
		HTTPClient: &http.Client{
			Transport: &authorized{config: s.config, base: s.transport},
			// A redirect would take headers and token to a place that nobody configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// newTransport is one for each server, so that idle connections end with it.
func newTransport() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = 0 // a call may take as long as its own timeout says
	return t
}

// authorized adds the configured headers, and the token that the token command gave.
type authorized struct {
	config *Config
	base   http.RoundTripper

	mu    sync.Mutex
	token string
}

// RoundTrip implements http.RoundTripper. A request that the server does not authorise is sent once more with a new token.
func (a *authorized) RoundTrip(req *http.Request) (*http.Response, error) {
	token, err := a.bearer(req.Context(), "")
	if err != nil {
		return nil, err
	}
	resp, err := a.send(req, token)
	again := err == nil && resp.StatusCode == http.StatusUnauthorized && token != "" && (req.Body == nil || req.GetBody != nil)
	if !again {
		return arrived(resp), err
	}
	resp.Body.Close()
	if token, err = a.bearer(req.Context(), token); err != nil {
		return nil, err
	}
	if req.GetBody != nil {
		if req.Body, err = req.GetBody(); err != nil {
			return nil, err
		}
	}
	resp, err = a.send(req, token)
	return arrived(resp), err
}

func (a *authorized) send(req *http.Request, token string) (*http.Response, error) {
	req = req.Clone(req.Context())
	tracecontext.Inject(req.Context(), req.Header)
	for name, value := range a.config.Headers {
		req.Header.Set(name, value)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return a.base.RoundTrip(req)
}

// bearer returns the token, after it was asked for anew if it is the one that was refused.
func (a *authorized) bearer(ctx context.Context, refused string) (string, error) {
	if len(a.config.TokenCommand) == 0 {
		return "", nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token != "" && a.token != refused {
		return a.token, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, a.config.TokenCommand[0], a.config.TokenCommand[1:]...)
	var out bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.WaitDelay = os.Environ(), &limitedWriter{buffer: &out, left: 64 << 10}, time.Second
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("its tokenCommand failed: %w", err)
	}
	a.token = strings.TrimSpace(out.String())
	if a.token == "" || strings.ContainsAny(a.token, "\r\n") {
		return "", errors.New("its tokenCommand did not print one token")
	}
	return a.token, nil
}

// limitedWriter keeps so many bytes, and fails for more.
type limitedWriter struct {
	buffer *bytes.Buffer
	left   int
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errors.New("it prints too much")
	}
	return w.buffer.Write(p)
}

// arrived bounds what a response holds, and gives the result to who captures it.
func arrived(resp *http.Response) *http.Response {
	if resp == nil {
		return nil
	}
	to := captureOf(resp.Request.Context())
	events := strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream")
	id := func() string { return requestID(resp.Request) }
	switch {
	case to != nil && resp.StatusCode == http.StatusOK && events:
		resp.Body = eventAnswers(resp.Body, to, id)
	case to != nil && resp.StatusCode == http.StatusOK:
		resp.Body = wholeAnswer(resp.Body, to, id)
	case !events: // streams of events are bounded by event
		resp.Body = http.MaxBytesReader(nil, resp.Body, maxMessage)
	}
	return resp
}

// requestID is the id of the JSON-RPC request that was posted, as JSON.
func requestID(r *http.Request) string {
	if r.GetBody == nil {
		return "null"
	}
	body, err := r.GetBody()
	if err != nil {
		return "null"
	}
	defer body.Close()
	raw, err := io.ReadAll(body)
	if id := gjson.GetBytes(raw, "id"); err == nil && id.Exists() {
		return id.Raw
	}
	return "null"
}

package contracttest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// object is a JSON object about to be sent.
type object = map[string]any

// client sends requests as one tenant.
type client struct {
	target Target
	key    string
}

// other is the same service seen by another tenant.
func (c *client) other() *client { return &client{target: c.target, key: c.target.OtherKey} }

// send sends a body, as JSON unless it is a string already, and reads the answer. header holds name and value in turn.
func (c *client) send(t testing.TB, method, path string, body any, header ...string) reply {
	t.Helper()
	sent, ok := body.(string)
	if !ok && body != nil {
		raw, err := json.Marshal(body)
		require.NoError(t, err)
		sent = string(raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, c.target.Base+path, strings.NewReader(sent))
	require.NoError(t, err)
	if sent != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	started := time.Now()
	resp, err := c.target.Client.Do(req)
	require.NoError(t, err, "%s %s", method, path)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err, "%s %s", method, path)
	return reply{
		t: t, sent: method + " " + path + "\n" + clip(sent), status: resp.StatusCode, header: resp.Header,
		raw: raw, body: gjson.ParseBytes(raw), took: time.Since(started),
	}
}

func (c *client) post(t testing.TB, path string, body any, header ...string) reply {
	t.Helper()
	return c.send(t, http.MethodPost, path, body, header...)
}

func (c *client) get(t testing.TB, path string) reply {
	t.Helper()
	return c.send(t, http.MethodGet, path, nil)
}

func (c *client) drop(t testing.TB, path string) reply {
	t.Helper()
	return c.send(t, http.MethodDelete, path, nil)
}

// eventually waits until a count in /readyz (running, suspended, turns) is what it must become.
func (c *client) eventually(t testing.TB, count string, want int64) {
	t.Helper()
	var last []byte
	require.Eventually(t, func() bool {
		r := c.get(t, "/readyz")
		last = r.raw
		return r.body.Get(count).Int() == want
	}, 5*time.Second, 10*time.Millisecond, "%s never became %d: %s", count, want, last)
}

// clip keeps a failure readable when a case sends megabytes.
func clip(s string) string {
	const most = 3000
	if len(s) <= most {
		return s
	}
	return s[:most] + "…"
}

// decodes says whether raw is one whole JSON value.
func decodes(raw []byte) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	var v any
	return d.Decode(&v) == nil && !d.More()
}

// inBackground sends a request that is still open while the case goes on. The answer comes from the channel; a request
// that fails closes it.
func inBackground(request func() reply) <-chan reply {
	answer := make(chan reply, 1)
	go func() {
		defer close(answer)
		answer <- request()
	}()
	return answer
}

package server_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine/wasi"
	"github.com/codecell/codecell/engine/worker"
	"github.com/codecell/codecell/server"
	"github.com/codecell/codecell/server/keyring"
)

// marker is in everything that the tenant who is spied on has.
const marker = "confidential"

// belongings are the ids of a tenant's things, or of things that nobody has.
type belongings struct {
	turn, run, call, session, sessionKey, agent, namespace, plugin, idempotency, snapshot string
}

// ids are those that a path may name.
func (b belongings) ids() map[string]string {
	return map[string]string{
		"TURN": b.turn, "RUN": b.run, "CALL": b.call, "SESSION": b.session, "KEY": b.sessionKey, "AGENT": b.agent,
		"NAMESPACE": b.namespace, "PLUGIN": b.plugin, "IDEMPOTENCY": b.idempotency,
	}
}

// nobodys are ids of the same shapes that are of nothing.
func (b belongings) nobodys() belongings {
	other := func(id string) string { return rand.Text()[:min(26, len(id))] }
	return belongings{
		turn: other(b.turn), run: other(b.run), call: other(b.call), session: other(b.session), sessionKey: other(b.sessionKey),
		agent: other(b.agent), namespace: "n" + strings.ToLower(other(b.namespace)), plugin: "p" + strings.ToLower(other(b.plugin)),
		idempotency: other(b.idempotency), snapshot: b.snapshot,
	}
}

// tenantClient sends requests with a tenant's key.
type tenantClient struct {
	t         *testing.T
	base, key string
	client    *http.Client
}

func (c *tenantClient) send(method, path, body string, header http.Header) (int, string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 20*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	require.NoError(c.t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Authorization", "Bearer "+c.key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.client.Do(request)
	require.NoError(c.t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	require.NoError(c.t, err)
	return answer.StatusCode, string(text)
}

func (c *tenantClient) post(path, body string) gjson.Result {
	c.t.Helper()
	status, text := c.send(http.MethodPost, path, body, nil)
	require.Equal(c.t, http.StatusOK, status, text)
	return gjson.Parse(text)
}

// tenantsOf serves tenants whose guests can leave the process, if there is the engine for it.
func tenantsOf(t *testing.T, names ...string) map[string]*tenantClient {
	settings := worker.Settings{Engine: "wasi", Steps: 4, Heaps: 32, HeapBytes: 64 << 20, CacheDir: t.TempDir()}
	if _, err := wasi.Module(); err != nil {
		require.Empty(t, os.Getenv("CODECELL_GUEST"), "the guest on WebAssembly is not there")
		settings.Engine = "native"
	}
	e, err := openEngine(settings)
	require.NoError(t, err)
	service, err := bridge.New(bridge.Options{Engine: e, TestExecutors: true})
	require.NoError(t, err)
	var all []keyring.Key
	for _, name := range names {
		all = append(all, keyring.Key{ID: name, SHA256: keyring.Hash(name)})
	}
	keys, err := keyring.New(all, "")
	require.NoError(t, err)
	s, err := server.New(server.Options{Backend: server.FromBridge(service, nil), Keys: keys})
	require.NoError(t, err)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, context.Background(), l, time.Second) }()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		stop()
		require.NoError(t, <-served)
		require.NoError(t, e.Close())
	})
	clients := map[string]*tenantClient{}
	for _, name := range names {
		clients[name] = &tenantClient{t, "http://" + l.Addr().String(), name, client}
	}
	return clients
}

const confidentialTurn = `{
	"context": {"agentId": %q, "sessionId": %q, "sessionKey": %q, "runId": "r", "sender": "confidential-sender"},
	"config": {"enabled": true, "store": true},
	"tools": [{"source": "client", "owner": "app", "name": "confidential_ask", "description": "confidential tool"}]
}`

// furnish gives a tenant one of each thing that has an id.
func furnish(c *tenantClient) (belongings, string) {
	b := belongings{session: marker + "-session", sessionKey: marker + "-key", agent: marker + "-agent", namespace: marker + "ns", plugin: marker + "-plugin", idempotency: marker + "-once"}
	turn := fmt.Sprintf(confidentialTurn, b.agent, b.session, b.sessionKey)
	b.turn = c.post("/v1/turns", turn).Get("turnId").Str
	status, text := c.send(http.MethodPut, "/v1/namespaces/"+b.namespace, declaration(b), nil)
	require.Equal(c.t, http.StatusOK, status, text)
	const code = `await store.set(\"confidential-key\", \"confidential value\"); text(\"confidential output\"); return await tools.confidential_ask({q: \"confidential input\"})`
	exec := fmt.Sprintf(`{"turnId": %q, "code": "%s"}`, b.turn, code)
	status, text = c.send(http.MethodPost, "/v1/exec", exec, http.Header{"Idempotency-Key": {b.idempotency}})
	require.Equal(c.t, http.StatusOK, status, text)
	b.run, b.call = gjson.Get(text, "runId").Str, gjson.Get(text, "pendingToolCalls.0.id").Str
	require.NotEmpty(c.t, b.call, text)
	// Another run leaves as a snapshot, which is bound to its turn.
	second := c.post("/v1/exec", exec).Get("runId").Str
	status, text = c.send(http.MethodPost, "/v1/runs/"+second+"/export", fmt.Sprintf(`{"turnId": %q}`, b.turn), nil)
	if status == http.StatusOK {
		b.snapshot = gjson.Get(text, "snapshot").Str
	}
	return b, second
}

func declaration(b belongings) string {
	return fmt.Sprintf(`{"pluginId": %q, "globalName": "Shop", "description": "a shop", "requiredToolNames": ["ask"], "scope": {"ask": {"$tool": "ask"}}}`, b.plugin)
}

// member is what a request's body has under a name: a property that is not listed here is one that this test must be told of,
// if it is required.
func member(b belongings, name string) (any, bool) {
	all := map[string]any{
		"turnId": b.turn, "runId": b.run, "snapshot": b.snapshot, "code": "return 1", "language": "javascript",
		"results":  []any{map[string]any{"id": b.call, "ok": true, "value": map[string]any{}}},
		"context":  map[string]any{"agentId": b.agent, "sessionId": b.session, "sessionKey": b.sessionKey, "runId": "r"},
		"tools":    []any{},
		"pluginId": b.plugin, "globalName": "Shop", "description": "a shop", "requiredToolNames": []any{"ask"},
		"scope":    map[string]any{"ask": map[string]any{"$tool": "ask"}},
		"decision": "approve",
	}
	v, ok := all[name]
	return v, ok
}

// schemaOf follows a reference.
func schemaOf(document, schema gjson.Result) gjson.Result {
	if ref := schema.Get("$ref").Str; ref != "" {
		return document.Get(strings.ReplaceAll(strings.TrimPrefix(ref, "#/"), "/", "."))
	}
	return schema
}

// bodyOf makes a body that an operation takes, which names things by their ids wherever it can.
func bodyOf(t *testing.T, document, operation gjson.Result, b belongings) string {
	schema := operation.Get(`requestBody.content.application/json.schema`)
	if !schema.Exists() {
		return ""
	}
	schema = schemaOf(document, schema)
	body := map[string]any{}
	schema.Get("properties").ForEach(func(name, _ gjson.Result) bool {
		if v, ok := member(b, name.Str); ok {
			body[name.Str] = v
		}
		return true
	})
	for _, name := range schema.Get("required").Array() {
		require.Contains(t, body, name.Str, "say in member what this is to be")
	}
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return string(text)
}

// paths are those of an operation with every id in the place of every parameter.
func paths(path string, ids map[string]string) []struct{ path, with string } {
	all := []struct{ path, with string }{{path, ""}}
	for _, param := range regexp.MustCompile(`\{\w+\}`).FindAllString(path, -1) {
		var next []struct{ path, with string }
		for _, p := range all {
			for _, name := range slices.Sorted(maps.Keys(ids)) {
				next = append(next, struct{ path, with string }{strings.Replace(p.path, param, ids[name], 1), p.with + " " + name})
			}
		}
		all = next
	}
	return all
}

var generated = regexp.MustCompile(`[A-Z2-7]{26}`)

// leveled is an answer without what differs between any two: the ids that were sent, new ones, and how long it took.
func leveled(text string, b belongings) string {
	ids := b.ids()
	// The longest first: one may be a part of another.
	names := slices.SortedFunc(maps.Keys(ids), func(x, y string) int { return len(ids[y]) - len(ids[x]) })
	for _, name := range names {
		text = strings.ReplaceAll(text, ids[name], name)
	}
	text = generated.ReplaceAllString(text, "GENERATED")
	return regexp.MustCompile(`"(guestMs|waitMs|heapBytes)":[0-9.]+`).ReplaceAllString(text, `"$1":0`)
}

// TestIsolation has one tenant try every route with the ids of another one, and a third tenant do the same with ids that
// nobody has: both must be answered alike.
func TestIsolation(t *testing.T) {
	tenants := tenantsOf(t, "spied", "spy", "stranger")
	spied := tenants["spied"]
	theirs, exported := furnish(spied)
	source, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	document := gjson.ParseBytes(source)
	nobodys := theirs.nobodys()
	// ask sends a request, and returns the answer, leveled.
	ask := func(t *testing.T, as, method, path string, operation gjson.Result, b belongings) (int, string) {
		header := http.Header{}
		if bytes.Contains([]byte(operation.Get("parameters").Raw), []byte("IdempotencyKey")) {
			header.Set("Idempotency-Key", b.idempotency)
		}
		header.Set("Last-Event-ID", "0")
		status, text := tenants[as].send(strings.ToUpper(method), path, bodyOf(t, document, operation, b), header)
		text = leveled(text, b)
		require.NotContains(t, text, marker)
		return status, text
	}
	document.Get("paths").ForEach(func(path, operations gjson.Result) bool {
		operations.ForEach(func(method, operation gjson.Result) bool {
			stranger := nobodys.ids()
			for _, p := range paths(path.Str, theirs.ids()) {
				t.Run("A7 "+method.Str+" "+path.Str+p.with, func(t *testing.T) {
					status, text := ask(t, "spy", method.Str, p.path, operation, theirs)
					other := path.Str
					for _, name := range strings.Fields(p.with) {
						other = regexp.MustCompile(`\{\w+\}`).ReplaceAllLiteralString(other, stranger[name])
					}
					wantStatus, want := ask(t, "stranger", method.Str, other, operation, nobodys)
					require.Equal(t, wantStatus, status, text)
					require.Equal(t, want, text, "another tenant's id is answered like one that nobody has")
				})
			}
			return true
		})
		return true
	})
	t.Run("A7 nothing of theirs has changed", func(t *testing.T) {
		status, text := spied.send(http.MethodGet, "/v1/namespaces", "", nil)
		require.Equal(t, http.StatusOK, status)
		require.Contains(t, text, theirs.namespace)
		wait := fmt.Sprintf(`{"turnId": %q, "runId": %q, "results": [{"id": %q, "ok": true, "value": {"details": "answer"}}]}`, theirs.turn, theirs.run, theirs.call)
		require.Equal(t, "answer", spied.post("/v1/wait", wait).Get("value").Str)
		code := fmt.Sprintf(`{"turnId": %q, "code": "return store.get(\"confidential-key\")"}`, theirs.turn)
		require.Equal(t, "confidential value", spied.post("/v1/exec", code).Get("value").Str)
		if theirs.snapshot != "" {
			spied.post("/v1/runs/"+exported+"/import", fmt.Sprintf(`{"turnId": %q, "snapshot": %q}`, theirs.turn, theirs.snapshot))
		}
	})
}

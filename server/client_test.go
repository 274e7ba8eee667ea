package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// specRouter finds the operation of a request in the OpenAPI document.
var specRouter = sync.OnceValue(func() routers.Router {
	doc, err := openapi3.NewLoader().LoadFromData(openAPISource)
	if err != nil {
		panic(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		panic(err)
	}
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		panic(err)
	}
	return router
})

// call is one request to a server under test.
type call struct {
	method, path, body string
	header             http.Header
}

func post(path, body string) call { return call{method: http.MethodPost, path: path, body: body} }

func (c call) with(name, value string) call {
	c.header = c.header.Clone()
	if c.header == nil {
		c.header = http.Header{}
	}
	c.header.Set(name, value)
	return c
}

func (c call) request() *http.Request {
	r := httptest.NewRequest(c.method, "http://127.0.0.1"+c.path, strings.NewReader(c.body))
	if c.method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, values := range c.header {
		r.Header[name] = values
	}
	if host := c.header.Get("Host"); host != "" {
		r.Host = host
	}
	return r
}

// do sends a call and holds the answer against the OpenAPI document (contract I4).
func do(t testing.TB, s *Server, c call) *httptest.ResponseRecorder {
	t.Helper()
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, c.request())
	requireTrue(t, c, rec)
	return rec
}

// requireTrue checks what was answered, and for accepted requests also what was asked, against the document.
func requireTrue(t testing.TB, c call, rec *httptest.ResponseRecorder) {
	t.Helper()
	r := c.request()
	route, params, err := specRouter().FindRoute(r)
	if err != nil {
		require.Contains(t, []int{http.StatusNotFound, http.StatusMethodNotAllowed}, rec.Code, "the document lacks %s %s", c.method, c.path)
		return
	}
	// The validator falls back to OpenAPI 3.0 for many a schema, so bodies are judged below, by JSON Schema 2020-12
	// proper.
	in := &openapi3filter.RequestValidationInput{
		Request: r, Route: route, PathParams: params,
		Options: &openapi3filter.Options{
			AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, IncludeResponseStatus: true,
			ExcludeRequestBody: true, ExcludeResponseBody: true,
		},
	}
	at := "/paths/" + strings.ReplaceAll(route.Path, "/", "~1") + "/" + strings.ToLower(c.method)
	if rec.Code < 300 {
		require.NoError(t, openapi3filter.ValidateRequest(context.Background(), in))
		if c.method == http.MethodPost {
			requireSchema(t, at+"/requestBody/content/application~1json/schema", []byte(c.body))
		}
	}
	require.NoError(t, openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: in, Status: rec.Code, Header: rec.Header(), Options: in.Options,
	}), "answer %d: %s", rec.Code, rec.Body)
	at = fmt.Sprintf("%s/responses/%d", at, rec.Code)
	if ref := gjson.GetBytes(openAPISource, pointerToPath(at)+".$ref").Str; ref != "" {
		at = ref[1:]
	}
	if c.method == http.MethodHead {
		require.Zero(t, rec.Body.Len())
		return
	}
	if media := rec.Header().Get("Content-Type"); media == mimeLines[0] {
		for line := range strings.Lines(rec.Body.String()) {
			requireSchema(t, at+"/content/application~1x-ndjson/schema", []byte(line))
		}
	} else if media == mimeEvents {
		requireEvents(t, rec.Body.String())
	} else if media != "" {
		requireSchema(t, at+"/content/"+strings.ReplaceAll(media, "/", "~1")+"/schema", rec.Body.Bytes())
	}
}

// event is one that a client was sent.
type event struct{ id, name, data string }

// parseEvents reads a stream as the standard says, as far as the service makes use of it.
func parseEvents(t testing.TB, stream string) (all []event) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		var e event
		for line := range strings.SplitSeq(block, "\n") {
			field, value, ok := strings.Cut(line, ":")
			require.True(t, ok, "%q", line)
			into := map[string]*string{"id": &e.id, "event": &e.name, "data": &e.data}[field]
			if into != nil {
				require.Empty(t, *into, "one line each")
				*into = strings.TrimPrefix(value, " ")
			} else {
				require.Contains(t, []string{"retry", ""}, field)
			}
		}
		if e.data != "" {
			all = append(all, e)
		}
	}
	return all
}

// requireEvents holds the events of a stream against the document.
func requireEvents(t testing.TB, stream string) {
	t.Helper()
	schemas := map[string]string{"result": "CodeModeResult", "problem": "Problem"}
	for _, e := range parseEvents(t, stream) {
		if e.name == "missed" {
			require.Empty(t, e.id)
			continue
		}
		schema, last := schemas[e.name]
		if !last {
			require.NotEmpty(t, e.id, "%+v", e)
			require.Contains(t, gjson.GetBytes(openAPISource, "components.schemas.EventStream.description").Str, e.name)
			schema = "EventData"
		}
		requireSchema(t, "/components/schemas/"+schema, []byte(e.data))
	}
}

// pointerToPath turns a JSON pointer into gjson's spelling.
func pointerToPath(pointer string) string {
	path := strings.ReplaceAll(strings.ReplaceAll(pointer[1:], ".", `\.`), "/", ".")
	return strings.ReplaceAll(path, "~1", "/")
}

// specSchemas compiles the schemas of the document, by JSON pointer.
var specSchemas = sync.OnceValue(func() func(string) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(openAPISource))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("openapi.json", doc); err != nil {
		panic(err)
	}
	var mu sync.Mutex
	return func(pointer string) (*jsonschema.Schema, error) {
		mu.Lock()
		defer mu.Unlock()
		return compiler.Compile("openapi.json#" + pointer)
	}
})

func requireSchema(t testing.TB, pointer string, text []byte) {
	t.Helper()
	schema, err := specSchemas()(pointer)
	require.NoError(t, err, "the document lacks %s", pointer)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	require.NoError(t, schema.Validate(value), "%s", text)
}

// problemOf reads a problem document and checks what all of them share (contract I3).
func problemOf(t testing.TB, rec *httptest.ResponseRecorder) problemDocument {
	t.Helper()
	require.Equal(t, "application/problem+json", rec.Header().Get("Content-Type"), rec.Body.String())
	var doc problemDocument
	require.NoError(t, json.Unmarshal(rec.Body.Bytes(), &doc))
	require.Equal(t, rec.Code, doc.Status)
	require.NotEmpty(t, doc.Title)
	require.True(t, strings.HasPrefix(doc.Type, problemTypePrefix))
	require.True(t, strings.HasPrefix(doc.Instance, "urn:codecell:request:"))
	return doc
}

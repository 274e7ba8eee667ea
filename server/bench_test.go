package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

const benchBody = `{"turnId":"turn-1","toolCallId":"call-1","code":"const r = await tools.search('ticket');\nreturn r.length","language":"javascript"}`

// discard is a ResponseWriter that costs next to nothing.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(status int)      { d.status = status }

// echoNoop binds the same request and writes the same answer: the rate that exec is measured against.
func echoNoop() http.Handler {
	e := echo.New()
	e.POST("/v1/exec", func(c echo.Context) error {
		var in struct {
			TurnID     string `json:"turnId"`
			ToolCallID string `json:"toolCallId"`
			Code       string `json:"code"`
			Language   string `json:"language"`
		}
		if err := c.Bind(&in); err != nil {
			return err
		}
		return c.JSON(http.StatusOK, json.RawMessage(text(completedTwo)))
	})
	return e
}

// contestant is a handler and the body that it is measured with.
type contestant struct {
	http.Handler
	body string
}

func contestants(b *testing.B) map[string]contestant {
	keyed := newFake()
	keyed.add("a", "turn-1", nil)
	realServer := newReal(b)
	created := httptest.NewRecorder()
	realServer.Handler().ServeHTTP(created, post("/v1/turns", realTurn).request())
	return map[string]contestant{
		"noop": {echoNoop(), benchBody},
		"exec": {newTestServer(b, Options{Backend: newFake()}).Handler(), benchBody},
		"exec-keys": {
			newTestServer(b, Options{Backend: keyed, Keys: keysOf("a")}).Handler(), benchBody,
		},
		"exec-real": {
			realServer.Handler(),
			`{"turnId":"` + gjson.GetBytes(created.Body.Bytes(), "turnId").Str + `","toolCallId":"call-1","code":"return 1+1"}`,
		},
	}
}

// BenchmarkHandler compares handlers without a network.
func BenchmarkHandler(b *testing.B) {
	for name, h := range contestants(b) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			r := httptest.NewRequest(http.MethodPost, "http://localhost/v1/exec", nil)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer a")
			r.ContentLength = int64(len(h.body))
			for b.Loop() {
				r.Body = io.NopCloser(strings.NewReader(h.body))
				w := &discard{header: http.Header{}}
				h.ServeHTTP(w, r)
				if w.status != http.StatusOK {
					b.Fatal(w.status)
				}
			}
		})
	}
}

// BenchmarkHTTP compares them over loopback with connections kept alive.
func BenchmarkHTTP(b *testing.B) {
	for name, h := range contestants(b) {
		b.Run(name, func(b *testing.B) {
			srv := httptest.NewServer(h)
			defer srv.Close()
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16}}
			defer client.CloseIdleConnections()
			b.SetParallelism(8)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					r, err := http.NewRequest(http.MethodPost, srv.URL+"/v1/exec", strings.NewReader(h.body))
					require.NoError(b, err)
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set("Authorization", "Bearer a")
					answer, err := client.Do(r)
					require.NoError(b, err)
					_, err = io.Copy(io.Discard, answer.Body)
					require.NoError(b, err)
					answer.Body.Close()
				}
			})
		})
	}
}

// BenchmarkLargeBody reads and checks a body of one MiB.
func BenchmarkLargeBody(b *testing.B) {
	raw := []byte(`{"turnId":"turn-1","results":[` + strings.Repeat(`{"id":"a","ok":true,"value":{"text":"hello"}},`, 23_000) + `{"id":"a","ok":true}]}`)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		if _, err := parseResume(raw); err != nil {
			b.Fatal(err)
		}
	}
}

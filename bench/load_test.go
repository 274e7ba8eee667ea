package bench

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// dial loads a handler over four connections.
func dial(t *testing.T, want string, h http.HandlerFunc) *Load {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	address := strings.TrimPrefix(srv.URL, "http://")
	l, err := Dial(address, 4, Post(address, "/x", `{"a":1}`), []byte(want))
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func TestLoad(t *testing.T) {
	t.Run("sends each request once, whole, on connections that stay open", func(t *testing.T) {
		var hits atomic.Int64
		l := dial(t, `{"a":1}`, func(w http.ResponseWriter, r *http.Request) {
			hits.Add(1)
			body, err := io.ReadAll(r.Body)
			if err != nil || r.Method != http.MethodPost || r.URL.Path != "/x" || r.Header.Get("Content-Type") != "application/json" {
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			_, _ = w.Write(body)
		})
		for range 2 {
			report, err := l.Run(100)
			require.NoError(t, err)
			require.EqualValues(t, 100, report.Requests)
			require.Positive(t, report.Rate())
			require.Positive(t, report.Quantile(0.5))
			require.LessOrEqual(t, report.Quantile(0.5), report.Quantile(0.99))
		}
		require.EqualValues(t, 200, hits.Load())
	})
	for _, tc := range []struct {
		name, says string
		handler    http.HandlerFunc
	}{
		{"another status", "503 Service Unavailable", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }},
		{"another body", `answered "{\"no\":1}"`, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"no":1}`) }},
		{"a chunked answer", "without Content-Length", func(w http.ResponseWriter, _ *http.Request) {
			w.(http.Flusher).Flush()
			fmt.Fprint(w, `{"a":1}`)
		}},
		{"a connection that breaks", "load: read", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		t.Run("fails on "+tc.name, func(t *testing.T) {
			_, err := dial(t, `{"a":1}`, tc.handler).Run(4)
			require.ErrorContains(t, err, tc.says)
		})
	}
	t.Run("fails where nobody listens", func(t *testing.T) {
		_, err := Dial("127.0.0.1:1", 1, nil, nil)
		require.ErrorContains(t, err, "load:")
	})
}

func TestReport(t *testing.T) {
	r, later := newReport(), newReport()
	for i := range 100 {
		r.add(time.Duration(i+1) * time.Millisecond)
	}
	r.Elapsed = time.Second
	later.add(0)
	later.add(time.Hour)
	later.Elapsed = time.Second
	t.Run("quantiles within the histogram's three digits", func(t *testing.T) {
		require.InEpsilon(t, 50*time.Millisecond, r.Quantile(0.5), 0.002)
		require.InEpsilon(t, 99*time.Millisecond, r.Quantile(0.99), 0.002)
	})
	t.Run("reports one after the other add up", func(t *testing.T) {
		r.Append(later)
		require.EqualValues(t, 102, r.Requests)
		require.InEpsilon(t, 51, r.Rate(), 1e-9)
		require.InEpsilon(t, time.Minute, r.Quantile(1), 0.002, "what takes longer counts as the longest")
	})
	t.Run("nothing measured is no rate", func(t *testing.T) {
		require.Zero(t, newReport().Rate())
	})
}

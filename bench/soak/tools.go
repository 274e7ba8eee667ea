package main

import (
	"io"
	"net/http"
	"net/http/httptest"
)

// toolServers answer for the tools: one that works, and one that does not. They have different addresses, since a service
// leaves alone for a while what fails.
type toolServers struct{ good, bad *httptest.Server }

func startTools() *toolServers {
	good := http.NewServeMux()
	good.HandleFunc("/ok", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"content":[{"type":"text","text":"found"}],"details":{"found":[1,2,3]}}`)
	})
	good.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // else the end of the request is not seen
		<-r.Context().Done()
	})
	bad := http.NewServeMux()
	bad.HandleFunc("/error", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	bad.HandleFunc("/garbage", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"content":[`) })
	bad.HandleFunc("/close", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	return &toolServers{httptest.NewServer(good), httptest.NewServer(bad)}
}

func (t *toolServers) close() {
	for _, s := range []*httptest.Server{t.good, t.bad} {
		s.CloseClientConnections()
		s.Close()
	}
}

package server

import (
	"compress/gzip"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

// record sends a call whose answer is not held against the OpenAPI document.
func record(s *Server, c call) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	s.Handler().ServeHTTP(rec, c.request())
	return rec
}

func TestCompression(t *testing.T) {
	f := newFake()
	large := `"` + strings.Repeat("x", minCompressed) + `"`
	f.exec = func(context.Context, bridge.ExecInput) (*bridge.Result, error) { return completed(large), nil }
	s := newTestServer(t, Options{Backend: f})
	for encodings, zipped := range map[string]bool{
		"gzip": true, "br, GZIP;q=0.5": true, "gzip;q=0": false, "gzip; q=0.00": false, "br": false, "": false, "*": false, "gzip;q=1.0": true,
	} {
		t.Run("I4 an answer for Accept-Encoding "+encodings, func(t *testing.T) {
			c := post("/v1/exec", cell)
			rec := record(s, c.with("Accept-Encoding", encodings))
			require.Equal(t, 200, rec.Code)
			require.Equal(t, "Accept-Encoding", rec.Header().Get("Vary"))
			require.Equal(t, fmt.Sprint(rec.Body.Len()), rec.Header().Get("Content-Length"))
			require.Equal(t, zipped, rec.Header().Get("Content-Encoding") == "gzip")
			body := io.Reader(rec.Body)
			if zipped {
				require.Less(t, rec.Body.Len(), minCompressed/4)
				var err error
				body, err = gzip.NewReader(body)
				require.NoError(t, err)
			}
			text, err := io.ReadAll(body)
			require.NoError(t, err)
			require.Contains(t, string(text), large)
		})
	}
	t.Run("I4 a small one is sent as it is", func(t *testing.T) {
		f.exec = newFake().exec
		require.Empty(t, record(s, post("/v1/exec", cell).with("Accept-Encoding", "gzip")).Header().Get("Content-Encoding"))
	})
}

func TestRequestID(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	t.Run("I4 a request's id comes back", func(t *testing.T) {
		require.Equal(t, "gateway-1/2", do(t, s, post("/v1/exec", cell).with("X-Request-Id", "gateway-1/2")).Header().Get("X-Request-Id"))
		rec := do(t, s, post("/v1/exec", `{`).with("X-Request-Id", "gateway-2"))
		require.Equal(t, "gateway-2", rec.Header().Get("X-Request-Id"))
		require.NotContains(t, rec.Body.String(), "gateway-2")
	})
	t.Run("I4 what is none is not repeated, and a problem has one anyhow", func(t *testing.T) {
		for _, bad := range []string{"", "a b", "a\tb", strings.Repeat("x", 129), `"><script>`} {
			require.Empty(t, do(t, s, post("/v1/exec", cell).with("X-Request-Id", bad)).Header().Get("X-Request-Id"))
			rec := do(t, s, post("/v1/exec", `{`).with("X-Request-Id", bad))
			require.Equal(t, "urn:codecell:request:"+rec.Header().Get("X-Request-Id"), problemOf(t, rec).Instance)
		}
	})
}

func TestNoCORS(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	for _, method := range []string{http.MethodOptions, http.MethodPost} {
		c := call{method: method, path: "/v1/exec", body: cell}.with("Origin", "https://page.example").with("Access-Control-Request-Method", "POST").with("Content-Type", "application/json")
		for name := range record(s, c).Header() {
			require.NotContains(t, name, "Access-Control", "I4 no web page is let in by a browser")
		}
	}
}

// issue writes a certificate for 127.0.0.1 with a serial number, and its key.
func issue(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	// Whatever the clock's grain, the files have changed.
	later := time.Now().Add(time.Duration(serial) * time.Minute)
	require.NoError(t, os.Chtimes(cert, later, later))
	return cert, key
}

func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := issue(t, dir, 1)
	certificate, err := LoadCertificate(cert, key, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	r := serve(t, newTestServer(t, Options{Backend: newFake(), Certificate: certificate}), time.Second)
	// ask opens a connection of its own, and says which protocol and certificate it met.
	ask := func(t *testing.T) (proto string, serial int64) {
		transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true}
		defer transport.CloseIdleConnections()
		answer, err := (&http.Client{Transport: transport}).Post("https://"+r.address+"/v1/exec", "application/json", strings.NewReader(cell))
		require.NoError(t, err)
		defer answer.Body.Close()
		require.Equal(t, 200, answer.StatusCode)
		return answer.Proto, answer.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	t.Run("I4 TLS, with HTTP/2", func(t *testing.T) {
		proto, serial := ask(t)
		require.Equal(t, "HTTP/2.0", proto)
		require.EqualValues(t, 1, serial)
	})
	t.Run("I4 a certificate that is replaced", func(t *testing.T) {
		issue(t, dir, 2)
		require.Eventually(t, func() bool { _, serial := ask(t); return serial == 2 }, time.Minute, 50*time.Millisecond)
		require.NoError(t, os.WriteFile(key, []byte("half of it"), 0o600))
		certificate.mu.Lock()
		certificate.looked = time.Time{}
		certificate.mu.Unlock()
		_, serial := ask(t)
		require.EqualValues(t, 2, serial, "the last one counts while the files are no pair")
	})
	t.Run("I4 files that are none", func(t *testing.T) {
		_, err := LoadCertificate(cert, key, nil)
		require.ErrorContains(t, err, key)
		_, err = LoadCertificate("/no/such/file", key, nil)
		require.ErrorIs(t, err, os.ErrNotExist)
	})
}

func TestH2C(t *testing.T) {
	ask := func(t *testing.T, on bool) (string, error) {
		r := serve(t, newTestServer(t, Options{Backend: newFake(), H2C: on}), time.Second)
		transport := &http.Transport{Protocols: &http.Protocols{}}
		transport.Protocols.SetUnencryptedHTTP2(true)
		defer transport.CloseIdleConnections()
		answer, err := (&http.Client{Transport: transport}).Post("http://"+r.address+"/v1/exec", "application/json", strings.NewReader(cell))
		if err != nil {
			return "", err
		}
		defer answer.Body.Close()
		require.Equal(t, 200, answer.StatusCode)
		return answer.Proto, nil
	}
	t.Run("I4 HTTP/2 without TLS where it is wanted", func(t *testing.T) {
		proto, err := ask(t, true)
		require.NoError(t, err)
		require.Equal(t, "HTTP/2.0", proto)
	})
	t.Run("I4 and nowhere else", func(t *testing.T) {
		_, err := ask(t, false)
		require.Error(t, err)
	})
}

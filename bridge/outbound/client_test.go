package outbound

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/codecell/codecell/bridge/tracecontext"
)

// nameServer answers every question for an IPv4 address with one of its own choice.
type nameServer struct {
	conn  net.PacketConn
	leads atomic.Pointer[netip.Addr]
	asked atomic.Int64
}

func newNameServer(t *testing.T) *nameServer {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &nameServer{conn: conn}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			s.asked.Add(1)
			_, _ = conn.WriteTo(s.answer(buffer[:n]), from)
		}
	}()
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
	})
	return s
}

func (s *nameServer) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body:   &dnsmessage.AResource{A: s.leads.Load().As4()},
		}}
	}
	packed, _ := m.Pack() // it was unpacked a moment ago
	return packed
}

// resolver asks the name server for everything.
func (s *nameServer) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}

func (s *nameServer) lead(to string) {
	addr := netip.MustParseAddr(to)
	s.leads.Store(&addr)
}

func newClient(t *testing.T, o Options) *Client {
	c, err := New(o)
	require.NoError(t, err)
	t.Cleanup(c.CloseIdle)
	return c
}

func get(t *testing.T, c *Client, tenant, url string) (int, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	resp, err := c.Do(tenant, req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// portedURL is a server's URL with another host.
func portedURL(t *testing.T, server *httptest.Server, host string) string {
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	return "http://" + net.JoinHostPort(host, u.Port()) + "/"
}

func TestClient(t *testing.T) {
	var calls atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if r.URL.Path == "/away" {
			http.Redirect(w, r, "http://203.0.113.1/", http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(server.Close)
	refused := func(t *testing.T, err error) {
		t.Helper()
		r, ok := Refused(err)
		require.True(t, ok, "%v", err)
		require.NotContains(t, r.Error(), "127.0.0.1")
	}
	t.Run("G3 the machine itself is refused unless it is listed", func(t *testing.T) {
		_, err := get(t, newClient(t, Options{}), "", server.URL)
		refused(t, err)
		status, err := get(t, newClient(t, Options{Hosts: []string{Loopback}}), "", server.URL)
		require.NoError(t, err)
		require.Equal(t, 200, status)
	})
	t.Run("G3 a tenant's own list counts for it alone, and so do its connections", func(t *testing.T) {
		c := newClient(t, Options{Hosts: []string{Public}, TenantHosts: map[string][]string{"a": {Loopback}, "none": {}}})
		_, err := get(t, c, "a", server.URL)
		require.NoError(t, err)
		before := calls.Load()
		for _, tenant := range []string{"", "b", "none"} {
			_, err = get(t, c, tenant, server.URL)
			refused(t, err)
		}
		require.Equal(t, before, calls.Load())
	})
	t.Run("G3 a name that leads elsewhere after it was checked", func(t *testing.T) {
		var log bytes.Buffer
		c := newClient(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		names := newNameServer(t)
		c.resolver = names.resolver()
		names.lead("127.0.0.1")
		u, err := url.Parse(portedURL(t, server, "rebound.example.com"))
		require.NoError(t, err)
		require.NoError(t, c.Check("", u))
		before := calls.Load()
		_, err = get(t, c, "", u.String())
		refused(t, err)
		require.True(t, NotSent(err))
		require.Equal(t, before, calls.Load())
		require.Contains(t, log.String(), "address=127.0.0.1", "the operator is told")
		require.Contains(t, log.String(), "host=rebound.example.com")
	})
	t.Run("G3 a listed name may lead to the machine itself, and to no metadata service", func(t *testing.T) {
		c := newClient(t, Options{Hosts: []string{"*.example.com"}})
		names := newNameServer(t)
		c.resolver = names.resolver()
		names.lead("127.0.0.1")
		_, err := get(t, c, "", portedURL(t, server, "tools.example.com"))
		require.NoError(t, err)
		names.lead("169.254.169.254")
		_, err = get(t, c, "", portedURL(t, server, "other.example.com"))
		refused(t, err)
	})
	t.Run("G3 a name that may lead nowhere is not looked up", func(t *testing.T) {
		c := newClient(t, Options{Hosts: []string{"tools.example.com"}})
		names := newNameServer(t)
		c.resolver = names.resolver()
		_, err := get(t, c, "", "http://secret.evil.example/")
		refused(t, err)
		require.Zero(t, names.asked.Load())
	})
	t.Run("I4 the trace of a request's context goes along", func(t *testing.T) {
		const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
		seen := make(chan string, 1)
		s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header.Get("traceparent") }))
		defer s.Close()
		trace, ok := tracecontext.FromHeader(http.Header{tracecontext.ParentHeader: {parent}})
		require.True(t, ok)
		req, err := http.NewRequestWithContext(tracecontext.With(t.Context(), trace), http.MethodGet, s.URL, nil)
		require.NoError(t, err)
		resp, err := newClient(t, Options{Hosts: []string{Loopback}}).Do("", req)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, parent, <-seen)
	})
	t.Run("G3 a redirect is not followed", func(t *testing.T) {
		status, err := get(t, newClient(t, Options{Hosts: []string{Public, Loopback}}), "", server.URL+"/away")
		require.NoError(t, err)
		require.Equal(t, http.StatusTemporaryRedirect, status)
	})
	t.Run("G3 proxies of the environment are not used", func(t *testing.T) {
		c := newClient(t, Options{Hosts: []string{"*.example.com"}})
		names := newNameServer(t)
		c.resolver = names.resolver()
		names.lead("127.0.0.1")
		to := portedURL(t, server, "tools.example.com")
		req, err := http.NewRequest(http.MethodGet, to, nil)
		require.NoError(t, err)
		proxy, err := http.ProxyFromEnvironment(req)
		require.NoError(t, err)
		require.Equal(t, environmentsProxy, proxy.String(), "others would use it")
		_, err = get(t, c, "", to)
		require.NoError(t, err)
	})
	t.Run("G3 what was not sent is known", func(t *testing.T) {
		c := newClient(t, Options{Hosts: []string{Loopback}})
		gone := httptest.NewServer(nil)
		gone.Close()
		_, err := get(t, c, "", gone.URL)
		require.True(t, NotSent(err))
		broken := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
		defer broken.Close()
		_, err = get(t, c, "", broken.URL)
		require.Error(t, err)
		require.False(t, NotSent(err))
	})
	t.Run("G3 refusals don't fill the log", func(t *testing.T) {
		var log bytes.Buffer
		c := newClient(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		c.loggedAt.Store(time.Now().Unix())
		before := time.Now().Unix()
		for range 100 {
			_, err := get(t, c, "", server.URL)
			refused(t, err)
		}
		require.LessOrEqual(t, int64(bytes.Count(log.Bytes(), []byte("\n"))), time.Now().Unix()-before+1)
	})
	t.Run("G3 a list that can't be read", func(t *testing.T) {
		_, err := New(Options{Hosts: []string{"http://x"}})
		require.ErrorContains(t, err, `"http://x"`)
		_, err = New(Options{TenantHosts: map[string][]string{"a": {"*"}}})
		require.ErrorContains(t, err, "tenant a")
	})
}

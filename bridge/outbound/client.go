package outbound

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/codecell/codecell/bridge/tracecontext"
)

// Options say who may be called.
type Options struct {
	// Hosts are those that requests may be sent to, as ParseHosts reads them. Nil means {Public}; a list that is empty allows
	// none.
	Hosts []string
	// TenantHosts are lists of tenants that have one of their own, which counts instead of Hosts.
	TenantHosts map[string][]string
	// Logger is told of what was refused, with addresses. Nil for none.
	Logger *slog.Logger
}

// Client sends requests to hosts that the operator allows. Connections are not shared between tenants. Nothing is taken from
// the environment, and no redirect is followed: it would take a request, with its signature, to a place that nobody
// configured. It is safe for concurrent use.
type Client struct {
	hosts       Hosts
	tenantHosts map[string]Hosts
	log         *slog.Logger
	loggedAt    atomic.Int64  // Unix seconds of the last warning
	resolver    *net.Resolver // nil for the system's

	mu      sync.RWMutex
	clients map[string]*http.Client // by tenant
}

// New makes a Client. It fails for a list that can't be read. CloseIdle closes what it holds.
func New(o Options) (*Client, error) {
	c := &Client{tenantHosts: make(map[string]Hosts, len(o.TenantHosts)), log: o.Logger, clients: map[string]*http.Client{}}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if o.Hosts == nil {
		o.Hosts = []string{Public}
	}
	var err error
	if c.hosts, err = ParseHosts(o.Hosts); err != nil {
		return nil, err
	}
	for _, tenant := range slices.Sorted(maps.Keys(o.TenantHosts)) {
		if c.tenantHosts[tenant], err = ParseHosts(o.TenantHosts[tenant]); err != nil {
			return nil, fmt.Errorf("tenant %s: %w", tenant, err)
		}
	}
	return c, nil
}

func (c *Client) hostsOf(tenant string) *Hosts {
	if own, ok := c.tenantHosts[tenant]; ok {
		return &own
	}
	return &c.hosts
}

// Check refuses a URL of which it is known already that it may not be called: it has an address, or a name that is not on the
// list and can lead to none that is. The error is a *RefusedError then. Where other names lead is checked when they are called.
func (c *Client) Check(tenant string, u *url.URL) error {
	hosts, host, port := c.hostsOf(tenant), u.Hostname(), portOf(u)
	err := hosts.checkHost(host, port)
	if err != nil {
		c.refused(tenant, host, port, netip.Addr{}, err)
	}
	return err
}

// portOf is the port that a URL leads to; 0 if it is none.
func portOf(u *url.URL) uint16 {
	switch {
	case u.Port() != "":
		n, _ := strconv.ParseUint(u.Port(), 10, 16) // no port that can be dialled is none
		return uint16(n)
	case u.Scheme == "https":
		return 443
	}
	return 80
}

// Do sends a request on behalf of a tenant, with the trace of its context (see tracecontext.Inject). For a host that may not be called the error matches *RefusedError; NotSent tells
// whether a failed request was sent at all. Errors name addresses: they are not for cells.
func (c *Client) Do(tenant string, req *http.Request) (*http.Response, error) {
	tracecontext.Inject(req.Context(), req.Header)
	return c.client(tenant).Do(req)
}

// client returns the tenant's own client: a connection that one tenant may have must not serve another, who may not.
func (c *Client) client(tenant string) *http.Client {
	c.mu.RLock()
	known := c.clients[tenant]
	c.mu.RUnlock()
	if known != nil {
		return known
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.clients[tenant] == nil {
		c.clients[tenant] = &http.Client{
			Transport:     c.transport(tenant),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return c.clients[tenant]
}

// Bounds of the connections of one tenant.
const (
	dialTimeout    = 10 * time.Second
	idleOfHost     = 64
	idleOfAll      = 256
	connsOfHost    = 1024
	maxHeaderBytes = 64 << 10 // of an answer
)

func (c *Client) transport(tenant string) *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy = nil // requests go where the caller says, not where the environment says
	t.MaxIdleConnsPerHost, t.MaxIdleConns, t.MaxConnsPerHost = idleOfHost, idleOfAll, connsOfHost
	t.MaxResponseHeaderBytes = maxHeaderBytes
	t.DisableCompression = true // who reads an answer must see how large it is on the way
	t.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return c.dial(ctx, tenant, network, address)
	}
	return t
}

// dial connects to an address that the tenant may call. The check is on the address that the connection is made to: whatever
// the name led to before, or leads to afterwards, does not matter.
func (c *Client) dial(ctx context.Context, tenant, network, address string) (net.Conn, error) {
	hosts := c.hostsOf(tenant)
	host, portText, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &dialError{err}
	}
	port, _ := strconv.ParseUint(portText, 10, 16) // one that is no number can't be dialled
	if err := hosts.checkHost(host, uint16(port)); err != nil {
		c.refused(tenant, host, uint16(port), netip.Addr{}, err)
		return nil, err // a name that may lead nowhere is not looked up
	}
	named := hosts.hasName(host, uint16(port))
	d := net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Resolver: c.resolver}
	d.Control = func(_, dialled string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(dialled)
		if err != nil {
			return err
		}
		if err := hosts.check(to.Addr(), to.Port(), named); err != nil {
			c.refused(tenant, host, to.Port(), to.Addr(), err)
			return err
		}
		return nil
	}
	conn, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, &dialError{err}
	}
	return conn, nil
}

// refused tells the operator what was refused. A client or cell that tries often must not fill the log: there is one warning
// a second, and the others are for who debugs.
func (c *Client) refused(tenant, host string, port uint16, addr netip.Addr, err error) {
	level := slog.LevelDebug
	if now, last := time.Now().Unix(), c.loggedAt.Load(); now != last && c.loggedAt.CompareAndSwap(last, now) {
		level = slog.LevelWarn
	}
	attributes := []any{"tenant", tenant, "host", host, "port", port, "reason", err.Error()}
	if addr.IsValid() {
		attributes = append(attributes, "address", addr.String())
	}
	c.log.Log(context.Background(), level, "a host may not be called; it is not in executors.hosts", attributes...)
}

// CloseIdle closes connections that no request uses.
func (c *Client) CloseIdle() {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, client := range c.clients {
		client.CloseIdleConnections()
	}
}

// Refused tells whether an error says that a host may not be called.
func Refused(err error) (*RefusedError, bool) {
	var refused *RefusedError
	ok := errors.As(err, &refused)
	return refused, ok
}

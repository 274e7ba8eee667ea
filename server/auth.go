package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"
)

// Key is one bearer API key (contract I2). Its ID is the tenant that its turns and runs belong to.
type Key struct {
	ID string `json:"id"`
	// SHA256 is the hash of the key in hex. Keys are random, so a plain hash can't be searched for one, and checking it
	// costs an exec next to nothing.
	SHA256 string `json:"sha256"`
}

// HashKey returns what Key.SHA256 holds for a key.
func HashKey(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// tenantKey is where the middleware leaves the tenant in the echo context.
const tenantKey = "codecell.tenant"

// Tenant returns the id of the key that the request came with, empty when the service runs without keys.
func Tenant(c echo.Context) string {
	tenant, _ := c.Get(tenantKey).(string)
	return tenant
}

// authenticator finds the tenant of a request, or refuses it (contract I2).
type authenticator struct {
	keys []hashedKey
}

type hashedKey struct {
	id  string
	sum [sha256.Size]byte
}

func newAuthenticator(keys []Key) (*authenticator, error) {
	a := &authenticator{}
	seen := map[string]bool{}
	for i, k := range keys {
		sum, err := hex.DecodeString(k.SHA256)
		switch {
		case k.ID == "":
			return nil, fmt.Errorf("auth.keys[%d].id is empty: it names the tenant", i)
		case seen[k.ID]:
			return nil, fmt.Errorf("auth.keys[%d].id: %q is there twice", i, k.ID)
		case err != nil || len(sum) != sha256.Size:
			return nil, fmt.Errorf("auth.keys[%d].sha256 must be 64 hex digits, the SHA-256 of the key", i)
		}
		seen[k.ID] = true
		a.keys = append(a.keys, hashedKey{id: k.ID, sum: [sha256.Size]byte(sum)})
	}
	return a, nil
}

// tenants are all that there may be: those of the keys, or the one without a name.
func (a *authenticator) tenants() []string {
	if len(a.keys) == 0 {
		return []string{""}
	}
	var ids []string
	for _, k := range a.keys {
		ids = append(ids, k.id)
	}
	return ids
}

// middleware guards the routes under /v1.
func (a *authenticator) middleware(next echo.HandlerFunc) echo.HandlerFunc {
	if len(a.keys) == 0 {
		return func(c echo.Context) error {
			if err := checkLocalHost(c.Request().Host); err != nil {
				return err
			}
			return next(c)
		}
	}
	return func(c echo.Context) error {
		tenant, err := a.tenant(c.Request().Header.Values(echo.HeaderAuthorization))
		if err != nil {
			challenge := `Bearer realm="codecell"`
			if c.Request().Header.Get(echo.HeaderAuthorization) != "" {
				challenge += `, error="invalid_token"`
			}
			c.Response().Header().Set(echo.HeaderWWWAuthenticate, challenge)
			return err
		}
		c.Set(tenantKey, tenant)
		return next(c)
	}
}

// tenant finds the key's owner. All keys are compared, each in constant time, so that the time taken tells nothing.
func (a *authenticator) tenant(headers []string) (string, error) {
	const advice = "Send Authorization: Bearer, then a space and your API key."
	if len(headers) != 1 {
		return "", &problem{kind: kindUnauthorized, detail: "The request has no API key, or several. " + advice}
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return "", &problem{kind: kindUnauthorized, detail: "The Authorization header holds no bearer key. " + advice}
	}
	sum := sha256.Sum256([]byte(token))
	tenant, found := "", 0
	for _, k := range a.keys {
		if subtle.ConstantTimeCompare(sum[:], k.sum[:]) == 1 {
			tenant, found = k.id, 1
		}
	}
	if found == 0 {
		return "", &problem{kind: kindUnauthorized, detail: "The API key is not known here. " + advice}
	}
	return tenant, nil
}

// checkLocalHost turns down requests that a browser was tricked into sending: a name that was rebound to 127.0.0.1
// still stands in the Host header.
func checkLocalHost(host string) error {
	if IsLoopback(host) {
		return nil
	}
	return &problem{
		kind:   kindForbidden,
		detail: "Without API keys the service answers only to localhost. Configure auth.keys to use it under another name.",
	}
}

// IsLoopback tells whether a host, with or without a port, is this machine by itself.
func IsLoopback(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

// errNoKeys is why a service without keys refuses an address.
var errNoKeys = errors.New("without API keys codecell listens on loopback only, because anyone who reaches it can run code: " +
	"listen on 127.0.0.1 or [::1], or configure auth.keys")

// checkListen refuses to serve strangers without keys (contract I2).
func (a *authenticator) checkListen(addr net.Addr) error {
	tcp, ok := addr.(*net.TCPAddr)
	if len(a.keys) > 0 || !ok || tcp.IP.IsLoopback() {
		return nil
	}
	return fmt.Errorf("refusing to listen on %s: %w", addr, errNoKeys)
}

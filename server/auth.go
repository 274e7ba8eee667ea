package server

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/codecell/codecell/server/keyring"
)

// tenantKey is where the middleware leaves the tenant in the echo context.
const tenantKey = "codecell.tenant"

// Tenant returns whose key the request came with, empty when the service runs without keys.
func Tenant(c echo.Context) string {
	tenant, _ := c.Get(tenantKey).(string)
	return tenant
}

// authenticator finds the tenant of a request, or refuses it (contract I2).
type authenticator struct{ keys *keyring.Ring }

// middleware guards the routes under /v1.
func (a *authenticator) middleware(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !a.keys.Required() {
			if err := checkLocalHost(c.Request().Host); err != nil {
				return err
			}
			return next(c)
		}
		tenant, err := a.tenant(c.Request().Header.Values(echo.HeaderAuthorization))
		if err != nil {
			return challenge(c, err)
		}
		c.Set(tenantKey, tenant)
		return next(c)
	}
}

// challenge tells the client of a request without a valid key how to send one (RFC 6750, section 3).
func challenge(c echo.Context, err error) error {
	if asProblem(err).kind != kindUnauthorized {
		return err
	}
	text := `Bearer realm="codecell"`
	if c.Request().Header.Get(echo.HeaderAuthorization) != "" {
		text += `, error="invalid_token"`
	}
	c.Response().Header().Set(echo.HeaderWWWAuthenticate, text)
	return err
}

// tenant finds the key's owner.
func (a *authenticator) tenant(headers []string) (string, error) {
	const advice = "Send Authorization: Bearer, then a space and your API key."
	if len(headers) != 1 {
		return "", &problem{kind: kindUnauthorized, detail: "The request has no API key, or several. " + advice}
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if !strings.EqualFold(scheme, "bearer") || token == "" {
		return "", &problem{kind: kindUnauthorized, detail: "The Authorization header holds no bearer key. " + advice}
	}
	key, err := a.keys.Find(token)
	switch {
	case errors.Is(err, keyring.ErrExpired):
		return "", &problem{kind: kindUnauthorized, detail: "The API key has expired. Ask for a new one."}
	case err != nil:
		return "", &problem{kind: kindUnauthorized, detail: "The API key is not known here. " + advice}
	case key.Role != keyring.RoleRun:
		return "", &problem{kind: kindForbidden, detail: "The API key is for the admin listener. Running code takes a key with the role run."}
	}
	return key.Tenant, nil
}

// checkLocalHost turns down requests that a browser was tricked into sending: a name that was rebound to 127.0.0.1
// still stands in the Host header.
func checkLocalHost(host string) error {
	if IsLoopback(host) {
		return nil
	}
	return &problem{
		kind:   kindForbidden,
		detail: "Without API keys the service answers only to localhost. Configure auth.keysFile or auth.keys to use it under another name.",
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
	"listen on 127.0.0.1 or [::1], or configure auth.keysFile or auth.keys")

// checkListen refuses to serve strangers without keys (contract I2).
func (a *authenticator) checkListen(addr net.Addr) error {
	tcp, ok := addr.(*net.TCPAddr)
	if a.keys.Required() || !ok || tcp.IP.IsLoopback() {
		return nil
	}
	return fmt.Errorf("refusing to listen on %s: %w", addr, errNoKeys)
}

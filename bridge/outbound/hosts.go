package outbound

import (
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// The words that stand for many hosts in a list.
const (
	// Public stands for all addresses of the public internet.
	Public = "public"
	// Loopback stands for all addresses of the machine itself.
	Loopback = "loopback"
)

// Hosts is a list of hosts that may be called. The zero value allows none. It does not change.
type Hosts struct {
	public, loopback bool
	names            []nameRule
	nets             []netRule
}

// nameRule allows a name, or all names below it.
type nameRule struct {
	name  string // in lower case ASCII; with a dot in front it stands for all names that end so
	ports ports
}

// netRule allows addresses.
type netRule struct {
	prefix netip.Prefix
	ports  ports
}

// ports is the port that a rule is for, 0 for all.
type ports uint16

func (p ports) has(port uint16) bool { return p == 0 || uint16(p) == port }

// ParseHosts reads a list. Its entries are Public, Loopback, or
//
//	tools.example.com, tools.example.com:8443      a name
//	*.example.com, *.example.com:8443              all names below example.com, but not itself
//	10.1.2.3, 10.1.2.3:80, [fd00::1]:80, fd00::1   an address
//	10.0.0.0/8, fd00::/8                           a range of addresses
//
// A name may lead to public and private addresses and to the machine itself. Addresses that are link-local, multicast,
// unspecified or reserved are allowed only by an entry with the address or a range, those of metadata services only by one
// with the very address.
func ParseHosts(list []string) (Hosts, error) {
	var h Hosts
	for _, entry := range list {
		if err := h.add(entry); err != nil {
			return Hosts{}, fmt.Errorf("%q: %w", entry, err)
		}
	}
	return h, nil
}

func (h *Hosts) add(entry string) error {
	switch entry {
	case Public:
		h.public = true
		return nil
	case Loopback:
		h.loopback = true
		return nil
	}
	if strings.Contains(entry, "/") {
		prefix, err := netip.ParsePrefix(entry)
		if err != nil {
			return errors.New("neither a host nor a range of addresses such as 10.0.0.0/8; write no scheme and no path")
		}
		if prefix != prefix.Masked() {
			return fmt.Errorf("the range has bits behind its length; did you mean %s?", prefix.Masked())
		}
		h.nets = append(h.nets, netRule{prefix: prefix})
		return nil
	}
	host, port, err := splitPort(entry)
	if err != nil {
		return err
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap().WithZone("")
		h.nets = append(h.nets, netRule{netip.PrefixFrom(addr, addr.BitLen()), port})
		return nil
	}
	name, err := ruleName(host)
	if err != nil {
		return err
	}
	h.names = append(h.names, nameRule{name, port})
	return nil
}

// splitPort takes the port off an entry, 0 if it has none. An IPv6 address with a port has brackets.
func splitPort(entry string) (host string, port ports, err error) {
	if inner, ok := strings.CutPrefix(entry, "["); ok {
		inner, rest, closed := strings.Cut(inner, "]")
		if !closed {
			return "", 0, errors.New("a bracket is open")
		}
		host, entry = inner, rest
	} else if strings.Count(entry, ":") == 1 {
		n := strings.IndexByte(entry, ':')
		host, entry = entry[:n], entry[n:]
	} else {
		return entry, 0, nil
	}
	if entry == "" {
		return host, 0, nil
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(entry, ":"), 10, 16)
	if err != nil || n == 0 {
		return "", 0, errors.New("the port must be a number from 1 to 65535")
	}
	return host, ports(n), nil
}

// ruleName brings the name of an entry into the form of nameRule.
func ruleName(host string) (string, error) {
	parent, below := strings.CutPrefix(host, "*.")
	name := asciiName(parent)
	if name == "" || strings.ContainsAny(name, "*@?#%\\ \t") || strings.Contains(name, "..") || strings.HasPrefix(name, ".") {
		return "", errors.New("not the name of a host; * may only stand in front, as in *.example.com")
	}
	if below {
		name = "." + name
	}
	return name, nil
}

// asciiName is the name of a host as it is looked up: in lower case ASCII, without the dot at its end.
func asciiName(host string) string {
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// hasName tells whether a name is on the list, wherever it leads.
func (h *Hosts) hasName(host string, port uint16) bool {
	if len(h.names) == 0 {
		return false
	}
	host = asciiName(host)
	for _, r := range h.names {
		if r.has(host) && r.ports.has(port) {
			return true
		}
	}
	return false
}

func (r *nameRule) has(host string) bool {
	if r.name[0] == '.' {
		return len(host) > len(r.name) && strings.HasSuffix(host, r.name)
	}
	return host == r.name
}

// checkHost refuses a host of which it is known already, before its name is looked up, that it may not be called.
func (h *Hosts) checkHost(host string, port uint16) error {
	if h.hasName(host, port) {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return h.check(addr, port, false)
	}
	if name := asciiName(host); name == "localhost" || strings.HasSuffix(name, ".localhost") {
		if h.check(netip.IPv6Loopback(), port, false) == nil {
			return nil
		}
		return h.check(netip.AddrFrom4([4]byte{127, 0, 0, 1}), port, false)
	}
	if !h.mayLead() {
		return &RefusedError{}
	}
	return nil
}

// mayLead tells whether a name that is not on the list may lead to an address that is.
func (h *Hosts) mayLead() bool { return h.public || h.loopback || len(h.nets) > 0 }

// check refuses an address that may not be called. named says that the name which led to it is on the list.
func (h *Hosts) check(addr netip.Addr, port uint16, named bool) error {
	addr = addr.Unmap().WithZone("")
	end := canonical(addr)
	kind := classOf(end)
	if h.listed(addr, port, kind) || end != addr && h.listed(end, port, kind) {
		return nil
	}
	switch {
	case kind == public && (h.public || named), kind == loopback && (h.loopback || named), kind == private && named:
		return nil
	}
	return &RefusedError{class: kind}
}

// listed tells whether an address is on the list, alone or in a range.
func (h *Hosts) listed(addr netip.Addr, port uint16, kind class) bool {
	for _, r := range h.nets {
		if r.prefix.Contains(addr) && r.ports.has(port) && (kind != metadata || r.prefix.IsSingleIP()) {
			return true
		}
	}
	return false
}

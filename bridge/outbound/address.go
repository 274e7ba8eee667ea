package outbound

import (
	"encoding/binary"
	"net/netip"
)

// class is what kind of network an address belongs to.
type class string

const (
	public      class = "public"
	loopback    class = "loopback"
	private     class = "private" // also those of carriers (RFC 6598) and unique local ones of IPv6
	linkLocal   class = "link-local"
	multicast   class = "multicast"
	unspecified class = "unspecified"
	metadata    class = "metadata" // where a cloud tells its machines their secrets
	reserved    class = "reserved"
)

// metadataAddresses are those of the clouds' metadata services that are known. Most lie in ranges that are refused anyway;
// they are listed so that no range in an operator's list allows them by accident.
var metadataAddresses = addressSet(
	"169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.42.42", "100.100.100.200", "168.63.129.16", "192.0.0.192",
	"fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42",
)

var (
	carrier = netip.MustParsePrefix("100.64.0.0/10")
	// global is all of IPv6 that is given out for use on the internet.
	global = netip.MustParsePrefix("2000::/3")
	// reservedRanges are those that the registries of special addresses keep from the internet, apart from the ones that
	// netip.Addr knows by itself.
	reservedRanges = prefixes(
		"0.0.0.0/8", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"2001::/23", "2001:db8::/32", "3fff::/20",
	)
	nat64   = netip.MustParsePrefix("64:ff9b::/96")
	sixTo4  = netip.MustParsePrefix("2002::/16")
	oldIPv4 = netip.MustParsePrefix("::/96")
)

func addressSet(texts ...string) map[netip.Addr]bool {
	set := make(map[netip.Addr]bool, len(texts))
	for _, text := range texts {
		set[netip.MustParseAddr(text)] = true
	}
	return set
}

func prefixes(texts ...string) []netip.Prefix {
	list := make([]netip.Prefix, len(texts))
	for n, text := range texts {
		list[n] = netip.MustParsePrefix(text)
	}
	return list
}

// isatap are the eight bytes before the IPv4 address in the second half of an ISATAP address, without the bit that says
// whether it is unique.
const isatap = 0x00005efe

// canonical returns where packets for an address arrive in the end: the IPv4 address inside of an IPv6 one that networks
// translate (IPv4-mapped, IPv4-compatible, NAT64, 6to4, ISATAP), or else the address without a zone.
func canonical(addr netip.Addr) netip.Addr {
	addr = addr.Unmap().WithZone("")
	if addr.Is4() {
		return addr
	}
	b := addr.As16()
	last := netip.AddrFrom4([4]byte(b[12:]))
	switch {
	case nat64.Contains(addr):
		return last
	case sixTo4.Contains(addr):
		return netip.AddrFrom4([4]byte(b[2:6]))
	case oldIPv4.Contains(addr) && !addr.IsUnspecified() && !addr.IsLoopback():
		return last
	case binary.BigEndian.Uint32(b[8:])&^(1<<25) == isatap:
		return last
	}
	return addr
}

// classOf tells what kind of address a canonical one is.
func classOf(addr netip.Addr) class {
	switch {
	case metadataAddresses[addr]:
		return metadata
	case addr.IsUnspecified():
		return unspecified
	case addr.IsLoopback():
		return loopback
	case addr.IsMulticast():
		return multicast
	case addr.IsLinkLocalUnicast():
		return linkLocal
	case addr.IsPrivate(), carrier.Contains(addr):
		return private
	case addr.Is6() && !global.Contains(addr):
		return reserved
	}
	for _, r := range reservedRanges {
		if r.Contains(addr) {
			return reserved
		}
	}
	return public
}

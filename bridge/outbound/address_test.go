package outbound

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClassOf(t *testing.T) {
	for _, tc := range []struct {
		kind      class
		addresses []string
	}{
		{public, []string{"8.8.8.8", "1.1.1.1", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "169.253.0.1", "198.17.0.1", "2606:4700::1", "2400:cb00::1"}},
		{loopback, []string{"127.0.0.1", "127.255.1.2", "::1"}},
		{private, []string{"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "fc00::1", "fdff::1"}},
		{linkLocal, []string{"169.254.0.1", "fe80::1", "fe80::1%eth0", "febf::1"}},
		{multicast, []string{"224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"}},
		{unspecified, []string{"0.0.0.0", "::"}},
		{metadata, []string{"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"}},
		{reserved, []string{"0.1.2.3", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.19.0.1", "203.0.113.1", "240.0.0.1", "255.255.255.255", "2001:db8::1", "2001::1", "100::1", "64:ff9b:1::1", "fec0::1", "4000::1"}},
	} {
		t.Run("G3 "+string(tc.kind), func(t *testing.T) {
			for _, text := range tc.addresses {
				require.Equal(t, tc.kind, classOf(canonical(netip.MustParseAddr(text))), text)
			}
		})
	}
}

func TestCanonical(t *testing.T) {
	t.Run("G3 an IPv4 address inside of an IPv6 one is found in every form", func(t *testing.T) {
		for _, form := range []string{
			"::ffff:10.1.2.3", "::ffff:a01:203", "64:ff9b::10.1.2.3", "64:ff9b::a01:203", "2002:a01:203::1", "2002:0a01:0203:1:2:3:4:5", "::10.1.2.3",
			"2606:4700::5efe:10.1.2.3", "2606:4700::200:5efe:10.1.2.3",
		} {
			require.Equal(t, "10.1.2.3", canonical(netip.MustParseAddr(form)).String(), form)
		}
	})
	t.Run("G3 others stay as they are", func(t *testing.T) {
		for _, form := range []string{"10.1.2.3", "::", "::1", "2606:4700::1", "fe80::1", "64:ff9b:1::a01:203"} {
			require.Equal(t, form, canonical(netip.MustParseAddr(form)).String(), form)
		}
	})
}

package outbound

import (
	"net"
	"net/netip"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// judge tells what is said of host:port before a name is looked up, and if the name led to an address, of that.
func judge(t *testing.T, h *Hosts, hostport, leadsTo string) error {
	t.Helper()
	host, portText, err := net.SplitHostPort(hostport)
	require.NoError(t, err)
	port, err := strconv.ParseUint(portText, 10, 16)
	require.NoError(t, err)
	if err := h.checkHost(host, uint16(port)); err != nil || leadsTo == "" {
		return err
	}
	return h.check(netip.MustParseAddr(leadsTo), uint16(port), h.hasName(host, uint16(port)))
}

func TestHosts(t *testing.T) {
	type target struct{ hostport, leadsTo string }
	for _, tc := range []struct {
		name    string
		list    []string
		allowed []target
		refused []target
	}{
		{
			"the public internet",
			[]string{"public"},
			[]target{{"8.8.8.8:80", ""}, {"[2606:4700::1]:443", ""}, {"api.example.com:443", "8.8.8.8"}, {"api.example.com:443", "64:ff9b::8.8.8.8"}},
			[]target{
				{"127.0.0.1:80", ""},
				{"[::1]:80", ""},
				{"10.0.0.1:80", ""},
				{"[fd00::1]:80", ""},
				{"169.254.169.254:80", ""},
				{"[::ffff:169.254.169.254]:80", ""},
				{"[64:ff9b::a9fe:a9fe]:80", ""},
				{"[2002:7f00:1::]:80", ""},
				{"0.0.0.0:80", ""},
				{"[::]:80", ""},
				{"localhost:80", ""},
				{"x.localhost.:80", ""},
				{"rebound.example.com:80", "127.0.0.1"},
				{"rebound.example.com:80", "169.254.169.254"},
				{"rebound.example.com:80", "::ffff:10.0.0.1"},
				{"127.1:80", "127.0.0.1"},
				{"2130706433:80", "127.0.0.1"},
				{"0x7f000001:80", "127.0.0.1"},
			},
		},
		{
			"this machine",
			[]string{"loopback"},
			[]target{{"127.0.0.1:80", ""}, {"127.9.9.9:80", ""}, {"[::1]:80", ""}, {"localhost:80", "::1"}, {"here.example.com:80", "127.0.0.1"}},
			[]target{{"8.8.8.8:80", ""}, {"10.0.0.1:80", ""}, {"0.0.0.0:80", ""}},
		},
		{
			"a name",
			[]string{"tools.example.com", "only.example.com:8443"},
			[]target{
				{"tools.example.com:80", "10.0.0.1"},
				{"TOOLS.example.com.:9", "127.0.0.1"},
				{"tools.example.com:80", "8.8.8.8"},
				{"only.example.com:8443", "8.8.8.8"},
			},
			[]target{
				{"tools.example.com:80", "169.254.169.254"},
				{"tools.example.com:80", "fe80::1"},
				{"tools.example.com:80", "0.0.0.0"},
				{"tools.example.com:80", "224.0.0.1"},
				{"tools.example.com:80", "100.100.100.200"},
				{"only.example.com:8444", ""},
				{"x.tools.example.com:80", ""},
				{"8.8.8.8:80", ""},
				{"example.com:80", ""},
			},
		},
		{
			"names below one",
			[]string{"*.example.com"},
			[]target{{"a.example.com:80", "10.0.0.1"}, {"a.b.example.com:1", "8.8.8.8"}},
			[]target{{"example.com:80", ""}, {"badexample.com:80", ""}, {".example.com:80", ""}, {"a.example.com.evil:80", ""}, {"a.example.com:80", "169.254.169.254"}},
		},
		{
			"addresses and ranges",
			[]string{"10.0.0.0/8", "192.168.1.1:8080", "[fd00::1]:80", "fe80::/10", "169.254.169.254"},
			[]target{
				{"10.9.9.9:1", ""},
				{"[::ffff:10.9.9.9]:1", ""},
				{"[64:ff9b::10.9.9.9]:1", ""},
				{"192.168.1.1:8080", ""},
				{"[fd00::1]:80", ""},
				{"[fe80::1%25eth0]:80", "fe80::1"},
				{"169.254.169.254:80", ""},
				{"inside.example.com:80", "10.1.1.1"},
			},
			[]target{{"11.0.0.1:1", ""}, {"192.168.1.1:80", ""}, {"[fd00::1]:81", ""}, {"8.8.8.8:80", ""}, {"inside.example.com:80", "8.8.8.8"}},
		},
		{
			"no range has a metadata service in it",
			[]string{"0.0.0.0/0", "::/0"},
			[]target{{"10.0.0.1:80", ""}, {"127.0.0.1:80", ""}, {"169.254.0.1:80", ""}, {"8.8.8.8:80", ""}, {"[fd00::1]:80", ""}},
			[]target{{"169.254.169.254:80", ""}, {"[::ffff:169.254.169.254]:80", ""}, {"[fd00:ec2::254]:80", ""}, {"100.100.100.200:80", ""}, {"x.example.com:80", "168.63.129.16"}},
		},
		{"names of other alphabets", []string{"bücher.example"}, []target{{"xn--bcher-kva.example:80", "8.8.8.8"}, {"BÜCHER.example:80", "8.8.8.8"}}, []target{{"bucher.example:80", ""}}},
		{"an empty list", nil, nil, []target{{"8.8.8.8:80", ""}, {"api.example.com:443", ""}, {"localhost:1", ""}}},
	} {
		t.Run("G3 "+tc.name, func(t *testing.T) {
			h, err := ParseHosts(tc.list)
			require.NoError(t, err)
			for _, to := range tc.allowed {
				require.NoError(t, judge(t, &h, to.hostport, to.leadsTo), "%v", to)
			}
			for _, to := range tc.refused {
				err := judge(t, &h, to.hostport, to.leadsTo)
				var refused *RefusedError
				require.ErrorAs(t, err, &refused, "%v", to)
				if to.leadsTo != "" {
					require.NotContains(t, err.Error(), to.leadsTo)
				}
			}
		})
	}
}

func TestParseHostsRefuses(t *testing.T) {
	for _, entry := range []string{
		"", "*", "*.", "a.*.com", "http://a.com", "a.com/path", "10.0.0.0/33", "10.0.0.1/8", "a.com:0", "a.com:65536", "a.com:x", "[::1", "[::1]x", "user@a.com",
		"a..com", ".a.com", "a b", "fe80::/10x",
	} {
		t.Run("G3 "+entry, func(t *testing.T) {
			_, err := ParseHosts([]string{"public", entry})
			require.Error(t, err)
		})
	}
}

//go:build cgo

package native

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// texts runs f on each row's input in one cell and returns the results.
func texts(t *testing.T, e *Engine, f string, inputs any) []string {
	t.Helper()
	rows, err := json.Marshal(inputs)
	require.NoError(t, err)
	var out []string
	require.NoError(t, json.Unmarshal([]byte(value(t, e, `const f = `+f+`; return `+string(rows)+`.map(r => f(r))`)), &out))
	return out
}

// The rows are the WHATWG URL standard's rules; a base is resolved against if there is one.
func TestURLParsing(t *testing.T) {
	e := newEngine(t, Options{})
	const bad = "TypeError"
	rows := []struct{ rule, url, base, want string }{
		{"scheme and host are lower case", "HTTP://EXAMPLE.com/%7Efoo", "", "http://example.com/%7Efoo"},
		{"white space around and line ends within go", " \x00ht\ntp://a/\tb ", "", "http://a/b"},
		{"no scheme, no base", "a/b", "", bad},
		{"a bad base", "http://a", "bad", bad},
		{"default port goes", "https://h:443/", "", "https://h/"},
		{"other port stays, without zeros", "http://h:00081", "", "http://h:81/"},
		{"port 0", "http://h:0", "", "http://h:0/"},
		{"port over 65535", "http://h:65536", "", bad},
		{"port with letters", "http://h:80a", "", bad},
		{"credentials", "http://u:p@h/", "", "http://u:p@h/"},
		{"last at-sign counts", "http://a@b:c@d@h/", "", "http://a%40b:c%40d@h/"},
		{"empty password goes", "http://u:@h/", "", "http://u@h/"},
		{"credentials without host", "http://u@/x", "", bad},
		{"no host in a special scheme", "http://", "", bad},
		{"any slashes in a special scheme", `http:\\/h\p`, "", "http://h/p"},
		{"opaque host keeps its case", "foo://HoSt/P", "", "foo://HoSt/P"},
		{"opaque host may be empty", "foo:///p", "", "foo:///p"},
		{"space in a host", "http://a b/", "", bad},
		{"percent-encoded host", "http://%41.com", "", "http://a.com/"},
		{"forbidden after decoding", "http://a%2fb/", "", bad},
		{"host beyond ASCII", "http://BÜCHER.de/", "", "http://xn--bcher-kva.de/"},
		{"host in several labels", "http://例え。テスト/", "", "http://xn--r8jz45g.xn--zckzah/"},
		{"full-width letters", "http://ＧＯ.com/", "", "http://go.com/"},
		{"soft hyphen goes", "http://a\u00adb/", "", "http://ab/"},
		{"joiners are not supported", "http://a\u200db/", "", bad},
		{"IPv4 in one number", "http://2130706433/", "", "http://127.0.0.1/"},
		{"IPv4 in hex and octal", "http://0x7f.0.0.01/", "", "http://127.0.0.1/"},
		{"IPv4 with few parts", "http://1.2.3/", "", "http://1.2.0.3/"},
		{"IPv4 with a dot at its end", "http://1.2.3.4./", "", "http://1.2.3.4/"},
		{"IPv4 part too large", "http://256.1.1.1/", "", bad},
		{"IPv4 number too large", "http://4294967296/", "", bad},
		{"IPv4 with five parts", "http://1.2.3.4.5/", "", bad},
		{"name that ends in a number", "http://foo.0x4/", "", bad},
		{"name that ends in no number", "http://1e2/", "", "http://1e2/"},
		{"IPv6 is compressed", "http://[1:0:0:2:0:0:0:4]/", "", "http://[1:0:0:2::4]/"},
		{"IPv6, the first of equal runs", "http://[1:0:0:2:0:0:3:4]/", "", "http://[1::2:0:0:3:4]/"},
		{"IPv6 with IPv4", "http://[::ffff:1.2.3.4]/", "", "http://[::ffff:102:304]/"},
		{"IPv6 with two gaps", "http://[1::2::3]/", "", bad},
		{"IPv6 with seven groups", "http://[1:2:3:4:5:6:7]/", "", bad},
		{"IPv6 with a zone", "http://[fe80::1%25en0]/", "", bad},
		{"IPv6 not closed", "http://[::1", "", bad},
		{"path is encoded", "http://h/a b\"<>`{}^|é😀", "", "http://h/a%20b%22%3C%3E%60%7B%7D%5E|%C3%A9%F0%9F%98%80"},
		{"lone surrogate", "http://h/\xed", "", "http://h/%EF%BF%BD"},
		{"query is encoded", "http://h/?a b\"<>'é", "", "http://h/?a%20b%22%3C%3E%27%C3%A9"},
		{"query of another scheme keeps quotes", "foo://h/?'", "", "foo://h/?'"},
		{"fragment is encoded", "http://h/#a b\"<>`", "", "http://h/#a%20b%22%3C%3E%60"},
		{"dots, also encoded", "http://h/a/b/%2e%2E/./c/..", "", "http://h/a/"},
		{"dots above the root", "http://h/../../a", "", "http://h/a"},
		{"dots of another scheme leave a path", "foo://h/a/../..", "", "foo://h/"},
		{"two slashes without host", "foo:/..//p", "", "foo:/.//p"},
		{"opaque path", "mailto:a b@c?d e#f g", "", "mailto:a b@c?d%20e#f%20g"},
		{"space before a query of an opaque path", "data:a ?b", "", "data:a%20?b"},
		{"file has drive letters", "file:c|/a/../..", "", "file:///c:/"},
		{"file and localhost", "file://localhost/x", "", "file:///x"},
		{"file and another host", "file://h/x", "", "file://h/x"},
		{"relative path", "../x?y", "http://h/a/b/c?q#f", "http://h/a/x?y"},
		{"relative to the root", "/x", "http://u:p@h:81/a/b", "http://u:p@h:81/x"},
		{"relative host", "//g/x", "https://h/a", "https://g/x"},
		{"relative query", "?y", "http://h/a?x#f", "http://h/a?y"},
		{"relative fragment", "#y", "http://h/a?x#f", "http://h/a?x#y"},
		{"nothing", "", "http://h/a?x#f", "http://h/a?x"},
		{"same special scheme without slashes", "http:x", "http://h/a/b", "http://h/a/x"},
		{"other special scheme without slashes", "https:x", "http://h/a/b", "https://x/"},
		{"file relative keeps the drive", "/x", "file:///C:/d/e", "file:///C:/x"},
		{"file with a drive of its own", "D:/x", "file:///C:/d/e", "d:/x"},
		{"opaque base", "x", "mailto:a", bad},
		{"opaque base and a fragment", "#x", "mailto:a", "mailto:a#x"},
	}
	inputs := make([][]string, len(rows))
	for i, r := range rows {
		inputs[i] = []string{r.url, r.base}
	}
	got := texts(t, e, `([url, base]) => { try {
		const u = new URL(url, base || undefined);
		if (!URL.canParse(url, base || undefined) || URL.parse(url, base || undefined).href !== u.href) return "parse, canParse";
		if (new URL(u.href).href !== u.href) return "not stable";
		return u.href;
	} catch (e) { return URL.canParse(url, base || undefined) || URL.parse(url, base || undefined) ? "canParse" : e.name } }`, inputs)
	for i, r := range rows {
		t.Run("D10 "+r.rule, func(t *testing.T) { require.Equal(t, r.want, got[i]) })
	}
}

func TestURLSetters(t *testing.T) {
	e := newEngine(t, Options{})
	rows := []struct{ rule, url, property, to, want string }{
		{"protocol", "http://h:443/", "protocol", "https", "https://h/"},
		{"protocol with more behind it", "http://h/", "protocol", "ftp:x//", "ftp://h/"},
		{"protocol of another kind", "http://h/", "protocol", "foo", "http://h/"},
		{"protocol file with a port", "http://h:1/", "protocol", "file", "http://h:1/"},
		{"protocol of a file without host", "file:///x", "protocol", "http", "file:///x"},
		{"username", "http://h/", "username", "a b:@", "http://a%20b%3A%40@h/"},
		{"username where none can be", "mailto:x", "username", "a", "mailto:x"},
		{"username of a file", "file://h/", "username", "a", "file://h/"},
		{"password", "http://u@h/", "password", "p", "http://u:p@h/"},
		{"password taken away", "http://u:p@h/", "password", "", "http://u@h/"},
		{"host with port", "http://h/p", "host", "g:81/x", "http://g:81/p"},
		{"host without port keeps it", "http://h:81/p", "host", "g", "http://g:81/p"},
		{"host with the default port", "http://h:81/p", "host", "g:80", "http://g/p"},
		{"host that is none", "http://h/", "host", "a b", "http://h/"},
		{"host taken away", "http://h/", "host", "", "http://h/"},
		{"host taken away elsewhere", "foo://h/p", "host", "", "foo:///p"},
		{"host taken away from a user", "foo://u@h/p", "host", "", "foo://u@h/p"},
		{"host of an opaque path", "mailto:x", "host", "h", "mailto:x"},
		{"host that is IPv6", "http://h/", "host", "[::0:1]:8", "http://[::1]:8/"},
		{"hostname", "http://h:81/", "hostname", "G", "http://g:81/"},
		{"hostname with a port", "http://h:81/", "hostname", "g:82", "http://h:81/"},
		{"hostname of a file", "file:///x", "hostname", "localhost", "file:///x"},
		{"port", "http://h/", "port", "8080", "http://h:8080/"},
		{"port with more behind it", "http://h/", "port", "81x", "http://h:81/"},
		{"port taken away", "http://h:81/", "port", "", "http://h/"},
		{"port that is none", "http://h:81/", "port", "x", "http://h:81/"},
		{"port over 65535", "http://h:81/", "port", "65536", "http://h:81/"},
		{"pathname", "http://h/a?q", "pathname", "b/../c d?#", "http://h/c%20d%3F%23?q"},
		{"pathname taken away", "http://h/a", "pathname", "", "http://h/"},
		{"pathname of an opaque path", "mailto:x", "pathname", "y", "mailto:x"},
		{"search", "http://h/?a#f", "search", "b c#", "http://h/?b%20c%23#f"},
		{"search with its mark", "http://h/", "search", "??b", "http://h/??b"},
		{"search taken away", "http://h/?a#f", "search", "", "http://h/#f"},
		{"hash", "http://h/", "hash", "a b", "http://h/#a%20b"},
		{"hash with its mark", "http://h/", "hash", "##a", "http://h/##a"},
		{"hash taken away", "http://h/#f", "hash", "", "http://h/"},
		{"href", "http://h/", "href", "foo:bar", "foo:bar"},
		{"href that is none", "http://h/", "href", "bar", "TypeError"},
		{"origin can't be set", "http://h/", "origin", "http://g", "http://h/"},
	}
	inputs := make([][]string, len(rows))
	for i, r := range rows {
		inputs[i] = []string{r.url, r.property, r.to}
	}
	got := texts(t, e, `([url, property, to]) => { const u = new URL(url); try { u[property] = to; return u.href } catch (e) { return e.name } }`, inputs)
	for i, r := range rows {
		t.Run("D10 "+r.rule, func(t *testing.T) { require.Equal(t, r.want, got[i]) })
	}
}

func TestURLObjects(t *testing.T) {
	e := newEngine(t, Options{})
	for _, c := range []struct{ rule, cell, want string }{
		{
			"parts", `const u = new URL("http://u:p@h:81/a?b#c");
			return [u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash]`,
			`["http://h:81","http:","u","p","h:81","h","81","/a","?b","#c"]`,
		},
		{
			"origins", `return ["https://h:443/", "file:///x", "foo://h", "blob:https://h:1/x", "blob:foo", "data:x"].map(s => new URL(s).origin)`,
			`["https://h","null","null","https://h:1","null","null"]`,
		},
		{"empty search and hash", `const u = new URL("http://h/?#"); return [u.search, u.hash, u.href]`, `["","","http://h/?#"]`},
		{
			"as JSON, text and value", `const u = new URL("http://h"); return [u, JSON.stringify([u]), u + "", u.toJSON()]`,
			`["http://h/","[\"http://h/\"]","http://h/","http://h/"]`,
		},
		{
			"class", `return [URL.name, URL.length, String(new URL("a:b")), Object.prototype.toString.call(new URL("a:b")),
			new URL("a:b") instanceof URL, Object.keys(URL.prototype).includes("href")]`,
			`["URL",1,"a:b","[object URL]",true,true]`,
		},
		{"misuse is a TypeError", `const out = [];
			for (const f of [() => new URL(), () => URL("http://a"), () => URL.prototype.toString.call({}), () => new URL(Symbol()), () => URL.canParse(),
				() => URL.canParse(Symbol()), () => URLSearchParams(), () => new URLSearchParams([["a"]]), () => new URLSearchParams([1]), () => new URLSearchParams(["ab"]),
				() => new URLSearchParams("a").append("x"), () => URLSearchParams.prototype.entries.call({}), () => new URLSearchParams("").forEach(1)])
				try { f(); out.push(0) } catch (e) { out.push(e instanceof TypeError ? 1 : e.name) }
			return out.join("")`, `"1111111111111"`},
		{
			"the error says why", `try { new URL("x") } catch (e) { return e.message }`,
			`"Invalid URL: it has no scheme, and there is no base to resolve it against"`,
		},
		{
			"searchParams is live both ways", `const u = new URL("http://h/?a=1"), p = u.searchParams; const out = [];
			p.append("b", "~ "); out.push(u.href); u.search = "?c=3"; out.push(String(p)); u.href = "http://g/?d=4"; out.push(String(p), p === u.searchParams);
			p.delete("d"); out.push(u.href); return out`,
			`["http://h/?a=1&b=%7E+","c=3","d=4",true,"http://g/"]`,
		},
		{
			"params from text", `return [...new URLSearchParams("?a=1&b=%41+c&&d&=e&%zz=%FF")]`,
			`[["a","1"],["b","A c"],["d",""],["","e"],["%zz","�"]]`,
		},
		{"params from a record", `return [...new URLSearchParams({a: 1, b: [2, 3], "\ud800": 1, "\ufffd": 2})]`, `[["a","1"],["b","2,3"],["�","2"]]`},
		{
			"params from pairs", `return [...new URLSearchParams(new Map([["x", "y"]])), ...new URLSearchParams(new URLSearchParams("q=1"))]`,
			`[["x","y"],["q","1"]]`,
		},
		{"params from anything else", `return [null, undefined, 5, true].map(v => String(new URLSearchParams(v)))`, `["null=","","5=","true="]`},
		{
			"get, getAll, has, size", `const p = new URLSearchParams("a=1&b=2&a=3"); return [p.get("a"), p.get("c"), p.getAll("a"), p.getAll("c"), p.has("b"), p.has("b", "3"), p.has("a", "3"), p.size]`,
			`["1",null,["1","3"],[],true,false,true,3]`,
		},
		{"set keeps the first place", `const p = new URLSearchParams("a=1&b=2&a=3"); p.set("a", "9"); p.set("c", "8"); return String(p)`, `"a=9&b=2&c=8"`},
		{"delete by name and value", `const p = new URLSearchParams("a=1&b=2&a=3"); p.delete("a", "3"); const s = String(p); p.delete("a"); return [s, String(p)]`, `["a=1&b=2","b=2"]`},
		{"sort is stable and by code units", `const p = new URLSearchParams("b=1&ﬃ=2&a=3&😀=4&b=0"); p.sort(); return [...p.keys()].join() + [...p.values()].join()`, `"a,b,b,😀,ﬃ3,1,0,4,2"`},
		{"iteration is live", `const p = new URLSearchParams("a=1&b=2&c=3"), seen = []; for (const [k] of p) { seen.push(k); if (k === "a") p.delete("a") } return seen`, `["a","c"]`},
		{"forEach", `const seen = []; new URLSearchParams("a=1").forEach(function (v, k, p) { seen.push(v, k, p instanceof URLSearchParams, this.x) }, {x: 5}); return seen`, `["1","a",true,5]`},
		{"form encoding", `return String(new URLSearchParams([["a b+&=", "é*-._~!'()"]]))`, `"a+b%2B%26%3D=%C3%A9*-._%7E%21%27%28%29"`},
		{"a cell's own URL stays its own", `URLSearchParams = 5; const u = new URL("http://h/?a"); return [URLSearchParams, u.searchParams.get("a")]`, `[5,""]`},
	} {
		t.Run("D10 "+c.rule, func(t *testing.T) { require.JSONEq(t, c.want, value(t, e, c.cell)) })
	}
}

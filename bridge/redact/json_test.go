package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const known = "s3rvice-key/with+odd \"chars\"&ü"

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestByPlace(t *testing.T) {
	r := New(Options{})
	for _, tc := range []struct{ name, in, want string }{
		{"nothing secret", `{"a":[1,true,null,"x"],"b":{"c":-1.5e3}}`, `{"a":[1,true,null,"x"],"b":{"c":-1.5e3}}`},
		{"white space", " {\n \"a\" : [ 1 , 2 ] ,\t\"b\":\"\" }\r\n", `{"a":[1,2],"b":""}`},
		{"by name", `{"password":"hunter2","Passwd":"x","userPass":"x","db_pwd":"x"}`, `{"password":"[redacted]","Passwd":"[redacted]","userPass":"[redacted]","db_pwd":"[redacted]"}`},
		{
			"in whatever way the name is written", `{"apiKey":"x","API_KEY":"x","x-api-key":"x","api key":"x","API.Key":"x","APIKEY":"x","myAPIKeyValue":"x"}`,
			`{"apiKey":"[redacted]","API_KEY":"[redacted]","x-api-key":"[redacted]","api key":"[redacted]","API.Key":"[redacted]","APIKEY":"[redacted]","myAPIKeyValue":"[redacted]"}`,
		},
		{"a name with escapes", `{"p\u0061ssword":"x"}`, `{"password":"[redacted]"}`},
		{
			"names that are like them", `{"passenger":"x","compass":"x","author":"x","monkey":"x","key":"x","keyboard":"x","tokenizer":"x","pinned":"x"}`,
			`{"passenger":"x","compass":"x","author":"x","monkey":"x","key":"x","keyboard":"x","tokenizer":"x","pinned":"x"}`,
		},
		{"whatever the value is", `{"secret":{"deep":["x"]},"secrets":["x","y"],"otp":123456,"credentials":{"user":"u"}}`, `{"secret":"[redacted]","secrets":"[redacted]","otp":"[redacted]","credentials":"[redacted]"}`},
		{"but not that there is none", `{"password":null,"hasPassword":true,"secret":"","token":"null"}`, `{"password":null,"hasPassword":true,"secret":"","token":"null"}`},
		{"tokens, but not their number", `{"accessToken":"x","maxTokens":100,"tokens":[1,2],"token":{"type":"x","n":3}}`, `{"accessToken":"[redacted]","maxTokens":100,"tokens":[1,2],"token":{"type":"[redacted]","n":3}}`},
		{"the same name twice", `{"password":"a","password":"b"}`, `{"password":"[redacted]","password":"[redacted]"}`},
		{"__proto__ is a name", `{"__proto__":{"password":"x"},"constructor":{"token":"y"}}`, `{"__proto__":{"password":"[redacted]"},"constructor":{"token":"[redacted]"}}`},
		{
			"a pair", `{"headers":[{"name":"Authorization","value":"Bearer x"},{"value":"y","name":"X-Api-Key"},{"name":"Accept","value":"z"}]}`,
			`{"headers":[{"name":"Authorization","value":"[redacted]"},{"value":"[redacted]","name":"X-Api-Key"},{"name":"Accept","value":"z"}]}`,
		},
		{"a pair with a list", `{"Key":"Set-Cookie","Values":["a=b"]}`, `{"Key":"Set-Cookie","Values":"[redacted]"}`},
		{"a list of two", `[["authorization","x"],["accept","y"]]`, `[["authorization","[redacted]"],["accept","y"]]`},
		{"a list of headers", `["Accept","a","Authorization","b","Cookie","c"]`, `["Accept","a","Authorization","[redacted]","Cookie","[redacted]"]`},
		{"a command line", `["mysql","--password","x","-u","root","--db-token","y"]`, `["mysql","--password","[redacted]","-u","root","--db-token","[redacted]"]`},
		{"a text that is JSON", `{"body":"{\"password\":\"x\",\"n\":{\"cookies\":[\"y\"]}}"}`, `{"body":"{\"password\":\"[redacted]\",\"n\":{\"cookies\":\"[redacted]\"}}"}`},
		{"JSON in JSON in JSON", quote(`[` + quote(`{"a":`+quote(`{"secret":"x"}`)+`}`) + `]`), quote(`[` + quote(`{"a":`+quote(`{"secret":"[redacted]"}`)+`}`) + `]`)},
		{"JSON in a text", quote(`got {"password": "x y", "a": 1}`), quote(`got {"password": "[redacted]", "a": 1}`)},
		{"JSON in a text, with escapes", quote(`got {\"password\": \"x\", \"a\": 1}`), quote(`got {\"password\": \"[redacted]\", \"a\": 1}`)},
		{"a secret as a name", `{"sk-aaaaaaaaaaaaaaaaaaaaaaaa":1}`, `{"[redacted]":1}`},
		{"a bare string", `"Authorization: Bearer x"`, `"Authorization: [redacted]"`},
		{"base64 of a header", quote("x " + base64.StdEncoding.EncodeToString([]byte("Authorization: Bearer abc"))), `"x [redacted]"`},
		{"base64 of JSON", quote(base64.StdEncoding.EncodeToString([]byte(`{"password":"hunter2"}`))), `"[redacted]"`},
		{"with the escapes of URLs", quote("state=" + url.QueryEscape(`{"password":"hunter2"}`) + "&a=b"), `"state=[redacted]&a=b"`},
		{"base64 of something else", quote(base64.StdEncoding.EncodeToString([]byte("a harmless text, of some length"))), quote(base64.StdEncoding.EncodeToString([]byte("a harmless text, of some length")))},
		{"no JSON", `{"password":"hunter2"`, `"{\"password\":\"[redacted]\""`},
		{"nothing", ``, `""`},
		{"two values", `1 2`, `"1 2"`},
	} {
		t.Run("G5 "+tc.name, func(t *testing.T) {
			got, omitted := r.JSON([]byte(tc.in), 4096)
			require.Equal(t, tc.want, string(got))
			require.Zero(t, omitted)
		})
	}
}

func TestTexts(t *testing.T) {
	r := New(Options{})
	for _, tc := range []struct{ name, in, want string }{
		{"prose", "The password is required, and the token: see basic authentication.", "The password is required, and the token: [redacted] basic authentication."},
		{"assignments", "password=hunter2&user=me; api_key: 'x y'; SECRET = `z`", "password=[redacted]&user=me; api_key: '[redacted]'; SECRET = `[redacted]`"},
		{"an arrow", `{:password=>"x", :a=>1}`, `{:password=>"[redacted]", :a=>1}`},
		{"a list", `passwords: ["x"]`, `passwords: ["[redacted]"]`},
		{"a quote without an end", `password: "x y`, `password: "[redacted]`},
		{"a number of tokens", "tokens: 1500, password: 1500", "tokens: 1500, password: [redacted]"},
		{"headers", "GET /\r\nAuthorization: Digest a=b, c=d\r\nCookie: a=b; c=d\r\nAccept: x", "GET /\r\nAuthorization: [redacted]\r\nCookie: [redacted]\r\nAccept: x"},
		{"curl", `curl -H "Authorization: Bearer abc" -H 'X-Api-Key: abc' --password abc https://u:p@host/x?token=abc&b=c`, `curl -H "Authorization: [redacted]" -H 'X-Api-Key: [redacted]' --password [redacted] https://u:[redacted]@host/x?token=[redacted]&b=c`},
		{"schemes", "bearer abc; Basic dXNlcjpwYXNz12", "bearer [redacted]; Basic [redacted]"},
		{"a token in a URL", "https://abcdef@host https://host/@x", "https://[redacted]@host https://host/@x"},
		{"a password with odd characters in a URL", "postgres://u:p@ss:word@host/db", "postgres://u:[redacted]@host/db"},
		{"a private key", "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nb", "a\n-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nb"},
		{"a private key that is cut", "-----BEGIN PRIVATE KEY-----\nMIIE", "-----BEGIN PRIVATE KEY-----[redacted]"},
		{"a public key", "-----BEGIN PUBLIC KEY-----\nMIIE", "-----BEGIN PUBLIC KEY-----\nMIIE"},
		{"tokens by their form", "ghp_0123456789abcdefghij, sk-proj-0123456789abcdefghij (AKIAIOSFODNN7EXAMPLE)", "[redacted], [redacted] ([redacted])"},
		{"a JWT", "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl y", "x [redacted] y"},
		{"base64 with a header in front", base64.StdEncoding.EncodeToString([]byte(`{"headers":{"cookie":"a=b"}}`)) + ".", "[redacted]."},
		{"base64 in base64", base64.StdEncoding.EncodeToString([]byte("a " + base64.StdEncoding.EncodeToString([]byte("password=hunter2abc")))), "[redacted]"},
		{"a pair", `[{name: "Cookie", value: 'a=b'}, {"key":"x-api-key","value":"c"}, {name: "Accept", value: "d"}]`, `[{name: "Cookie", value: '[redacted]'}, {"key":"x-api-key","value":"[redacted]"}, {name: "Accept", value: "d"}]`},
		{"two texts", `set("X-Api-Key", "abc"); set('Accept', 'd'); ["password","x"]`, `set("X-Api-Key", "[redacted]"); set('Accept', 'd'); ["password","[redacted]"]`},
		{"names without values", "password: , secret=", "password: , secret="},
		{"what was redacted before", "password=[redacted] a", "password=[redacted] a"},
	} {
		t.Run("G5 "+tc.name, func(t *testing.T) {
			got, omitted := r.Text(tc.in, 4096)
			require.Equal(t, tc.want, got)
			require.Zero(t, omitted)
		})
	}
}

// written are the forms in which a known secret is looked for.
func written(secret string) map[string]string {
	escaped := quote(secret)
	return map[string]string{
		"as it is": secret, "with escapes": escaped[1 : len(escaped)-1], "in a URL": url.QueryEscape(secret), "in a path": url.PathEscape(secret),
		"backwards": reversed(secret), "in hex": hex.EncodeToString([]byte(secret)), "base64": base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64 after one byte": base64.StdEncoding.EncodeToString([]byte("x" + secret)), "base64 after two": base64.URLEncoding.EncodeToString([]byte("xy" + secret + "z")),
		"base64 in the middle": base64.StdEncoding.EncodeToString([]byte("user:" + secret + ":more")),
	}
}

// leak is a part of a form that says most of the secret.
func leak(form string) string { return form[len(form)/4 : len(form)-len(form)/4] }

func TestByValue(t *testing.T) {
	r := New(Options{Values: []string{"another", "short"}}).With(known)
	for name, form := range written(known) {
		t.Run("G5 "+name, func(t *testing.T) {
			for _, in := range []string{quote(form), quote("before" + form + "after"), `{` + quote(form) + `:1}`, quote(`{"a":` + quote(form) + `}`), `[["x",` + quote(form+form) + `]]`} {
				got, _ := r.JSON([]byte(in), 4096)
				require.True(t, json.Valid(got))
				require.Contains(t, string(got), Mark)
				require.NotContains(t, string(got), quote(leak(form))[1:len(quote(leak(form)))-1], in)
			}
		})
	}
	t.Run("G5 one that is a number", func(t *testing.T) {
		got, _ := New(Options{Values: []string{"1234567890"}}).JSON([]byte(`[1234567890,12]`), 100)
		require.Equal(t, `["[redacted]",12]`, string(got))
	})
	t.Run("G5 one that is too short is no secret", func(t *testing.T) {
		got, _ := New(Options{Values: []string{"a", " abcd ", ""}}).JSON([]byte(`"a abcd"`), 100)
		require.Equal(t, `"a abcd"`, string(got))
	})
	t.Run("G5 one of several lines, with other line breaks", func(t *testing.T) {
		got, _ := New(Options{Values: []string{"first line of the secret\nsecond line of the secret\n"}}).Text("x first line of the secret\r\n  second line of the secret", 100)
		require.Equal(t, "x [redacted]\r\n  [redacted]", got)
	})
	t.Run("G5 a long one, of which only a part is there", func(t *testing.T) {
		long := strings.Repeat("0123456789abcdef", 100)
		got, _ := New(Options{Values: []string{long}}).Text("x"+long[:1000], 4096)
		require.NotContains(t, got, long[:maxPiece])
	})
	t.Run("G5 where there are too many, everything is hidden", func(t *testing.T) {
		var same, all []string
		for i := range 4000 {
			same = append(same, strings.Repeat("x", 300))
			all = append(all, hex.EncodeToString([]byte{byte(i), byte(i >> 8)})+strings.Repeat("x", 300))
		}
		got, _ := New(Options{Values: same}).JSON([]byte(`{"a":1}`), 100)
		require.Equal(t, `{"a":1}`, string(got))
		blind := New(Options{}).With(all...).With("another")
		got, _ = blind.JSON([]byte(`{"a":1}`), 100)
		require.Equal(t, `"[redacted]"`, string(got))
		text, _ := blind.Text("a", 100)
		require.Equal(t, Mark, text)
	})
	t.Run("G5 one of which only the hash is known", func(t *testing.T) {
		r := New(Options{Known: func(word string) bool { return word == "an-api-key_1" }})
		got, _ := r.JSON([]byte(`{"a":"an-api-key_1","b":["x an-api-key_1 y","`+base64.StdEncoding.EncodeToString([]byte("the an-api-key_1"))+`","`+hex.EncodeToString([]byte("an-api-key_1"))+`"],"c":"an-api-key_2"}`), 1000)
		require.Equal(t, `{"a":"[redacted]","b":["x [redacted] y","[redacted]","[redacted]"],"c":"an-api-key_2"}`, string(got))
	})
}

func TestNames(t *testing.T) {
	t.Run("G5 an operator's own", func(t *testing.T) {
		got, _ := New(Options{Names: []string{"employee-no", "x"}}).JSON([]byte(`{"employeeNo":"1","EMPLOYEE_NO":2,"x":"3"}`), 1000)
		require.Equal(t, `{"employeeNo":"[redacted]","EMPLOYEE_NO":"[redacted]","x":"3"}`, string(got))
	})
	t.Run("G5 which settings are secrets", func(t *testing.T) {
		for name, value := range map[string]string{"Authorization": "x", "X-Key": "abc", "DB_PASSWORD": "a b", "Whatever": "a1b2c3d4e5f6g7h8i9", "X": "Bearer abc"} {
			require.Contains(t, Configured(map[string]string{name: value}), value, name)
		}
		require.Contains(t, Configured(map[string]string{"Authorization": "Bearer the-token"}), "the-token")
		for name, value := range map[string]string{"Accept": "application/json", "NODE_ENV": "production", "PATH": "/usr/bin", "LANG": "en_US.UTF-8", "X": ""} {
			require.Empty(t, Configured(map[string]string{name: value}), name)
		}
	})
}

func TestSize(t *testing.T) {
	r := New(Options{Values: []string{known}})
	long := strings.Repeat("word ", 40000)
	for _, tc := range []struct{ name, in, want string }{
		{"a long text", quote(long), `"` + long[:100] + `… [199901 more bytes]"`},
		{"a long list", `[` + strings.Repeat(`"0123456789",`, 1000) + `1]`, `["0123456789","0123456789","0123456789","0123456789","0123456789","0123456789","0123456789","0123456789","[12898 more bytes]"]`},
		{"a long object", `{` + strings.Repeat(`"a":[{"b":1}],`, 1000) + `"z":1}`, `{"a":[{"b":1}],"a":[{"b":1}],"a":[{"b":1}],"a":[{"b":1}],"a":[{"b":1}],"a":[{"b":1}],"a":[{"b":1}],"a":["[13903 more bytes]"]}`},
		{"a text in a list", `[["` + strings.Repeat("x", 300) + `"],1]`, `[["` + strings.Repeat("x", 98) + `… [202 more bytes]"],"[2 more bytes]"]`},
		{"a long name", `{"` + strings.Repeat("n", 300) + `":1}`, `{"` + strings.Repeat("n", 99) + `… [201 more bytes]":1}`},
		{"a long number", strings.Repeat("1", 300), `"[a number of 300 bytes]"`},
		{"characters stay whole", quote(strings.Repeat("ü", 100)), `"` + strings.Repeat("ü", 50) + `… [100 more bytes]"`},
	} {
		t.Run("G5 "+tc.name, func(t *testing.T) {
			got, omitted := r.JSON([]byte(tc.in), 100)
			require.True(t, json.Valid(got), "%s", got)
			require.Equal(t, tc.want, string(got))
			require.Positive(t, omitted)
		})
	}
	t.Run("G5 a secret that is cut is not shown in part", func(t *testing.T) {
		encoded := base64.StdEncoding.EncodeToString([]byte(known))
		for before := range 130 {
			for secret, beginning := range map[string]string{known: known[:3], "sk-0123456789abcdefghij": "sk-", "password=hunter2": "=h", "Bearer abcdef": " a", encoded: encoded[:3]} {
				for _, after := range []int{100, 9000, 100000} {
					got, _ := r.JSON([]byte(quote(strings.Repeat(" ", before)+secret+strings.Repeat(" ", after))), 100)
					require.NotContains(t, string(got), quote(beginning)[1:len(quote(beginning))-1], "%d", before)
				}
			}
		}
	})
	t.Run("G5 nor one at the end of what is read", func(t *testing.T) {
		for before := range 60 {
			in := `{"secret":"` + strings.Repeat("x", minReadable-100) + `","a":"` + strings.Repeat(" ", before) + known[:20] + strings.Repeat(" ", 100) + `"}`
			in = strings.Replace(in, known[:20], strings.ReplaceAll(known, `"`, `\"`), 1)
			got, _ := r.JSON([]byte(in), 100)
			require.True(t, json.Valid(got))
			require.NotContains(t, string(got), known[:3], "%d", before)
		}
	})
	t.Run("G5 deep nesting", func(t *testing.T) {
		for _, n := range []int{63, 64, 65, 1000, 100000} {
			got, _ := r.JSON([]byte(strings.Repeat(`{"a":[`, n)+strings.Repeat("]}", n)), 4096)
			require.True(t, json.Valid(got))
			require.Less(t, len(got), 5000)
		}
	})
	t.Run("G5 a pair that is cut before its name hides its value", func(t *testing.T) {
		got, _ := r.JSON([]byte(`{"value":"hunter2","x":"`+strings.Repeat("x", 1<<20)+`","name":"password"}`), 4096)
		require.NotContains(t, string(got), "hunter2")
	})
	t.Run("H6 work is bounded by what is shown", func(t *testing.T) {
		huge := []byte(`{"password":"` + strings.Repeat("x", 16<<20) + `"}`)
		allocated := testing.AllocsPerRun(1, func() { r.JSON(huge, 1000) })
		require.Less(t, allocated, 100.0)
		got, omitted := r.JSON(huge, 1000)
		require.True(t, json.Valid(got))
		require.Greater(t, omitted, 15<<20)
	})
}

func BenchmarkJSON(b *testing.B) {
	r := New(Options{Values: []string{known, "another secret of the service"}}).With("a token of the tenant")
	for name, in := range map[string]string{
		"small": `{"sku":"lamp","count":3}`,
		"2 KiB": `{"rows":[` + strings.Repeat(`{"id":1,"title":"A row of a table","note":"with some text"},`, 33) + `{}]}`,
		"large": `{"rows":[` + strings.Repeat(`{"id":1,"title":"A row of a table","note":"with some text"},`, 33000) + `{}]}`,
		"text":  quote(strings.Repeat("Some words of a text, and a path/to/a/file. ", 50)),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(min(len(in), 2048)))
			b.ReportAllocs()
			for b.Loop() {
				r.JSON([]byte(in), 2048)
			}
		})
	}
}

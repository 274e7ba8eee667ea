package config

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func merged(t *testing.T, c Config, raw string) Config {
	t.Helper()
	next, err := c.Merge(json.RawMessage(raw))
	require.NoError(t, err)
	return next
}

func narrowed(t *testing.T, c Config, raw string) Config {
	t.Helper()
	next, err := c.Narrow(json.RawMessage(raw))
	require.NoError(t, err)
	return next
}

func TestStore(t *testing.T) {
	for _, c := range []struct {
		name, operator, turn string
		want                 bool
	}{
		{"D10 off by default", ``, ``, false},
		{"D10 a turn switches it on", ``, `{"store":true}`, true},
		{"D10 the operator does", `{"store":true}`, ``, true},
		{"D10 an object with enabled", ``, `{"store":{"enabled":true}}`, true},
		{"D10 other fields alone do not", ``, `{"store":{"maxKeys":3}}`, false},
		{"D10 the string true does not", ``, `{"store":{"enabled":"true"}}`, false},
		{"D10 null changes nothing", `{"store":true}`, `{"store":null}`, true},
		{"D10 a turn switches it off", `{"store":true}`, `{"store":false}`, false},
		{"D10 the operator's false stays", `{"store":false}`, `{"store":true}`, false},
		{"D10 in whichever shape", `{"store":{"enabled":false}}`, `{"store":{"enabled":true}}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, narrowed(t, merged(t, Default(), c.operator), c.turn).StoreEnabled)
		})
	}
	t.Run("D10 a turn lowers limits and never raises one", func(t *testing.T) {
		base := merged(t, Default(), `{"store":{"enabled":true,"maxKeys":10,"maxBytes":2048,"ttlSeconds":5}}`)
		c := narrowed(t, base, `{"store":{"maxKeys":3,"maxBytes":4096,"ttlSeconds":6}}`)
		require.Equal(t, []any{true, 3, 2048, 5}, []any{c.StoreEnabled, c.StoreMaxKeys, c.StoreMaxBytes, c.StoreTTLSeconds})
	})
	t.Run("A2 another shape is refused by its key", func(t *testing.T) {
		for _, raw := range []string{`{"store":"true"}`, `{"store":1}`, `{"store":[]}`, `{"store":{"keys":1}}`} {
			_, err := Default().Narrow(json.RawMessage(raw))
			var e *Error
			require.ErrorAs(t, err, &e, raw)
			require.Contains(t, e.Key, "store")
		}
	})
}

func TestDefaultConfig(t *testing.T) {
	c := Default()
	c.asked = nil
	require.Equal(t, Config{
		Languages: []string{"javascript", "typescript"},
		TimeoutMs: 10000, MemoryLimitBytes: 67108864, MaxOutputBytes: 65536, MaxSnapshotBytes: 10485760,
		MaxPendingToolCalls: 16, SnapshotTTLSeconds: 900, SearchDefaultLimit: 8, MaxSearchLimit: 50,
		DrainMs: 10000, MaxSuspendedRuns: 64, MaxQueuedToolCalls: 1000, MaxSourceBytes: 262144, MaxHeldBytes: 33554432,
		Drain: "all", OutputMode: "incremental", OutputOverflow: "fail", Overflow: "queue",
		ErrorCodes: "precise", SnapshotResume: "hot",
		StoreMaxKeys: 100, StoreMaxBytes: 65536, StoreTTLSeconds: 3600, ApprovalTimeoutSeconds: 900,
	}, c)
}

func TestConfigEnabled(t *testing.T) {
	on, off := merged(t, Default(), `true`), Default()
	for _, tc := range []struct {
		name, raw    string
		overOff, hit bool // enabled after laying raw over a config that is off, that is on
	}{
		{"true enables", `true`, true, true},
		{"false disables", `false`, false, false},
		{"nothing changes nothing", ``, false, true},
		{"null changes nothing", ` null `, false, true},
		{"enabled true enables", `{"enabled":true}`, true, true},
		{"enabled false disables", `{"enabled":false}`, false, false},
		{`the string "true" is off`, `{"enabled":"true"}`, false, false},
		{"the number 1 is off", `{"enabled":1}`, false, false},
		{"enabled null counts as absent", `{"enabled":null}`, false, true},
		{"other fields alone do not enable", `{"timeoutMs":5000}`, false, true},
		{"an empty object changes nothing", `{}`, false, true},
	} {
		t.Run("A2 "+tc.name, func(t *testing.T) {
			require.Equal(t, tc.overOff, merged(t, off, tc.raw).Enabled, "Merge over off")
			require.Equal(t, tc.hit, merged(t, on, tc.raw).Enabled, "Merge over on")
			require.Equal(t, tc.overOff, narrowed(t, off, tc.raw).Enabled, "Narrow over off")
			require.Equal(t, tc.hit, narrowed(t, on, tc.raw).Enabled, "Narrow over on")
		})
	}
	t.Run("A2 a bare false of the operator holds against turns", func(t *testing.T) {
		require.False(t, narrowed(t, merged(t, on, `false`), `true`).Enabled)
		require.False(t, narrowed(t, merged(t, on, `false`), `{"enabled":true}`).Enabled)
	})
	t.Run("A2 an agent can be switched on again by the operator", func(t *testing.T) {
		for _, raw := range []string{`true`, `{"enabled":true}`} {
			require.True(t, narrowed(t, merged(t, merged(t, on, `false`), raw), ``).Enabled)
		}
	})
}

// TestConfigNumbers walks the whole table, so a new key is covered when it is added.
func TestConfigNumbers(t *testing.T) {
	for _, k := range Keys() {
		if k.number == nil {
			continue
		}
		t.Run("A2 "+k.Key, func(t *testing.T) {
			// A base in which no other number caps this one, and it isn't at its default.
			base := merged(t, Default(), `{"timeoutMs":60000,"snapshotTtlSeconds":86400}`)
			odd := k.Min + 1
			*k.number(&base) = odd
			set := func(v any) string {
				return string(must(json.Marshal(map[string]any{k.Key: v})))
			}
			for _, bad := range []any{1.5, 0, -1, "7", true, []int{1}, map[string]int{}, json.RawMessage("1e999")} {
				got := merged(t, base, set(bad))
				require.Equal(t, k.Default, *k.number(&got), "Merge %v", bad)
				got = narrowed(t, base, set(bad))
				require.Equal(t, odd, *k.number(&got), "Narrow %v", bad)
			}
			for _, tc := range []struct {
				in         any
				merge, nar int
			}{
				{k.Max + 1, k.Max, odd},
				{json.RawMessage("1e300"), k.Max, odd},
				{k.Max, k.Max, odd},
				{k.Min, k.Min, k.Min},
				{1, k.Min, k.Min},
				{json.RawMessage("1.0"), k.Min, k.Min},
			} {
				got := merged(t, base, set(tc.in))
				require.Equal(t, tc.merge, *k.number(&got), "Merge %v", tc.in)
				got = narrowed(t, base, set(tc.in))
				require.Equal(t, tc.nar, *k.number(&got), "Narrow %v", tc.in)
			}
			got := merged(t, base, set(nil))
			if k.CappedBy == "" {
				require.Equal(t, odd, *k.number(&got), "null counts as absent")
			}
		})
	}
}

func TestConfigCaps(t *testing.T) {
	t.Run("A2 searchDefaultLimit stays within maxSearchLimit", func(t *testing.T) {
		global := merged(t, Default(), `{"maxSearchLimit":5}`)
		require.Equal(t, 5, global.SearchDefaultLimit)
		require.Equal(t, 8, merged(t, global, `{"maxSearchLimit":20}`).SearchDefaultLimit, "the cap is lifted again")
		require.Equal(t, 3, narrowed(t, global, `{"maxSearchLimit":3,"searchDefaultLimit":50}`).SearchDefaultLimit)
	})
	t.Run("A2 drainMs follows timeoutMs until it is set", func(t *testing.T) {
		require.Equal(t, 500, merged(t, Default(), `{"timeoutMs":500}`).DrainMs)
		require.Equal(t, 60000, merged(t, Default(), `{"timeoutMs":60000}`).DrainMs)
		set := merged(t, Default(), `{"drainMs":700}`)
		require.Equal(t, 700, set.DrainMs)
		require.Equal(t, 200, narrowed(t, set, `{"timeoutMs":200}`).DrainMs)
		require.Equal(t, 700, merged(t, merged(t, set, `{"timeoutMs":200}`), `{"timeoutMs":9000}`).DrainMs)
	})
	t.Run("A2 a turn can't widen drainMs past the operator's", func(t *testing.T) {
		require.Equal(t, 700, narrowed(t, merged(t, Default(), `{"drainMs":700}`), `{"drainMs":9000}`).DrainMs)
	})
	t.Run("A2 layering leaves the config it started from alone", func(t *testing.T) {
		base := Default()
		merged(t, base, `{"timeoutMs":500,"languages":["typescript"]}`)
		narrowed(t, base, `{"timeoutMs":500,"languages":["typescript"]}`)
		require.Equal(t, Default(), base)
	})
}

func TestConfigLanguages(t *testing.T) {
	both := []string{"javascript", "typescript"}
	for _, tc := range []struct {
		name, raw string
		want      []string
	}{
		{"one", `["typescript"]`, []string{"typescript"}},
		{"duplicates", `["typescript","typescript","javascript"]`, both},
		{"empty means both", `[]`, both},
		{"unknown means both", `["python"]`, both},
		{"a known one among unknown ones", `["python","javascript"]`, []string{"javascript"}},
		{"a string means both", `"javascript"`, both},
		{"numbers mean both", `[1,null,[]]`, both},
		{"an object means both", `{"0":"javascript"}`, both},
	} {
		t.Run("A2 languages "+tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, merged(t, Default(), `{"languages":`+tc.raw+`}`).Languages)
			require.Equal(t, tc.want, narrowed(t, Default(), `{"languages":`+tc.raw+`}`).Languages)
		})
	}
	t.Run("A2 a turn can't bring back a language", func(t *testing.T) {
		js := merged(t, Default(), `{"languages":["javascript"]}`)
		require.Equal(t, []string{"javascript"}, narrowed(t, js, `{"languages":["javascript","typescript"]}`).Languages)
		require.Equal(t, []string{"javascript"}, narrowed(t, js, `{"languages":[]}`).Languages)
		_, err := js.Narrow(json.RawMessage(`{"languages":["typescript"]}`))
		require.ErrorContains(t, err, `only "javascript"`)
	})
}

func TestConfigChoices(t *testing.T) {
	for _, k := range Keys() {
		if len(k.Allowed) == 0 {
			continue
		}
		t.Run("A2 "+k.Key, func(t *testing.T) {
			// A dotted key is a nested object on the wire.
			open, end := "", ""
			for _, part := range strings.Split(k.Key, ".") {
				open, end = open+`{"`+part+`":`, end+`}`
			}
			for _, v := range k.Allowed {
				got := narrowed(t, Default(), open+`"`+v+`"`+end)
				if k.choice != nil {
					require.Equal(t, v, *k.choice(&got))
				}
			}
			require.Equal(t, Default(), merged(t, Default(), open+`null`+end))
			for _, bad := range []string{`"x"`, `5`, `["` + k.Allowed[0] + `"]`, `"` + strings.ToUpper(k.Allowed[0]) + `"`} {
				_, err := Default().Merge(json.RawMessage(open + bad + end))
				refusal := requireInvalid(t, err, k.Key)
				for _, v := range k.Allowed {
					require.Contains(t, refusal.Msg, v)
				}
			}
		})
	}
}

func TestConfigErrors(t *testing.T) {
	for _, tc := range []struct{ name, raw, key, says string }{
		{"unknown key with the wrong case", `{"timeoutMS":5}`, "timeoutMS", `did you mean "timeoutMs"?`},
		{"unknown key with a slip", `{"maxOutputByte":5}`, "maxOutputByte", `did you mean "maxOutputBytes"?`},
		{"unknown key like no other", `{"colour":5}`, "colour", "known keys: enabled, runtime"},
		{"unknown key even if null", `{"colour":null}`, "colour", "unknown key"},
		{"__proto__ is a key like any other", `{"__proto__":{"enabled":true}}`, "__proto__", "unknown key"},
		{"unknown nested key", `{"snapshot":{"store":"x"}}`, "snapshot.store", "unknown key"},
		{"a dotted key is reached by nesting", `{"snapshot":"hot"}`, "snapshot", `{"resume": "hot"}`},
		{"another runtime", `{"runtime":"node"}`, "runtime", `must be "quickjs-wasi"`},
		{"another mode", `{"mode":"both"}`, "mode", `must be "only"`},
		{"a string", `"true"`, "config", "true, false or an object"},
		{"a number", `1`, "config", "true, false or an object"},
		{"an array", `[]`, "config", "true, false or an object"},
		{"broken JSON", `{"a":`, "config", "not a JSON object"},
		{"the first of several mistakes, by name", `{"zz":1,"aa":1}`, "aa", "unknown key"},
	} {
		t.Run("A2 "+tc.name, func(t *testing.T) {
			_, err := Default().Merge(json.RawMessage(tc.raw))
			require.ErrorContains(t, err, tc.says)
			requireInvalid(t, err, tc.key)
			_, err = Default().Narrow(json.RawMessage(tc.raw))
			requireInvalid(t, err, tc.key)
		})
	}
	t.Run("A2 a huge key is not repeated whole", func(t *testing.T) {
		_, err := Default().Narrow(json.RawMessage(`{"` + strings.Repeat("é", 1<<16) + `":1}`))
		require.Less(t, len(err.Error()), 700)
	})
}

func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		`true`, `false`, `null`, ``, `{}`, `{"enabled":true,"timeoutMs":1e3}`, `{"timeoutMs":1e999}`,
		`{"snapshot":{"resume":"restore"}}`, `{"snapshot":{"snapshot":{}}}`, `{"languages":["javascript",5]}`,
		`{"enabled":true,"enabled":false}`, `{"__proto__":1}`, `{"":{}}`, "{\"\\u0000\":1}", `{"drain":"x"}`, `[`, `{"timeoutMs":-0}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, lay := range []func(json.RawMessage) (Config, error){Default().Merge, Default().Narrow} {
			c, err := lay(raw)
			if err != nil {
				var refusal *Error
				require.True(t, errors.As(err, &refusal))
				require.NotEmpty(t, refusal.Msg)
				continue
			}
			requireInRange(t, c)
		}
		c, err := Default().Narrow(raw)
		for _, k := range keys {
			if err == nil && k.number != nil {
				operator := Default()
				require.LessOrEqual(t, *k.number(&c), *k.number(&operator), "a turn never widens %s", k.Key)
			}
		}
	})
}

func BenchmarkConfigNarrow(b *testing.B) {
	base, raw := Default(), json.RawMessage(`{"enabled":true,"timeoutMs":5000,"drain":"all"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := base.Narrow(raw); err != nil {
			b.Fatal(err)
		}
	}
}

// requireInRange holds a resolved config against the table.
func requireInRange(t *testing.T, c Config) {
	t.Helper()
	for _, k := range keys {
		switch {
		case k.number != nil:
			require.GreaterOrEqual(t, *k.number(&c), k.Min, k.Key)
			require.LessOrEqual(t, *k.number(&c), k.Max, k.Key)
		case k.choice != nil:
			require.Contains(t, k.Allowed, *k.choice(&c), k.Key)
		}
	}
	require.NotEmpty(t, c.Languages)
	require.LessOrEqual(t, c.SearchDefaultLimit, c.MaxSearchLimit)
	require.LessOrEqual(t, c.DrainMs, c.TimeoutMs)
}

func requireInvalid(t *testing.T, err error, key string) *Error {
	t.Helper()
	var refusal *Error
	require.ErrorAs(t, err, &refusal)

	require.Equal(t, key, refusal.Key)
	return refusal
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

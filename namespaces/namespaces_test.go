package namespaces

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// everything says that a turn has every tool.
func everything(string, string) bool { return true }

// registered is a registry with one namespace of that scope.
func registered(t *testing.T, scope any) *Registry {
	t.Helper()
	r := &Registry{}
	require.NoError(t, r.Register("desk", Registration{
		ID: "tickets", GlobalName: "Tickets", RequiredTools: []string{"list", "update"},
		CreateScope: func(Context) (map[string]any, error) {
			values, _ := scope.(map[string]any)
			return values, nil
		},
	}))
	return r
}

func TestScope(t *testing.T) {
	shared := map[string]any{"a": 1}
	circular := map[string]any{}
	circular["self"] = map[string]any{"again": circular}
	list := []any{nil}
	list[0] = list
	for name, tc := range map[string]struct {
		scope any
		text  string // of the scope
		err   string
	}{
		"values":              {map[string]any{"n": 1.5, "s": "x\x00y", "b": true, "z": nil}, `[2,["b",[0,true],"n",[0,1.5],"s",[0,"x\u0000y"],"z",[0,null]]]`, ""},
		"nested, with arrays": {map[string]any{"a": []any{1, []string{"x"}}}, `[2,["a",[1,[[0,1],[1,[[0,"x"]]]]]]]`, ""},
		"shared, no cycle":    {map[string]any{"x": shared, "y": shared}, `[2,["x",[2,["a",[0,1]]],"y",[2,["a",[0,1]]]]]`, ""},
		"a function":          {map[string]any{"f": Tool("list", nil)}, `[2,["f",[3]]]`, ""},
		"what is no JSON":     {map[string]any{"c": make(chan int), "big": big.NewInt(10), "nan": strings.Repeat, "t": time.Unix(0, 0).UTC()}, "", "Code mode namespace function at Tickets.nan must be created"},
		"fallbacks":           {map[string]any{"c": make(chan int), "big": big.NewInt(10), "bytes": []byte("hi"), "t": time.Unix(0, 0).UTC(), "m": map[int]int{1: 2}}, `[2,["big",[0,"10"],"bytes",[0,"aGk="],"c",[0,null],"m",[2,[]],"t",[0,"1970-01-01T00:00:00Z"]]]`, ""},
		"a struct":            {map[string]any{"s": struct{ A []int }{[]int{1}}}, `[2,["s",[2,["A",[1,[[0,1]]]]]]]`, ""},
		"raw JSON":            {map[string]any{"j": json.RawMessage(`{"$tool":"list"}`)}, `[2,["j",[2,["$tool",[0,"list"]]]]]`, ""},
		"a raw function":      {map[string]any{"a": map[string]any{"f": func() {}}}, "", "Code mode namespace function at Tickets.a.f must be created with namespaces.Tool."},
		"a cycle":             {circular, "", "Circular code mode namespace scope at Tickets.self.again."},
		"a list in itself":    {map[string]any{"l": list}, "", "Circular code mode namespace scope at Tickets.l[0]."},
		"nothing":             {nil, "", `Code mode namespace "tickets" createScope must return an object.`},
		"__proto__":           {map[string]any{"__proto__": 1}, "", "Invalid code mode namespace path segment: __proto__"},
		"prototype, inside":   {map[string]any{"a": []any{map[string]any{"prototype": 1}}}, "", "Invalid code mode namespace path segment: prototype"},
		"an undeclared tool":  {map[string]any{"f": Tool("secret", nil)}, "", `calls an undeclared tool: "secret"`},
		"too many members":    {map[string]any{"a": make([]int, maxMembers)}, "", "more than 4096 members"},
		"too many bytes":      {map[string]any{"a": strings.Repeat("x", maxScopeBytes)}, "", "more than 65536 bytes"},
	} {
		t.Run("F1 "+name, func(t *testing.T) {
			s, err := registered(t, tc.scope).Open("", Context{}, everything)
			if tc.err != "" {
				var own *Error
				require.ErrorAs(t, err, &own)
				require.Contains(t, err.Error(), tc.err)
				return
			}
			require.NoError(t, err)
			require.JSONEq(t, `[["Tickets","namespace\u0000tickets",`+tc.text+`]]`, string(s.Text()))
		})
	}
}

func TestResolve(t *testing.T) {
	pair := func(args []json.RawMessage) (any, error) {
		return map[string]any{"first": args[0], "second": args[1]}, nil
	}
	s, err := registered(t, map[string]any{
		"plain": Tool("list", nil), "in": []any{map[string]any{"f": Tool("update", pair)}}, "value": "list",
		"angry": Tool("list", func([]json.RawMessage) (any, error) { return nil, errors.New("no such thing") }),
	}).Open("", Context{}, everything)
	require.NoError(t, err)
	at := func(path ...string) string { return Prefix + "tickets\x00" + strings.Join(path, "\x00") }
	for name, tc := range map[string]struct{ name, args, tool, input, err string }{
		"the one argument is the input":    {at("plain"), `[{"a":1}]`, "list", `{"a":1}`, ""},
		"none is {}":                       {at("plain"), `[]`, "list", `{}`, ""},
		"null is {}":                       {at("plain"), `[null]`, "list", `{}`, ""},
		"two are one too many":             {at("plain"), `[1,2]`, "", "", "Tickets.plain: it takes one argument"},
		"a mapper makes it":                {at("in", "0", "f"), `[1,{"b":2}]`, "update", `{"first":1,"second":{"b":2}}`, ""},
		"a mapper may refuse":              {at("angry"), `[]`, "", "", "Tickets.angry: no such thing"},
		"a mapper that panics is an error": {at("in", "0", "f"), `[1]`, "", "", "does not work with these arguments"},
		"a value is no function":           {at("value"), `[]`, "", "", "no code mode namespace of this run has a function"},
		"a forged path":                    {at("plain", "call"), `[]`, "", "", "no code mode namespace of this run has a function"},
		"a forged id":                      {Prefix + "other\x00plain", `[]`, "", "", "no code mode namespace of this run has a function"},
		"the id alone":                     {Prefix + "tickets", `[]`, "", "", "no code mode namespace of this run has a function"},
		"no name":                          {"", `[]`, "", "", "no code mode namespace of this run has a function"},
		"no array":                         {at("plain"), `{"a":1}`, "", "", "the arguments of Tickets.plain are no JSON array"},
	} {
		t.Run("F2 "+name, func(t *testing.T) {
			c, err := s.Resolve(tc.name, json.RawMessage(tc.args))
			if tc.err != "" {
				require.ErrorContains(t, err, tc.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, "desk", c.PluginID)
			require.Equal(t, tc.tool, c.Tool)
			require.JSONEq(t, tc.input, string(c.Input))
		})
	}
	t.Run("F2 a run without namespaces has no function", func(t *testing.T) {
		var none *Scopes
		_, err := none.Resolve(at("plain"), json.RawMessage(`[]`))
		require.Error(t, err)
		require.Nil(t, none.Text())
	})
}

func TestRegister(t *testing.T) {
	scope := func(Context) (map[string]any, error) { return map[string]any{"f": Tool("list", nil)}, nil }
	good := Registration{ID: "tickets", GlobalName: "Tickets", RequiredTools: []string{"list"}, CreateScope: scope}
	t.Run("F1 the first thing that is wrong is the answer", func(t *testing.T) {
		for _, tc := range []struct {
			plugin string
			change func(*Registration)
			err    string
		}{
			{"desk", func(r *Registration) { r.ID = " " }, "Code mode namespace id must be non-empty."},
			{" ", func(*Registration) {}, "Code mode namespace pluginId must be non-empty."},
			{"desk", func(r *Registration) { r.GlobalName = "1x" }, "Code mode namespace globalName must be a JavaScript identifier."},
			{"desk", func(r *Registration) { r.GlobalName = "MCP" }, `Code mode namespace globalName "MCP" is reserved.`},
			{"desk", func(r *Registration) { r.GlobalName = "NaN" }, `Code mode namespace globalName "NaN" collides with a global.`},
			{"desk", func(r *Registration) { r.CreateScope = nil }, "Code mode namespace createScope must be a function."},
			{"desk", func(r *Registration) { r.RequiredTools = nil }, "Code mode namespace requiredToolNames must include at least one tool name."},
			{"desk", func(r *Registration) { r.RequiredTools = []string{""} }, "Code mode namespace requiredToolNames must be non-empty strings."},
		} {
			bad := good
			tc.change(&bad)
			require.EqualError(t, (&Registry{}).Register(tc.plugin, bad), tc.err)
		}
	})
	t.Run("F1 an id and a global are one namespace's", func(t *testing.T) {
		r := &Registry{}
		require.NoError(t, r.Register("desk", good))
		require.EqualError(t, r.Register("two", good), `Code mode namespace id "tickets" is already registered.`)
		again := good
		again.ID = "other"
		require.EqualError(t, r.Register("two", again), `Code mode namespace globalName "Tickets" is already registered by "tickets".`)
	})
	t.Run("F1 a plugin's are cleared, and no other's", func(t *testing.T) {
		r := &Registry{}
		require.NoError(t, r.Register("desk", good))
		other := good
		other.ID, other.GlobalName = "notes", "Notes"
		require.NoError(t, r.Register("two", other))
		require.Equal(t, 1, r.Clear("desk"))
		require.Len(t, r.Hints("", Context{}, everything), 1)
		require.NoError(t, r.Register("desk", good), "they may come back")
	})
	t.Run("F1 visible only with every tool, each the plugin's", func(t *testing.T) {
		r := &Registry{}
		two := good
		two.RequiredTools = []string{"list", "update"}
		require.NoError(t, r.Register("desk", two))
		s, err := r.Open("", Context{}, func(plugin, tool string) bool { return plugin == "desk" && tool == "list" })
		require.NoError(t, err)
		require.Nil(t, s)
	})
	t.Run("F3 the prompt is for the turn that it is shown in", func(t *testing.T) {
		r := &Registry{}
		own := good
		own.Description, own.Prompt = "Helpers.", func(c Context) string { return " for " + c.AgentID + " " }
		require.NoError(t, r.Register("desk", own))
		require.Equal(t, []Hint{{"Tickets", "Helpers.", "for ops"}}, r.Hints("", Context{AgentID: "ops"}, everything))
	})
	t.Run("F1 a scope that fails says whose it is", func(t *testing.T) {
		r := &Registry{}
		sad := good
		sad.CreateScope = func(Context) (map[string]any, error) { return nil, errors.New("no connection") }
		require.NoError(t, r.Register("desk", sad))
		_, err := r.Open("", Context{}, everything)
		require.EqualError(t, err, `Code mode namespace "tickets" createScope failed: no connection`)
	})
	t.Run("H6 a tenant pays for what it declares, and gets it back", func(t *testing.T) {
		r, held := &Registry{}, 0
		hold := func(n int) error {
			held += n
			return nil
		}
		d := Declaration{PluginID: "desk", GlobalName: "Tickets", RequiredTools: []string{"list"}, Scope: json.RawMessage(`{"f":{"$tool":"list"}}`)}
		require.NoError(t, r.Declare("a", "tickets", d, hold))
		once := held
		require.Positive(t, once)
		require.NoError(t, r.Declare("a", "tickets", d, hold))
		require.Equal(t, once, held, "the same once more")
		require.NoError(t, r.Declare("b", "tickets", d, hold), "another tenant's are its own")
		full := errors.New("full")
		other := d
		other.GlobalName = "Other"
		require.ErrorIs(t, r.Declare("a", "other", other, func(int) error { return full }), full)
		count, size := r.ClearDeclared("a", "desk")
		require.Equal(t, []int{1, once}, []int{count, size})
		require.Len(t, r.Declared("b"), 1)
	})
}

// FuzzDeclare feeds declarations to the registry: what is accepted makes text that a guest can read, and every function in
// it resolves to a declared tool.
func FuzzDeclare(f *testing.F) {
	for _, scope := range []string{
		`{}`, `{"f":{"$tool":"list"}}`, `{"a":[1,{"b":{"$tool":"list","args":["x"]}}]}`, `{"__proto__":1}`, `{"a":{"$tool":5}}`,
		`{"a":1,"a":2}`, `[`, `{"$tool":"list"}`, `{"\u0000":1}`, `{"a":"\ud800"}`,
	} {
		f.Add(scope)
	}
	f.Fuzz(func(t *testing.T, scope string) {
		r := &Registry{}
		d := Declaration{PluginID: "p", GlobalName: "G", RequiredTools: []string{"list"}, Scope: json.RawMessage(scope)}
		if r.Declare("", "id", d, func(int) error { return nil }) != nil {
			return
		}
		s, err := r.Open("", Context{}, everything)
		require.NoError(t, err)
		require.True(t, json.Valid(s.Text()), "%s", s.Text())
		for name := range s.calls {
			c, err := s.Resolve(name, json.RawMessage(`[]`))
			require.NoError(t, err)
			require.Equal(t, "list", c.Tool)
		}
	})
}

package preparer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/script"
)

func TestCache(t *testing.T) {
	name := func(tenant, text string) key {
		return keyOf(&script.Request{Tenant: tenant, Language: script.TypeScript}, text)
	}
	source := &script.Source{Body: strings.Repeat("x", 1000-entryBytes)}
	t.Run("H6 what was used longest ago makes room, a tenant's own first", func(t *testing.T) {
		c := newCache(4000, 2000)
		c.put(name("a", "1"), source)
		c.put(name("a", "2"), source)
		require.NotNil(t, c.get(name("a", "1")))
		c.put(name("a", "3"), source)
		require.Nil(t, c.get(name("a", "2")))
		require.NotNil(t, c.get(name("a", "1")))
		for _, tenant := range []string{"b", "c", "d"} {
			c.put(name(tenant, "1"), source)
		}
		require.Nil(t, c.get(name("a", "3")), "it was used before 1 was")
		require.NotNil(t, c.get(name("a", "1")))
		require.Equal(t, 4000, c.bytes)
	})
	t.Run("H6 what is too large is not kept", func(t *testing.T) {
		c := newCache(4000, 999)
		c.put(name("a", "1"), source)
		require.Nil(t, c.get(name("a", "1")))
		require.Empty(t, c.tenants)
	})
	t.Run("H6 nothing is left of a tenant without cells", func(t *testing.T) {
		c := newCache(1000, 1000)
		c.put(name("a", "1"), source)
		c.put(name("b", "1"), source)
		require.Len(t, c.tenants, 1)
		require.Len(t, c.entries, 1)
		require.Equal(t, 1000, c.bytes)
	})
	t.Run("H6 a cell is that of its tenant, language and options", func(t *testing.T) {
		r := script.Request{Tenant: "a", Language: script.TypeScript}
		other := r
		other.Language = script.JavaScript
		tool := r
		tool.Options.ShellTool = "x"
		keys := map[key]bool{keyOf(&r, "1"): true, keyOf(&r, "2"): true, keyOf(&other, "1"): true, keyOf(&tool, "1"): true, name("b", "1"): true}
		require.Len(t, keys, 5)
	})
}

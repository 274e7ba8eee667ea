package preparer

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"github.com/codecell/codecell/engine/internal/wire"
	"github.com/codecell/codecell/engine/script"
)

// key names a prepared cell. The tenant is part of it: nobody learns from how long a cell takes whether another tenant
// has run it.
type key struct {
	tenant string
	text   [sha256.Size]byte
}

func keyOf(r *script.Request, text string) key {
	h := sha256.New()
	_, _ = h.Write(wire.Text(wire.Text(nil, string(r.Language)), r.Options.ShellTool))
	_, _ = h.Write([]byte(text))
	k := key{tenant: r.Tenant}
	h.Sum(k.text[:0])
	return k
}

// cache keeps prepared cells, those that were used last, up to a number of bytes in all and of one tenant. It is safe for
// concurrent use.
type cache struct {
	max, maxOfTenant int

	mu      sync.Mutex
	bytes   int
	entries map[key]*entry
	used    list.List // of *entry; the front was used last
	tenants map[string]*kept
}

// kept is what is kept for one tenant.
type kept struct {
	bytes int
	used  list.List // as cache.used
}

type entry struct {
	key       key
	source    *script.Source
	all, mine *list.Element // in the lists of the cache and of the tenant
}

// entryBytes is about what an entry takes beside its texts.
const entryBytes = 512

func (e *entry) bytes() int { return e.source.Bytes() + entryBytes }

func newCache(maxBytes, maxBytesOfTenant int) *cache {
	return &cache{max: maxBytes, maxOfTenant: maxBytesOfTenant, entries: map[key]*entry{}, tenants: map[string]*kept{}}
}

// get returns a prepared cell, nil if it is not kept.
func (c *cache) get(k key) *script.Source {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	if e == nil {
		return nil
	}
	c.used.MoveToFront(e.all)
	c.tenants[k.tenant].used.MoveToFront(e.mine)
	return e.source
}

// put keeps a prepared cell in place of those that were used longest ago.
func (c *cache) put(k key, source *script.Source) {
	e := &entry{key: k, source: source}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[k] != nil || e.bytes() > c.maxOfTenant {
		return
	}
	t := c.tenants[k.tenant]
	if t == nil {
		t = &kept{}
		c.tenants[k.tenant] = t
	}
	e.all, e.mine = c.used.PushFront(e), t.used.PushFront(e)
	c.entries[k] = e
	c.bytes += e.bytes()
	t.bytes += e.bytes()
	for t.bytes > c.maxOfTenant {
		c.drop(t.used.Back().Value.(*entry))
	}
	for c.bytes > c.max {
		c.drop(c.used.Back().Value.(*entry))
	}
}

// drop forgets a cell. mu must be held.
func (c *cache) drop(e *entry) {
	t := c.tenants[e.key.tenant]
	c.used.Remove(e.all)
	t.used.Remove(e.mine)
	delete(c.entries, e.key)
	c.bytes -= e.bytes()
	t.bytes -= e.bytes()
	if t.used.Len() == 0 {
		delete(c.tenants, e.key.tenant)
	}
}

package worker

import (
	"sync"
	"unsafe"
)

// catalogs numbers the catalogs that guests see, so that the same one need not be sent with each guest. Catalogs are told
// apart by where their text lies in memory, which stays the same while the list refers to it.
type catalogs struct {
	mu    sync.Mutex
	known map[textKey]catalog
	bytes int
	last  uint64
}

// textKey is where a text lies.
type textKey struct {
	at  *byte
	len int
}

func (c *catalogs) of(text []byte) catalog {
	if len(text) == 0 {
		return catalog{}
	}
	at := textKey{unsafe.SliceData(text), len(text)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if one, ok := c.known[at]; ok {
		return one
	}
	if c.bytes += len(text); c.known == nil || c.bytes > maxCatalogs {
		c.known, c.bytes = map[textKey]catalog{}, len(text)
	}
	c.last++
	c.known[at] = catalog{id: c.last, text: text}
	return c.known[at]
}

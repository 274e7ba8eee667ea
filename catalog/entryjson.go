package catalog

import "slices"

// JSON is the entry as ALL_TOOLS and search show it: {id, source, sourceName, name, label?, description}, keys in this
// order (contract D1). The slice is the catalog's own and must not be changed.
func (e *Entry) JSON() []byte {
	e.catalog.render.Do(e.catalog.renderEntries)
	return e.json
}

// JSONSize is the number of bytes of the JSON array of entries, known before anything is written: 200 bytes of a cell's
// query may ask for megabytes.
func JSONSize(entries []*Entry) int {
	size := len("[]") + max(0, len(entries)-1)
	for _, e := range entries {
		size += len(e.JSON())
	}
	return size
}

// AppendJSON adds the JSON array of entries to dst.
func AppendJSON(dst []byte, entries []*Entry) []byte {
	dst = append(slices.Grow(dst, JSONSize(entries)), '[')
	for i, e := range entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, e.JSON()...)
	}
	return append(dst, ']')
}

// renderEntries writes all entries into one buffer: an array of the visible ones, which is what the guest starts with,
// then the MCP ones. Each entry's JSON is a piece of it.
func (c *Catalog) renderEntries() {
	size := 2
	for _, e := range c.entries {
		size += 80 + len(e.id) + len(e.tool.Name) + len(e.tool.Label) + len(e.tool.Description)
	}
	buf := append(make([]byte, 0, size), '[')
	ends := make([]int, 0, 2*len(c.entries))
	for i, e := range c.visible {
		if i > 0 {
			buf = append(buf, ',')
		}
		start := len(buf)
		buf = e.appendJSON(buf)
		ends = append(ends, start, len(buf))
	}
	buf = append(buf, ']')
	whole := len(buf)
	for _, e := range c.entries {
		if e.IsMCP() {
			start := len(buf)
			buf = e.appendJSON(buf)
			e.json = buf[start:len(buf):len(buf)]
		}
	}
	// Cut only now: the buffer may have moved while it grew.
	for i, e := range c.visible {
		e.json = buf[ends[2*i]:ends[2*i+1]:ends[2*i+1]]
	}
	c.entriesRaw = buf[:whole:whole]
}

// appendJSON writes the keys in the order of contract D1, by hand: it runs for every tool of every turn.
func (e *Entry) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"id":`...)
	dst = appendQuoted(dst, e.id)
	dst = append(dst, `,"source":`...)
	dst = appendQuoted(dst, e.tool.Source)
	dst = append(dst, `,"sourceName":`...)
	dst = appendQuoted(dst, e.tool.Owner)
	dst = append(dst, `,"name":`...)
	dst = appendQuoted(dst, e.tool.Name)
	if e.tool.Label != "" {
		dst = append(dst, `,"label":`...)
		dst = appendQuoted(dst, e.tool.Label)
	}
	dst = append(dst, `,"description":`...)
	dst = appendQuoted(dst, e.tool.Description)
	return append(dst, '}')
}

// DescribeJSON is the entry with what tools.describe adds (contract D4): parameters (`{}` if the tool has none),
// signature, and output if the tool declares an output schema.
func (e *Entry) DescribeJSON() []byte {
	entry := e.JSON()
	dst := make([]byte, 0, 2*len(entry)+len(e.tool.Parameters)+len(e.tool.OutputSchema)+64)
	dst = append(dst, entry[:len(entry)-1]...)
	dst = append(dst, `,"parameters":`...)
	dst = appendSchema(dst, e.tool.Parameters)
	dst = append(dst, `,"signature":`...)
	dst = appendQuoted(dst, e.Signature())
	if e.tool.OutputSchema != nil {
		dst = append(dst, `,"output":`...)
		dst = appendSchema(dst, e.tool.OutputSchema)
	}
	return append(dst, '}')
}

// appendSchema writes a schema, or {} for a tool that has none.
func appendSchema(dst, raw []byte) []byte {
	if raw == nil {
		return append(dst, '{', '}')
	}
	return appendJSON(dst, raw)
}

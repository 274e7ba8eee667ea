package catalog

// Guest is what a guest is given of the catalog when a cell starts. The slices are shared by all runs of the turn and
// must not be changed.
type Guest struct {
	// Entries is the JSON array behind ALL_TOOLS: every non-MCP entry.
	Entries []byte
	// Names lists the convenience functions (contract D2), a line each: "\n" + name + "\t" + id, and a last "\n".
	// Neither part can contain a tab or a line break. It is "\n" if no name qualifies.
	Names []byte
	// MCP is the JSON behind the MCP namespace, nil if no server is visible:
	// [{"id","serverName","tools":[{"id","tool","path"}]}].
	MCP []byte
	// Files is the JSON array of the API's virtual files (contract E3), nil if there are none:
	// [{"path","description","bytes","content"}].
	Files []byte
}

// Guest is everything a cell may read. It is made on first use and kept.
func (c *Catalog) Guest() Guest {
	g := c.guest()
	g.Files = c.filesRaw()
	return g
}

// GuestWithoutFiles is Guest for a cell that is known not to read API files. Rendering them costs about ten times as
// much as all the rest, which a turn that lives for a single exec would feel.
func (c *Catalog) GuestWithoutFiles() Guest { return c.guest() }

func (c *Catalog) makeGuest() Guest {
	c.render.Do(c.renderEntries)
	return Guest{
		Entries: c.entriesRaw,
		Names:   c.appendNames(nil),
		MCP:     c.mcpJSON(),
	}
}

func (c *Catalog) appendNames(dst []byte) []byte {
	dst = append(dst, '\n')
	for _, e := range c.visible {
		if name := e.Function(); name != "" {
			dst = append(dst, name...)
			dst = append(dst, '\t')
			dst = append(dst, e.id...)
			dst = append(dst, '\n')
		}
	}
	return dst
}

package catalog

import (
	"slices"
	"sync"
)

// Catalog is what one turn can reach (contract A1, A7). See the package comment for its life.
type Catalog struct {
	entries  []*Entry // all, MCP too, in catalog order
	visible  []*Entry // without MCP: what ALL_TOOLS and tools.* know
	byID     map[string]*Entry
	byName   map[string]*Entry // first non-MCP entry of a name
	direct   []*Tool
	sources  Sources
	warnings []string

	render      sync.Once
	entriesRaw  []byte
	guest       func() Guest
	index       func() *index
	suggestions func() *suggestions
	servers     func() []*server
	filesRaw    func() []byte
	toolIndex   func() string
	schemas     func() []string
}

// Sources counts the entries by where they come from (contract G6).
type Sources struct {
	OpenClaw int `json:"openclaw"`
	MCP      int `json:"mcp"`
	Client   int `json:"client"`
}

// New applies the policy to the tools of a turn and makes their catalog (contract A1). A tool it can't accept is an
// *Error that names it, whether or not the policy would have let it through: a gateway should hear about it at once. Of
// two tools with the same id the last one counts; the controls of Tool Search are left out (contract A3). A tool that
// is named exec or wait is an ordinary tool (contract G8).
func New(tools []Tool, policy Policy) (*Catalog, error) {
	rules, err := policy.compile(len(tools))
	if err != nil {
		return nil, err
	}
	own := slices.Clone(tools)
	c := &Catalog{byID: make(map[string]*Entry, len(own)), direct: make([]*Tool, 0, len(own))}
	slab := make([]Entry, len(own))
	var kept []*Entry
	for i := range own {
		t := &own[i]
		if field, reason := t.normalize(); reason != "" {
			return nil, &Error{Tool: i, Name: t.Name, Field: field, Reason: reason}
		}
		e := &slab[i]
		e.catalog, e.tool, e.id = c, t, t.Source+":"+t.Owner+":"+t.Name
		if !rules.pass(t, e.id) {
			continue
		}
		c.direct = append(c.direct, t)
		if !control(t.Name) {
			kept = c.keep(kept, e)
		}
	}
	c.warnings = append(c.warnings, remarksOn(own)...)
	c.arrange(kept)
	c.postpone()
	return c, nil
}

// keep adds e, or puts it in the place of an earlier entry with the same id.
func (c *Catalog) keep(kept []*Entry, e *Entry) []*Entry {
	if old := c.byID[e.id]; old != nil {
		c.warnings = append(c.warnings, "tool id "+e.id+" was sent more than once; the last one counts")
		// Entries are values in one slab, so the later tool can move into the earlier entry and keep its place in the
		// order.
		old.tool = e.tool
		return kept
	}
	c.byID[e.id] = e
	return append(kept, e)
}

// rank is the place of a tool's group in catalog order: core, bundled plugin, external plugin, MCP, client (contract
// A1, D1).
func rank(t *Tool) int {
	switch {
	case t.Source == SourceClient:
		return 4
	case t.Source == SourceMCP:
		return 3
	case t.Owner == "core":
		return 0
	case t.Bundled:
		return 1
	}
	return 2
}

// arrange puts the entries in catalog order, the turn's order within a group, and notes which names are shared.
func (c *Catalog) arrange(kept []*Entry) {
	slices.SortStableFunc(kept, func(a, b *Entry) int { return rank(a.tool) - rank(b.tool) })
	c.entries = kept
	c.visible = make([]*Entry, 0, len(kept))
	c.byName = make(map[string]*Entry, len(kept))
	for _, e := range kept {
		c.count(e.tool.Source)
		if e.IsMCP() {
			continue
		}
		e.at = int32(len(c.visible))
		c.visible = append(c.visible, e)
		if first := c.byName[e.tool.Name]; first != nil {
			first.ambiguous, e.ambiguous = true, true
			continue
		}
		c.byName[e.tool.Name] = e
	}
}

func (c *Catalog) count(source string) {
	switch source {
	case SourceOpenClaw:
		c.sources.OpenClaw++
	case SourceMCP:
		c.sources.MCP++
	case SourceClient:
		c.sources.Client++
	}
}

// postpone sets up what is built on first use.
func (c *Catalog) postpone() {
	c.guest = sync.OnceValue(c.makeGuest)
	c.index = sync.OnceValue(func() *index { return newIndex(c) })
	c.suggestions = sync.OnceValue(func() *suggestions { return newSuggestions(c.entries) })
	c.servers = sync.OnceValue(c.groupServers)
	c.filesRaw = sync.OnceValue(func() []byte { return filesJSON(c.declare()) })
	c.toolIndex = sync.OnceValue(c.makeToolIndex)
	c.schemas = sync.OnceValue(c.compileAll)
}

// Len is the number of entries, MCP included.
func (c *Catalog) Len() int { return len(c.entries) }

// Sources counts the entries by source, MCP included.
func (c *Catalog) Sources() Sources { return c.sources }

// Entries are all entries in catalog order, MCP included. The slice is the catalog's own and must not be changed.
func (c *Catalog) Entries() []*Entry { return c.entries }

// ByID is the entry with exactly this id, MCP included, or nil.
func (c *Catalog) ByID(id string) *Entry { return c.byID[id] }

// Remarks are those of the warnings that cost nothing: keys that nobody reads, ids that were sent twice. The slice is the
// catalog's own.
func (c *Catalog) Remarks() []string { return c.warnings }

// Warnings are remarks on the turn's tools for the answer of POST /v1/turns: ids sent twice, schemas that can't be
// compiled and so check nothing. The first call looks at every schema; exec never needs it.
func (c *Catalog) Warnings() []string {
	return slices.Concat(c.warnings, c.schemas())
}

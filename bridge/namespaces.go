package bridge

import (
	"errors"

	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/namespaces"
)

// DeclareNamespace adds a namespace for a tenant's turns, those that are prepared already as well: each exec sees what is
// registered when it begins (contract F1). What it holds is the tenant's.
func (s *Service) DeclareNamespace(tenant, id string, d namespaces.Declaration) error {
	err := s.options.Namespaces.Declare(tenant, id, d, s.tenant(tenant).account.Hold)
	var full *account.FullError
	var taken *namespaces.ConflictError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &full):
		return noRoom(err)
	case errors.As(err, &taken):
		return &Error{Kind: KindConflict, Key: "namespace", Msg: err.Error()}
	}
	return &Error{Kind: KindInvalid, Key: "namespace", Msg: err.Error()}
}

// Namespaces lists what a tenant has declared.
func (s *Service) Namespaces(tenant string) []namespaces.Declared {
	return s.options.Namespaces.Declared(tenant)
}

// ClearNamespaces removes what a tenant has declared for a plugin, and returns how many namespaces that were. Runs that have
// begun keep them.
func (s *Service) ClearNamespaces(tenant, pluginID string) int {
	count, size := s.options.Namespaces.ClearDeclared(tenant, pluginID)
	s.tenant(tenant).account.Release(size)
	return count
}

// openScopes makes the globals of the namespaces that a run of the turn sees.
func (t *Turn) openScopes() (*namespaces.Scopes, error) {
	return t.service.options.Namespaces.Open(t.tenant, t.namespaceContext(), t.owns)
}

// see gives the run its namespaces, which it holds until it ends.
func (r *run) see(scopes *namespaces.Scopes) error {
	r.scopes, r.globals = scopes, scopes.Text()
	return r.keep(2 * len(scopes.Text()))
}

// namespaceHints is how the model is told of the namespaces that the turn sees now (contract F3).
func (t *Turn) namespaceHints() []catalog.NamespaceHint {
	var hints []catalog.NamespaceHint
	for _, h := range t.service.options.Namespaces.Hints(t.tenant, t.namespaceContext(), t.owns) {
		hints = append(hints, catalog.NamespaceHint(h))
	}
	return hints
}

func (t *Turn) namespaceContext() namespaces.Context {
	c := &t.context
	return namespaces.Context{
		AgentID: c.AgentID, SessionID: c.SessionID, SessionKey: c.SessionKey, RunID: c.RunID, Sender: c.Sender, Channel: c.Channel,
	}
}

func (t *Turn) owns(pluginID, tool string) bool { return t.pluginTool(pluginID, tool) != nil }

// pluginTool finds a plugin's tool by its exact id: a tool of another source or owner, whatever it is called, is not it.
func (t *Turn) pluginTool(pluginID, tool string) *catalog.Entry {
	return t.catalog.ByID(catalog.SourceOpenClaw + ":" + pluginID + ":" + tool)
}

package namespaces

import (
	"encoding/json"
	"slices"
	"strings"
)

// Bounds on what a registration may have. They are far above what a useful namespace needs, and exist so that one can't
// make every exec of its turns expensive (contract H6).
const (
	maxNameBytes  = 128      // of an id, a plugin's id, a global's name, a tool's name
	maxTools      = 256      // that a namespace requires
	maxTextBytes  = 16 << 10 // of description and prompt together
	maxScopeBytes = 64 << 10 // of a scope as text
	maxDepth      = 32       // of a scope
	maxMembers    = 4096     // of a scope, at all depths
)

// Context is on whose behalf a scope is made.
type Context struct {
	AgentID, SessionID, SessionKey, RunID, Sender, Channel string
}

// Registration is a namespace as its plugin wants it.
type Registration struct {
	// ID names the registration; no other of the registry has it.
	ID string
	// GlobalName is the global that a cell sees.
	GlobalName string
	// Description, a line, and Prompt tell the model what the namespace is for and how its functions are called. Prompt
	// may be nil. Both are shown only where the namespace is visible (contract F3).
	Description string
	Prompt      func(Context) string
	// RequiredTools are the names of the plugin's tools that must be visible, and the only ones that the scope may call.
	RequiredTools []string
	// CreateScope makes what the global holds, for each exec: a map[string]any of values, []any, further maps, and
	// functions made by Tool. It must not block.
	CreateScope func(Context) (map[string]any, error)
}

// Declaration is a namespace as JSON, the body of PUT /v1/namespaces/{id}.
type Declaration struct {
	PluginID      string          `json:"pluginId"`
	GlobalName    string          `json:"globalName"`
	Description   string          `json:"description,omitempty"`
	Prompt        string          `json:"prompt,omitempty"`
	RequiredTools []string        `json:"requiredToolNames"`
	Scope         json.RawMessage `json:"scope"`
}

// namespace is a registration that was accepted.
type namespace struct {
	id, plugin, global, description string

	prompt   func(Context) string
	required []string // sorted
	scope    func(Context) (*member, error)
	size     int         // bytes that it holds
	declared Declaration // if it was
}

// accept judges a registration in the order that the contract gives (F1).
func accept(plugin string, r Registration) (*namespace, error) {
	n := &namespace{
		id: strings.TrimSpace(r.ID), plugin: strings.TrimSpace(plugin), global: strings.TrimSpace(r.GlobalName),
		description: strings.TrimSpace(r.Description), prompt: r.Prompt,
	}
	if err := n.checkNames(); err != nil {
		return nil, err
	}
	if r.CreateScope == nil {
		return nil, refuse("Code mode namespace createScope must be a function.")
	}
	if err := n.require(r.RequiredTools); err != nil {
		return nil, err
	}
	n.scope = func(c Context) (*member, error) {
		values, err := r.CreateScope(c)
		if err != nil {
			return nil, refuse("Code mode namespace %q createScope failed: %v", n.id, err)
		}
		return n.serialize(values)
	}
	n.size = namespaceOverhead + len(n.description)
	return n, nil
}

// namespaceOverhead is what a namespace costs beside its texts, in bytes.
const namespaceOverhead = 1 << 10

// acceptDeclared does the same for a declaration. Its scope is read now, and is the same for every run.
func acceptDeclared(id string, d Declaration) (*namespace, error) {
	prompt := strings.TrimSpace(d.Prompt)
	r := Registration{
		ID: id, GlobalName: d.GlobalName, Description: d.Description, RequiredTools: d.RequiredTools,
		CreateScope: func(Context) (map[string]any, error) { return nil, nil },
	}
	if prompt != "" {
		r.Prompt = func(Context) string { return prompt }
	}
	n, err := accept(d.PluginID, r)
	if err != nil {
		return nil, err
	}
	if len(n.description)+len(prompt) > maxTextBytes {
		return nil, refuse("Code mode namespace description and prompt may have %d bytes together.", maxTextBytes)
	}
	scope, err := n.declaredScope(d.Scope)
	if err != nil {
		return nil, err
	}
	n.scope = func(Context) (*member, error) { return scope, nil }
	n.size += len(prompt) + 4*len(d.Scope)
	n.declared = d
	return n, nil
}

func (n *namespace) checkNames() error {
	switch {
	case n.id == "":
		return refuse("Code mode namespace id must be non-empty.")
	case badText(n.id):
		return refuse("Code mode namespace id must have at most %d bytes and no control characters.", maxNameBytes)
	case n.plugin == "":
		return refuse("Code mode namespace pluginId must be non-empty.")
	case badText(n.plugin):
		return refuse("Code mode namespace pluginId must have at most %d bytes and no control characters.", maxNameBytes)
	}
	if reason := badGlobal(n.global); reason != "" {
		return refuse("%s", reason)
	}
	return nil
}

func badText(s string) bool {
	return len(s) > maxNameBytes || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// require keeps the names of the tools, without repetitions and in order.
func (n *namespace) require(names []string) error {
	for _, name := range names {
		name = strings.TrimSpace(name)
		if name == "" || len(name) > 2*maxNameBytes {
			return refuse("Code mode namespace requiredToolNames must be non-empty strings.")
		}
		n.required = append(n.required, name)
	}
	slices.Sort(n.required)
	n.required = slices.Compact(n.required)
	if len(n.required) == 0 {
		return refuse("Code mode namespace requiredToolNames must include at least one tool name.")
	}
	if len(n.required) > maxTools {
		return refuse("Code mode namespace requiredToolNames may have %d names.", maxTools)
	}
	return nil
}

// hint is how the model is told of the namespace.
func (n *namespace) hint(c Context) Hint {
	h := Hint{GlobalName: n.global, Description: n.description}
	if n.prompt != nil {
		h.Prompt = strings.TrimSpace(n.prompt(c))
	}
	if room := maxTextBytes - len(h.Description); len(h.Prompt) > room {
		h.Prompt = strings.ToValidUTF8(h.Prompt[:max(room, 0)], "")
	}
	return h
}

package namespaces

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Scopes are the namespaces that one run sees. They do not change, whatever becomes of the registry, and are safe for
// concurrent use. Nil has none.
type Scopes struct {
	text  []byte
	calls map[string]target
}

// target is the tool that a function stands for.
type target struct {
	path   string // as a person would write it
	plugin string
	call   Function
}

// Prefix begins the name by which a guest calls a function of a namespace: after it come the namespace's id and the path to
// the function, separated by NUL. No tool's id begins like that.
const Prefix = "namespace\x00"

// Open makes the scopes that a run sees; nil if it sees none. It fails where a plugin's CreateScope does, or returns what no
// scope may have: no guest may be started then.
func (r *Registry) Open(tenant string, c Context, owns Owns) (*Scopes, error) {
	visible := r.visible(tenant, owns)
	if len(visible) == 0 {
		return nil, nil
	}
	s := &Scopes{calls: map[string]target{}}
	for i, n := range visible {
		scope, err := n.scope(c)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			s.text = append(s.text, ',')
		} else {
			s.text = append(s.text, '[')
		}
		s.text = append(s.text, '[')
		s.text = appendJSON(s.text, n.global)
		s.text = append(s.text, ',')
		s.text = appendJSON(s.text, Prefix+n.id)
		s.text = append(s.text, ',')
		s.add(n, Prefix+n.id, n.global, scope)
		s.text = append(s.text, ']')
	}
	s.text = append(s.text, ']')
	return s, nil
}

// add appends a member as the guest reads it, and notes the functions in it: [0, value], [1, [members]],
// [2, [key, member, …]] or [3].
func (s *Scopes) add(n *namespace, at, path string, m *member) {
	s.text = append(s.text, '[')
	s.text = strconv.AppendInt(s.text, int64(m.kind), 10)
	switch m.kind {
	case value:
		s.text = append(append(s.text, ','), m.text...)
	case function:
		s.calls[at] = target{path: path, plugin: n.plugin, call: m.call}
	default:
		s.text = append(s.text, ",["...)
		for i, one := range m.members {
			if i > 0 {
				s.text = append(s.text, ',')
			}
			segment, below := strconv.Itoa(i), path+"["+strconv.Itoa(i)+"]"
			if m.kind == object {
				segment, below = m.keys[i], path+"."+m.keys[i]
				s.text = appendJSON(s.text, segment)
				s.text = append(s.text, ',')
			}
			s.add(n, at+"\x00"+segment, below, one)
		}
		s.text = append(s.text, ']')
	}
	s.text = append(s.text, ']')
}

func appendJSON(dst []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // a string always encodes
	return append(dst, quoted...)
}

// Text is what a guest makes its globals of; nil if there are none.
func (s *Scopes) Text() []byte {
	if s == nil {
		return nil
	}
	return s.text
}

// Has says whether one of the functions has that name.
func (s *Scopes) Has(name string) bool {
	if s == nil {
		return false
	}
	_, ok := s.calls[name]
	return ok
}

// Call is what a guest's call of a function comes to.
type Call struct {
	PluginID string // whose tool it is
	Tool     string // by its name
	Input    json.RawMessage
}

// Resolve says which tool is called, and with which input, when a guest calls name with these arguments, a JSON array.
// Whatever the guest says, only the functions of the run's own scopes are found (contract F2).
func (s *Scopes) Resolve(name string, args json.RawMessage) (Call, error) {
	var t target
	if s != nil {
		t = s.calls[name]
	}
	if t.call.tool == "" {
		return Call{}, fmt.Errorf("no code mode namespace of this run has a function %q", strings.ReplaceAll(strings.TrimPrefix(name, Prefix), "\x00", "."))
	}
	var list []json.RawMessage
	if err := json.Unmarshal(args, &list); err != nil {
		return Call{}, fmt.Errorf("the arguments of %s are no JSON array", t.path)
	}
	input, err := t.input(list)
	if err != nil {
		return Call{}, fmt.Errorf("%s: %w", t.path, err)
	}
	return Call{PluginID: t.plugin, Tool: t.call.tool, Input: input}, nil
}

func (t *target) input(args []json.RawMessage) (json.RawMessage, error) {
	if t.call.input != nil {
		input, err := t.mapped(args)
		if err != nil {
			return nil, err
		}
		return json.Marshal(input)
	}
	switch {
	case len(args) > 1:
		return nil, fmt.Errorf("it takes one argument, the input of %q, and was called with %d", t.call.tool, len(args))
	case len(args) == 0 || string(args[0]) == "null":
		return json.RawMessage("{}"), nil
	}
	return args[0], nil
}

// mapped is what the plugin's mapper makes of the arguments. They are a model's, and a mapper that they crash must not take
// the run with it.
func (t *target) mapped(args []json.RawMessage) (input any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New("the plugin's input mapper does not work with these arguments")
		}
	}()
	return t.call.input(args)
}

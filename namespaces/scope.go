package namespaces

import (
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strconv"
)

// Mapper makes a tool's input, a JSON object, of the arguments that a cell called a function with. Each is JSON.
type Mapper func(args []json.RawMessage) (any, error)

// Function is a member of a scope that a cell can call. Only Tool makes one.
type Function struct {
	tool  string
	input Mapper
}

// Tool makes a function of a scope: a call of the plugin's tool of that name. Without a mapper the function's one argument
// is the tool's input, {} if there is none.
func Tool(name string, input Mapper) Function { return Function{tool: name, input: input} }

// The kinds of members. A guest knows them by these numbers.
type kind int

const (
	value    kind = iota // JSON that is neither object nor array
	array                //
	object               //
	function             // a call of a tool
)

// member is one value of a scope, with what is in it.
type member struct {
	kind    kind
	text    json.RawMessage // of a value
	keys    []string        // of an object
	members []*member       // of an object or array
	call    Function        // of a function
}

// serializer turns what a plugin's CreateScope returned into members.
type serializer struct {
	namespace *namespace
	open      map[uintptr]bool // the maps and slices that the value at hand is inside of
	count     int
	bytes     int
}

// serialize makes the members of a scope, and refuses what a guest may not have (contract F1).
func (n *namespace) serialize(scope map[string]any) (*member, error) {
	if scope == nil {
		return nil, refuse("Code mode namespace %q createScope must return an object.", n.id)
	}
	s := serializer{namespace: n, open: map[uintptr]bool{}}
	return s.member(n.global, scope, 0)
}

// member serialises v, which is at path, as a person would write it.
func (s *serializer) member(path string, v any, depth int) (*member, error) {
	if err := s.grow(path, depth, 8); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case Function:
		return s.namespace.function(path, v)
	case nil:
		return &member{text: json.RawMessage("null")}, nil
	case json.RawMessage:
		return s.json(path, v, depth)
	case *big.Int:
		return s.leaf(path, v.String())
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Func:
		return nil, refuse("Code mode namespace function at %s must be created with namespaces.Tool.", path)
	case reflect.Map:
		if r.Type().Key().Kind() == reflect.String {
			return s.object(path, r, depth)
		}
		return &member{kind: object}, nil
	case reflect.Slice, reflect.Array:
		if _, encodes := v.(json.Marshaler); !encodes && r.Type().Elem().Kind() != reflect.Uint8 {
			return s.array(path, r, depth)
		}
	case reflect.Chan, reflect.UnsafePointer, reflect.Invalid:
		return &member{text: json.RawMessage("null")}, nil
	}
	return s.leaf(path, v)
}

// grow counts a member against the bounds of a scope.
func (s *serializer) grow(path string, depth, bytes int) error {
	s.count++
	s.bytes += bytes
	switch {
	case depth > maxDepth:
		return refuse("Code mode namespace scope is nested deeper than %d levels at %s.", maxDepth, path)
	case s.count > maxMembers:
		return refuse("Code mode namespace scope has more than %d members.", maxMembers)
	case s.bytes > maxScopeBytes:
		return refuse("Code mode namespace scope has more than %d bytes.", maxScopeBytes)
	}
	return nil
}

// enter notes that what v points to is being serialised; it fails if that is so already. What is shared without a cycle
// is serialised each time.
func (s *serializer) enter(path string, v reflect.Value) (leave func(), err error) {
	if v.Kind() == reflect.Array || v.Len() == 0 {
		return func() {}, nil
	}
	at := v.Pointer()
	if s.open[at] {
		return nil, refuse("Circular code mode namespace scope at %s.", path)
	}
	s.open[at] = true
	return func() { delete(s.open, at) }, nil
}

func (s *serializer) object(path string, v reflect.Value, depth int) (*member, error) {
	leave, err := s.enter(path, v)
	if err != nil {
		return nil, err
	}
	defer leave()
	m := &member{kind: object}
	for _, key := range v.MapKeys() {
		m.keys = append(m.keys, key.String())
	}
	slices.Sort(m.keys)
	for _, key := range m.keys {
		if err := checkSegment(key); err != nil {
			return nil, err
		}
		if err := s.grow(path, depth, len(key)); err != nil {
			return nil, err
		}
		one, err := s.member(path+"."+key, v.MapIndex(reflect.ValueOf(key).Convert(v.Type().Key())).Interface(), depth+1)
		if err != nil {
			return nil, err
		}
		m.members = append(m.members, one)
	}
	return m, nil
}

func (s *serializer) array(path string, v reflect.Value, depth int) (*member, error) {
	leave, err := s.enter(path, v)
	if err != nil {
		return nil, err
	}
	defer leave()
	m := &member{kind: array}
	for i := range v.Len() {
		one, err := s.member(path+"["+strconv.Itoa(i)+"]", v.Index(i).Interface(), depth+1)
		if err != nil {
			return nil, err
		}
		m.members = append(m.members, one)
	}
	return m, nil
}

// leaf serialises what is neither map nor slice by its JSON. What has none is null, as in any value that leaves a program.
func (s *serializer) leaf(path string, v any) (*member, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return &member{text: json.RawMessage("null")}, nil
	}
	return s.json(path, text, 0)
}

func (s *serializer) json(path string, text json.RawMessage, depth int) (*member, error) {
	if err := s.grow(path, depth, len(text)); err != nil {
		return nil, err
	}
	p := parser{serializer: s}
	return p.read(path, text, depth)
}

// function accepts a function whose tool the namespace declared.
func (n *namespace) function(path string, f Function) (*member, error) {
	if _, declared := slices.BinarySearch(n.required, f.tool); !declared {
		return nil, refuse(
			"Code mode namespace function at %s calls an undeclared tool: %q. Name it in requiredToolNames, which has %s.", path, f.tool, quoted(n.required))
	}
	return &member{kind: function, call: f}, nil
}

func checkSegment(key string) error {
	switch {
	case key == "":
		return refuse("Invalid code mode namespace path segment: (empty)")
	case key == "__proto__" || key == "constructor" || key == "prototype" || slices.Contains([]byte(key), 0):
		return refuse("Invalid code mode namespace path segment: %s", key)
	}
	return nil
}

package namespaces

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// declaredScope reads the scope of a declaration: JSON in which {"$tool": name, "args": [keys]} stands for a function. The
// function's arguments become the members of the tool's input that args names, one after the other; without args its one
// argument is the input.
func (n *namespace) declaredScope(scope json.RawMessage) (*member, error) {
	if !gjson.ValidBytes(scope) || !gjson.ParseBytes(scope).IsObject() {
		return nil, refuse("Code mode namespace %q scope must be a JSON object.", n.id)
	}
	if len(scope) > maxScopeBytes {
		return nil, refuse("Code mode namespace scope has more than %d bytes.", maxScopeBytes)
	}
	p := parser{serializer: &serializer{namespace: n}, functions: true}
	m, err := p.read(n.global, scope, 0)
	if err == nil && m.kind == function {
		err = refuse("Code mode namespace %q scope must be an object of members, not a function.", n.id)
	}
	return m, err
}

// parser makes members of JSON text.
type parser struct {
	*serializer
	functions bool // {"$tool": …} is one
}

func (p *parser) read(path string, text json.RawMessage, depth int) (*member, error) {
	doc := gjson.ParseBytes(text)
	return p.member(path, doc, depth)
}

func (p *parser) member(path string, v gjson.Result, depth int) (*member, error) {
	if err := p.grow(path, depth, 8); err != nil {
		return nil, err
	}
	switch {
	case v.IsArray():
		return p.array(path, v, depth)
	case v.IsObject() && p.functions && v.Get(`\$tool`).Exists():
		return p.function(path, v)
	case v.IsObject():
		return p.object(path, v, depth)
	}
	return &member{text: json.RawMessage(v.Raw)}, nil
}

func (p *parser) array(path string, v gjson.Result, depth int) (*member, error) {
	m := &member{kind: array}
	for i, item := range v.Array() {
		one, err := p.member(path+"["+strconv.Itoa(i)+"]", item, depth+1)
		if err != nil {
			return nil, err
		}
		m.members = append(m.members, one)
	}
	return m, nil
}

func (p *parser) object(path string, v gjson.Result, depth int) (m *member, err error) {
	m = &member{kind: object}
	seen := map[string]bool{}
	v.ForEach(func(key, item gjson.Result) bool {
		if err = checkSegment(key.Str); err == nil && seen[key.Str] {
			err = refuse("Code mode namespace scope has the key %q twice at %s.", key.Str, path)
		}
		if err != nil {
			return false
		}
		seen[key.Str] = true
		var one *member
		if one, err = p.member(path+"."+key.Str, item, depth+1); err != nil {
			return false
		}
		m.keys, m.members = append(m.keys, key.Str), append(m.members, one)
		return true
	})
	return m, err
}

// function reads {"$tool": name, "args"?: [key, …]}.
func (p *parser) function(path string, v gjson.Result) (*member, error) {
	var f struct {
		Tool string    `json:"$tool"`
		Args *[]string `json:"args"`
	}
	d := json.NewDecoder(strings.NewReader(v.Raw))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return nil, refuse(`Code mode namespace function at %s must be {"$tool": "name", "args": ["key", …]}: %v`, path, err)
	}
	if f.Args == nil {
		return p.namespace.function(path, Tool(f.Tool, nil))
	}
	seen := map[string]bool{}
	for _, key := range *f.Args {
		if key == "" || seen[key] {
			return nil, refuse("Code mode namespace function at %s: args must be different, non-empty keys.", path)
		}
		seen[key] = true
	}
	return p.namespace.function(path, Tool(f.Tool, positional(*f.Args)))
}

// positional maps arguments to the keys of an input object. One that was left out is no key.
func positional(keys []string) Mapper {
	return func(args []json.RawMessage) (any, error) {
		if len(args) > len(keys) {
			return nil, fmt.Errorf("it takes %d arguments (%s), and was called with %d", len(keys), strings.Join(keys, ", "), len(args))
		}
		input := map[string]json.RawMessage{}
		for i, arg := range args {
			input[keys[i]] = arg
		}
		return input, nil
	}
}

func quoted(names []string) string {
	all := make([]string, len(names))
	for i, name := range names {
		all[i] = strconv.Quote(name)
	}
	return strings.Join(all, ", ")
}

package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
	"unicode"
)

// setting is one key of the config file. The settings are read off Config: its fields with their comments and tags are the
// one table of them, by which files are checked, codecell config prints, SIGHUP reloads, and docs/config.md is made. Tags are
//
//	json    the key
//	secret  its value is never shown
//	live    it can be changed while the service runs
type setting struct {
	// path is the key behind those of the objects that it is in, as in a.b. In maps and lists of objects * stands for any
	// key, and [] for any index.
	path  string
	field reflect.StructField
	of    reflect.Type // the struct that the field is in
}

// settings are all keys in the order of their table. What is in an object comes behind it.
func settings() []setting { return settingsOf(reflect.TypeFor[Config](), "") }

func settingsOf(object reflect.Type, prefix string) []setting {
	var all []setting
	for i := range object.NumField() {
		field := object.Field(i)
		path := prefix + keyOf(field)
		all = append(all, setting{path, field, object})
		if element, suffix := elementOf(field.Type); element != nil {
			all = append(all, settingsOf(element, path+suffix+".")...)
		}
	}
	return all
}

// keyOf is what a field is called in a file.
func keyOf(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// elementOf returns the struct that a type consists of, nil for none, and how one of them is reached: at once, by a key, or by
// an index.
func elementOf(t reflect.Type) (element reflect.Type, suffix string) {
	switch t.Kind() {
	case reflect.Map:
		t, suffix = t.Elem(), ".*"
	case reflect.Slice:
		t, suffix = t.Elem(), "[]"
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return nil, ""
	}
	return t, suffix
}

// kindOf says in words what a value of a type is.
func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return "a boolean or an object"
	case t == reflect.TypeFor[time.Time]():
		return "a time such as 2027-01-31T12:00:00Z"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "an integer, not negative"
	case reflect.Float64:
		return "a number, not negative"
	case reflect.Slice:
		return "a list"
	case reflect.Map, reflect.Struct:
		return "an object"
	}
	return "a text"
}

func (s *setting) secret() bool { return s.field.Tag.Get("secret") != "" }

func (s *setting) live() bool { return s.field.Tag.Get("live") != "" }

// variable is the environment variable that sets it. Objects have none, nor has what is in a map or a list.
func (s *setting) variable() string {
	if strings.ContainsAny(s.path, "*[") || s.field.Type.Kind() == reflect.Struct {
		return ""
	}
	name, small := []rune("CODECELL_"), false
	for _, r := range s.path {
		if unicode.IsUpper(r) && small {
			name = append(name, '_')
		}
		if small = unicode.IsLower(r); r == '.' {
			r = '_'
		}
		name = append(name, unicode.ToUpper(r))
	}
	return string(name)
}

// settingAt returns the setting of a value's path, in which there are keys and indexes; nil for none.
func settingAt(path string) *setting {
	all := settings()
	for n := range all {
		if matches(all[n].path, path) {
			return &all[n]
		}
	}
	return nil
}

// matches says whether a path is one of those that a setting's stands for. Keys of maps may have dots in them.
func matches(pattern, path string) bool {
	literal, rest, wild := strings.Cut(pattern, "*")
	if at := strings.Index(pattern, "[]"); at >= 0 && at < len(literal) {
		end := strings.IndexByte(path, ']')
		return strings.HasPrefix(path, pattern[:at+1]) && end > 0 && matches(pattern[at+2:], path[end+1:])
	}
	if !wild {
		return pattern == path
	}
	after, ok := strings.CutPrefix(path, literal)
	if !ok {
		return false
	}
	for end := 1; end <= len(after); end++ {
		if (end == len(after) || after[end] == '.') && matches(rest, after[end:]) {
			return true
		}
	}
	return false
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/titanous/json5"

	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/engine/typo"
)

// source is what a config is made of, layer over layer: a file, variables, flags (contract I1).
type source struct {
	tree   map[string]any
	file   string
	lines  map[string]int    // of the keys in the file
	origin map[string]string // of what was set by something else
}

// readSource reads a file and the environment; no path is an empty file.
func readSource(path string) (*source, error) {
	s := &source{tree: map[string]any{}, file: path, origin: map[string]string{}}
	if path != "" {
		if err := s.read(); err != nil {
			return nil, err
		}
	}
	for _, setting := range settings() {
		if text, ok := os.LookupEnv(setting.variable()); ok && setting.variable() != "" {
			if err := s.set(setting.path, text, setting.variable()); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

func (s *source) read() error {
	text, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	var value any
	if err := json5.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("%s: %w", s.file, notJSON5(text, err))
	}
	tree, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("%s: the config must be an object, not %s", s.file, kindOfValue(value))
	}
	s.tree, s.lines = tree, keyLines(text)
	return nil
}

// notJSON5 says where a text is none.
func notJSON5(text []byte, err error) error {
	var syntax *json5.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("line %d: not JSON5: %w", 1+bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte{'\n'}), err)
	}
	return fmt.Errorf("not JSON5: %w", err)
}

// set sets a key to what a text says: a text as it is, a list of texts with commas, anything else in JSON5.
func (s *source) set(path, text, origin string) error {
	setting := settingAt(path)
	if setting == nil {
		return fmt.Errorf("%s: unknown key %q%s", origin, path, meant(path, allPaths()))
	}
	var value any = text
	switch t := setting.field.Type; {
	case t == reflect.TypeFor[[]string]() && !strings.HasPrefix(strings.TrimSpace(text), "["):
		list := []any{}
		for item := range strings.SplitSeq(text, ",") {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, item)
			}
		}
		value = list
	case t.Kind() != reflect.String:
		if err := json5.Unmarshal([]byte(text), &value); err != nil {
			return fmt.Errorf("%s: %s must be %s", origin, path, kindOf(t))
		}
	}
	keys := strings.Split(path, ".")
	at := s.tree
	for _, key := range keys[:len(keys)-1] {
		inner, ok := at[key].(map[string]any)
		if !ok {
			inner = map[string]any{}
			at[key] = inner
		}
		at = inner
	}
	at[keys[len(keys)-1]] = value
	s.origin[path] = origin
	return nil
}

func allPaths() []string {
	var all []string
	for _, s := range settings() {
		all = append(all, s.path)
	}
	return all
}

// config returns what the layers come to, without defaults. It fails on a key that there is not and on a value of the wrong
// kind.
func (s *source) config() (Config, error) {
	var c Config
	if err := checkShape(s.tree, reflect.TypeFor[Config](), ""); err != nil {
		return c, s.locate(err)
	}
	text, err := json.Marshal(s.tree)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(text, &c); err != nil {
		return c, s.locate(err)
	}
	return c, nil
}

// checked returns the config with its defaults, if it can be used.
func (s *source) checked() (Config, error) {
	c, err := s.config()
	if err != nil {
		return c, err
	}
	c = c.WithDefaults()
	if err := c.validate(); err != nil {
		return c, s.locate(err)
	}
	return c, nil
}

// beginning is the key that every error of a config begins with.
var beginning = regexp.MustCompile(`^[\w.*\[\]-]+`)

// locate says where the key of an error was set: by its line in the file, or by its variable or flag.
func (s *source) locate(err error) error {
	path := strings.TrimSuffix(beginning.FindString(err.Error()), ".")
	var mistake *config.Error
	if errors.As(err, &mistake) {
		path += "." + mistake.Key
	}
	for ; path != ""; path = parentOf(path) {
		if origin := s.from(path); origin != "" {
			return fmt.Errorf("%s: %w", origin, err)
		}
	}
	if s.file == "" {
		return err
	}
	return fmt.Errorf("%s: %w", s.file, err)
}

// from says where a key was set, empty if it was not.
func (s *source) from(path string) string {
	if origin := s.origin[path]; origin != "" {
		return origin
	}
	if line := s.lines[path]; line > 0 {
		return fmt.Sprintf("%s:%d", s.file, line)
	}
	return ""
}

// parentOf is the path of the object or list that a value is in.
func parentOf(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// checkShape checks that a value has only keys that there are, and is of the right kind. Null is a value left out.
func checkShape(value any, t reflect.Type, path string) error {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if value == nil || t == reflect.TypeFor[json.RawMessage]() {
		return nil
	}
	mistaken := fmt.Errorf("%s must be %s, not %s", path, kindOf(t), kindOfValue(value))
	switch v := value.(type) {
	case map[string]any:
		switch t.Kind() {
		case reflect.Struct:
			return checkObject(v, t, path)
		case reflect.Map:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				if err := checkShape(v[key], t.Elem(), inside(path, key)); err != nil {
					return err
				}
			}
			return nil
		}
	case []any:
		if t.Kind() == reflect.Slice {
			for n, item := range v {
				if err := checkShape(item, t.Elem(), fmt.Sprintf("%s[%d]", path, n)); err != nil {
					return err
				}
			}
			return nil
		}
	case string:
		if t.Kind() == reflect.String {
			return nil
		}
		if _, err := time.Parse(time.RFC3339, v); err == nil && t == reflect.TypeFor[time.Time]() {
			return nil
		}
	case bool:
		if t.Kind() == reflect.Bool {
			return nil
		}
	case float64:
		if number(t) && v < 0 {
			return fmt.Errorf("%s must not be negative", path)
		}
		if t.Kind() == reflect.Float64 || number(t) && v == math.Trunc(v) && v <= math.MaxInt64/2 {
			return nil
		}
	}
	return mistaken
}

func number(t reflect.Type) bool {
	return t.Kind() == reflect.Float64 || t.Kind() == reflect.Int || t.Kind() == reflect.Int64
}

func checkObject(object map[string]any, t reflect.Type, path string) error {
	fields := map[string]reflect.Type{}
	var keys []string
	for i := range t.NumField() {
		key := keyOf(t.Field(i))
		fields[key] = t.Field(i).Type
		keys = append(keys, key)
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		at := inside(path, key)
		if fields[key] == nil {
			return fmt.Errorf("%s: unknown key %q%s", at, key, meant(key, keys))
		}
		if err := checkShape(object[key], fields[key], at); err != nil {
			return err
		}
	}
	return nil
}

// meant says which key was meant, or which there are.
func meant(key string, keys []string) string {
	if near := typo.Nearest(key, keys); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; the keys are " + strings.Join(keys, ", ")
}

func inside(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

func kindOfValue(value any) string {
	switch value.(type) {
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case string:
		return "a text"
	case bool:
		return "a boolean"
	case float64:
		return "such a number"
	}
	return "null"
}

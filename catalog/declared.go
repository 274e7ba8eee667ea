package catalog

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// declaration is one tool of a provider payload. odd means that it is not just a plain function of that name.
type declaration struct {
	name string // what has no name appears in angle brackets
	odd  bool
	raw  string // the declaration's own JSON
}

// groupOf is the key under which an item holds its tools in one of the formats, or "".
func groupOf(item gjson.Result) string {
	for _, f := range formats {
		for _, group := range f.groups {
			if member(item, group).Exists() {
				return group
			}
		}
	}
	return ""
}

// declared are the tools in one item of a payload's list, in any of the formats.
func declared(item gjson.Result) []declaration {
	if !item.IsObject() {
		return []declaration{{name: "<" + strings.ToLower(item.Type.String()) + ">", odd: true}}
	}
	group := groupOf(item)
	if group == "" {
		return []declaration{declaredTool(item)}
	}
	var out []declaration
	item.ForEach(func(key, value gjson.Result) bool {
		if key.Str != group || !value.IsArray() {
			// Beside a group stand the provider's built-in tools.
			out = append(out, declaration{name: "<" + clip(key.Str, 80) + ">", odd: true})
			return true
		}
		value.ForEach(func(_, t gjson.Result) bool {
			if !t.IsObject() {
				out = append(out, declaration{name: "<not an object>", odd: true})
				return true
			}
			out = append(out, declaredTool(t))
			return true
		})
		return true
	})
	return out
}

// declaredTool reads one tool, with its name in itself or nested.
func declaredTool(item gjson.Result) declaration {
	d := declaration{raw: item.Raw}
	kind, outer, inner := member(item, "type"), member(item, "name"), nested(item)
	named := outer
	if inner.Exists() {
		named = member(inner, "name")
	}
	switch {
	case named.Type == gjson.String && named.Str != "":
		d.name = clip(named.Str, 80)
	case kind.Type == gjson.String:
		d.name = "<type " + clip(kind.Str, 80) + ">"
	default:
		d.name = "<unnamed>"
	}
	// Other types are run by the provider, whatever their name. A key that stands twice, or two names, could be read
	// one way here and another there.
	plain := !kind.Exists() || kind.Type == gjson.String && knownKind(kind.Str)
	d.odd = !plain || named.Type != gjson.String || inner.Exists() && outer.Exists() || repeats(item) || repeats(inner)
	return d
}

// nested is the part of a tool that has the name where a format nests it.
func nested(item gjson.Result) gjson.Result {
	for _, f := range formats {
		if f.nest == "" {
			continue
		}
		if inner := member(item, f.nest); inner.Exists() {
			return inner
		}
	}
	return gjson.Result{}
}

// knownKind holds for the types of tools that the caller runs.
func knownKind(kind string) bool {
	return slices.ContainsFunc(formats, func(f format) bool {
		return f.kind != "" && f.kind == kind || slices.Contains(f.kinds, kind)
	})
}

// repeats tells whether a key stands twice in an object.
func repeats(obj gjson.Result) bool {
	if !obj.IsObject() {
		return false
	}
	seen, twice := map[string]bool{}, false
	obj.ForEach(func(k, _ gjson.Result) bool {
		twice = twice || seen[k.Str]
		seen[k.Str] = true
		return !twice
	})
	return twice
}

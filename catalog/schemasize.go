package catalog

import (
	"errors"
	"regexp/syntax"
)

// Bounds of a schema that is compiled. Compiling compares every subschema's path with all others, keeps the paths, and
// turns patterns into programs; at these bounds it takes about a tenth of a second, and the largest schemas in use are
// a tenth of that.
const (
	maxSubschemas   = 2_500
	maxSchemaPaths  = 512 << 10
	maxInstructions = 20_000
	// maxSchemaWeight bounds bytes times depth, which is how the check of the schema itself grows.
	maxSchemaWeight = 1 << 20
)

var errLargeSchema = errors.New("it is too large or too deeply nested")

// schemaSize is what the cost of compiling a schema grows with. Each number is an upper bound.
type schemaSize struct {
	subschemas   int
	paths        int // bytes of the subschemas' paths, all together
	instructions int // of the patterns' programs
}

func (s schemaSize) tooLarge() bool {
	return s.subschemas > maxSubschemas || s.paths > maxSchemaPaths || s.instructions > maxInstructions
}

// addSchema counts one subschema at a path of that many bytes.
func (s *schemaSize) addSchema(path int) {
	s.subschemas++
	s.paths += path
}

// measure adds up doc, a decoded schema whose depth is known to be bounded.
func (s *schemaSize) measure(doc any, path int) {
	switch v := doc.(type) {
	case bool:
		s.addSchema(path)
	case map[string]any:
		s.addSchema(path)
		for key, member := range v {
			s.keyword(key, member, path+1+len(key))
		}
	case []any:
		for _, member := range v {
			s.measure(member, path+8)
		}
	}
}

// keyword measures what stands under a key. Lists of data are left out; where such a key is the name of a property, its
// value is no list.
func (s *schemaSize) keyword(key string, member any, path int) {
	switch v := member.(type) {
	case string:
		if key == "pattern" {
			s.instructions += patternSize(v)
		}
		return
	case []any:
		if key == "enum" || key == "required" || key == "examples" {
			return
		}
	case map[string]any:
		if key == "patternProperties" {
			for pattern := range v {
				s.instructions += patternSize(pattern)
			}
		}
	}
	s.measure(member, path)
}

// patternSize is about how many instructions a pattern's program has: how much memory it takes, and how much time for
// each byte that it is matched with.
func patternSize(pattern string) int {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 1 // see regexps
	}
	return instructions(re)
}

func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min+1)
	}
	return n
}

// inputSize is how deep input nests and how many values it has at most, whether it is JSON or not.
func inputSize(raw []byte) (deepest, values int) {
	now, inString := 0, false
	values = 1
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case inString:
			inString = c != '"'
		case c == '"':
			inString = true
		case c == '{' || c == '[':
			values++
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		case c == ',':
			values++
		}
	}
	return deepest, values
}

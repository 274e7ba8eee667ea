package catalog

import (
	"errors"
	"regexp"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternTime is how long one text may be held against one pattern that only a backtracking engine knows.
const patternTime = 50 * time.Millisecond

// slowPatternSteps is the price of such a pattern in steps of a check's budget, for any text.
const slowPatternSteps = 200

// errSlowPattern ends a check in which a pattern took too long.
var errSlowPattern = errors.New("a text could not be held against the schema's pattern in time; pass a shorter or simpler one")

// regexps compiles the patterns of one schema and notes those that no engine knows, which match everything, so that the
// rest of the schema still counts.
type regexps struct{ unknown []string }

// compile prefers Go's linear-time engine. What that does not know but ECMA-262 has (lookaround, back references, \uXXXX, \cX)
// is matched by one that goes back and forth, under a limit of time.
func (p *regexps) compile(s string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(s); err == nil {
		return sizedRegexp{re, patternSize(s)}, nil
	}
	for _, options := range []regexp2.RegexOptions{regexp2.ECMAScript | regexp2.Unicode, regexp2.ECMAScript} {
		if re, err := regexp2.Compile(s, options); err == nil {
			re.MatchTimeout = patternTime
			return slowRegexp{re}, nil
		}
	}
	p.unknown = append(p.unknown, s)
	return anyText(s), nil
}

// sizedRegexp is a pattern that knows what matching costs.
type sizedRegexp struct {
	*regexp.Regexp
	size int // instructions
}

// slowRegexp is a pattern whose cost only a clock can bound.
type slowRegexp struct{ *regexp2.Regexp }

// MatchString leaves the whole check where the time is over: neither yes nor no would be true.
func (r slowRegexp) MatchString(s string) bool {
	ok, err := r.Regexp.MatchString(s)
	if err != nil {
		panic(exhausted{errSlowPattern})
	}
	return ok
}

type anyText string

func (anyText) MatchString(string) bool { return true }
func (a anyText) String() string        { return string(a) }

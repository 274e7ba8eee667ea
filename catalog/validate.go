package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Bounds of one error text: input may be wrong in thousands of places.
const (
	maxProblems     = 5
	maxProblemBytes = 300
)

// english words the keywords that problem has no words of its own for.
var english = message.NewPrinter(language.English)

// InputError says what is wrong with the input of a call (contract D5).
type InputError struct {
	ToolID   string
	Problems []string // "number: expected integer, got string"; at most 5
	Expected string   // the input as a TypeScript type, "" if that would be long
}

// Error names the tool, every problem with its path, and what was expected.
func (e *InputError) Error() string {
	text := "Invalid input for " + e.ToolID + ": " + strings.Join(e.Problems, "; ") + "."
	if e.Expected != "" {
		text += " Expected " + e.Expected + "."
	}
	return text
}

// Bounds of the input that is checked: JSON in memory is some twenty times as long as its text, and recursive parsers
// must not be handed any depth.
const (
	maxInputDepth  = 1000
	maxInputValues = 500_000
)

// Validate is ValidateContext without a context.
func (e *Entry) Validate(input []byte) error {
	return e.ValidateContext(context.Background(), input)
}

// ValidateContext checks input, a JSON text, against the tool's parameters. A tool without a schema, or with one that
// can't be compiled, accepts everything. The error is an *InputError, or the context's error if it ended before the
// check did.
//
// It is safe for concurrent use and bounded whatever schema and input are: the first call compiles the schema (a tenth
// of a second at most, see maxSubschemas), each call reads its input once and then takes at most maxCheckSteps. What it
// took is not told; a caller that accounts for it measures the time, and bounds it by the context's deadline, which is
// looked at all the while.
func (e *Entry) ValidateContext(ctx context.Context, input []byte) error {
	if e.tool.Parameters == nil {
		return nil
	}
	if _, err := e.check.compiled(e.tool.Parameters); err != nil {
		return nil
	}
	levels, values := inputSize(input)
	if levels > maxInputDepth {
		return e.refuse("nested deeper than 1000 levels")
	}
	if values > maxInputValues {
		return e.refuse(tooComplex)
	}
	var value any
	// Plain floats: a number that no cell can have made is refused here, and the library's exact arithmetic never sees
	// a huge exponent.
	if err := json.Unmarshal(input, &value); err != nil {
		return e.refuse("not JSON that can be read")
	}
	err := e.check.check(ctx, value, levels)
	var wrong *jsonschema.ValidationError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errSlowPattern):
		return e.refuse(errSlowPattern.Error())
	case errors.Is(err, errBudget):
		return e.refuse(tooComplex)
	case !errors.As(err, &wrong):
		return err
	case brokenSchema(wrong):
		return nil
	}
	return e.refuse(problems(wrong)...)
}

const tooComplex = "too large or too deeply nested to check against the tool's schema; pass less at once"

// refuse adds the input's type to the problems if it is short and is an object: with both, a model can mend its call
// without another describe.
func (e *Entry) refuse(problems ...string) error {
	out := &InputError{ToolID: e.id, Problems: problems}
	if hint := e.inputHint(maxProblemBytes); strings.HasPrefix(hint, "{") {
		out.Expected = hint
	}
	return out
}

// brokenSchema holds if the schema runs in circles without consuming input, which shows only when it is used.
func brokenSchema(v *jsonschema.ValidationError) bool {
	if _, ok := v.ErrorKind.(*kind.RefCycle); ok {
		return true
	}
	return slices.ContainsFunc(v.Causes, brokenSchema)
}

// problems are the texts of the innermost causes, sorted, because the library walks objects in random order, and each
// once.
func problems(v *jsonschema.ValidationError) []string {
	var l leaves
	l.collect(v)
	out := l.texts()
	if l.count > len(l.kept) || len(out) > maxProblems {
		more := max(l.count, len(out)) - maxProblems
		out = append(out[:min(len(out), maxProblems):maxProblems], "and "+strconv.Itoa(more)+" more")
	}
	return out
}

// maxLeaves bounds how many causes are put into words.
const maxLeaves = 200

// leaves are the causes with no further cause, the first ones kept.
type leaves struct {
	kept  []*jsonschema.ValidationError
	count int
}

// collect walks down to the causes that say something. The branches of an anyOf or oneOf stay together as one cause:
// none of them is wrong by itself.
func (l *leaves) collect(v *jsonschema.ValidationError) {
	if len(v.Causes) > 0 && !alternatives(v) {
		for _, cause := range v.Causes {
			l.collect(cause)
		}
		return
	}
	l.count++
	if len(l.kept) < maxLeaves {
		l.kept = append(l.kept, v)
	}
}

func (l *leaves) texts() []string {
	var out []string
	for _, v := range l.kept {
		out = append(out, problem(v)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// alternatives holds for keywords of which any branch would have done.
func alternatives(v *jsonschema.ValidationError) bool {
	switch v.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return true
	}
	return false
}

// branches sums up why the alternatives of an anyOf or oneOf failed.
func branches(v *jsonschema.ValidationError) string {
	if len(v.Causes) == 0 {
		return "several of its forms fit, only one may"
	}
	var l leaves
	for _, cause := range v.Causes {
		l.collect(cause)
	}
	return "fits none of its forms: " + clip(strings.Join(l.texts(), ", or "), maxProblemBytes)
}

// at is the path in front of a problem: "items[2].name: ".
func at(location []string) string {
	var b strings.Builder
	for _, step := range location {
		switch {
		case isIndex(step):
			b.WriteString("[" + step + "]")
		case b.Len() > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return clip(b.String(), maxNameBytes) + ": "
}

// isIndex takes a number for a place in a list. An object key of digits is shown the same way, which reads well enough.
func isIndex(step string) bool {
	_, err := strconv.ParseUint(step, 10, 32)
	return err == nil
}

// kindOf is which keyword failed, also where a guard checked it.
func kindOf(v *jsonschema.ValidationError) jsonschema.ErrorKind {
	if format, ok := v.ErrorKind.(*kind.Format); ok {
		var f failed
		if errors.As(format.Err, &f) {
			return f.kind
		}
	}
	return v.ErrorKind
}

// problem words one failed keyword.
func problem(v *jsonschema.ValidationError) []string {
	path := at(v.InstanceLocation)
	switch k := kindOf(v).(type) {
	case *kind.Type:
		return []string{path + "expected " + strings.Join(k.Want, " or ") + ", got " + k.Got}
	case *kind.Required:
		var out []string
		for _, name := range k.Missing[:min(len(k.Missing), maxLeaves)] {
			out = append(out, path+"missing required property "+clip(name, maxNameBytes))
		}
		return out
	case *kind.AdditionalProperties:
		// The library lists them in random order; more than these are not shown.
		names := top[string]{limit: maxProblemBytes / 2, compare: strings.Compare}
		for _, name := range k.Properties {
			names.add(clip(name, maxProblemBytes))
		}
		return []string{path + "unknown property " + clip(strings.Join(names.sorted(), ", "), maxProblemBytes)}
	case *kind.Enum:
		return []string{path + "must be one of " + values(k.Want)}
	case *kind.Const:
		return []string{path + "must be " + values([]any{k.Want})}
	case *kind.Pattern:
		return []string{path + "must match the pattern " + clip(k.Want, maxProblemBytes)}
	case *kind.AnyOf, *kind.OneOf:
		return []string{path + branches(v)}
	case *kind.FalseSchema:
		return []string{path + "is not allowed"}
	}
	return []string{path + clip(kindOf(v).LocalizedString(english), maxProblemBytes)}
}

// values lists allowed values, strings bare as a person would write them.
func values(list []any) string {
	var parts []string
	size := 0
	for _, v := range list {
		text, ok := v.(string)
		if !ok {
			raw, _ := json.Marshal(v)
			text = string(raw)
		}
		parts = append(parts, text)
		if size += len(text); size > maxProblemBytes {
			break
		}
	}
	return clip(strings.Join(parts, ", "), maxProblemBytes)
}

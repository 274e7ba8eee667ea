package bridge

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
)

// The engines' texts for mistakes of which they don't say what they are about.
var (
	notFunction    = regexp.MustCompile(`^not a function$`)
	notConstructor = regexp.MustCompile(`^(?:not a constructor|\S+ is not a constructor)$`)
	noProperty     = regexp.MustCompile(`^(?:cannot (read|set) property '(.+)' of (undefined|null)|private class field '(#.+)' does not exist)$`)
	noObject       = regexp.MustCompile(`^(?i:cannot convert undefined or null to object|cannot convert to object)$`)
	notIterable    = regexp.MustCompile(`^value is not iterable$`)
	noIterator     = regexp.MustCompile(`^cannot read property 'Symbol\.iterator' of (undefined|null)$`)
)

// mistake is an error of the engine's own, with what it is about.
type mistake struct {
	message      string
	suffix       string       // what may have been meant
	found        script.Found // what it is about
	path         []string     // of what it is about, if that is a name and properties of it
	key          string       // the property of it that was wanted
	callee       string       // the property that was called and is no function
	line, column int          // 0 if the frame's own are best
}

// nameMistake says what an error that the engine threw is about (contract B9): which expression of the cell, and where.
// The engine itself doesn't know. ok is false where the text leaves a doubt.
func (r *run) nameMistake(t *engine.Thrown) (m mistake, ok bool) {
	if t.Name != "TypeError" || !t.IsError {
		return m, false
	}
	if m, ok = r.foreseen().byText[t.Message]; !ok {
		m, ok = r.nameOf(t.Message, frameOf(t.Stack))
	}
	if !ok {
		return m, false
	}
	if promise := r.promiseIn(m.found, m.key); promise != "" {
		m.suffix = "; " + promise + " is a promise: await it"
	}
	m.message += m.suffix
	return m, true
}

// nameOf says what an error is about that the engine threw with a message, from a frame.
func (r *run) nameOf(message string, f script.Frame) (m mistake, ok bool) {
	var found script.Found
	switch {
	case notFunction.MatchString(message):
		if f.Native != "" {
			return r.nameArgument(f, "not a function")
		}
		if found, ok = r.reading().Callee(f, false); ok {
			m.message, m.callee = found.Text+" is not a function", found.Property
		}
	case notConstructor.MatchString(message):
		if found, ok = r.reading().Callee(f, true); ok {
			m.message = found.Text + " is not a constructor"
		}
	case noIterator.MatchString(message):
		kind := noIterator.FindStringSubmatch(message)[1]
		if f.Native != "" {
			return r.nameArgument(f, kind)
		}
		if found, ok = r.reading().Iterated(f); ok {
			m.message = found.Text + " is " + kind + ", which is not iterable"
			if found.Text == kind {
				m.message = kind + " is not iterable"
			}
		}
	case notIterable.MatchString(message):
		if f.Native != "" {
			return r.nameArgument(f, "not iterable")
		}
		if found, ok = r.reading().Iterated(f); ok {
			m.message = found.Text + " is not iterable"
		}
		m.key = iteratorKey
	case noProperty.MatchString(message):
		parts := noProperty.FindStringSubmatch(message)
		if found, ok = r.reading().Receiver(parts[2], parts[1] == "set", f); ok {
			m.message, m.key = message, parts[2]
			if found.Text != parts[3] {
				m.message += ": " + found.Text + " is " + parts[3]
			}
		}
	case noObject.MatchString(message):
		if f.Native != "" {
			return r.nameArgument(f, "undefined or null")
		}
		if found, ok = r.reading().Unpacked(f); ok {
			switch found.Text {
			case "undefined", "null":
				m.message = "cannot take properties out of " + found.Text
			default:
				m.message = "cannot take properties out of undefined or null: " + found.Text + " is undefined or null"
			}
		}
	}
	if !ok {
		return m, false
	}
	m.message += fmt.Sprintf(" (line %d)", found.Line)
	m.found, m.path, m.line, m.column = found, found.Path, found.Line, found.Column
	if m.key != iteratorKey {
		m.suffix = r.didYouMean(found.Path, m.key) + r.ofIntl(found.Path)
	}
	return m, true
}

// promiseIn returns what of an expression is a promise that was not awaited, as the guest noticed it; empty if nothing is.
func (r *run) promiseIn(f script.Found, key string) string {
	for _, m := range r.misused {
		switch {
		case m.Misuse != engine.MisuseTouched:
		case key == iteratorKey && m.Key == iteratorKey:
			return f.Text
		case f.Property != "" && m.Key == f.Property && key != iteratorKey:
			text := strings.TrimSuffix(f.Text, f.Property)
			return strings.TrimSuffix(strings.TrimSuffix(text, "."), "?")
		}
	}
	return ""
}

// nameArgument names what a builtin that threw was given, and what that is.
func (r *run) nameArgument(f script.Frame, what string) (mistake, bool) {
	argument, callee, ok := r.reading().Argument(f)
	if !ok {
		return mistake{}, false
	}
	text := callee.Text + " was given " + argument.Text
	if argument.Text != "undefined" && argument.Text != "null" || strings.HasPrefix(what, "not ") {
		text += ", which is " + what
	}
	m := mistake{path: argument.Path, line: argument.Line, column: argument.Column}
	m.message = fmt.Sprintf("%s (line %d)", text, argument.Line)
	return m, true
}

// didYouMean names the tools that a path which is not there may have meant. A key is a property that was wanted of it.
func (r *run) didYouMean(path []string, key string) string {
	if len(path) == 0 {
		return ""
	}
	path = r.reading().Resolve(path)
	if key != "" {
		path = append(path[:len(path):len(path)], key)
	}
	if path[0] != "tools" && path[0] != "MCP" || r.reading().Declares(path[0]) {
		return ""
	}
	callees := r.turn.catalog.Callees(path)
	switch {
	case len(callees) == 0 && path[0] == "MCP":
		return "; MCP.$api() tells which servers and tools there are"
	case len(callees) == 0:
		return "; tools.search finds tools"
	}
	return "; did you mean " + strings.Join(callees, " or ") + "?"
}

// ofIntl says what Intl has, where something of it was wanted that it has not.
func (r *run) ofIntl(path []string) string {
	if len(path) > 0 {
		path = r.reading().Resolve(path)
	}
	if len(path) != 2 || path[0] != "Intl" || r.reading().Declares("Intl") {
		return ""
	}
	return "; Intl has Collator, DateTimeFormat, ListFormat, NumberFormat, PluralRules, RelativeTimeFormat and Segmenter here, in English"
}

// reading is the cell's text, read for expressions when that is first asked for; nil if it is too large.
func (r *run) reading() *script.Reading {
	if !r.wasRead {
		r.wasRead, r.read = true, r.cell.source.Read()
	}
	return r.read
}

var nativeFrame = regexp.MustCompile(`^    at (?:new )?([\w$]+) \(native\)$`)

var functionName = regexp.MustCompile(`^    at (?:async )?([\w$]+) \(`)

// frameOf returns the cell's innermost frame of a stack trace. The trace may be of the cell's own making.
func frameOf(stack string) script.Frame {
	var f script.Frame
	lines := 0
	for text := range strings.Lines(stack) {
		text = strings.TrimRight(text, "\n")
		if lines++; lines > maxFrames {
			break
		}
		m := frame.FindStringSubmatchIndex(text)
		if m == nil || strings.Contains(text, "(<null>") {
			if name := nativeFrame.FindStringSubmatch(text); name != nil && f.Native == "" {
				f.Native = name[1]
			}
			continue
		}
		if m[2] >= 0 {
			f.Line, f.Column = atoi(text[m[2]:m[3]]), atoi(text[m[4]:m[5]])
		}
		if name := functionName.FindStringSubmatch(text); name != nil {
			f.Function = name[1]
		}
		return f
	}
	return f
}

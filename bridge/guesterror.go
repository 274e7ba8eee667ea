package bridge

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/codecell/codecell/engine"
)

// frame matches the place in a stack frame of the cell itself. The engine leaves the position out where it has none.
var frame = regexp.MustCompile(`cell\.[jt]s(?::(\d+):(\d+))?`)

// noName is the engine's text for a name that is not there. It has no position for that, nor for noProperty.
var noName = regexp.MustCompile(`^(?:'?([^\s']+)'? is not (?:defined|initialized))$`)

const maxFrames = 32

// guestFailure is a cell that threw (contract B9): its text, and the frames that are the cell's own, at the positions
// that the model wrote.
func guestFailure(r *run, t *engine.Thrown) failure {
	m, named := r.nameMistake(t)
	if named {
		told := *t
		told.Message = m.message
		t = &told
	}
	text := thrownText(t)
	detail := &Detail{Name: t.Name, Message: t.Message}
	if !t.IsError {
		detail.Name, detail.Message = "", t.Other
	}
	detail.Stack, detail.Line, detail.Column = r.ownFrames(t)
	if named && m.line > 0 && detail.Stack != "" {
		detail.Line, detail.Column = m.line, m.column
	}
	r.hintCure(t, detail.Line)
	if named {
		r.hintMember(m.path)
		if m.callee != "" {
			r.hintMethod(m.path, m.callee)
		}
	}
	text += t.Reasons
	if detail.Stack != "" {
		text += "\n" + detail.Stack
	}
	return failure{code: CodeInternal, text: text, detail: detail}
}

func thrownText(t *engine.Thrown) string {
	switch {
	case !t.IsError:
		return t.Other
	case t.Name == "":
		return t.Message
	case t.Message == "":
		return t.Name
	}
	return t.Name + ": " + t.Message
}

// ownFrames keeps the frames of the cell, and of the engine's builtins between them, and moves the positions from the
// compiled text to the model's. It returns the position of the first frame too, 0 if there is none.
//
// The stack is a property that a cell can set to anything, so only lines that look like frames are taken.
func (r *run) ownFrames(t *engine.Thrown) (frames string, line, column int) {
	var kept []string
	first := true
	for text := range strings.Lines(t.Stack) {
		text = strings.TrimRight(text, "\n")
		if len(kept) == maxFrames || !strings.HasPrefix(text, "    at ") || strings.Contains(text, "(<null>") {
			continue
		}
		m := frame.FindStringSubmatchIndex(text)
		if m == nil {
			if strings.HasSuffix(text, " (native)") && !strings.Contains(text, "<anonymous>") {
				kept = append(kept, text)
			}
			continue
		}
		l, c := r.framePosition(text, m)
		if first {
			l, c = r.mistakeAt(t.Message, l, c)
			line, column, first = l, c, false
		}
		kept = append(kept, text[:m[0]+len("cell.js")]+positionText(l, c)+text[m[1]:])
	}
	for len(kept) > 0 && strings.HasSuffix(kept[len(kept)-1], " (native)") {
		kept = kept[:len(kept)-1] // what called the cell is not the cell's
	}
	return strings.Join(kept, "\n"), line, column
}

func positionText(line, column int) string {
	if line == 0 {
		return ""
	}
	return ":" + strconv.Itoa(line) + ":" + strconv.Itoa(column)
}

// framePosition returns where in the model's text a frame is, 0 if the frame does not say.
func (r *run) framePosition(text string, m []int) (line, column int) {
	if m[2] < 0 {
		return 0, 0
	}
	return r.cell.source.Position(atoi(text[m[2]:m[3]]), atoi(text[m[4]:m[5]]))
}

// atoi is 0 for what is too large.
func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// mistakeAt improves on the position of the first frame. The engine notes positions at calls and where statements that
// are expressions begin; for a property of undefined in a declaration it has the call before, the function's first
// line, or nothing. The first use of that property from there on is where the mistake is, but for texts in which the
// same property is read before it without a call between.
func (r *run) mistakeAt(message string, line, column int) (int, int) {
	m, property := noProperty.FindStringSubmatch(message), true
	if m == nil {
		m, property = noName.FindStringSubmatch(message), false
	}
	if m == nil {
		return line, column
	}
	name := m[1]
	if property {
		if name = m[2]; name == "" {
			name = m[4]
		}
	}
	if l, c, ok := r.cell.source.Locate(name, property, max(line, 1), max(column, 1)); ok {
		return l, c
	}
	return line, column
}

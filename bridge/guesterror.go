package bridge

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/codecell/codecell/engine"
)

// frame matches the position in a stack frame of the cell itself.
var frame = regexp.MustCompile(`cell\.[jt]s:(\d+):(\d+)`)

const maxFrames = 32

// guestFailure is a cell that threw (contract B9): its text, and the frames that are the cell's own, at the
// positions that the model wrote.
func guestFailure(r *run, t *engine.Thrown) failure {
	text := thrownText(t)
	detail := &Detail{Name: t.Name, Message: t.Message}
	if !t.IsError {
		detail.Name, detail.Message = "", t.Other
	}
	detail.Stack, detail.Line, detail.Column = r.ownFrames(t.Stack)
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

// ownFrames keeps the frames of the cell, and of the engine's builtins between them, and moves the positions from
// the compiled text to the model's. It returns the position of the first frame too.
//
// The stack is a property that a cell can set to anything, so only lines that look like frames are taken.
func (r *run) ownFrames(stack string) (frames string, line, column int) {
	var kept []string
	for text := range strings.Lines(stack) {
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
		l, _ := strconv.Atoi(text[m[2]:m[3]])
		c, _ := strconv.Atoi(text[m[4]:m[5]])
		l, c = r.source.Position(l, c)
		if line == 0 {
			line, column = l, c
		}
		kept = append(kept, text[:m[2]]+strconv.Itoa(l)+":"+strconv.Itoa(c)+text[m[5]:])
	}
	for len(kept) > 0 && strings.HasSuffix(kept[len(kept)-1], " (native)") {
		kept = kept[:len(kept)-1] // what called the cell is not the cell's
	}
	return strings.Join(kept, "\n"), line, column
}

package script

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
)

// maxTransformErrors bounds how many errors are told at once; the first few are nearly always the cause of the rest.
const maxTransformErrors = 5

// transformError makes the contract's message of esbuild's, with positions in the model's text (contract B1). shift is
// the number of lines before that text.
func transformError(code string, messages []api.Message, shift int) *Error {
	err := &Error{}
	var texts []string
	for i, m := range messages[:min(len(messages), maxTransformErrors)] {
		text, line, column := place(code, m, shift)
		if i == 0 {
			err.Line, err.Column = line, column
		}
		texts = append(texts, fmt.Sprintf("%s (line %d, column %d)", text, line, column))
	}
	if more := len(messages) - maxTransformErrors; more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more", more))
	}
	err.Text = "typescript transform failed: " + strings.Join(texts, "\n")
	return err
}

// place returns a message's text and its position in the model's text.
func place(code string, m api.Message, shift int) (text string, line, column int) {
	if m.Location == nil {
		return m.Text, 1, 1
	}
	lastLine, lastColumn := position(code, len(code))
	line = m.Location.Line - shift
	if line <= lastLine {
		prefix := m.Location.LineText[:min(m.Location.Column, len(m.Location.LineText))]
		return m.Text, max(line, 1), utf8.RuneCountInString(prefix) + 1
	}
	// It stands at the wrapper's own brace, which the model never wrote.
	text = m.Text
	for _, end := range []string{`"}"`, "end of file"} {
		if before, ok := strings.CutSuffix(text, end); ok {
			text = before + "end of the code"
			break
		}
	}
	return text, lastLine, lastColumn
}

// breakoutError refuses a cell that closes more braces than it opens.
func breakoutError(code string) *Error {
	at := len(code)
	s := newScanner(code)
	for depth := 0; ; depth = len(s.stack) {
		t := s.next()
		if t.kind == kindEnd {
			break
		}
		if depth == 0 && s.text(t) == "}" {
			at = t.start
			break
		}
	}
	err := errorAt(code, at, "")
	err.Text = fmt.Sprintf(`typescript transform failed: Unexpected "}" (line %d, column %d)`, err.Line, err.Column)
	return err
}

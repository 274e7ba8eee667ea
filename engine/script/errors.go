package script

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Reason says in general why a cell was refused.
type Reason uint8

// The reasons, each with the code of contract B8 that the caller reports.
const (
	Invalid  Reason = iota // it is not what a cell may be: invalid_input
	TooSlow                // parsing it took longer than it may: timeout
	TooLarge               // parsing it took more memory than it may: memory_limit_exceeded
)

// Error is why a cell was refused before any guest started (contract B1).
type Error struct {
	// Text is the whole message for the model.
	Text   string
	Reason Reason
	// Line and Column are where in the model's text the reason stands, 1-based, the column in characters; both are zero
	// if the reason is the text as a whole.
	Line, Column int
}

// Error returns Text.
func (e *Error) Error() string { return e.Text }

// errorAt returns an error that stands at an offset of the model's text.
func errorAt(code string, offset int, text string) *Error {
	line, column := position(code, offset)
	return &Error{Text: text, Line: line, Column: column}
}

// position turns a byte offset into a line and a column in characters, 1-based.
func position(code string, offset int) (line, column int) {
	before := code[:min(max(offset, 0), len(code))]
	start := strings.LastIndexByte(before, '\n') + 1
	return strings.Count(before, "\n") + 1, utf8.RuneCountInString(before[start:]) + 1
}

// blankError is the contract's text for a cell with nothing in it (contract B1).
func blankError() *Error {
	return &Error{Text: "code or command must be a non-empty string."}
}

// sizeError refuses a source over the limit (contract B1).
func sizeError(size, limit int) *Error {
	return &Error{Text: fmt.Sprintf("code is too large: %d bytes, the limit is %d bytes. "+
		"Split the work into several cells, and read large data with a tool instead of writing it into the source.",
		size, limit)}
}

// moduleError refuses module access (contract B3). a is nil if its place is not known.
func moduleError(code string, a *access) *Error {
	const text = "code mode module access is disabled."
	const instead = "There are no modules here: find tools with tools.search(query), run them with " +
		"tools.call(id, input), and read API declarations with API.read(path)."
	if a == nil {
		return &Error{Text: text + " " + instead}
	}
	err := errorAt(code, a.offset, "")
	err.Text = fmt.Sprintf("%s Line %d uses %s. %s", text, err.Line, a.what, instead)
	return err
}

// maxQuotedCommand bounds, in bytes, the command that an error repeats.
const maxQuotedCommand = 200

// shellError refuses a shell command and says how to run it, with the catalog's shell tool if there is one (contract
// B4).
func shellError(command, tool string) *Error {
	const text = "This looks like a shell command, but the cell must be JavaScript or TypeScript. "
	if tool == "" {
		return &Error{Text: text + "No shell tool is available here; " +
			"use await tools.search(query) to find a tool for the task, then await tools.call(id, input)."}
	}
	return &Error{Text: fmt.Sprintf("%sTo run it, call the shell tool from code: return await tools.call(%s, { command: %s })",
		text, quote(tool), quote(cut(strings.TrimSpace(command))))}
}

// cut shortens a command to what an error may repeat, at a character's edge.
func cut(command string) string {
	if len(command) <= maxQuotedCommand {
		return command
	}
	end := maxQuotedCommand
	for end > 0 && !utf8.RuneStart(command[end]) {
		end--
	}
	return command[:end] + "…"
}

// quote writes a string as JSON without escaping what only HTML needs escaped, so that "cd x && ls" stays readable.
func quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return `""` // no string fails to encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}

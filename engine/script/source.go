package script

import (
	"unicode/utf16"
	"unicode/utf8"
)

// Language says how the text of a cell is read.
type Language string

// The two languages that a cell may be written in (contract B1). Whether one of them is enabled for a turn is the
// caller's business.
const (
	JavaScript Language = "javascript"
	TypeScript Language = "typescript"
)

// DefaultMaxBytes is the size that a cell's source may have where Options.MaxBytes is zero: 256 KiB of UTF-8 (contract
// B1).
const DefaultMaxBytes = 256 << 10

// Options are the caller's wishes for one Prepare. The zero value is usable.
type Options struct {
	// MaxBytes bounds the source in UTF-8 bytes; zero means DefaultMaxBytes.
	MaxBytes int
	// ShellTool is the catalog id of a tool that runs shell commands. It is named in the error that refuses a shell
	// command; empty if there is no such tool.
	ShellTool string
}

// Source is a cell that is ready for the guest. It is immutable and may be shared between goroutines.
type Source struct {
	// Body is the text that the guest compiles as the body of a sloppy-mode async arrow function. For JavaScript
	// without for await loops it is the model's text, line for line.
	Body string

	// The rest is for texts that were transformed only: the model's text, where Body's places are in it, and how many lines esbuild's
	// output has before Body, and its input before code.
	code         string
	mappings     mappings
	printedShift int
	sourceShift  int
}

// Bytes is how much memory the source holds, its texts at least.
func (s *Source) Bytes() int { return len(s.Body) + len(s.code) + len(s.mappings) }

// Position turns a position in Body, as the engine reports it, into one in the text that the model wrote. Lines and
// columns are 1-based (contract B2). The engine counts the bytes of a line, the answer its characters. For TypeScript
// the answer is the nearest place before that is known, and always one inside the model's text.
func (s *Source) Position(line, column int) (int, int) {
	before := prefix(lineOf(s.Body, line), column-1)
	if !s.transformed() {
		return line, utf8.RuneCountInString(before) + 1
	}
	units := len(utf16.Encode([]rune(before))) // source maps count these
	fromLine, fromColumn, ok := s.mappings.lookup(line+s.printedShift, units)
	if !ok {
		fromLine, fromColumn = line+s.sourceShift, units
	}
	return clamp(s.code, fromLine-s.sourceShift, fromColumn)
}

// transformed says whether Body is another text than the model's.
func (s *Source) transformed() bool { return s.code != "" }

package script

import (
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/go-sourcemap/sourcemap"
)

// lineMap is a source map that is decoded when the first position is asked for:
// most cells end without an error.
type lineMap struct {
	once     sync.Once
	consumer *sourcemap.Consumer
}

// lookup returns the line and column that a printed position came from, 1-based
// line and 0-based column on both sides.
func (m *lineMap) lookup(data []byte, line, column int) (int, int, bool) {
	m.once.Do(func() {
		consumer, err := sourcemap.Parse("", data)
		if err == nil {
			m.consumer = consumer
		}
	})
	if m.consumer == nil {
		return 0, 0, false
	}
	_, _, line, column, ok := m.consumer.Source(line, column)
	return line, column, ok
}

// clamp moves a position into the text, onto the last line or column where it is
// beyond. It takes a column as source maps count, in UTF-16 units from 0, and
// gives it in characters from 1.
func clamp(code string, line, units int) (int, int) {
	line = min(max(line, 1), strings.Count(code, "\n")+1)
	column := 1
	for _, r := range lineOf(code, line) {
		if units <= 0 {
			break
		}
		units -= utf16.RuneLen(r)
		column++
	}
	return line, column
}

// lineOf returns a line of the text by its number, empty if there is none.
func lineOf(text string, number int) string {
	for ; number > 1; number-- {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			return ""
		}
		text = text[end+1:]
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// prefix returns the first n bytes of s, or what there is.
func prefix(s string, n int) string { return s[:min(max(n, 0), len(s))] }

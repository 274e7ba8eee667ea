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
// beyond. Columns count UTF-16 units, as source maps do.
func clamp(code string, line, column int) (int, int) {
	line, column = max(line, 1), max(column, 1)
	rest := code
	for n := 1; ; n++ {
		end := strings.IndexByte(rest, '\n')
		if n == line || end < 0 {
			if end >= 0 {
				rest = rest[:end]
			}
			return n, min(column, len(utf16.Encode([]rune(rest)))+1)
		}
		rest = rest[end+1:]
	}
}

package script

import (
	"bytes"
	"strings"
	"unicode/utf16"
)

// mappings is the field of that name of a source map (version 3) with one source: lines of segments, each a few numbers
// in base64 that say what changed since the segment before. It is read anew for each position that is asked for, which
// is rare, and up to that position only; nothing of it is believed.
type mappings string

// mappingsOf takes the field out of a source map as esbuild writes it. Its characters need no escapes in JSON.
func mappingsOf(sourceMap []byte) mappings {
	_, rest, _ := bytes.Cut(sourceMap, []byte(`"mappings": "`))
	field, _, _ := bytes.Cut(rest, []byte(`"`))
	return mappings(field)
}

// segment is one place in the printed text and where it came from, all counted from 0.
type segment struct{ column, line, sourceColumn int }

// lookup returns the line and column that a printed position came from: those of the last segment at or before it, on
// its line or an earlier one. Lines count from 1, columns from 0. ok is false if there is none, or the mappings are
// none.
func (m mappings) lookup(line, column int) (fromLine, fromColumn int, ok bool) {
	rest, printed := string(m), 1
	var at segment
	for rest != "" && printed <= line {
		switch rest[0] {
		case ';':
			printed++
			at.column = 0
			rest = rest[1:]
		case ',':
			rest = rest[1:]
		default:
			next, n := at.read(rest)
			if n == 0 {
				return 0, 0, false
			}
			if printed == line && next.column > column {
				return at.line + 1, at.sourceColumn, ok
			}
			at, ok = next, true
			rest = rest[n:]
		}
	}
	return at.line + 1, at.sourceColumn, ok
}

// read returns the segment that text starts with and its length, zero if it is none. Of its numbers the second, the
// source, and the fifth, a name, say nothing here.
func (s segment) read(text string) (segment, int) {
	var source, name int
	length := 0
	for i, field := range []*int{&s.column, &source, &s.line, &s.sourceColumn, &name} {
		delta, n := readVLQ(text[length:])
		if n == 0 {
			// One number is a place that came from nowhere; four or five are whole.
			if i == 0 || i == 2 || i == 3 {
				return segment{}, 0
			}
			break
		}
		*field += delta
		length += n
	}
	return s, length
}

const vlqDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// vlqValues is the inverse of vlqDigits; -1 for what is no digit.
var vlqValues = func() (values [256]int8) {
	for i := range values {
		values[i] = int8(strings.IndexByte(vlqDigits, byte(i)))
	}
	return values
}()

// readVLQ returns the number that text starts with and its length, zero if there is none. Each digit holds five bits,
// the lowest first, and says whether more follow; the lowest bit of all is the sign. More than 32 bits are no number.
func readVLQ(text string) (value, length int) {
	for shift := 0; length < len(text) && shift < 35; shift += 5 {
		digit := int(vlqValues[text[length]])
		if digit < 0 {
			return 0, 0
		}
		length++
		value |= (digit & 31) << shift
		if digit < 32 {
			if value&1 != 0 {
				return -(value >> 1), length
			}
			return value >> 1, length
		}
	}
	return 0, 0
}

// clamp moves a position into the text, onto the last line or column where it is beyond. It takes a column as source
// maps count, in UTF-16 units from 0, and gives it in characters from 1.
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

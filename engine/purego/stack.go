package purego

import (
	"regexp"
	"strconv"
	"strings"
)

const (
	// wrapperLines are before the cell's first line; elsewhere the engine is told where to count from.
	wrapperLines = 2
	// ownLines are before the first line of our own sources: more than a cell can have.
	ownLines = 10 << 20
)

var frame = regexp.MustCompile(`\(?<(?:eval|input|evalScript)>(?::(\d+))?(?::(\d+))?\)?`)

// place turns a stack trace into one that counts the cell's own lines, without the frames of our own sources.
func place(stack string) string {
	var b strings.Builder
	for line := range strings.Lines(stack) {
		if m := frame.FindStringSubmatchIndex(line); m != nil && m[2] >= 0 {
			n, err := strconv.Atoi(line[m[2]:m[3]])
			if err != nil || n <= wrapperLines || n > ownLines {
				continue
			}
			column := ""
			if m[4] >= 0 {
				column = ":" + line[m[4]:m[5]]
			}
			line = line[:m[0]] + "(cell.js:" + strconv.Itoa(n-wrapperLines) + column + ")" + line[m[1]:]
		}
		b.WriteString(line)
	}
	return b.String()
}

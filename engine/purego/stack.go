package purego

import (
	"regexp"
	"strconv"
	"strings"
)

// wrapperLines are before the cell's first line; elsewhere the engine is told where to count from.
const wrapperLines = 2

// frame matches where a frame is: <input> is what the JavaScript global eval was given, and <eval> what the package's own
// API was. A cell comes in by the first way, our own sources by the second.
var frame = regexp.MustCompile(`\(?<(eval|input|evalScript)>(?::(\d+))?(?::(\d+))?\)?`)

// place turns a stack trace into one that counts the cell's own lines, without the frames of our own sources.
func place(stack string) string {
	var b strings.Builder
	for line := range strings.Lines(stack) {
		if m := frame.FindStringSubmatchIndex(line); m != nil && m[4] >= 0 {
			n, err := strconv.Atoi(line[m[4]:m[5]])
			if err != nil || n <= wrapperLines || line[m[2]:m[3]] == "eval" {
				continue
			}
			column := ""
			if m[6] >= 0 {
				column = ":" + line[m[6]:m[7]]
			}
			line = line[:m[0]] + "(cell.js:" + strconv.Itoa(n-wrapperLines) + column + ")" + line[m[1]:]
		}
		b.WriteString(line)
	}
	return b.String()
}

package script

import "strings"

// fence is one Markdown code block that makes up a whole cell.
type fence struct {
	code string // the cell with the fence's lines emptied, not removed
	info string // the language behind the opening marks, in lower case
}

// findFence returns the fence around a cell, if the cell is one and nothing else (contract B4). Models write Markdown
// all day and sometimes don't stop. The fence's own lines stay as empty lines, so that every other line keeps its
// number (contract B2).
func findFence(code string) (fence, bool) {
	body := strings.TrimLeft(code, " \t\r\n\uFEFF")
	mark := fenceMark(body)
	if mark == "" {
		return fence{}, false
	}
	first, rest, ok := strings.Cut(body, "\n")
	if !ok {
		return fence{}, false
	}
	info := strings.ToLower(strings.TrimSpace(strings.Trim(first, mark[:1]+"\r")))
	trimmed := strings.TrimRight(rest, " \t\r\n")
	start := strings.LastIndexByte(trimmed, '\n') + 1
	if !closesFence(trimmed[start:], mark) || strings.ContainsAny(info, mark[:1]) {
		return fence{}, false
	}
	inner := trimmed[:start]
	for line := range strings.Lines(inner) {
		if closesFence(strings.TrimRight(line, "\r\n"), mark) {
			return fence{}, false // several blocks with something between them
		}
	}
	before := blankLines(code[:len(code)-len(rest)])
	after := blankLines(rest[start:])
	return fence{code: before + inner + after, info: info}, true
}

// fenceMark returns the run of backquotes or tildes that opens a fence.
func fenceMark(text string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, c)); n >= 3 {
			return text[:n]
		}
	}
	return ""
}

// closesFence says whether a line is nothing but at least as many marks as
// opened the fence.
func closesFence(line, mark string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(mark) && strings.Trim(line, mark[:1]) == ""
}

// blankLines keeps nothing of a text but the ends of its lines.
func blankLines(text string) string {
	return strings.Map(func(r rune) rune {
		if isLineEnd(r) {
			return r
		}
		return -1
	}, text)
}

// shellInfos are the languages of fences that hold shell commands.
var shellInfos = map[string]bool{
	"sh": true, "bash": true, "zsh": true, "shell": true, "console": true,
	"shellscript": true, "shell-session": true, "terminal": true, "powershell": true,
}

package script

import (
	"fmt"
	"strings"
)

// codeInfos are the languages of fences that hold cells.
var codeInfos = map[string]bool{
	"": true, "js": true, "javascript": true, "mjs": true, "node": true, "ts": true, "typescript": true, "jsx": true, "tsx": true,
}

// chatBlock is a fenced block of a chat answer.
type chatBlock struct {
	info       string // its language, in lower case
	start, end int    // where its code is
}

// findChat looks for a chat answer: fenced blocks with prose around them. Its code is returned where it is clear which block is
// meant (the only one, or the only one in a cell's language next to output and data), with all else emptied so that lines keep
// their numbers. An error says what to send instead. Neither is returned for a text that is none.
func findChat(code string) (f fence, found bool, err *Error) {
	if !strings.Contains(code, "```") && !strings.Contains(code, "~~~") {
		return fence{}, false, nil
	}
	blocks, ok := chatBlocks(code)
	if !ok || len(blocks) == 0 || insideText(code[:blocks[0].start]) {
		return fence{}, false, nil
	}
	var cells, commands []chatBlock
	for _, b := range blocks {
		switch {
		case codeInfos[b.info]:
			cells = append(cells, b)
		case shellInfos[b.info]:
			commands = append(commands, b)
		}
	}
	switch {
	case len(cells) == 1 && len(commands) == 0:
		b := cells[0]
		return fence{blankLines(code[:b.start]) + code[b.start:b.end] + blankLines(code[b.end:]), b.info}, true, nil
	case len(cells) == 0 && len(commands) == 1:
		return fence{code[commands[0].start:commands[0].end], commands[0].info}, true, nil
	}
	return fence{}, false, &Error{Text: fmt.Sprintf("This is a text with %d fenced code blocks, and it is not clear which one is meant. "+
		"Send only code: one JavaScript or TypeScript program, without Markdown and without prose around it.", len(blocks))}
}

// insideText says whether a fence stands in a template or a comment of a program rather than between prose.
func insideText(before string) bool {
	before = before[:strings.LastIndexByte(strings.TrimRight(before, "\n"), '\n')+1]
	return strings.Count(before, "`")%2 == 1 || strings.LastIndex(before, "/*") > strings.LastIndex(before, "*/")
}

// chatBlocks finds the fenced blocks of a text; false if a fence is not closed.
func chatBlocks(code string) ([]chatBlock, bool) {
	var blocks []chatBlock
	var open *chatBlock
	mark := ""
	at := 0
	for line := range strings.Lines(code) {
		end := at + len(line)
		text := strings.TrimSpace(line)
		switch {
		case open == nil:
			if mark = fenceMark(text); mark != "" {
				info := strings.ToLower(strings.TrimSpace(text[len(mark):]))
				info, _, _ = strings.Cut(info, " ")
				if strings.ContainsAny(info, "`;(") {
					return nil, false // no fence, but code
				}
				open = &chatBlock{info: info, start: end}
			}
		case closesFence(text, mark):
			open.end = at
			blocks = append(blocks, *open)
			open = nil
		}
		at = end
	}
	return blocks, open == nil
}

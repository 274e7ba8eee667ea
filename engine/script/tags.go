package script

import (
	"regexp"
	"strings"
)

// What models put around a program when they write out a call by hand, or copy it from a page. No JavaScript begins with "<".
var (
	openingTag = regexp.MustCompile(`^<([A-Za-z_][\w:.-]*)(?:[ =][^<>\n(){};]*)?>`)
	thought    = regexp.MustCompile(`^<(think|thinking|thought|reasoning|analysis|scratchpad|reflection)>`)
	// Marks of chat templates, with the role that follows the one of a message.
	openingMark = regexp.MustCompile(`^<\|[\w-]+\|>(?:assistant\b)?`)
	closingMark = regexp.MustCompile(`<\|[\w-]+\|>$`)
	// A language's name on a line of its own, as it is copied along with a fenced block, before something that is no operator.
	languageLine = regexp.MustCompile(`^(?:javascript|typescript|js|ts)[ \t]*\r?\n[ \t]*(?:[A-Za-z_$]|//)`)
)

// htmlTags are tags of pages, which hold text rather than a program.
var htmlTags = wordSet("a article b body button div em footer form h1 h2 h3 head header html i img li main ol p section span strong svg table td tr ul")

// insideTag returns the text inside of the one pair of tags around a cell: <code>…</code>. The tags become blanks, so that no
// line and no column moves (contract B2).
func insideTag(code string) (string, bool) {
	start, end := textBounds(code)
	text := code[start:end]
	if !strings.HasPrefix(text, "<") {
		return "", false
	}
	if strings.HasPrefix(text, "<![CDATA[") && strings.HasSuffix(text, "]]>") {
		return blanked(code, start, start+len("<![CDATA["), end-len("]]>"))
	}
	if at := closingMark.FindStringIndex(text[max(0, len(text)-maxMark):]); at != nil {
		return blanked(code, start, start, end-(at[1]-at[0]))
	}
	if at := openingMark.FindStringIndex(text); at != nil {
		return blanked(code, start, start+at[1], end)
	}
	m := openingTag.FindStringSubmatch(text)
	if m == nil || htmlTags[strings.ToLower(m[1])] {
		return "", false
	}
	opening, closing := "<"+m[1], "</"+m[1]+">"
	if strings.HasSuffix(text, closing) {
		inner := text[len(m[0]):max(len(m[0]), len(text)-len(closing))]
		if c, o := strings.Index(inner, closing), strings.Index(inner, opening); c >= 0 && o > c {
			return "", false // two texts in tags
		}
		return blanked(code, start, start+len(m[0]), end-len(closing))
	}
	if thought.MatchString(text) {
		if thinking, _, ok := strings.Cut(text, closing); ok {
			after := start + len(thinking) + len(closing)
			return blankLines(code[:after]) + code[after:], true
		}
	}
	return "", false
}

// maxMark is how long a mark at the end of a text may be, in bytes.
const maxMark = 40

// belowLanguage returns a cell without the language's name on its first line.
func belowLanguage(code string) (string, bool) {
	start, end := textBounds(code)
	if !languageLine.MatchString(code[start:end]) {
		return "", false
	}
	line := strings.IndexByte(code[start:], '\n')
	return code[:start] + code[start+line:], true
}

// textBounds returns where a text begins and ends without the blanks around it.
func textBounds(code string) (start, end int) {
	start = len(code) - len(strings.TrimLeft(code, " \t\r\n"))
	return start, max(start, len(strings.TrimRight(code, " \t\r\n")))
}

// blanked puts blanks in place of a text's bytes between start and from, and leaves out what is behind to.
func blanked(code string, start, from, to int) (string, bool) {
	if from > to || strings.TrimSpace(code[from:to]) == "" {
		return "", false
	}
	return code[:start] + strings.Repeat(" ", from-start) + code[from:to], true
}

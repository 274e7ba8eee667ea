package script

import "strings"

// codeTags are the tags that models put around a program, with the parameter of a written-out tool call among them.
var codeTags = wordSet("code command cell exec execute javascript js parameter pre script source tool_code typescript ts")

// findTags returns the text inside of the tags around a cell, if it is nothing else: <code>…</code>, also inside one another. No
// JavaScript begins with "<". The tags become blanks, so that no line and no column moves (contract B2).
func findTags(code string) (string, bool) {
	found := false
	for range maxTags {
		inner, ok := insideTag(code)
		if !ok {
			break
		}
		code, found = inner, true
	}
	return code, found && strings.TrimSpace(code) != ""
}

// maxTags is how many tags may stand around one another.
const maxTags = 4

// insideTag blanks the one pair of tags around a text.
func insideTag(code string) (string, bool) {
	start := len(code) - len(strings.TrimLeft(code, " \t\r\n"))
	end := len(strings.TrimRight(code, " \t\r\n"))
	if start >= end || code[start] != '<' {
		return "", false
	}
	text := code[start:end]
	if body, ok := strings.CutPrefix(text, "<![CDATA["); ok && strings.HasSuffix(body, "]]>") {
		return blanked(code, start, start+len("<![CDATA["), end-len("]]>")), true
	}
	opened := strings.IndexByte(text, '>')
	if opened < 0 || strings.ContainsAny(text[:opened], "\n(){};") {
		return "", false
	}
	name, _, _ := strings.Cut(text[1:opened], " ")
	if !codeTags[strings.ToLower(name)] || !strings.HasSuffix(text, "</"+name+">") {
		return "", false
	}
	return blanked(code, start, start+opened+1, end-len("</"+name+">")), true
}

// blanked puts blanks in place of a text's bytes between start and from, and leaves out what is behind to.
func blanked(code string, start, from, to int) string {
	if from > to {
		return ""
	}
	return code[:start] + strings.Repeat(" ", from-start) + code[from:to]
}

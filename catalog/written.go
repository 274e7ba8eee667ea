package catalog

import (
	"slices"
	"strings"
)

// written is the name of a tool as a model wrote it: createTicket, mcp__github__create_issue,
// MCP.google-workspace.calendar.updateEvent, github/create_issue.
type written struct {
	lower    string
	segments []string // what stands between ".", "/", ":", "__" and the like, in its own case
	words    []string // of all segments, in lower case, distinct and sorted
}

// writtenName takes a name apart.
func writtenName(name string) written {
	w := written{lower: strings.ToLower(name)}
	marked := strings.ReplaceAll(name, "__", ".")
	w.segments = strings.FieldsFunc(marked, func(r rune) bool { return !asciiAlnum(r) && r != '_' && r != '-' && r != '$' })
	w.words = identifierWords(name)
	return w
}

// last is the segment that names the tool itself.
func (w written) last() string {
	if len(w.segments) == 0 {
		return ""
	}
	return w.segments[len(w.segments)-1]
}

// maxSegments is how many segments at the end of a name are looked at: a server's, a group's and a tool's names are a few.
const maxSegments = 6

// endings are the squeezed ends of the name, the longest first, from each segment on.
func (w written) endings() []string {
	var all []string
	for i := max(0, len(w.segments)-maxSegments); i < len(w.segments); i++ {
		if ending := squeeze(strings.Join(w.segments[i:], "")); ending != "" {
			all = append(all, ending)
		}
	}
	return all
}

// named returns the tools that have the written name, alone or behind their owner's. What the name has more in front
// ("functions.", "mcp__", an owner that is not there) doesn't count. Tools that are spelled exactly so come first.
func (s *suggestions) named(w written) []*Entry {
	for _, ending := range w.endings() {
		var found []*Entry
		for _, i := range s.bySpelling[ending] {
			found = append(found, s.texts[i].entry)
		}
		if len(found) > 0 {
			last := w.last()
			slices.SortStableFunc(found, func(a, b *Entry) int { return a.spelledAs(last) - b.spelledAs(last) })
			return found[:min(len(found), maxSuggestions)]
		}
	}
	return nil
}

// spelledAs is 0 if the tool's name is exactly that.
func (e *Entry) spelledAs(name string) int {
	if e.tool.Name == name {
		return 0
	}
	return 1
}

// owner returns the squeezed owner that a name names, which must be one that there is, or "".
func (s *suggestions) owner(w written) string {
	for _, segment := range w.segments[:max(0, len(w.segments)-1)] {
		if owner, ok := s.owners[squeeze(segment)]; ok {
			return owner
		}
	}
	// github_create_pull: the owner is the first words of the only segment.
	words := identifierWordList(w.last())
	for n := min(len(words)-1, maxSegments); n > 0; n-- {
		if owner, ok := s.owners[strings.Join(words[:n], "")]; ok {
			return owner
		}
	}
	return ""
}

// spellings are the names by which models call a tool, squeezed, each once.
func (e *Entry) spellings() []string {
	owner, name := e.tool.Owner, e.tool.Name
	all := []string{squeeze(name), squeeze(owner + name), squeeze(e.id), squeeze(name + owner)}
	if e.IsMCP() {
		server, tool := e.tool.MCP.ServerName, e.tool.MCP.ToolName
		all = append(all, squeeze(tool), squeeze(server+tool), squeeze(tool+server), squeeze(strings.TrimPrefix(e.callee, "MCP.")))
		if _, method, ok := strings.Cut(strings.TrimPrefix(e.callee, "MCP."), "."); ok {
			all = append(all, squeeze(method))
		}
	}
	all = distinctWords(all)
	if all[0] == "" {
		all = all[1:]
	}
	return all
}

// squeeze leaves out what names of the same tool differ in: separators and case.
func squeeze(name string) string {
	return strings.Map(func(r rune) rune {
		if !asciiAlnum(r) {
			return -1
		}
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

// identifierWords are the words of an identifier in lower case, distinct and sorted.
func identifierWords(s string) []string { return distinctWords(identifierWordList(s)) }

// identifierWordList are the words of an identifier in lower case and in order, by its separators and its capitals.
func identifierWordList(s string) []string {
	var b strings.Builder
	small := false
	for _, r := range s {
		if small && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		small = r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		b.WriteRune(r)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(r rune) bool { return !asciiAlnum(r) })
}

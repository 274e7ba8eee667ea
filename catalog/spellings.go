package catalog

import (
	"slices"
	"strings"
	"unicode"
)

// Bounds of what one query is looked up for: words that may be names, and tools of these names.
const (
	maxNamed      = 64
	maxNamedTools = 10_000
)

// spellings finds tools by name however it is written: createIssue, create_issue and create-issue are one, with the owner in
// front or not.
type spellings map[string][]int32

func newSpellings(entries []*Entry) spellings {
	n := make(spellings, 2*len(entries))
	for i, e := range entries {
		own := spelling(e.tool.Name)
		n[own] = append(n[own], int32(i))
		if full := spelling(e.tool.Owner) + own; full != own {
			n[full] = append(n[full], int32(i))
		}
	}
	return n
}

// spelling is what is left of a name without case and separators, or the name itself if that is nothing.
func spelling(name string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
	if letters == "" {
		return name
	}
	return letters
}

// namedTools are the tools that a query names in full, by id or name, and the place of each among them, from 1: at most
// limit, the first of each name before the second of any. A word of a sentence names a tool only if it could be nothing
// else: read in "read local file" does not.
func (x *index) namedTools(query string, limit int) map[int32]int {
	if tools := x.naming(query); len(tools) > 0 {
		return ranked([][]int32{tools}, limit)
	}
	var all [][]int32
	var seen []string
	var plain [][]int32
	sentence, scanned := false, 0
	for _, word := range strings.FieldsFunc(cutQuery(query), betweenNames) {
		if slices.Contains(seen, word) {
			continue
		}
		if seen = append(seen, word); len(seen) > maxNamed || scanned > maxNamedTools {
			break
		}
		tools := x.naming(word)
		scanned += len(tools)
		all = append(all, tools)
		if !identifier(word) {
			plain = append(plain, tools)
			all[len(all)-1] = nil
			sentence = sentence || len(tools) == 0 && stopWords().kinds[strings.ToLower(word)] == telling
		}
	}
	if !sentence && len(plain) > 1 {
		all = append(all, plain...)
	}
	return ranked(all, limit)
}

// ranked gives the first tool of each list in turn, then the second of each, until there are limit.
func ranked(lists [][]int32, limit int) map[int32]int {
	places := map[int32]int{}
	for n, more := 0, true; more; n++ {
		more = false
		for _, tools := range lists {
			if n >= len(tools) {
				continue
			}
			more = true
			if _, known := places[tools[n]]; !known {
				places[tools[n]] = len(places) + 1
			}
			if len(places) == limit {
				return places
			}
		}
	}
	return places
}

// naming are the tools that have word as id or name: exactly so before those that write it in another way.
func (x *index) naming(word string) []int32 {
	if len(word) > maxIDBytes {
		return nil
	}
	if e := x.catalog.byID[word]; e != nil && !e.IsMCP() {
		return []int32{e.at}
	}
	var exact, other []int32
	for _, i := range x.spelled(word) {
		if x.entries[i].tool.Name == word {
			exact = append(exact, i)
		} else {
			other = append(other, i)
		}
	}
	return append(exact, other...)
}

// spelled are the tools that are called word but for case and separators, perhaps with what models put in front of a
// name: desk.close_ticket, tools.close_ticket, mcp__desk__close_ticket, openclaw:desk:close_ticket.
func (x *index) spelled(word string) []int32 {
	if tools := x.named[spelling(word)]; len(tools) > 0 {
		return tools
	}
	if strings.ContainsFunc(word, betweenNames) {
		return nil // more than one
	}
	for _, cut := range []string{"__", ":", ".", "/"} {
		if _, rest, ok := strings.Cut(word, cut); ok {
			if tools := x.named[spelling(rest)]; len(tools) > 0 {
				return tools
			}
			if i := strings.LastIndex(word, cut); i >= 0 {
				if tools := x.named[spelling(word[i:])]; len(tools) > 0 {
					return tools
				}
			}
		}
	}
	return nil
}

// betweenNames holds for what stands between the names of a list.
func betweenNames(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(",;|&+()[]{}\"'`!?", r)
}

// identifier holds for words that no sentence has: they have a separator, a digit, or a capital after a small letter.
func identifier(word string) bool {
	before := ' '
	for _, r := range strings.Trim(word, ".-:/") {
		if strings.ContainsRune("_-.:/$", r) || unicode.IsNumber(r) || unicode.IsUpper(r) && unicode.IsLower(before) {
			return true
		}
		before = r
	}
	return false
}

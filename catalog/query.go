package catalog

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of a query. What lies beyond is not read: a cell may pass megabytes.
const (
	maxQueryBytes = 1024 // without white space in front
	maxQueryWords = 24   // distinct ones that tell something, after identifiers are taken apart
	maxQueryStops = 48   // the others
)

// queryWord is one word as it was typed, in lower case, and its term.
type queryWord struct {
	typed, term string
	kind        stopKind
}

// cutQuery is the part of a query that is read.
func cutQuery(query string) string {
	query = strings.TrimSpace(query)
	if len(query) <= maxQueryBytes {
		return query
	}
	query = query[:maxQueryBytes]
	for !utf8.ValidString(query) && len(query) > maxQueryBytes-utf8.UTFMax {
		query = query[:len(query)-1]
	}
	return query
}

// readQuery are the words of a query in order, without small talk. A word that tells something counts once.
func readQuery(query string) []queryWord {
	var typed []string
	pieces(query, func(piece string) { typed = append(typed, piece) })
	var out []queryWord
	told, stops := 0, 0
	for _, w := range withoutSmallTalk(typed) {
		word := queryWord{w, stem(w), stopWords().kinds[w]}
		if word.kind != telling {
			if stops++; stops <= maxQueryStops {
				out = append(out, word)
			}
			continue
		}
		if told < maxQueryWords && !slices.Contains(out, word) {
			out = append(out, word)
			told++
		}
	}
	return out
}

// tells holds if a word says something about a tool.
func tells(words []queryWord) bool {
	return slices.ContainsFunc(words, func(w queryWord) bool { return w.kind == telling })
}

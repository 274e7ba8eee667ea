package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode/utf8"
)

// scanner finds secrets in a text by what stands around them.
type scanner struct {
	redactor *Redactor
	text     string
	found    []span
	pair     secrecy // of the value that goes with the name that was last, up to pairEnd
	pairEnd  int
	seen     int // what comes before is hidden, or was looked at
}

// isWord are the bytes of words: names, tokens, base64 (without its = at the end), paths, what has the escapes of URLs.
var isWord = func() (is [256]bool) {
	for c := range is {
		is[c] = isLetterOrDigit(byte(c))
	}
	for _, c := range "_-.~+/%" {
		is[c] = true
	}
	return is
}()

// valuesIn appends the parts of a text that are secrets.
func (r *Redactor) valuesIn(text string, found []span) []span {
	if r == nil {
		return found
	}
	for _, m := range r.values {
		found = m.find(text, found)
	}
	return found
}

// spans returns the parts of a text that are to be hidden, in no order. depth is how often it was decoded from another text.
func (r *Redactor) spans(text string, depth int) []span {
	s := scanner{redactor: r, text: text, found: r.valuesIn(text, nil)}
	for at := 0; at < len(text); {
		c := text[at]
		if !isWord[c] {
			if c == ':' && strings.HasPrefix(text[at:], "://") {
				s.userInfo(at + 3)
			}
			at++
			continue
		}
		end := at + 1
		for end < len(text) && isWord[text[end]] {
			end++
		}
		s.word(at, end, depth)
		at = max(end, s.seen)
	}
	return s.found
}

func (s *scanner) hide(from, to int) {
	if from < to {
		s.found = append(s.found, span{from, to})
		s.seen = max(s.seen, to)
	}
}

// word looks at a word, and at what it says of what comes after it.
func (s *scanner) word(from, to, depth int) {
	word, r := s.text[from:to], s.redactor
	switch {
	case isToken(word), r.isKnown(word):
		s.hide(from, to)
		return
	case word == "PRIVATE" && strings.HasPrefix(s.text[to:], " KEY") && strings.Contains(s.text[max(0, from-20):from], "-BEGIN "):
		s.privateKey(to)
		return
	case len(word) >= minEncoded && depth < maxDecoded && r.hidesEncoded(word, depth):
		s.hide(from, to+min(lengthOf(s.text[to:], "="), 2))
		return
	case len(word) <= maxScheme && isScheme(word):
		s.scheme(word, to)
	}
	if to < len(s.text) && s.assigns(to) {
		s.assigned(word, to)
	} else if s.listed(to) && r.secrecyOf(word) == private {
		s.quoted(to + 1)
	} else if strings.HasPrefix(word, "--") && to < len(s.text) && s.text[to] == ' ' && r.secrecyOf(word) != public {
		s.nextWord(to, func(value string) bool { return value[0] != '-' })
	}
}

// What stands between a name and its value: quotes, whatever number of backslashes is before them, and a : or =.
const (
	between = " \t'\"\\`"
	maxGap  = 12 // bytes
)

// assigns says whether what comes next is the : or = of an assignment.
func (s *scanner) assigns(at int) bool {
	for end := min(len(s.text), at+maxGap); at < end; at++ {
		switch c := s.text[at]; {
		case c == ':' || c == '=':
			return true
		case strings.IndexByte(between, c) < 0:
			return false
		}
	}
	return false
}

// listed says whether a word in quotes is followed by another text in quotes: set("X-Api-Key", "…").
func (s *scanner) listed(at int) bool {
	if at >= len(s.text) || strings.IndexByte("\"'`", s.text[at]) < 0 {
		return false
	}
	rest := strings.TrimLeft(s.text[at+1:min(len(s.text), at+maxGap)], " \t")
	return strings.HasPrefix(rest, ",") && strings.IndexByte("\"'`", firstOf(strings.TrimLeft(rest[1:], " \t"))) >= 0
}

func firstOf(text string) byte {
	if text == "" {
		return 0
	}
	return text[0]
}

// quoted hides the next text in quotes, unless it is the name of a member.
func (s *scanner) quoted(at int) {
	from := at + lengthBefore(s.text[at:], "\"'`") + 1
	if from > len(s.text) {
		return
	}
	to := from + lengthBefore(s.text[from:], s.text[from-1:from])
	for to > from && s.text[to-1] == '\\' { // an escaped quote's
		to--
	}
	if after := strings.TrimLeft(s.text[to:min(len(s.text), to+maxGap)], "\"'`\\ \t"); !strings.HasPrefix(after, ":") {
		s.hide(from, to)
	}
}

// maxPair is how far the value of a pair may be from its name, in bytes: {name: "Cookie", value: "…"}.
const maxPair = 64

// assigned hides the value that a name is given, if the name is that of a secret, or if another one just said so.
func (s *scanner) assigned(name string, at int) {
	of := s.redactor.secrecyOf(name)
	switch {
	case isNameKey(name):
		from := min(len(s.text), at+lengthOf(s.text[at:], between+":="))
		value := s.text[from : from+lengthBefore(s.text[from:min(len(s.text), from+maxName)], "\"'`\\,}")]
		if s.pair = s.redactor.secrecyOf(value); s.pair != public {
			s.pairEnd = from + len(value) + maxPair
		}
	case isValueKey(name) && at < s.pairEnd:
		of, s.pairEnd = strictest(of, s.pair), 0
	}
	if of == public {
		return
	}
	quote := byte(0)
	for ; at < len(s.text) && quote == 0; at++ {
		c := s.text[at]
		if c == '"' || c == '\'' || c == '`' {
			// The one before the : ends the name.
			if s.assigns(at + 1) {
				continue
			}
			quote = c
			continue
		}
		if strings.IndexByte(" \t\\:=>\n\r[{(", c) < 0 || strings.HasPrefix(s.text[at:], Mark) {
			break
		}
	}
	end := at
	switch {
	case quote != 0:
		if n := strings.IndexByte(s.text[at:], quote); n >= 0 {
			end = at + n
		} else {
			end = len(s.text)
		}
		for end > at && s.text[end-1] == '\\' { // an escaped quote's
			end--
		}
	case isHeader(name):
		end = at + lengthBefore(s.text[at:], "\r\n\"'`")
	default:
		end = at + lengthBefore(s.text[at:], " \t\r\n,;&\"'`<>)}]|")
		if isScheme(s.text[at:end]) {
			end += lengthOf(s.text[end:], " \t")
			end += lengthBefore(s.text[end:], " \t\r\n,;&\"'`<>)}]|")
		}
	}
	if value := s.text[at:end]; !isNoSecret(value) && (of == private || !isCount(value)) {
		s.hide(at, end)
	}
}

// isHeader says whether a name is one of those whose values go on to the end of the line.
func isHeader(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "authorization") || strings.HasSuffix(name, "cookie")
}

// isNoSecret are the values that say that there is none.
func isNoSecret(value string) bool {
	switch strings.ToLower(value) {
	case "", "null", "nil", "none", "true", "false", "undefined":
		return true
	}
	return strings.HasPrefix(value, Mark[:len(Mark)-1])
}

// isCount says whether a value counts tokens and is none.
func isCount(value string) bool {
	return len(value) < 10 && lengthOf(value, "0123456789") == len(value)
}

// maxScheme is the length of the longest scheme.
const maxScheme = len("negotiate")

// isScheme says whether credentials follow a word in a header.
func isScheme(word string) bool {
	for _, scheme := range []string{"bearer", "basic", "digest", "negotiate", "token", "apikey"} {
		if len(word) == len(scheme) && strings.EqualFold(word, scheme) {
			return true
		}
	}
	return false
}

// scheme hides the credentials after a scheme. In prose the words after it are ordinary ones.
func (s *scanner) scheme(word string, to int) {
	bearer := strings.EqualFold(word, "bearer")
	s.nextWord(to, func(next string) bool {
		switch strings.ToLower(next) {
		case "token", "tokens", "auth", "authentication", "authorization", "scheme", "is", "of", "and", "or", "in", "for":
			return false
		}
		return bearer || len(next) >= 24 || len(next) >= 8 && strings.ContainsAny(next, "0123456789")
	})
}

// nextWord hides the word after a place, if there is a space before it and it looks like a secret.
func (s *scanner) nextWord(at int, isSecret func(string) bool) {
	gap := lengthOf(s.text[at:], " \t")
	if gap == 0 || gap > maxGap {
		return
	}
	from := at + gap
	to := from + lengthBefore(s.text[from:], " \t\r\n,;\"'`\\<>)}]|")
	if from < to && isSecret(s.text[from:to]) {
		s.hide(from, to)
	}
}

// userInfo hides the password, or the token in its place, of the URL whose authority begins there.
func (s *scanner) userInfo(at int) {
	authority := s.text[at : at+lengthBefore(s.text[at:], "/?# \t\r\n\"'`<>\\")]
	end := strings.LastIndexByte(authority, '@')
	if end < 0 {
		return
	}
	from := at
	if colon := strings.IndexByte(authority[:end], ':'); colon >= 0 {
		from += colon + 1
	}
	s.hide(from, at+end)
}

// privateKey hides a PEM block from its first line on.
func (s *scanner) privateKey(at int) {
	dashes := strings.Index(s.text[at:min(len(s.text), at+20)], "-----")
	if dashes < 0 {
		return
	}
	from := at + dashes + len("-----")
	end := strings.Index(s.text[from:], "-----END")
	if end < 0 {
		end = len(s.text) - from
	}
	s.hide(from, from+end)
}

// Bounds of what is decoded to look into it: bytes of a word, and how often.
const (
	minEncoded = 16
	maxDecoded = 2
)

// hidesEncoded says whether a word is the base64 or hex of a text with a secret, or that text with the escapes of URLs.
func (r *Redactor) hidesEncoded(word string, depth int) bool {
	if strings.IndexByte(word, '%') >= 0 {
		text, err := url.PathUnescape(word)
		return err == nil && text != word && len(r.spans(text, depth+1)) > 0
	}
	if text, err := hex.DecodeString(word); err == nil && utf8.Valid(text) && len(r.spans(string(text), depth+1)) > 0 {
		return true
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if text, err := alphabet.DecodeString(word); err == nil {
			return utf8.Valid(text) && len(r.spans(string(text), depth+1)) > 0
		}
	}
	return false
}

// isKnown says whether a word is one of the secrets of which only a hash is there.
func (r *Redactor) isKnown(word string) bool {
	return r != nil && r.known != nil && len(word) >= minSecret && r.known(word)
}

// lengthBefore is how much of a text comes before any of the bytes.
func lengthBefore(text, bytes string) int {
	if n := strings.IndexAny(text, bytes); n >= 0 {
		return n
	}
	return len(text)
}

// lengthOf is how much of a text's beginning is of the bytes.
func lengthOf(text, bytes string) int { return len(text) - len(strings.TrimLeft(text, bytes)) }

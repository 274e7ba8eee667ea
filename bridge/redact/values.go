package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/codecell/codecell/bridge/internal/jsontext"
)

// Bounds of the secrets that are known themselves, in bytes. Shorter ones are in ordinary texts too and hide nothing; longer
// ones are looked for piece by piece.
const (
	minSecret = 6
	maxPiece  = 512
	minLine   = 20 // of a secret of several lines, which may be shown with other breaks
)

// maxPatterns bounds the forms that are looked for, in bytes.
const maxPatterns = 512 << 10

// valueMatcher finds secrets that are known themselves, in all forms. It returns false for more of them than can be looked for.
func valueMatcher(secrets []string) (*matcher, bool) {
	known := map[string]bool{}
	size := 0
	for _, secret := range secrets {
		for _, piece := range pieces(secret) {
			if known[piece] {
				continue
			}
			for _, form := range forms(piece) {
				if !known[form] {
					known[form] = true
					size += len(form)
				}
			}
			if size > maxPatterns {
				return nil, false
			}
		}
	}
	patterns := make([]string, 0, len(known))
	for p := range known {
		patterns = append(patterns, p)
	}
	return newMatcher(patterns), true
}

// pieces returns what of a secret is looked for.
func pieces(secret string) []string {
	secret = strings.TrimSpace(secret)
	if len(secret) < minSecret {
		return nil
	}
	var all []string
	for rest := secret; rest != ""; {
		n := min(len(rest), maxPiece)
		if len(rest)-n < minSecret {
			n = len(rest)
		}
		all = append(all, rest[:n])
		rest = rest[n:]
	}
	if strings.ContainsAny(secret, "\r\n") {
		for line := range strings.Lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= minLine {
				all = append(all, line[:min(len(line), maxPiece)])
			}
		}
	}
	return all
}

// forms returns how a secret may be written.
func forms(secret string) []string {
	all := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), reversed(secret),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	// As a string in JSON, in a string in JSON, and so on.
	plain, escaped := secret, secret
	for range maxNested {
		text := jsontext.AppendString(nil, plain)
		html, _ := json.Marshal(escaped) // a string
		plain, escaped = string(text[1:len(text)-1]), string(html[1:len(html)-1])
		all = append(all, plain, escaped)
	}
	for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			all = append(all, insideBase64(alphabet, before, secret))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func reversed(text string) string {
	letters := []rune(text)
	slices.Reverse(letters)
	return string(letters)
}

// insideBase64 returns which characters of a longer text's base64 the secret alone decides, if so many bytes come before it,
// by threes.
func insideBase64(alphabet *base64.Encoding, before int, secret string) string {
	text := alphabet.EncodeToString(append(make([]byte, before), secret...))
	return text[(8*before+5)/6 : 8*(before+len(secret))/6]
}

// Configured returns which values of a list of settings (headers, an environment) are secrets: by their names, or by how they
// look.
func Configured(settings map[string]string) []string {
	var secrets []string
	for name, value := range settings {
		if looksSecret(name, value) {
			secrets = append(secrets, value)
			if scheme, rest, ok := strings.Cut(value, " "); ok && isScheme(scheme) {
				secrets = append(secrets, rest)
			}
		}
	}
	return secrets
}

func looksSecret(name, value string) bool {
	var r *Redactor
	if r.secrecyOf(name) != public || strings.HasSuffix(strings.ToLower(name), "key") {
		return true
	}
	if value == "" || strings.ContainsAny(value, " /\\,;") {
		return strings.HasPrefix(strings.ToLower(value), "bearer ") || strings.HasPrefix(strings.ToLower(value), "basic ")
	}
	return isToken(value) || len(value) >= 16 && strings.ContainsAny(value, "0123456789") && strings.ContainsAny(strings.ToLower(value), "abcdefghijklmnopqrstuvwxyz")
}

// ConfiguredURL returns what is secret in a URL: the password, and values of its query.
func ConfiguredURL(text string) []string {
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	var secrets []string
	if password, ok := u.User.Password(); ok {
		secrets = append(secrets, password)
	}
	for name, values := range u.Query() {
		for _, value := range values {
			secrets = append(secrets, Configured(map[string]string{name: value})...)
		}
	}
	return secrets
}

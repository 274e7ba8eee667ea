package redact

import (
	"strings"
	"testing"

	"github.com/codecell/codecell/bench/growth"
)

// What a cell can write so that much is to be looked at.
func TestGrowth(t *testing.T) {
	r := New(Options{Values: []string{known}, Known: func(word string) bool { return word == "x" }})
	for name, piece := range map[string]string{
		"prose": "a word of it ", "one word": "x", "escapes": "%41", "hex": "6162", "quotes": `"`, "mixed quotes": `"'` + "`", "backslashes": `\`,
		"names": `password=`, "names with quotes": `"password":"`, "names without values": `password: `, "lists": `"password","`, "lists in other quotes": `"password",'`,
		"lists of names": `"password","a":`, "pairs": `name:"token",value:"`, "pairs without values": `name:`, "schemes": "Bearer ", "URLs": "https://", "passwords in URLs": "https://a:@",
		"keys": "-----BEGIN PRIVATE KEY-----", "flags": "--token ", "beginnings of tokens": "sk-", "beginnings of a secret": known[:len(known)-1], "secrets": known,
		"brackets": `{"a":[`, "closed ones": `{"a":[]},`, "texts of JSON": `{"a":"{\"a\":1}"},`, "JWTs": "eyJ.",
	} {
		t.Run("H6 linear in "+name, func(t *testing.T) {
			growth.Linear(t, 32<<10, func(n int) func() {
				text := strings.Repeat(piece, n/len(piece))
				quoted, list := []byte(quote(text)), []byte("["+strings.TrimSuffix(text, ",")+"]")
				return func() {
					r.Text(text, 2*n)
					r.JSON(quoted, 2*n)
					r.JSON(list, 2*n)
				}
			})
		})
	}
}

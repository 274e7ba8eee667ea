package script

import (
	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/js"
)

// maxScopeWork bounds names × nesting of a text that is parsed. Each scope hands its free names on to the one around
// it, so a text of many names under many braces costs the product: a million takes about 0.2 s.
const maxScopeWork = 1_000_000

// parseBody parses text as the body of a sloppy async function. It returns nil if the text is no such body, or if
// parsing it would cost too much; which of the two does not matter to those who ask, they then go by the tokens.
func parseBody(text string) (ast *js.AST) {
	if e := measure(text); e.names*e.scopes > maxScopeWork {
		return nil
	}
	// The parser promises no panic, but its input is hostile and it runs in the gateway's process: one that gets out is
	// treated as "can't parse".
	defer func() {
		if recover() != nil {
			ast = nil
		}
	}()
	ast, err := js.Parse(parse.NewInputString(text), js.Options{Inline: true})
	if err != nil {
		return nil
	}
	return ast
}

// isFree says whether a variable is declared nowhere in the cell and has the given name.
func isFree(v *js.Var, name string) bool {
	for v.Link != nil {
		v = v.Link
	}
	return v.Decl == js.NoDecl && string(v.Data) == name
}

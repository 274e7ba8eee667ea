package script

// kind is what sort of token the scanner saw.
type kind uint8

const (
	kindEnd      kind = iota
	kindWord          // identifier or keyword, escapes and all
	kindPrivate       // #name
	kindNumber        // any numeric literal
	kindString        // '…' or "…"
	kindTemplate      // one piece of a template: `…`, `…${, }…${ or }…`
	kindRegexp        // /…/flags
	kindPunct         // operator or bracket
)

// token is one lexical element of a cell, as offsets into its text.
type token struct {
	kind       kind
	start, end int
	// newline says that a line ended between this token and the one before.
	newline bool
	// afterOperand says that the token before could end an expression: "-" is then binary, "(" a call, "/" a division.
	afterOperand bool
	// property says that the token is a name behind "." or "?.".
	property bool
}

// bracket is an open bracket or template substitution.
type bracket struct {
	open byte // ( [ { or $ for a template's ${
	// control marks the parentheses of if, for, while and with: what follows them starts a statement, so "/" there
	// begins a regular expression.
	control bool
	// block marks braces that hold statements or members, not an object literal.
	block bool
}

// operatorWords are the keywords after which an expression (or a statement) starts, so that "/" begins a regular
// expression and "(" is not a call.
var operatorWords = map[string]bool{
	"await": true, "case": true, "default": true, "delete": true, "do": true, "else": true,
	"extends": true, "in": true, "instanceof": true, "new": true, "of": true, "return": true,
	"throw": true, "typeof": true, "void": true, "yield": true,
}

// controlWords are the keywords whose parentheses are a statement's head.
var controlWords = map[string]bool{"if": true, "for": true, "while": true, "with": true}

// punctuators lists the operators longer than one byte by their first byte, longest first, as a greedy scan needs them.
var punctuators = byFirst(
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=",
	"*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
)

func byFirst(operators ...string) (table [128][]string) {
	for _, op := range operators {
		table[op[0]] = append(table[op[0]], op)
	}
	return table
}

package script

import "strings"

// maxShown bounds the text of an expression that an error or a hint names, in bytes. Longer arguments are left out.
const maxShown = 120

// expressionStart returns where the operand begins that ends with the i-th token: a name, a literal or a bracket with
// all the properties, indexes and calls before it. ok is false for what is no such operand.
func (o *outline) expressionStart(i int) (start int, ok bool) {
	for i >= 0 {
		t := o.token(i)
		switch {
		case t.kind == kindTemplate, o.text(i) == ")", o.text(i) == "]", o.text(i) == "}":
			_, closes := o.brackets(t)
			if closes {
				if i = o.open(i); i < 0 {
					return 0, false
				}
			}
			// A call, an index or a tag goes on with what is before it; a group, list or text begins here.
			if o.token(i).afterOperand && o.text(i) != "{" {
				i--
				if o.text(i) == "?." {
					i--
				}
				continue
			}
		case t.kind == kindPunct, t.kind == kindEnd:
			return 0, false
		case t.kind == kindWord && !t.property && operatorWords[o.text(i)]:
			return 0, false
		}
		if lead := o.text(i - 1); lead != "." && lead != "?." {
			return i, true
		}
		i -= 2
	}
	return 0, false
}

// show returns the text of the tokens from one to another, on one line. Long arguments are left out; ok is false if what
// is left is too long, or reaches over too much.
func (o *outline) show(from, to int) (text string, ok bool) {
	for _, limit := range []int{maxShown, 24, 0} {
		if text = o.showWithin(from, to, limit); len(text) <= maxShown {
			return text, text != ""
		}
	}
	return "", false
}

// showWithin leaves out what is in brackets and has more bytes than limit.
func (o *outline) showWithin(from, to, limit int) string {
	var b strings.Builder
	for i := from; i <= to && i < len(o.tokens); i++ {
		t := o.token(i)
		if i > from && t.start > o.token(i-1).end && !strings.HasSuffix(b.String(), "…") && !o.chains(i) {
			b.WriteByte(' ')
		}
		if b.Len() > 2*maxShown {
			break
		}
		b.WriteString(o.text(i))
		end := o.closer(i)
		if end < 0 || t.kind != kindPunct || end > to {
			continue
		}
		if inner := o.token(end).start - t.end; inner > limit && inner > 1 {
			b.WriteString("…")
			b.WriteString(o.text(end))
			i = end
		}
	}
	return b.String()
}

// chains says whether the i-th token goes on with a chain, before which a line may end.
func (o *outline) chains(i int) bool {
	text := o.text(i)
	return o.token(i).newline && (text == "." || text == "?.")
}

// path returns the names that the tokens are: a name and properties of it. ok is false for anything else.
func (o *outline) path(from, to int) (names []string, ok bool) {
	for i := from; i <= to; i++ {
		switch text := o.text(i); {
		case o.token(i).kind == kindWord:
			names = append(names, decodeEscapes(text))
		case text == "." || text == "?.":
		case text == "[" && i+2 <= to && o.token(i+1).kind == kindString && o.text(i+2) == "]":
			names = append(names, strings.Trim(o.text(i+1), `"'`))
			i += 2
		default:
			return nil, false
		}
	}
	return names, len(names) > 0
}

// Clip shortens a name of the cell's own making to what a message may show of it.
func Clip(name string) string {
	if len(name) <= maxShown {
		return name
	}
	return strings.ToValidUTF8(name[:maxShown], "") + "…"
}

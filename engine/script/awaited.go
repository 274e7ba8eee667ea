package script

import "strings"

// maxLine bounds the lines of the model's text that are written out, in bytes.
const maxLine = 200

// Awaited returns the line of the model's text in which a call stands, with await put in before it: in parentheses where
// something is read of the result, and with async before the function around it if that is not async. Of what does not
// stand on one line, or a long one, it is only the call. Caller is what calls that function: the name of the method it is
// given to, or "" if the cell itself is around the call or an async function is.
func (r *Reading) Awaited(c Call) (line, caller string, ok bool) {
	o, from := r.outline, c.from
	if r.source.transformed() {
		if o, from = r.inModelsText(c); o == nil {
			return "", "", false
		}
	}
	open := from + c.open - c.from
	to := o.closer(open)
	if to < 0 {
		return "", "", false
	}
	before, after := "await ", ""
	if o.readsOn(to + 1) {
		before, after = "(await ", ")"
	}
	text, ok := o.show(from, to)
	line = before + text + after
	edits := []edit{{o.token(from).start, before}}
	if after != "" {
		edits = append(edits, edit{o.token(to).end, after})
	}
	if f := o.functions[o.inside(from)]; !f.async {
		begin := o.functionBegin(f)
		caller = "function"
		if m := o.text(begin - 2); o.text(begin-1) == "(" && o.text(begin-3) == "." {
			caller = m
		}
		edits = append([]edit{{o.token(begin).start, "async "}}, edits...)
	}
	if whole := written(o.src, edits); whole != "" {
		line = whole
	}
	return line, caller, ok
}

// readsOn says whether the token behind an operand goes on with it.
func (o *outline) readsOn(i int) bool {
	if i >= len(o.tokens) {
		return false
	}
	switch text := o.text(i); text {
	case ".", "?.", "**":
		return true
	case "[", "(":
		return !o.token(i).newline
	}
	return o.token(i).kind == kindTemplate && o.text(i)[0] == '`'
}

// edit puts a text in at a byte offset.
type edit struct {
	at   int
	text string
}

// written returns the line on which all edits are, with them, in the order of their places. It is empty if there is no
// such line, or it is too long.
func written(src string, edits []edit) string {
	from := strings.LastIndexByte(src[:edits[0].at], '\n') + 1
	to := len(src)
	if n := strings.IndexByte(src[from:], '\n'); n >= 0 {
		to = from + n
	}
	var b strings.Builder
	for _, e := range edits {
		if e.at < from || e.at > to {
			return ""
		}
		b.WriteString(src[from:e.at])
		b.WriteString(e.text)
		from = e.at
	}
	b.WriteString(src[from:to])
	if line := strings.TrimSpace(b.String()); len(line) <= maxLine {
		return line
	}
	return ""
}

// inModelsText finds a call of Body in the text that the model wrote, which says the same with types.
func (r *Reading) inModelsText(c Call) (*outline, int) {
	code := r.source.code
	if len(code) > maxRead {
		return nil, 0
	}
	o := newOutline(code)
	at := o.tokenAt(byteOffset(code, r.placed(c.from)))
	for i := range c.open - c.from + 1 {
		if o.text(at+i) != r.text(c.from+i) {
			return nil, 0
		}
	}
	return o, at
}

// byteOffset is the offset of a place, whose columns count characters.
func byteOffset(text string, f Found) int {
	line := lineOf(text, f.Line)
	column := f.Column
	for at := range line {
		if column--; column == 0 {
			return offsetOf(text, f.Line, 1) + at
		}
	}
	return len(text)
}

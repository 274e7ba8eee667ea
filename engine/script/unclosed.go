package script

// Unclosed returns the bracket that a text opens last and never closes, and where it stands: line and column, 1-based, the
// column in characters. open is empty if there is none.
func Unclosed(code string) (open string, line, column int) {
	type opened struct {
		mark string
		at   int
	}
	var stack []opened
	s := newScanner(code)
	for {
		t := s.next()
		if t.kind == kindEnd {
			break
		}
		text := s.text(t)
		switch {
		case t.kind == kindTemplate:
			// A piece closes the substitution before it, and may open one.
			if text[0] == '}' && len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
			if len(text) > 1 && text[len(text)-1] == '{' {
				stack = append(stack, opened{"${", t.end - 2})
			}
		case t.kind != kindPunct:
		case text == "(" || text == "[" || text == "{":
			stack = append(stack, opened{text, t.start})
		case (text == ")" || text == "]" || text == "}") && len(stack) > 0:
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) == 0 {
		return "", 0, 0
	}
	last := stack[len(stack)-1]
	line, column = position(code, last.at)
	return last.mark, line, column
}

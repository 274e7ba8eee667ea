package bridge

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/codecell/codecell/engine/script"
)

// What a syntax error's line may show.
var (
	exporting   = regexp.MustCompile(`^\s*export\b`)
	plainBody   = regexp.MustCompile(`(async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>[^;]*?\bawait\b|(async\s+)?function\b[^{]*\{[^}]*?\bawait\b`)
	typographic = regexp.MustCompile("[\u2018\u2019\u201C\u201D]")
)

// hintSyntax says what to write in place of what a syntax error is about.
func (r *run) hintSyntax(message string, line int) {
	cure, took := r.turn.syntaxCure(r.cell.code, r.cell.language, message, line)
	r.usage.Service += took
	if cure != "" {
		r.hint(cure)
	}
}

// syntaxCure says what to write where a text has a syntax error on that line, 0 if it is not known; empty if no cure is
// known. It goes by the text rather than by the message: every parser words its errors otherwise. It also returns how much
// processor time parsers took for it.
func (t *Turn) syntaxCure(code string, language script.Language, message string, line int) (cure string, took time.Duration) {
	text := ""
	if lines := strings.Split(code, "\n"); line > 0 && line <= len(lines) {
		text = lines[line-1]
	}
	switch {
	case strings.Contains(message, "export") || exporting.MatchString(text):
		return "A cell can't export: it is the body of a function. Leave export away, and pass the result on with return.", 0
	case typographic.MatchString(text) && strings.Contains(message, "unexpected character"):
		return fmt.Sprintf("Line %d has typographic quotation marks: write ' or \" around texts.", line), 0
	}
	if cure = script.Python(code, line); cure != "" {
		return cure, 0
	}
	if cure = unendedCure(code); cure != "" {
		return cure, 0
	}
	if awaitsInPlain(text) {
		return fmt.Sprintf("Line %d has an await inside of a function that is not async: write async in front of that function, such as list.map(async (x) => await …), and await Promise.all(…) of the list.", line), 0
	}
	if language == script.JavaScript && t.allowsLanguage(string(script.TypeScript)) && !script.IsJavaScript(code) && t.parses(code, &took) {
		return "This is TypeScript: call exec with language \"typescript\".", took
	}
	for _, c := range script.Missing(code, line) {
		if t.parses(c.Repaired(), &took) {
			return c.Cure(), took
		}
	}
	if open, line, column := script.Unclosed(code); open != "" {
		return fmt.Sprintf("The cell ends before %q of line %d, column %d, is closed.", open, line, column), took
	}
	return "", took
}

// unendedCure is about a text in quotes, a template or a comment that does not end.
func unendedCure(code string) string {
	switch what, line := script.Unended(code); what {
	case "":
		return ""
	case "/*":
		return fmt.Sprintf("The comment that /* opens on line %d does not end: write */ behind it.", line)
	case "`":
		return fmt.Sprintf("The template that a backquote opens on line %d does not end: write another behind it, and \\` for one inside of it.", line)
	default:
		return fmt.Sprintf("The text that %s opens on line %d does not end there: write \\%s for a quote inside of it, \\n for a line break, or use `backquotes` for a text of several lines.", what, line, what)
	}
}

// awaitsInPlain says whether a line awaits in the body of a function that is not async.
func awaitsInPlain(line string) bool {
	m := plainBody.FindStringSubmatch(line)
	return m != nil && m[1] == "" && m[2] == ""
}

// parses says whether a text is TypeScript, of which JavaScript is a part. That is tried only on texts that are cheap to
// parse. What it takes is added to took.
func (t *Turn) parses(code string, took *time.Duration) bool {
	if len(code) > script.MaxInProcess {
		return false
	}
	_, spent, err := t.service.options.Preparer.Prepare(context.Background(), script.Request{
		Tenant: t.tenant, Code: code, Language: script.TypeScript, Limit: time.Second,
		Options: script.Options{MaxBytes: script.MaxInProcess},
	})
	*took += spent
	return err == nil
}

package script

import (
	"strings"

	"github.com/tdewolff/parse/v2/js"
)

// suspicion is why a cell may be a shell command (contract B4). It rests on the cell's first words alone and costs next
// to nothing for one that is none.
type suspicion struct {
	// word is the command if the cell's text starts with it, else empty.
	word string
	// sure says that the first words are no JavaScript in any case.
	sure bool
}

// suspect looks at how a cell starts: at its first word, then at the form of its first line.
func suspect(code string) (suspicion, bool) {
	rest := strings.TrimLeft(code, " \t\r\n")
	if rest == "" {
		return suspicion{}, false
	}
	if s, odd := suspectStart(rest); odd {
		return s, true
	}
	return suspectLine(rest)
}

// suspectStart looks at how a cell starts. Most cells start with a word that is no command, and are done here.
func suspectStart(rest string) (suspicion, bool) {
	switch c := rest[0]; {
	case isLetter(c) || c == '_':
		return suspectWord(rest)
	case c == '#':
		return suspectComment(rest)
	case c == '.' || c == '/' || c == '~':
		return suspicion{sure: invalidFlags(rest)}, isPath(rest)
	case c == '[':
		// A test, [ -d x ]; no array begins with a blank and an option.
		return suspicion{}, strings.HasPrefix(rest, "[ -") || strings.HasPrefix(rest, "[[ -")
	case c == '>' || strings.HasPrefix(rest, "$ "):
		// A prompt that was copied along.
		_, odd := suspect(strings.TrimLeft(rest, "$> "))
		return suspicion{}, odd
	}
	return suspicion{}, false
}

// suspectWord judges a cell that starts with a letter.
func suspectWord(rest string) (suspicion, bool) {
	word := shellWord(rest)
	after := rest[len(word):]
	if commands[word] {
		return suspicion{word: word}, takesArguments(after)
	}
	switch word {
	case "if", "for", "while", "until", "case":
		return suspicion{}, isCompound(word, after)
	case "export":
		name := strings.TrimLeft(after, " ")
		return suspicion{}, name != after && isShellAssignment(name)
	}
	if isShellAssignment(rest) {
		return suspicion{}, suspectAssigned(rest)
	}
	return suspicion{}, false
}

// suspectAssigned looks past the assignments that a command, or a script, begins with: NODE_ENV=test npm test.
func suspectAssigned(rest string) bool {
	for isShellAssignment(rest) {
		end := assignmentLen(rest)
		line, more := rest[:end], rest[end:]
		next := strings.TrimLeft(more, " \t")
		if next == "" {
			return false
		}
		if next[0] == '\n' || next[0] == '\r' || next[0] == ';' {
			_, odd := suspect(next[1:])
			return odd && line != ""
		}
		if next != more && !isShellAssignment(next) {
			word := shellWord(next)
			return word != "" && !continuations[word] && takesArguments(next[len(word):])
		}
		rest = next
	}
	return false
}

// suspectComment judges a cell that starts with "#", which no JavaScript does: it is shell if its interpreter or what
// follows the comments is.
func suspectComment(rest string) (suspicion, bool) {
	for strings.HasPrefix(rest, "#") {
		line, more, _ := strings.Cut(rest, "\n")
		if strings.HasPrefix(line, "#!") {
			return suspicion{sure: true}, isShellInterpreter(line)
		}
		rest = strings.TrimLeft(more, " \t\r\n")
	}
	_, odd := suspect(rest)
	return suspicion{sure: true}, odd
}

// isShell decides on a suspicion. ast is the cell as JavaScript, nil if it is none: then the suspicion stands. If it
// is, the cell still is a command where its first word is a name that nothing declares, used as a shell would, and all
// the rest is expressions too, as in "ls -la" and "pwd".
func (s suspicion) isShell(ast *js.AST) bool {
	if ast == nil || s.sure {
		return true
	}
	if s.word == "" {
		return false
	}
	for _, stmt := range ast.List {
		switch stmt.(type) {
		case *js.ExprStmt, *js.EmptyStmt:
		default:
			return false
		}
	}
	stmt, ok := ast.List[0].(*js.ExprStmt)
	return ok && startsWithFree(stmt.Value, s.word)
}

// startsWithFree says whether the leftmost part of an expression is the free variable that a command's name begins with
// (docker, in docker-compose).
func startsWithFree(x js.IExpr, word string) bool {
	name, _, _ := strings.Cut(word, "-")
	for {
		switch e := x.(type) {
		case *js.BinaryExpr:
			x = e.X
		case *js.CommaExpr:
			x = e.List[0]
		case *js.DotExpr:
			x = e.X // ls .git
		case *js.Var:
			return isFree(e, name)
		default:
			return false
		}
	}
}

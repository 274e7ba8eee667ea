package script

import (
	"regexp"
	"strings"
)

// Forms of shell commands whose program nobody can know by name. Each is looked for on the cell's first line only.
var (
	// A path of Windows, bare, quoted behind the call operator, or below the current folder.
	windowsPath = regexp.MustCompile(`^(?:[A-Za-z]:\\[\w .\\()-]+|&\s*(?:["'][A-Za-z]:[\\/]|[A-Za-z]:\\|["']?\.{1,2}\\)|\.{1,2}\\[\w-])`)
	// PowerShell's environment variables, as nobody writes a label.
	powerShellVariable = regexp.MustCompile(`^\$env:[A-Za-z_]\w*`)
	// A PowerShell cmdlet, maybe assigned to a variable.
	cmdlet = regexp.MustCompile(`^(?:\$\w+\s*=\s*)?((?:Add|Clear|Compare|Convert|ConvertFrom|ConvertTo|Copy|Disable|Enable|Export|Find|ForEach|Format|Get|` +
		`Import|Install|Invoke|Join|Measure|Move|New|Out|Read|Remove|Rename|Restart|Resolve|Save|Select|Send|Set|Show|Sort|Split|` +
		`Start|Stop|Test|Uninstall|Update|Wait|Where|Write)-[A-Z][A-Za-z]+)(.*)$`)
	// A program's name, then words of which one is an option: custom-tool run --format=json.
	optionLine = regexp.MustCompile(`^([A-Za-z_][\w.+/-]*)((?:[ \t]+[\w./:@%~+=,-]+)*?[ \t]+--?[A-Za-z][\w-]*(?:=\S*)?)(?:[ \t]|$)`)
	// A pipe or a list of commands that begins with words.
	wordLine = regexp.MustCompile(`^([A-Za-z_][\w.+/-]*)(?:[ \t]+[\w./:@%~+=,"'*-]+)*[ \t]*(?:\||&&|\|\||;|>>?|2>&1)[ \t]*`)
	// A here-document: its mark is a line of its own further down.
	hereDocument = regexp.MustCompile(`^([A-Za-z_][\w.+/-]*)\b[^\n(]*<<-?[ \t]*["']?([A-Za-z_]\w*)["']?[ \t]*(?:[|>][^\n]*)?\n`)
)

// suspectLine judges a cell by the form of its first line. Nearly all cells begin with what no command does, and cost next
// to nothing here.
func suspectLine(rest string) (suspicion, bool) {
	word := shellWord(rest)
	if name, _, _ := strings.Cut(word, "-"); codeWords[name] {
		return suspicion{}, false
	}
	line, more, _ := strings.Cut(rest[:min(len(rest), maxCommandLine)], "\n")
	line = strings.TrimRight(line, "\r")
	switch {
	case strings.HasPrefix(rest, "&") || strings.Contains(line[:min(len(line), 4)], `\`):
		return suspicion{}, windowsPath.MatchString(line)
	case line[0] == '$' && powerShellVariable.MatchString(line):
		return suspicion{sure: true}, true
	case line[0] == '$' || hasHyphenedCapital(word):
		m := cmdlet.FindStringSubmatch(line)
		if m == nil || !takesArguments(m[2]) {
			return suspicion{}, false
		}
		return suspicion{word: word}, true
	case word == "":
		return suspicion{}, false
	case strings.Contains(line, "<<"):
		m := hereDocument.FindStringSubmatch(rest)
		return suspicion{word: word}, m != nil && hasLine(rest[len(m[0]):], m[2])
	case strings.ContainsAny(line, codeMarks) || strings.ContainsAny(more, codeMarks) || strings.Contains(line, " = "):
		return suspicion{}, false // code with a mistake in it rather than a command
	case strings.Contains(line, " -") && optionLine.MatchString(line):
		return suspicion{word: word}, true
	case strings.ContainsAny(line, "|&;>"):
		m := wordLine.FindString(line)
		return suspicion{word: word}, m != "" && commands[shellWord(line[len(m):])]
	}
	return suspicion{}, false
}

// codeMarks are what code has and simple commands don't.
const codeMarks = "(){}`"

// hasHyphenedCapital says whether a word goes on with a capital behind a hyphen, as cmdlets do.
func hasHyphenedCapital(word string) bool {
	i := strings.IndexByte(word, '-')
	return i >= 0 && i+1 < len(word) && word[i+1] >= 'A' && word[i+1] <= 'Z'
}

// maxCommandLine is how much of a cell is looked at for forms of commands, in bytes.
const maxCommandLine = 4096

// codeWords are those that statements of JavaScript and TypeScript begin with, and that no program is called.
var codeWords = wordSet(`
	abstract async await break case catch class const continue debugger declare default delete do else enum export
	finally for function if import in instanceof interface let namespace new null of return static super switch this
	throw try type typeof using var void while with yield
`)

// hasLine says whether one of a text's lines is just that word.
func hasLine(text, word string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == word {
			return true
		}
	}
	return false
}

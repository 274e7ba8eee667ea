package script

import (
	"regexp"
	"strings"

	"github.com/codecell/codecell/engine/typo"
)

// Forms of first lines that no program in JavaScript has, whatever the names in them are.
var (
	// A program of Windows: by its path, by a variable's value, behind the call operator, below the current folder.
	windowsProgram = regexp.MustCompile(`^(?:["']?(?:[A-Za-z]:\\|\\\\\w)|%\w+%|&\s*["']?(?:[A-Za-z]:[\\/]|\.{0,2}[\\/])|\.{1,2}\\[\w-]|@echo\b)`)
	// The same in quotes with an option behind it, of which JavaScript would make a division.
	quotedProgram = regexp.MustCompile(`^["'][A-Za-z]:\\[^"'\n]*\.(?i:exe|cmd|bat|com|ps1)["']\s+[-/]`)
	// What a shell shows before its input, when it was copied along.
	prompt = regexp.MustCompile(`^(?:(?:PS )?[A-Za-z]:\\[^>\n]*>|\[?[\w.-]+@[\w.-]+[: ][^\s\]#$]*\]?[#$] )`)
	// Variables that PowerShell itself has; nobody writes such labels and names.
	powerShellVariable = regexp.MustCompile(`^\$(?:env:[A-Za-z_]\w*|PS[A-Z]\w+\b)`)
	// A program that is to be found first: $(which node) --version.
	substitution = regexp.MustCompile(`^\$\([a-z][\w-]* [\w./-]+\)`)
	// A PowerShell cmdlet, maybe assigned to a variable.
	cmdlet = regexp.MustCompile(`^(?:\$\w+\s*=\s*)?((?:Add|Clear|Compare|Convert|ConvertFrom|ConvertTo|Copy|Disable|Enable|Export|Find|ForEach|Format|Get|` +
		`Import|Install|Invoke|Join|Measure|Move|New|Out|Read|Remove|Rename|Restart|Resolve|Save|Select|Send|Set|Show|Sort|Split|` +
		`Start|Stop|Test|Uninstall|Update|Wait|Where|Write)-[A-Z][A-Za-z]+)(.*)$`)
	// A here-document: its mark is a line of its own further down.
	hereDocument = regexp.MustCompile(`^([A-Za-z_][\w.+/-]*)\b[^\n(]*<<-?[ \t]*["']?([A-Za-z_]\w*)["']?[ \t]*(?:[|>][^\n]*)?\n`)
)

// maxCommandLine is how much of a cell is looked at for forms of commands, in bytes.
const maxCommandLine = 4096

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
	case strings.IndexByte(`"'\%@&.`, rest[0]) >= 0:
		return suspicion{sure: quotedProgram.MatchString(line)}, windowsProgram.MatchString(line)
	case rest[0] == '$':
		if name := powerShellVariable.FindString(line); name != "" {
			return suspicion{word: name, sure: strings.Contains(name, ":")}, true
		}
		return suspicion{}, substitution.MatchString(line) || isCmdlet(line)
	case word == "":
		return suspicion{}, rest[0] == '[' && prompt.MatchString(line)
	case strings.Contains(line, `:\`) || strings.Contains(line, "@"):
		if windowsProgram.MatchString(line) || prompt.MatchString(line) {
			return suspicion{}, true
		}
	case hasHyphenedCapital(word):
		return suspicion{word: word}, isCmdlet(line)
	case strings.Contains(line, "<<"):
		m := hereDocument.FindStringSubmatch(rest)
		return suspicion{word: word}, m != nil && hasLine(rest[len(m[0]):], m[2])
	}
	if strings.ContainsAny(more, codeMarks) {
		return suspicion{}, false // code with a mistake in it rather than a command
	}
	return suspicion{word: word}, isCommandLine(line, takesArguments(rest[len(word):]))
}

// codeMarks are what code has and simple commands don't.
const codeMarks = "(){}`"

func isCmdlet(line string) bool {
	m := cmdlet.FindStringSubmatch(line)
	return m != nil && takesArguments(m[2])
}

// hasHyphenedCapital says whether a word goes on with a capital behind a hyphen, as cmdlets do.
func hasHyphenedCapital(word string) bool {
	i := strings.IndexByte(word, '-')
	return i >= 0 && i+1 < len(word) && word[i+1] >= 'A' && word[i+1] <= 'Z'
}

// What a command line is made of.
var (
	quotedText = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`)
	// A redirection into a file or of the errors.
	redirection = regexp.MustCompile(`(?:\s[12]|&)?>>?\s*(?:&[12]|/dev/null|[\w./~-]+\.\w+)`)
	separator   = regexp.MustCompile(`\|\|?|&&?|;`)
	programName = regexp.MustCompile(`^[A-Za-z_][\w.+/-]*$`)
	argument    = regexp.MustCompile(`^(?:[\w./:@%~+=,*?#^$\\'-]*[\w*'][\w./:@%~+=,*?#^$\\'-]*|\.\.?|--?)$`)
	// Arguments that no operator and no name of JavaScript looks like: options, paths, files, tasks.
	commandArgument = regexp.MustCompile(`^(?:--?[A-Za-z][\w-]*(?:[=:].*)?|/[A-Za-z?]{1,3}(?::.*)?|[\w~.-]*(?:[/\\][\w@.*-]+)+[/\\]?|` +
		`[\w-]+:\S+|\w[\w-]*\.(?:txt|log|json|csv|md|html?|ya?ml|js|ts|py|sh|sql|xml|exe|zip|gz))$`)
)

// isCommandLine says whether a line reads as a shell would: programs with words behind them, of which one at least is what only
// a command has. bare says that nothing behind the first word tells of an expression.
func isCommandLine(line string, bare bool) bool {
	if !bare {
		return false
	}
	line = quotedText.ReplaceAllString(line, "''")
	plain := redirection.ReplaceAllString(line, "")
	if strings.ContainsAny(plain, codeMarks+`"<>`) {
		return false
	}
	marked := len(plain) < len(line)
	piped := strings.Contains(plain, "|") && !strings.Contains(plain, "||")
	for i, part := range separator.Split(plain, -1) {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue // a separator at the end
		}
		if !programName.MatchString(words[0]) || isNearCode(words[0]) {
			return false
		}
		for _, w := range words[1:] {
			if !argument.MatchString(w) {
				return false
			}
			marked = marked || commandArgument.MatchString(w)
		}
		known := commands[words[0]] || strings.Contains(words[0], "-")
		marked = marked || known && (len(words) > 1 || i > 0 && piped)
	}
	return marked
}

// codeWords are those that statements of JavaScript and TypeScript begin with, the globals that a cell has, and no program.
var codeWords = wordSet(`
	abstract arguments async await break case catch class console const continue crypto debugger declare default delete do else
	enum export finally for function globalThis if import in instanceof interface json let namespace namespaces new null of
	performance return static super switch text this throw tools try type typeof undefined using var void while with yield
`)

// keywords are words that are easily mistyped: "retrun a/b" is no command.
var keywords = []string{"async", "await", "const", "delete", "function", "import", "return", "throw", "typeof", "yield"}

func isNearCode(word string) bool {
	return codeWords[word] || !commands[word] && typo.Nearest(word, keywords) != ""
}

// hasLine says whether one of a text's lines is just that word.
func hasLine(text, word string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == word {
			return true
		}
	}
	return false
}

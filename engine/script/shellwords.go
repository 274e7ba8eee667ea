package script

import "strings"

// commands are the programs and shell builtins that models reach for. Words that JavaScript or TypeScript can begin
// with are left out (export, import, let, type, declare, eval, true, return).
var commands = wordSet(`
	alias ansible apk apt apt-get awk aws az base64 basename bash bat brew bun bunx bzip2 cal cargo cat cd
	chgrp chmod chown clang clear cls cmake cmd cmp column comm command composer conda copy cp crontab csh curl cut
	date dd del deno df diff dig dir dirname dmesg dnf docker docker-compose du echo egrep env ethtool exec
	expr fd fdisk fgrep file find fish fold free fsck g++ gawk gcc gcloud gem getent gh git go gpg gradle grep
	groups gunzip gzip head helm hexdump host hostname htop iconv id ifconfig ip ipconfig iptables java javac
	journalctl jq kill killall kubectl last ldd less ln locate ls lsblk lscpu lsof make man md5sum
	md mkdir mkfifo mktemp more mount move mv mvn mysql nano nc netstat nginx nice node nohup npm npx nslookup
	nvm od openssl paste patch perl pgrep php ping pip pip3 pipx pkill pnpm poetry popd powershell printenv printf
	ps psql pushd pwd pwsh pytest python python2 python3 rake readlink realpath redis-cli ren rename reset rg rm
	rmdir robocopy rsync ruby rustc rustup scp sed seq service set sftp sh sha1sum sha256sum shasum shopt shred
	shutdown sleep sort source split sqlite3 ss ssh ssh-keygen stat strace strings stty su sudo sync
	sysctl systemctl tac tail tar taskkill tasklist tee telnet terraform test time timeout tmux top touch tr traceroute
	tree tsc ulimit umask umount unalias uname uniq unlink unset unzip uptime useradd uuidgen uv vi vim
	wc wget where whereis which wmic whoami winget xargs xcopy xxd xz yarn yes yum zcat zip zsh
`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// shellWord returns the word that a text starts with, as a shell would read it.
func shellWord(text string) string {
	n := 0
	for n < len(text) && isWordByte(text[n]) {
		n++
	}
	return text[:n]
}

func isWordByte(c byte) bool {
	return isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '.' || c == '+' || c == '/'
}

// takesArguments says whether what follows a first word can be a command's arguments, and is not what JavaScript writes
// behind a name: a call, a member, an assignment, a comparison for equality, a label.
func takesArguments(after string) bool {
	if after == "" {
		return true
	}
	if !strings.ContainsRune(" \t\r\n;|&<>", rune(after[0])) {
		return false
	}
	if next := strings.TrimLeft(after, " \t\r\n"); strings.HasPrefix(next, ".") && strings.Contains(after[:len(after)-len(next)], "\n") {
		return false // a chain of calls, one a line
	}
	args := strings.TrimLeft(after, " \t")
	for _, op := range notArguments {
		if strings.HasPrefix(args, op) {
			return false
		}
	}
	return true
}

// notArguments are operators of JavaScript that no command's arguments start with. Those that some do start with (- / <
// > | & .) are not here.
var notArguments = []string{
	"=", "(", ",", ":", ")", "?", "+ ", "* ", "% ", "++", "!=", "+=", "-=", "*=", "/=", "|=", "&=",
	"&&=", "||=", "in ", "of ", "instanceof ",
}

// isShellAssignment says whether a text starts with NAME=value, without blanks around the sign, as a shell demands and
// a formatter would never leave.
func isShellAssignment(text string) bool {
	n := 0
	for n < len(text) && (isLetter(text[n]) || text[n] == '_' || isDigit(text[n]) && n > 0) {
		n++
	}
	if n == 0 || n+1 >= len(text) || text[n] != '=' {
		return false
	}
	return !strings.ContainsRune("=> \t\r\n", rune(text[n+1]))
}

// assignmentLen returns the length of the assignment that a text starts with, quoted blanks included.
func assignmentLen(text string) int {
	quote := byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ';':
			return i
		}
	}
	return len(text)
}

// isPath says whether a text starts with the path of a program: ./a, ../a, ~/a or /a/b, ended as a shell ends a word.
func isPath(text string) bool {
	path := strings.TrimPrefix(text, "~")
	word := shellWord(path)
	slash := strings.IndexByte(word, '/')
	if slash < 0 || strings.Trim(word[:slash], ".") != "" || strings.HasPrefix(word, "//") || strings.HasSuffix(word, "/") {
		return false
	}
	return takesArguments(path[len(word):])
}

// invalidFlags says whether a text that begins like a regular expression, as /bin/ls does, has flags that none may
// have.
func invalidFlags(text string) bool {
	s := newScanner(strings.TrimPrefix(text, "~"))
	t := s.next()
	if t.kind != kindRegexp {
		return false
	}
	literal := s.text(t)
	return strings.Trim(literal[strings.LastIndexByte(literal, '/')+1:], "dgimsuvy") != ""
}

// isCompound says whether a keyword that both languages know is used as the shell's: without parentheses, and with the
// keyword that opens its body.
func isCompound(word, after string) bool {
	args := strings.TrimLeft(after, " \t")
	if args == after || strings.HasPrefix(args, "(") && !strings.HasPrefix(args, "((") {
		return false
	}
	body := map[string]string{"if": "then", "for": "do", "while": "do", "until": "do", "case": "in"}[word]
	for field := range strings.FieldsFuncSeq(args, func(r rune) bool { return r == ';' || isLineEnd(r) || r == ' ' || r == '\t' }) {
		if field == body {
			return true
		}
	}
	return false
}

// isShellInterpreter says whether a "#!" line names a shell.
func isShellInterpreter(line string) bool {
	for field := range strings.FieldsSeq(strings.TrimPrefix(line, "#!")) {
		switch field[strings.LastIndexByte(field, '/')+1:] {
		case "sh", "bash", "zsh", "dash", "ksh", "fish", "ash":
			return true
		}
	}
	return false
}

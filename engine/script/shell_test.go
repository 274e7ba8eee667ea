package script

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const expected = "must be JavaScript or TypeScript"

func TestShellCommandsAreRefused(t *testing.T) {
	for _, code := range []string{
		"ls -la", "ls", "ls;", "pwd", "  pwd  ", "pwd\n", "\n\nls -la\n", "git status", "git commit -m 'x'",
		"git log --oneline | head", "npm test", "npm run build -- --watch", "npx tsc", "yarn", "pnpm install",
		"cd /srv && ls", "cd ..", "cd -", "cd ~", "cd /srv\nls -la", "NODE_ENV=test npm test", "A=1 B='x y' node a.js",
		"CI=1 ./run.sh", "./gradlew build", "./run.sh", "../bin/tool --x", "~/bin/tool", "/bin/ls", "/bin/ls -la",
		"/usr/bin/env node x.js", "/etc/init.d/nginx restart", "ls > out.txt", "ls /tmp/x", "ls *.txt", "ls .git",
		"sh -c 'echo hi'", "bash -lc \"ls\"", "bash run.sh", "# where am I\npwd", "# one\n# two\n\nls -la",
		"#!/bin/sh\necho hi", "#!/usr/bin/env bash\nset -e\nls", "if [ -d x ]; then echo yes; fi",
		"if grep -q a b; then\n  echo yes\nfi", "for f in *.txt; do cat $f; done", "for f in a b\ndo\n echo $f\ndone",
		"while true; do sleep 1; done", "until ping -c1 host; do sleep 1; done", "case $x in\n a) ls;;\nesac",
		"cat README.md", "cat README.md | head -5", "cat <<EOF\nhello\nEOF", "cat << 'EOF' > a.txt\nx\nEOF",
		"export FOO=bar", "export PATH=$PATH:/x", "sudo apt-get install x", "apt-get update", "apt-get",
		"docker-compose up -d", "docker ps", "docker run --rm -it alpine sh", "curl https://example.com",
		"curl -s https://example.com | jq .", "wget -q x", "python3 x.py", "python3 -c 'print(1)'", "node index.js",
		"echo \"hi\"", "echo hi", "echo $HOME", "mkdir -p a/b", "rm -rf build", "cp a b", "chmod +x run.sh",
		"find . -name '*.go'", "grep -rn foo src", "sed -i s/a/b/ x", "awk '{print $1}' x", "tail -f log",
		"go test ./...", "cargo build", "make", "make -j4", "test -f x && echo yes", "[ -f x ] && echo yes",
		"set -e", "set -euo pipefail\nls", "source env.sh", "which node", "whoami", "date", "kubectl get pods",
		"tar xzf a.tgz", "ssh host ls", "$ ls -la", "DIR=/tmp\nls $DIR", "X=1; ls \"$X\"", "ps aux | grep node",
		"pwd && ls", "pwd; ls", "ls | wc -l", "ls 2>/dev/null", "pwd\nls -la\ngit status",
		"custom-tool --format=json", "custom-tool run --format json x", "mytool -v", "my.tool build --all\nmy.tool test --all",
		"acme deploy | grep ok", "mytool a && cd b", `C:\tools\run.cmd /q`, `C:\Users\x\a.exe`,
		`& "C:\Program Files\x.exe" /q`, `.\run.ps1`, `..\bin\run.bat -x`, "$env:X", "$env:PATH -split ';'", "Get-ChildItem",
		"Get-ChildItem -Recurse", "Get-ChildItem | Sort-Object Name", "Remove-Item x -Force", "$text = Get-Content a.txt",
		"mytool <<EOF\nhi {there}\nEOF", "psql2 -d x <<'SQL'\nselect 1;\nSQL\n",
		"foo-bar baz --qux=1 -v", "acme-cli deploy prod", `"C:\Program Files\x\y.exe" --flag`, `D:\a b\c.bat`, `\\host\share\x.exe /q`,
		"%PATH%", `%USERPROFILE%\x.exe -a`, "@echo off\ndir", "dir /s /b", "copy a.txt b.txt /y", "taskkill /im node.exe /f", "cmd /c dir",
		"tool.exe /c foo", "tool1 | tool2 --x", "tool1 && tool2 -x", "mycmd;othercmd -x", "mycmd > out.txt", "mycmd 2>&1", "mycmd a 2>/dev/null",
		`mytool --json '{"a": 1}'`, `mytool 'a b' --x "c d"`, "rails db:migrate", "uvx ruff check ./src", "terraform2 apply -auto-approve",
		"$(which node) --version", "$PSVersionTable", `PS C:\Users\x> Get-Process`, `C:\> dir`, "user@host:~$ ls -la", "root@host:/# apt update",
		"[me@host ~]$ mytool", "> ls -la", "> mytool --x", "deploy --env prod && notify --channel ops", "export A=1\nmycmd --x",
		"cat > f.js <<'EOF'\nconst x = 1;\nEOF\nnode f.js", "tee a <<-END\n\tx\n\tEND", "aws s3 ls", "az login", "Write-Host 'hi'",
		"```bash\nls -la\n```", "```sh\nmycommand --flag\n```", "```\ngit status\n```",
	} {
		for _, lang := range []Language{JavaScript, TypeScript} {
			t.Run("B4 "+string(lang)+" "+code, func(t *testing.T) {
				require.Contains(t, refusal(t, code, lang), expected)
			})
		}
	}
}

// A cell that JavaScript can make something of runs, or fails as JavaScript.
func TestOddJavaScriptIsNoCommand(t *testing.T) {
	for _, code := range []string{
		"true;", "return -1;", "const ls = 7, la = 2; return ls -la;", "ls -1; function ls() {}", "Infinity -1; return 42;",
		"// list the numbers\nreturn 7;", "// ls -la\nreturn 1", "/* ls */ return 1", "pwd; var {pwd} = {pwd: 7}; return pwd;",
		"const echo = s => s; return echo(\"hi\")", "echo('hi')", "find(x)", "find (x)", "test(1)", "node.x = 1", "node = 1",
		"node  = 1", "date => date", "sort, split", "cat: for (;;) break cat", "make?.()", "make`x`", "kill++", "head += 1",
		"id == 1", "id === 1 ? 2 : 3", "ls[0]", "top.x()", "git.status()", "await git.status()", "test instanceof Function",
		"name in {}", "var ls = 1; ls -1", "function pwd() { return 1 }\nreturn pwd()", "id\nreturn 5", "ls -la; return 1",
		"let id = 4; id", "for (const f of [1]) text(f)", "for await (const x of y) {}", "while (true) break",
		"if (x) { y }", "if(x)y", "switch (a) { case 1: }", "export const a = 1", "export default 1", "export {a}",
		"type A = string", "declare const x: number", "let x = 1", "/a/.test('a')", "/ls/g.exec('ls')", "/a/i",
		"/a b/ .test('x')", ".5 + 1", "...a", "~x", "~a / 2", "[1, 2].map(x => x)", "[ -1 ]", "[[ -1 ]]", "a=1", "a=1; return a",
		"a=1\nreturn a", "x=y instanceof Z", "#x", "# comment\nreturn 1", "# Title\n\nSome prose.", "#!/usr/bin/env node\nreturn 1",
		"$ = 1", "$(1)", "test(1", "node.x(", "date = new Date(", "", "```js\nreturn 1 + 1\n```",
		"```\nreturn 'plain'\n```", "'ls -la'", "`ls -la`", "return `ls`", "text('ls -la')", "ls\n.x", "case", "until = 1",
		"total -x; var total = 1", "const total = 3, x = 1\ntotal -x", "var total = 3, x = 1; total --x", "a --x\nfoo(", "total - x",
		"Get - ChildItem", "var Get = 1, ChildItem = 2; Get-ChildItem", "$env: for (;;) break $env", "$env = 1", "$.env", "C: while (false) {}",
		"x <<y\n1", "x << EOF\nvar x, EOF\nEOF", "x | y", "x && y", "a || sort", "value > 1; other", "i -- > 0", "new-item -x", "async -x",
		"retrun a/b", "cosnt a -b", "awiat tools.x -y", "foo bar", "list all of it", "text -x", "tools -x", "a -b\nf(1)", "x --y => z", "items[0] -x",
		"a.b -c(d)", "a / b / c", "'C: drive'", `"C:\\x" + 1`, "@decorated class A {}", "a@b", "$PSx = 1", "var $PSHome = 1; $PSHome", "> 1",
		"const x = 1\nls -la", "exec('ls')", "return await tools.call('openclaw:core:exec', {command: 'ls'})",
	} {
		t.Run("B4 "+code, func(t *testing.T) {
			require.NotContains(t, refusal(t, code, JavaScript), expected)
		})
	}
}

func TestOddTypeScriptIsNoCommand(t *testing.T) {
	for _, code := range []string{
		"const ls: number = 7, la = 2; return ls -la", "type A = string; return 1", "pwd; var {pwd} = {pwd: 7} as any; return pwd",
		"ls -1; function ls(): void {}", "interface A {}\nreturn 1", "declare const find: any; find(1)", "const x: = 3",
		"namespace N { export const a = 1 } return N.a", "abstract class A {}", "enum E {A} return E.A",
	} {
		t.Run("B4 "+code, func(t *testing.T) {
			require.NotContains(t, refusal(t, code, TypeScript), expected)
		})
	}
}

func TestShellErrorSaysHow(t *testing.T) {
	prepare := func(code string) string {
		_, err := Prepare(code, JavaScript, Options{ShellTool: "openclaw:core:exec"})
		require.Error(t, err)
		return err.Error()
	}
	t.Run("B4 names the shell tool", func(t *testing.T) {
		require.Contains(t, prepare("ls -la"), `return await tools.call("openclaw:core:exec", { command: "ls -la" })`)
	})
	t.Run("B4 quotes as JSON", func(t *testing.T) {
		require.Contains(t, prepare("cd x && echo \"hi\"\n"), `{ command: "cd x && echo \"hi\"" }`)
	})
	t.Run("B4 leaves the fence out", func(t *testing.T) {
		require.Contains(t, prepare("```bash\nls -la\n```"), `{ command: "ls -la" }`)
	})
	t.Run("B4 cuts what is long, at a character", func(t *testing.T) {
		text := prepare("echo " + strings.Repeat("é", 300))
		require.Contains(t, text, "éé…\"")
		require.Less(t, len(text), 500)
		require.True(t, strings.HasSuffix(text, "})"))
	})
	t.Run("B4 without a shell tool points at the search", func(t *testing.T) {
		text := refusal(t, "ls -la", JavaScript)
		require.Contains(t, text, "tools.search")
		require.NotContains(t, text, "openclaw")
	})
}

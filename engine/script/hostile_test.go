package script

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// hostile are shapes that cost some parser far more than their size: deep
// recursion, quadratic scopes, exponential backtracking, output that explodes.
// Each is filled up to size.
func hostile(size int) map[string]string {
	rep := strings.Repeat
	fill := func(unit string) string { return rep(unit, size/len(unit)) }
	many := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()[:size]
	}
	return map[string]string{
		"brackets": rep("[", size/2) + rep("]", size/2), "braces": fill("{"), "parens": fill("("), "templates": fill("`${"),
		"arrows": fill("a=>") + "1", "arrow lines": fill("a=>\n") + "1", "members": "a" + fill(".b"), "calls": "a" + fill("()"),
		"indices": "a" + fill("[0]"), "unary": fill("!") + "a", "minus": fill("- ") + "a", "conditionals": fill("a?") + "1",
		"assignments": fill("a=") + "1", "powers": fill("a**") + "1", "news": fill("new ") + "a", "awaits": fill("await ") + "a",
		"await lines": fill("await\n") + "a", "ifs": fill("if(a)") + ";", "if lines": fill("if(a)\n") + ";",
		"else ifs": fill("if(a);else ") + ";", "else if blocks": fill("if(a){}else ") + ";", "whiles": fill("while(a)") + ";",
		"labels": fill("a:") + ";", "sums": fill("a+") + "a", "commas": fill("a,") + "a", "comma lines": fill("a\n,") + "a",
		"comma after let": "let x\n++a," + fill("a,") + "a", "generics": "x=" + fill("f<") + "1", "types": "let x: " + fill("A<"),
		"type pairs": "type T = " + fill("A<0,"), "type lines": "type T = " + fill("keyof\n") + "A", "arrays of types": "type T = A" + fill("[]"),
		"casts": "x" + fill(" as any"), "names in scopes": rep("{", 900) + many("a%d,"), "shadows": fill("{let a,b,c,d,e,f,g;"),
		"shadows, in turn": fill(rep("{let a,b,c,d;", 60) + rep("}", 60)), "functions": fill("(function(){"),
		"arrows in turn": fill(rep("a=>", 60) + "1;"), "forks": fill("x=" + rep("a?(b):c=>(", 20) + "1" + rep("):1", 20) + ";"),
		"small forks": fill("x=" + rep("a?(b):c=>(", 4) + "1" + rep("):1", 4) + ";"), "using blocks": fill("{using a=b;"),
		"enum growth": "enum E {a0='x'," + many("a%[1]d=`${a%[1]d}${a%[1]d}`,"), "enum sums": "enum E {a0='x'," + many("a%[1]d=a%[1]d+a%[1]d,"),
		"enum copies": "enum E {a='" + rep("x", size/2) + "'}" + rep("E.a;", size/8-8), "const enum copies": "const enum E {a='" + rep("x", 4000) + "'}" + rep("E.a;", size/5),
		"redeclarations": fill("let a;"), "constants": "const a=1;" + fill("a=2;"), "cases": "switch(x){" + fill("case 1:") + "}",
		"decorated fields": "class A{" + fill("@a x;") + "}", "private names": "class A{" + fill("#a=1;") + "}", "methods named import": fill("{import("),
		"imports": fill("import("), "requires": "const = " + fill("require:"), "escapes": fill(`r\u0065quire:`), "slashes": fill("/"), "quotes": fill("'\n"),
		"stars": fill("/*"), "fences": fill("```\n"), "hashes": fill("#\n"), "shell assignments": fill("a=1 "), "shell lines": fill("a=1\n"), "prompts": fill("$ "),
		"paths": fill("./"), "heads": "ls " + fill("a,"), "namespaces": fill("namespace A{"), "namespace names": "namespace A" + fill(".a") + "{}",
		"returns": "namespace A{} await 1;" + fill("return;"), "spaces": fill(" ") + "1", "escaped brace": fill(`\u{`), "classes": fill("class extends "),
	}
}

// H1: no text keeps the gateway busy, and none ends its process. The texts are
// small enough for the race detector; the benchmark below has them full size.
func TestHostileTextsEnd(t *testing.T) {
	for name, code := range hostile(24 << 10) {
		for _, lang := range []Language{JavaScript, TypeScript} {
			t.Run("H1 "+string(lang)+" "+name, func(t *testing.T) {
				start := time.Now()
				s, err := Prepare(code, lang, Options{})
				require.Less(t, time.Since(start), transformTime+2*time.Second)
				if err == nil {
					require.Less(t, len(s.Body), 8<<20)
					s.Position(1, 1)
				}
			})
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, code := range hostile(DefaultMaxBytes - 64) {
		for _, lang := range []Language{JavaScript, TypeScript} {
			b.Run(string(lang)+"/"+name, func(b *testing.B) {
				for b.Loop() {
					// Refused or not is all the same here.
					_, _ = Prepare(code, lang, Options{})
				}
			})
		}
	}
}

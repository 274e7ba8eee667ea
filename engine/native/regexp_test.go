//go:build cgo

package native

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// regexpHead has what the tables' programs need: which of the texts match as a whole, what a match is, and why a pattern is
// none.
const regexpHead = `const which = (p, f, ...texts) => { const r = new RegExp("^(?:" + p + ")$", f); return texts.filter((t) => r.test(t)).join(" ") };
	const exec = (p, f, s) => { const m = new RegExp(p, f).exec(s); return m && [m.index, ...m] };
	const ok = (...patterns) => patterns.map(([p, f = "v"]) => { try { new RegExp(p, f); return true } catch (e) { return e.name } });
	const why = (p, f = "v") => { try { new RegExp(p, f); return "compiles" } catch (e) { return e.message } };
`

func checkRegexps(t *testing.T, cases map[string]struct{ expression, want string }) {
	t.Helper()
	e := newEngine(t, Options{})
	for rule, c := range cases {
		t.Run(rule, func(t *testing.T) {
			require.Equal(t, c.want, value(t, e, regexpHead+"return "+c.expression))
		})
	}
}

func TestRegexpSets(t *testing.T) {
	checkRegexps(t, map[string]struct{ expression, want string }{
		"B2 a character is a code point": {
			`[/^.$/v.test("😀"), "😀x".match(/./v)[0].length, /^[^x]$/v.test("😀"), /^[😀]$/v.test("😀"), /\u{1F600}/v.test("😀"), /^\ud83d/v.test("😀")]`,
			`[true,2,true,true,true,false]`,
		},
		"B2 properties":         {`which("\\p{Lu}|\\p{Script=Greek}|\\P{Any}", "v", "É", "é", "σ", "a")`, `"É σ"`},
		"B2 classes in classes": {`which("[[a-c][x-z]1]", "v", "b", "y", "1", "m")`, `"b y 1"`},
		"B2 what one class has and the other has not": {
			`[which("[[a-z]--[aeiou]]", "v", "a", "b", "z"), which("[\\w--\\d--_]", "v", "a", "1", "_"), which("[\\p{L}--\\p{Lu}]", "v", "a", "A")]`,
			`["b z","a","a"]`,
		},
		"B2 what both have": {`which("[\\p{L}&&\\p{ASCII}&&[^a]]", "v", "a", "b", "é")`, `"b"`},
		"B2 the rest":       {`which("[^[a-z]--[x]]", "v", "a", "x", "A", "😀")`, `"x A 😀"`},
		"B2 an empty class": {`[which("[]", "v", "a"), which("[^]", "v", "a", "😀"), which("[a--a]", "v", "a")]`, `["","a 😀",""]`},
		"B2 strings, the longest first": {
			`[exec("[\\q{a|ab|abc}x]", "v", "abcd"), exec("[\\q{ab|}]c", "v", "c"), exec("(?<=[\\q{ab|b}])c", "v", "abc"), exec("[\\q{😀a|b}]+", "v", "b😀ab")]`,
			`[[0,"abc"],[0,"c"],[2,"c"],[0,"b😀ab"]]`,
		},
		"B2 strings take part in operations": {
			`[which("[\\q{ab|c|de}--\\q{ab}]", "v", "ab", "c", "de"), which("[\\q{ab|c|de}&&[\\q{de|c}x]]", "v", "ab", "c", "de", "x"), which("[\\q{ab|c}--[a-z]]", "v", "ab", "c")]`,
			`["c de","c de","ab"]`,
		},
		"B2 case": {
			`[which("[[a-z]--[k]]", "vi", "a", "A", "K", "\u212a"), which("[^\\P{Lu}]", "vi", "a", "A", "1"), which("\\P{Lu}", "vi", "a", "A", "1"), which("[^x]", "vi", "x", "X", "y"), which("[\\q{aB}]", "vi", "Ab")]`,
			`["a A","a A","1","y","Ab"]`,
		},
		"B2 words without case": {
			`[which("\\w", "vi", "s", "ſ", "\u212a", "-"), which("[\\W]", "vi", "s", "ſ", "-"), which("[^\\W]", "vi", "s", "ſ", "-"), exec("ſ\\b", "vi", "ſ-")]`,
			"[\"s ſ \u212a\",\"-\",\"s ſ\",[0,\"ſ\"]]",
		},
		"B2 a dash and other punctuation": {
			`[/-/v.test("3-4"), /-[[a-z]--[c]]/v.test("x-d"), /-[[a-z]--[c]]/v.test("x-c"), which("[\\-\\&\\!\\~\\/]", "v", "-", "&", "!", "~", "/"), which("[\\cA\\x41\\u0042\\n\\0\\b]", "v", "\u0001", "A", "B", "\n", "\0", "\b") === "\u0001 A B \n \0 \b"]`,
			`[true,true,false,"- & ! ~ /",true]`,
		},
		"B2 what is reserved is refused": {
			`ok(["[(]"], ["[-a]"], ["[a-]"], ["[a|b]"], ["[&&]"], ["[a&&&b]"], ["[!!]"], ["[^^^]"], ["[_^^]"], ["[a--b&&c]"], ["[a-z--b]"], ["[ab--c]"], ["[z-a]"], ["[\\w-a]"], ["[\\a]"], ["[\\q]"], ["\\q{a}"], ["[\\u{110000}]"], ["\\-"], ["{"], ["]"], ["[[a]"], ["[\\p{Nope}]"], ["a", "uv"], ["a", "vv"]).every((r) => r === "SyntaxError")`,
			`true`,
		},
		"B2 the rest of strings is refused": {`ok(["[^\\q{ab}]"], ["[^[\\q{ab}]]"], ["[^\\q{}]"], ["[^\\q{a|b}]"], ["[^\\q{ab}&&a]"], ["[^a--\\q{ab}]"], ["[^\\q{ab}--\\q{ab}]"])`, `["SyntaxError","SyntaxError","SyntaxError",true,true,true,"SyntaxError"]`},
		"H4 the reason is told": {
			`[why("[(]"), why("[a&&b--c]"), why("[a!!]"), why("\\p{RGI_Emoji}"), why("[\\p{RGI_Emoji_Modifier_Sequence}]")]`,
			`["write \\( for ( in a class with the flag v","in a class, put [] around what && or -- combines","!! is reserved in a class with the flag v: use \\","\\p{RGI_Emoji}: unsupported, use \\p{ExtPict}","\\p{RGI_Emoji_Modifier_Sequence}: unsupported, use \\p{ExtPict}"]`,
		},
		"B2 source and flags are as they were written": {
			`[/[[a]--b]/gv.flags, /a/v.unicode, /a/v.unicodeSets, /[[a]--b]/v.source, String(/[a&&b]/dgimsvy), new RegExp(/[[a]]/v).flags, new RegExp(/a/v, "u").flags, JSON.stringify(/(?<a>x)/v.exec("x").groups)]`,
			`["gv",false,true,"[[a]--b]","/[a&&b]/dgimsvy","v","u","{\"a\":\"x\"}"]`,
		},
	})
}

func TestRegexpSetsMethods(t *testing.T) {
	checkRegexps(t, map[string]struct{ expression, want string }{
		"B2 empty matches are code points apart": {
			`["😀x".match(/(?:)/gv), [..."😀x".matchAll(/(?:)/gv)].map((m) => m.index), "😀x".replace(/(?:)/gv, "-"), "😀x😀".split(/(?:)/v), "😀".search(/$/v)]`,
			`[["","",""],[0,2,3],"-😀-x-",["😀","x","😀"],2]`,
		},
		"B2 lastIndex": {
			`(() => { const r = /./gv, s = /./yv; r.lastIndex = 1; s.exec("😀x"); const m = r.exec("😀x"); return [m.index, m[0], r.lastIndex, s.lastIndex] })()`,
			`[0,"😀",2,2]`,
		},
		"B2 in the middle of a character, u begins at the character": {`(() => { const r = /(?:)/gu; r.lastIndex = 1; return [r.exec("😀").index, r.lastIndex] })()`, `[0,0]`},
		"B2 replacements": {
			"[\"a1b22\".replace(/(?<d>\\d)(\\d)?/gv, \"[$<d>|$1|$2|$3|$&|$$|$`|$']\"), \"a1\".replace(/(?<d>\\d)/v, (...a) => JSON.stringify(a)), \"aXbX\".replaceAll(/x/giv, \"\"), \"abcdefghijkl\".replace(/(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)/v, \"$11-$10-$1\")]",
			`["a[1|1||$3|1|$|a|b22]b[2|2|2|$3|22|$|a1b|]","a[\"1\",\"1\",1,\"a1\",{\"d\":\"1\"}]","ab","k-j-al"]`,
		},
		"B2 splitting": {
			`["a-b_c".split(/([\-_])/v), "a,b,c".split(/,/v, 2), "".split(/a/v), "".split(/(?:)/v), "ab".split(/(?:)/v, 0), "a1b".split(/(\d)|(x)/v)]`,
			`[["a","-","b","_","c"],["a","b"],[""],[],[],["a","1",null,"b"]]`,
		},
		"B2 subclasses and iterators": {
			`(() => { class Q extends RegExp { get [Symbol.toStringTag]() { return "Q" } } const it = "aXa".matchAll(new Q("a", "gv"));
				return [Object.prototype.toString.call(it), it.next().value.index, it.map((m) => m.index).toArray(), it.next().done, "bab".split(new Q("a", "v"))] })()`,
			`["[object RegExp String Iterator]",0,[2],true,["b","b"]]`,
		},
		"B2 a cell's own exec is called": {
			`(() => { const r = /a/gv; let n = 0; r.exec = () => n++ < 2 ? Object.assign([""], {index: n}) : null; return ["xyz".replace(r, "-"), n] })()`, `["x-y-z",3]`,
		},
		"D10 they look like the engine's": {
			`["match", "matchAll", "replace", "split"].map((name) => { const d = Object.getOwnPropertyDescriptor(RegExp.prototype, Symbol[name]); return [d.value.name, d.value.length, d.writable, d.enumerable, d.configurable].join() })`,
			`["[Symbol.match],1,true,false,true","[Symbol.matchAll],1,true,false,true","[Symbol.replace],2,true,false,true","[Symbol.split],2,true,false,true"]`,
		},
		"D10 what is no regular expression is none": {
			`["match", "matchAll", "replace", "split"].map((name) => { try { RegExp.prototype[Symbol[name]].call(1, "") } catch (e) { return e.name } })`,
			`["TypeError","TypeError","TypeError","TypeError"]`,
		},
	})
}

func TestRegexpModifiers(t *testing.T) {
	checkRegexps(t, map[string]struct{ expression, want string }{
		"B2 i": {
			`[which("(?i:a)b", "", "ab", "Ab", "AB"), which("a(?-i:b)", "i", "ab", "Ab", "AB"), which("(?i:a|(?-i:b))c", "", "Ac", "Bc", "bc"), which("(?i:a{2,3}é+?)\\d", "", "AAÉ1", "aaé1")]`,
			`["ab Ab","ab Ab","Ac bc","AAÉ1 aaé1"]`,
		},
		"B2 i in classes and escapes": {
			`[which("(?i:[a-c])x", "", "Bx", "dx"), which("(?i:[^a-c])x", "", "Bx", "dx", "1x"), which("(?i:\\x41\\u0062)", "", "aB"), which("(?i:\\w\\p{Lu})", "u", "ſa"), which("(?i:[[a-z]--[c]])", "v", "C", "D"), which("(?i:s)", "u", "ſ", "S"), which("(?i:s)", "", "ſ", "S")]`,
			`["Bx","dx 1x","aB","ſa","D","ſ S","S"]`,
		},
		"B2 m and s": {
			`[exec("(?m:^b$)", "", "a\nb\nc"), exec("(?-m:^b$)", "m", "a\nb\nc"), exec("(?s:a.)", "", "a\n"), exec("(?-s:a.)", "s", "a\n"), exec("(?ms-i:^B.)", "i", "a\nB\n")]`,
			`[[2,"b"],null,[0,"a\n"],null,[2,"B\n"]]`,
		},
		"B2 flags are those of the whole":   {`[new RegExp("a(?-i:b)", "i").flags, new RegExp("(?i:a)").ignoreCase, /(?i:a)/.source]`, `["i",false,"(?i:a)"]`},
		"B2 what is no modifier is refused": {`ok(["(?ii:a)", ""], ["(?i-i:a)", ""], ["(?-:a)", ""], ["(?g:a)", ""], ["(?i:a", ""])`, `["SyntaxError","SyntaxError","SyntaxError","SyntaxError","SyntaxError"]`},
		"H4 a back reference without case":  {`[why("(?i:(a)\\1)", ""), why("(?i:(?<n>a)\\k<n>)", ""), ok(["(?i:a)(b)\\1", ""])]`, `["no back reference inside (?i:) here: use the flag i","no back reference inside (?i:) here: use the flag i",[true]]`},
	})
}

func TestRegexpNames(t *testing.T) {
	const dates = `/(?<y>\d{4})-(?<m>\d\d)|(?<m>\d\d)\/(?<y>\d{4})/`
	checkRegexps(t, map[string]struct{ expression, want string }{
		"B2 one name in several alternatives": {
			`["2024-05", "05/2024"].map((s) => { const m = s.match(` + dates + `); return [m.length, m.groups, Object.keys(m.groups)] })`,
			`[[5,{"y":"2024","m":"05"},["y","m"]],[5,{"y":"2024","m":"05"},["y","m"]]]`,
		},
		"B2 no match of any":   {`{...` + `/(?:(?<a>x)|(?<a>y))?z/` + `.exec("z").groups, n: 1}`, `{"n":1}`},
		"B2 indices":           {`/(?<a>x)|(?<a>y)/d.exec("y").indices.groups.a`, `[0,1]`},
		"B2 replacements":      {`"x-y".replace(/(?<a>x)|(?<a>y)/g, "[$<a>]")`, `"[x]-[y]"`},
		"B2 back references":   {`["yy", "xy", "xx"].map((s) => /^(?:(?<a>x)|(?<a>y))\k<a>$/.test(s))`, `[true,false,true]`},
		"B2 before the groups": {`exec("\\k<a>(?:(?<a>x)|(?<a>y))", "u", "y")`, `[0,"y",null,"y"]`},
		"B2 escapes in names":  {`new RegExp("(?<\\u0061>x)|(?<a>y)").exec("y").groups.a`, `"y"`},
		"B2 more alternatives than a byte counts": {
			`(() => { const alt = ["(?<k>first)", ...Array.from({length: 255}, (_, i) => "w" + i + "_"), "(?<k>last)"]; return [alt.length, new RegExp(alt.join("|")).exec("last").groups.k] })()`,
			`[257,"last"]`,
		},
		"B2 twice in one alternative is refused": {
			`ok(["(?<a>x)(?<a>y)", ""], ["(?:(?<a>x)|(?<a>y))(?<a>z)", ""], ["(?<a>(?<a>x))", ""], ["(?:(?<a>x)|b)(?:(?<a>y)|c)", ""], ["(?<a>x)|(?<b>(?<a>y))", ""], ["(?:(?<a>x)|b)|(?<a>y)", ""])`,
			`["SyntaxError","SyntaxError","SyntaxError","SyntaxError",true,true]`,
		},
	})
}

// TestRegexpLoops holds that a round of a loop forgets the groups of the round before.
func TestRegexpLoops(t *testing.T) {
	checkRegexps(t, map[string]struct{ expression, want string }{
		"B2 alternatives":                   {`[/(?:(a)|b)*/.exec("ab"), /(?:(a)|(b)|(c))+?$/.exec("abc"), /((a)|(b))*/.exec("ab")]`, `[["ab",null],["abc",null,null,"c"],["ab","b",null,"b"]]`},
		"B2 counted loops":                  {`[/(?:(x)|(y)){2}/.exec("xy"), /(?:(x)|(y)){1,3}/.exec("xyx"), /(?:(x)|(y)){0,2}?$/.exec("xy"), /(?:(a)?b){2,}/.exec("abb")]`, `[["xy",null,"y"],["xyx","x",null],["xy",null,"y"],["abb",null]]`},
		"B2 loops in loops":                 {`[/(z)((a+)?(b+)?(c))*/.exec("zaacbbbcac"), /(?:(?:(a)|b)+c)+/.exec("abcbc"), /(?:(a)|(?:(b)|c)*d)*/.exec("abdcd")]`, `[["zaacbbbcac","z","ac","a",null,"c"],["abcbc",null],["abdcd",null,null]]`},
		"B2 empty rounds":                   {`[/(a*)*/.exec("b"), /(?:(a)|(b*))*/.exec("ab"), /(?=(a+))a*b\1/.exec("baaabac")?.index]`, `[["",null],["ab",null,"b"],3]`},
		"B2 back references":                {`[/(?:(a)|b\1)+/.exec("aba"), /^(?:(\w)(?!\1))*/.exec("abb")[0]]`, `[["aba","a"],"a"]`},
		"B2 looking back":                   {`[/(?<=(?:(a)|b)*)c/.exec("abc"), /(?<=([ab]+)([bc]+))$/.exec("abc")]`, `[["c","a"],["","a","bc"]]`},
		"B2 after backtracking":             {`[/(?:(a)|b)*ab/.exec("abab"), /(?:(a)|(b))*?b$/.exec("aab")]`, `[["abab",null],["aab","a",null]]`},
		"B2 classes, ranges and long jumps": {`/(?:([\u{1F600}x])|[a-c\u{1F601}])+y/u.exec("xa😁y")`, `["xa😁y",null]`},
		"B2 with names and sets":            {`[{...new RegExp("(?:(?<n>a)|(?<n>b)|c)+").exec("abc").groups}, /(?:([[a-z]--b])|b)+/v.exec("ab"), /(?:(?i:(a))|b)+/.exec("Ab")]`, `[{},["ab",null],["Ab",null]]`},
	})
}

// TestRegexpSizes holds what a small pattern can ask of the translation.
func TestRegexpSizes(t *testing.T) {
	e := newEngine(t, Options{})
	for rule, source := range map[string]string{
		"H1 many wide classes":         `"[\\p{L}&&\\p{Any}]".repeat(2e5), "v"`,
		"H1 classes nested deeply":     `"[".repeat(1e6) + "]".repeat(1e6), "v"`,
		"H1 many references to a name": `"(?:" + "(?<a>x)|".repeat(200) + "y)" + "\\k<a>".repeat(2e5)`,
		"H1 an endless class":          `"[" + "a".repeat(3e6), "v"`,
	} {
		t.Run(rule, func(t *testing.T) {
			require.Contains(t, value(t, e, `try { new RegExp(`+source+`); return "compiled" } catch (e) { return e.name }`), "SyntaxError")
		})
	}
	t.Run("H1 whatever a pattern costs, the step ends in time", func(t *testing.T) {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		defer vm.Close()
		source := `for (;;) try { new RegExp("(?i:" + "[\\p{L}a-z]x".repeat(1e5) + ")", "u") } catch (e) {}`
		begin := limits(source)
		_, err = vm.Step(t.Context(), begin.Append(nil), 200*time.Millisecond)
		require.ErrorIs(t, err, engine.ErrTimeout)
	})
	t.Run("B2 strings are sorted, however many there are", func(t *testing.T) {
		require.Equal(t, `[20000,"xxx19999"]`, value(t, e,
			`const all = Array.from({length: 20000}, (_, i) => "xxx" + i), m = new RegExp("[\\q{" + all.join("|") + "}]", "v").exec("xxx19999"); return [all.length, m[0]]`))
	})
}

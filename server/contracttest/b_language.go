package contracttest

import "testing"

// language is what engines of this kind are known to do wrongly, or not at all, unless it is mended.
func language(t *testing.T, c *client) {
	const source = `let log = [];
		const source = (n) => ({[Symbol.asyncIterator]: () => ({i: 0, async next() { return {value: this.i, done: this.i++ >= n} },
			async return() { log.push("closing"); await null; log.push("closed"); return {} }})});
	`
	tn := c.prepare(t, spec{})
	tn.completeAll(t, []cell{
		{
			"B2 for await leaves an iterator that has ended alone", source + `for await (const x of source(2)) log.push(x); return log`,
			`[0,1]`,
		},
		{
			"B2 for await waits for an iterator that it closes", source + `for await (const x of source(2)) break;
			log.push("after"); try { for await (const x of source(2)) throw new Error("caught") } catch (e) { log.push(e.message) } return log`,
			`["closing","closed","after","closing","closed","caught"]`,
		},
		{
			"B2 a break waits for the end of an async generator", `const log = []; async function* numbers() { try { yield 1; yield 2 } finally { await null; log.push("finally") } }
			for await (const n of numbers()) break;
			log.push("after"); return log`, `["finally","after"]`,
		},
		{
			"B2 Array.fromAsync", source + `return [await Array.fromAsync(source(2)), await Array.fromAsync(source(2), () => { throw new Error("map") }).catch((e) => e.message), log]`,
			`[[0,1],"map",["closing","closed"]]`,
		},
		{
			"B2 iterator helpers end early", `const it = () => [1, 2, 3].values().map((x) => x * 2); for (const x of it()) break; const [first] = it(); return [first, it().take(2).toArray(), it().find((x) => x > 2), it().some((x) => x > 2)]`,
			`[2,[2,4],4,true]`,
		},
		{
			"B2 the flag v", `return [/^.$/v.test("😀"), "😀x".match(/./v)[0].length, /^[[a-z]--[aeiou]]+$/v.test("xyz"), /^[\q{ab|c}]$/v.test("ab"), "😀x".split(/(?:)/v), /a/v.flags]`,
			`[true,2,true,true,["😀","x"],"v"]`,
		},
		{
			"B2 one group name in several alternatives", `return ["2024-05", "05/2024"].map((s) => s.match(/(?<y>\d{4})-(?<m>\d\d)|(?<m>\d\d)\/(?<y>\d{4})/).groups.y)`,
			`["2024","2024"]`,
		},
		{"B2 modifiers", `return [/(?i:a)b/.test("Ab"), /(?i:a)b/.test("AB"), /a(?-i:b)/i.test("AB")]`, `[true,false,false]`},
		{"B2 push", `const a = []; a.length = 4294967295; try { a.push(1) } catch (e) { return e.name }`, `"RangeError"`},
	})
}

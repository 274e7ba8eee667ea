package bridge

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/script"
)

// awaitedCells are right: no await is missing in any of them, however promises are passed about, left, or looked at.
var awaitedCells = []string{
	`return await tools.fast({n: 1})`,
	`return tools.fast({n: 1})`,
	`return (await tools.fast({n: 1})).input.n`,
	`const r = await tools.fast({n: 1}); return r.input`,
	`const a = tools.fast({n: 1}), b = tools.slow({n: 2}); const x = await a; const y = await b; return [x.input, y.input]`,
	`const a = tools.slow({n: 1}), b = tools.fast({n: 2}); const x = await a; const y = await b; return [x.input, y.input]`,
	`const p = tools.fast({}); await tools.slow({}); return (await p).name`,
	`const p = tools.fast({}); await tools.slow({}); const {name} = await p; return name`,
	`return await Promise.all([1, 2].map(n => tools.fast({n})))`,
	`return await Promise.all([1, 2].map(async n => (await tools.fast({n})).input.n))`,
	`return Promise.all([1, 2].map(n => tools.fast({n})))`,
	`const list = await Promise.all([1, 2].map(n => tools.fast({n}))); return list.map(r => r.input.n)`,
	`const {0: a, length} = await Promise.all([tools.fast({})]); return [a.name, length]`,
	`const [a, b] = await Promise.all([tools.fast({n: 1}), tools.slow({n: 2})]); return [a.name, b.name]`,
	`const all = await Promise.allSettled([tools.fast({}), tools.boom({})]); return all.map(r => r.status)`,
	`return (await Promise.race([tools.fast({}), tools.slow({})])).name`,
	`return (await Promise.any([tools.boom({}), tools.fast({})])).name`,
	`const r = await Promise.race([tools.slow({}), new Promise(r => setTimeout(r, 1, 'late'))]); return r`,
	`const jobs = []; [1, 2].forEach(n => jobs.push(tools.slow({n}))); await Promise.race(jobs); return jobs.length`,
	`const jobs = []; [1, 2].forEach(n => { jobs.push(tools.fast({n})) }); return (await Promise.all(jobs)).length`,
	`const jobs = []; for (const n of [1, 2, 3]) jobs.push(tools.fast({n})); return (await Promise.all(jobs)).length`,
	`const jobs = []; for (const n of [1, 2, 3]) jobs.push(tools.fast({n})); const out = []; for (const j of jobs) out.push((await j).input.n); return out`,
	`const jobs = [tools.fast({}), tools.slow({})]; const out = []; for await (const r of jobs) out.push(r.name); return out`,
	`tools.log({m: 'x'}); return 1`,
	`tools.log({m: 'x'}); tools.log({m: 'y'}); const r = await tools.fast({}); return r.name`,
	`for (const m of ['a', 'b']) tools.log({m}); return 'logged'`,
	`['a', 'b'].forEach(m => tools.log({m})); return 'logged'`,
	`['a', 'b'].forEach(m => { tools.log({m}) }); return 'logged'`,
	`void tools.log({}); return 1`,
	`const verbose = true; verbose && tools.log({}); return 1`,
	`const verbose = true; if (verbose) tools.log({}); return 1`,
	`const verbose = true; verbose ? tools.log({}) : null; return 1`,
	`const ignored = tools.log({}); return 1`,
	`let last; last = tools.log({}); return 1`,
	`tools.log({}).catch(() => {}); return 1`,
	`tools.boom({}).catch(() => {}); return 1`,
	`tools.log({}).then(() => text('logged')); return 1`,
	`tools.log({}).finally(() => {}); return 1`,
	`async function log(m) { await tools.log({m}) }
log('a'); log('b');
return 1`,
	`const log = async m => { await tools.log({m}) };
log('a');
return 1`,
	`(async () => { await tools.log({}) })(); return 1`,
	`async function main() { const r = await tools.fast({}); text(r.name) }
main()`,
	`async function main() { const r = await tools.fast({}); console.log(r.name) }
main().catch(console.error)`,
	`(async () => { const r = await tools.fast({}); text(r.name) })()`,
	`async function main() { return (await tools.fast({})).name }
return await main()`,
	`async function main() { return (await tools.fast({})).name }
return main()`,
	`async function get(n) { return tools.fast({n}) }
const r = await get(1); return r.input`,
	`const get = async n => (await tools.fast({n})).input; const [a, b] = await Promise.all([get(1), get(2)]); return [a, b]`,
	`const get = n => tools.fast({n}); const r = await get(1); return r.input.n`,
	`const p = tools.fast({n: 1}); const use = async q => (await q).input.n; return await use(p)`,
	`const p = tools.fast({n: 1}); const use = q => q.then(r => r.input.n); return await use(p)`,
	`const settle = async x => x && typeof x.then === 'function' ? await x : x; return [await settle(1), (await settle(tools.fast({}))).name]`,
	`const isPromise = x => x instanceof Promise; const p = tools.fast({}); return isPromise(p) ? (await p).name : p`,
	`const p = tools.fast({}); return Promise.resolve(p)`,
	`const p = tools.fast({}); return new Promise(done => done(p))`,
	`return tools.fast({n: 2}).then(r => r.input.n)`,
	`return tools.fast({}).then(a => tools.slow({n: a.name})).then(b => b.input)`,
	`const r = await tools.boom({}).catch(e => e.message); return r`,
	`try { await tools.boom({}) } catch (e) { return e.message }`,
	`try { return await tools.boom({}) } catch { return null } finally { await tools.log({}) }`,
	`const memo = new Map(); const get = k => { if (!memo.has(k)) memo.set(k, tools.fast({k})); return memo.get(k) }; const [a, b] = await Promise.all([get(1), get(1)]); return a === b`,
	`const memo = {}; const get = k => memo[k] ??= tools.fast({k}); return (await get('a')).input`,
	`const memo = {}; const get = k => memo[k] || (memo[k] = tools.fast({k})); await get('a'); return (await get('a')).input`,
	`let pending = null; if (true) pending = tools.fast({}); if (pending) await pending; return 1`,
	`let pending; const ready = () => pending ||= tools.fast({}); await ready(); return (await ready()).name`,
	`const p = tools.fast({}); if (p) { const r = await p; return r.name }`,
	`const p = tools.fast({}); p.label = 'mine'; const r = await p; return [p.label, r.name]`,
	`const p = Object.assign(tools.fast({}), {label: 'mine'}); await p; return p.label`,
	`const p = tools.fast({}); if (!p.seen) p.seen = true; return (await p).name`,
	`const p = tools.fast({}); const r = typeof p.pipe === 'function' ? p : await p; return r.name`,
	`const p = tools.fast({}); const r = await p; if (p.cancel) p.cancel(); return r.name`,
	`const p = tools.fast({}); const r = await p; p.cancel?.(); return r.name`,
	`const kind = v => v && v[Symbol.iterator] ? 'list' : 'one'; const p = tools.fast({}); const k = kind(p); await p; return k`,
	`const kind = v => Array.isArray(v) ? 'list' : typeof v; const p = tools.fast({}); return [kind(p), (await p).name]`,
	`const p = tools.fast({}); return [p.constructor === Promise, p instanceof Promise, p instanceof Object, Object.prototype.toString.call(p), (await p).name]`,
	`const p = tools.fast({}); const own = p.hasOwnProperty('input'); return [own, (await p).name]`,
	`const map = {a: tools.fast({n: 1}), b: tools.slow({n: 2})}; const out = {}; for (const [k, p] of Object.entries(map)) out[k] = (await p).input.n; return out`,
	`const map = {a: tools.fast({n: 1}), b: tools.slow({n: 2})}; const out = {}; for (const k in map) out[k] = (await map[k]).input.n; return out`,
	`const map = {a: tools.fast({n: 1})}; return Object.fromEntries(await Promise.all(Object.entries(map).map(async ([k, p]) => [k, (await p).input.n])))`,
	`const queue = [1, 2, 3], out = []; const worker = async () => { while (queue.length) out.push((await tools.fast({n: queue.shift()})).input.n) }; await Promise.all([worker(), worker()]); return out.sort()`,
	`const running = new Set(), out = []; for (const n of [1, 2, 3, 4]) { const p = tools.fast({n}).then(r => { out.push(r.input.n); running.delete(p) }); running.add(p); if (running.size >= 2) await Promise.race(running) } await Promise.all(running); return out.sort()`,
	`let chain = Promise.resolve(); for (const n of [1, 2]) chain = chain.then(() => tools.fast({n})); return (await chain).input.n`,
	`return await [1, 2, 3].reduce(async (sum, n) => (await sum) + (await tools.fast({n})).input.n, 0)`,
	`return [1, 2, 3].reduce((p, n) => p.then(s => tools.fast({n}).then(r => s + r.input.n)), Promise.resolve(0))`,
	`const rows = await tools.rows({}); return rows.filter(r => r.ok).map(r => r.id)`,
	`const rows = await tools.rows({}); return [...rows].length`,
	`const rows = tools.rows({}); return (await rows).length`,
	`const rows = tools.rows({}); for (const r of await rows) text(r.id)`,
	`const {0: first} = await tools.rows({}); return first.id`,
	`const name = await tools.name({}); return ` + "`hello ${name}`",
	"return `hello ${await tools.name({})}`",
	`return 'hello ' + await tools.name({})`,
	`if (await tools.name({})) return 'yes'; return 'no'`,
	`if ((await tools.name({})) === 'Ann') return 'yes'; return 'no'`,
	`const ok = await tools.name({}); return ok ? 1 : 2`,
	`return !(await tools.name({}))`,
	`return (await tools.name({})) || 'nobody'`,
	`return {...(await tools.fast({})).input, name: await tools.name({})}`,
	`return Object.keys(await tools.fast({}))`,
	`return JSON.stringify(await tools.fast({}))`,
	`json(await tools.fast({})); text(await tools.name({})); console.log(await tools.name({}))`,
	`return await tools.fast({who: await tools.name({})})`,
	`const r = await MCP.gitHub.createIssue({title: 'x'}); return r.isError ?? false`,
	`return MCP.gitHub.createIssue({title: 'x'})`,
	`MCP.gitHub.createIssue({title: 'x'}); return 'sent'`,
	`const gh = MCP.gitHub; const [a, b] = await Promise.all([gh.createIssue({n: 1}), gh.createIssue({n: 2})]); return 2`,
	`const hits = await tools.search('ticket'); return hits.map(h => h.name)`,
	`const [hit] = await tools.search('ticket'); const d = await tools.describe(hit.id); return d.name`,
	`const found = tools.search('ticket'); await tools.fast({}); return (await found).length`,
	`const {result} = await tools.call('fast', {}); return result.details.name`,
	`return await tools.callValue('fast', {})`,
	`await new Promise(r => setTimeout(r, 1)); return 1`,
	`const sleep = ms => new Promise(r => setTimeout(r, ms)); await sleep(1); return (await tools.fast({})).name`,
	`let id; const late = new Promise((_, no) => { id = setTimeout(no, 10000, new Error('late')) }); const r = await Promise.race([tools.fast({}), late]); clearTimeout(id); return r.name`,
	`const retry = async (f, n) => { try { return await f() } catch (e) { if (n > 0) return retry(f, n - 1); return e.message } }; return await retry(() => tools.boom({}), 1)`,
	`async function* pages() { for (const n of [1, 2]) yield await tools.fast({n}) }
const out = []; for await (const p of pages()) out.push(p.input.n); return out`,
	`async function* pages() { yield tools.fast({n: 1}); yield tools.fast({n: 2}) }
const out = []; for await (const p of pages()) out.push(p.input.n); return out`,
	`class Client { async get(n) { return await tools.fast({n}) } #p = tools.name({}); async name() { return await this.#p } }
const c = new Client(); return [(await c.get(1)).input.n, await c.name()]`,
	`class Lazy { get p() { return this.q ??= tools.fast({}) } }
const l = new Lazy(); await l.p; return (await l.p).name`,
	`const [p, q] = [tools.fast({n: 1}), tools.fast({n: 2})]; return [(await q).input.n, (await p).input.n]`,
	`const state = {job: tools.fast({})}; const {job} = state; return (await job).name`,
	`const p = tools.fast({}); const r1 = await p, r2 = await p; return r1 === r2`,
	`const results = []; for (const n of [1, 2]) { const r = await tools.fast({n}); results.push(r.input.n) } return results`,
	`const ps = [1, 2].map(n => tools.fast({n})); const [first] = ps; return (await first).input.n`,
	`const ps = [1, 2].map(n => tools.slow({n})); await ps[0]; await ps.at(-1); return ps.length`,
	`const ps = [tools.fast({}), tools.slow({})].filter(Boolean); return (await Promise.all(ps)).length`,
	`const ps = new Set([tools.fast({n: 1})]); return (await Promise.all(ps))[0].input`,
	`const p = tools.fast({}); const same = [p].includes(p) && p === p; return [same, (await p).name]`,
	`const p = tools.slow({}); let done = false; p.then(() => { done = true }); await tools.fast({}); const r = await p; return [done, r.name]`,
	`await tools.fast({}); tools.log({}); await yield_control(); return 1`,
	`const p = tools.fast({}); await yield_control(); return (await p).name`,
	`const all = []; for await (const r of [tools.fast({n: 1}), 2]) all.push(r.name ?? r); return all`,
	`const {promise, resolve} = Promise.withResolvers(); tools.fast({}).then(resolve); return (await promise).name`,
	`const p = Promise.resolve({rows: [1]}); const {rows} = await p; return rows`,
	`const p = (async () => ({a: 1}))(); return (await p).a`,
	`queueMicrotask(() => tools.log({})); return 1`,
	`setTimeout(() => {}, 0); await tools.slow({}); return 1`,
}

func TestAwaitedCells(t *testing.T) {
	require.GreaterOrEqual(t, len(awaitedCells), 100)
	onEngines(t, func(t *testing.T, c cells) {
		for _, language := range []script.Language{script.JavaScript, script.TypeScript} {
			for n, code := range awaitedCells {
				t.Run("B7 no hint where no await is missing: "+string(language)+" "+strconv.Itoa(n), func(t *testing.T) {
					r := c.exec(t, language, code)
					require.Equal(t, Completed, r.Status, "%s\n%s", code, r.Error)
					require.Empty(t, r.Hints, "%s", code)
				})
			}
		}
	})
}

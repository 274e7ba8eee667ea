// Measures quickjs-wasi as its users would run it: the module compiled once, a VM for each run. Reads requests, writes
// answers, one JSON object a line; see node.go.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { QuickJS } from "quickjs-wasi";

const wasmBytes = () => readFile(new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm")));

async function fresh(wasm) {
	const vm = await QuickJS.create({ wasm });
	vm.evalCode("1+1").consume((h) => h.toNumber());
	vm.dispose();
}

// A suspended guest with about what Codecell's has in it; going on is a call into it.
const WAITER = `const seen = new Map(), log = []; class C { #n = 0; up() { return ++this.#n } } const c = new C();
	let wake; globalThis.resume = () => wake();
	(async () => { for (;;) { log.push(c.up()); if (log.length > 9) log.length = 0; seen.set("last", {at: c.up()}); await new Promise((f) => (wake = f)) } })();`;

async function suspended(wasm) {
	const vm = await QuickJS.create({ wasm });
	vm.evalCode(WAITER).dispose();
	vm.executePendingJobs();
	const bytes = QuickJS.serializeSnapshot(vm.snapshot());
	vm.dispose();
	return bytes;
}

async function cycle(wasm, bytes) {
	const vm = await QuickJS.restore(QuickJS.deserializeSnapshot(bytes), { wasm });
	vm.evalCode("resume()").dispose();
	vm.executePendingJobs();
	const again = QuickJS.serializeSnapshot(vm.snapshot());
	vm.dispose();
	return again;
}

async function repeat(ms, f) {
	const start = process.hrtime.bigint();
	for (let n = 1; ; n++) {
		await f();
		const took = Number(process.hrtime.bigint() - start);
		if (took >= ms * 1e6) return { ns: took / n };
	}
}

const inWorker = (wasm) => new Promise((done, failed) => {
	const worker = new Worker(new URL(import.meta.url), { workerData: { wasm } });
	worker.once("message", () => worker.terminate().then(done));
	worker.once("error", failed);
});

async function answer({ mode, task, code, ms }, wasm) {
	if (mode.endsWith("worker")) return task === "fresh" ? repeat(ms, () => inWorker(wasm)) : { none: true };
	if (!task) return { bytes: (await suspended(wasm)).length };
	if (task === "fresh") return repeat(ms, () => fresh(wasm));
	if (task === "suspend") {
		const vm = await QuickJS.create({ wasm });
		vm.evalCode(WAITER).dispose();
		vm.executePendingJobs();
		const took = await repeat(ms, () => QuickJS.serializeSnapshot(vm.snapshot()));
		vm.dispose();
		return took;
	}
	if (task === "restore") {
		const bytes = await suspended(wasm);
		return repeat(ms, async () => (await QuickJS.restore(QuickJS.deserializeSnapshot(bytes), { wasm })).dispose());
	}
	if (task === "cycle") {
		let bytes = await suspended(wasm);
		return repeat(ms, async () => { bytes = await cycle(wasm, bytes) });
	}
	const vm = await QuickJS.create({ wasm });
	try {
		return await repeat(ms, () => vm.evalCode(code).dispose());
	} finally {
		vm.dispose();
	}
}

if (isMainThread) {
	const wasm = await WebAssembly.compile(await wasmBytes());
	const { version } = JSON.parse(await readFile(new URL("./node_modules/quickjs-wasi/package.json", import.meta.url)));
	const say = (o) => console.log(JSON.stringify(o));
	say({ version, node: process.version });
	for await (const line of createInterface({ input: process.stdin })) {
		try {
			say(await answer(JSON.parse(line), wasm));
		} catch (e) {
			say({ error: String(e?.stack ?? e) });
		}
	}
} else {
	await fresh(workerData.wasm);
	parentPort.postMessage("done");
}

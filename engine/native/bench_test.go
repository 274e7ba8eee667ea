//go:build cgo

package native

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/buke/quickjs-go"
	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// catalogOf has as many tools as a turn may bring, with entries and names of usual length.
func catalogOf(tools int) []byte {
	entries, names := []byte{'['}, []byte{'\n'}
	for i := range tools {
		if i > 0 {
			entries = append(entries, ',')
		}
		entries = fmt.Appendf(entries, `{"id":"openclaw:core:tool_%d","source":"openclaw","sourceName":"core","name":"tool_%d",`+
			`"label":"Tool %d","description":"Does the thing number %d to a file, and says how it went."}`, i, i, i, i)
		names = fmt.Appendf(names, "tool_%d\topenclaw:core:tool_%d\n", i, i)
	}
	return engine.AppendCatalog(nil, append(entries, ']'), names, nil, nil)
}

// benchSteps measures fresh guests that run a cell to its end.
func benchSteps(b *testing.B, catalog []byte, cell, want string) {
	e := newEngine(b, Options{})
	begin := limits(cell)
	input := begin.Append(nil)
	b.ReportAllocs()
	for b.Loop() {
		vm, err := e.NewVM(catalog)
		if err != nil {
			b.Fatal(err)
		}
		effects, err := vm.Step(context.Background(), input, longEnough)
		if err != nil || string(effects.Main.Value) != want {
			b.Fatal(err, string(effects.Main.Value), effects.Main.Thrown)
		}
		vm.Close()
	}
}

func BenchmarkFresh(b *testing.B) { benchSteps(b, nil, `return 1 + 1`, `2`) }

func BenchmarkCatalog(b *testing.B) {
	for _, n := range []int{10, 50, 300, 1000} {
		catalog := catalogOf(n)
		for _, c := range []struct{ name, cell, want string }{
			{"untouched", `return 1`, `1`},
			{"tool", fmt.Sprintf(`return typeof tools.tool_%d`, n/2), `"function"`},
			{"names", `return Object.keys(tools).length`, fmt.Sprint(n + 4)},
			{"entries", `return ALL_TOOLS.length`, fmt.Sprint(n)},
		} {
			b.Run(fmt.Sprintf("tools=%d/%s", n, c.name), func(b *testing.B) { benchSteps(b, catalog, c.cell, c.want) })
		}
	}
}

func BenchmarkLateParts(b *testing.B) {
	benchCases := []struct{ name, cell string }{
		{"URL", `return new URL("http://h/x?a=1").pathname === "/x" ? 1 : 0`},
		{"TextEncoder", `return new TextEncoder().encode("a").length`},
		{"structuredClone", `return structuredClone(1)`},
	}
	for _, c := range benchCases {
		b.Run(c.name, func(b *testing.B) { benchSteps(b, nil, c.cell, `1`) })
	}
}

// BenchmarkAnswer measures one request and its answer, in a run that makes many.
func BenchmarkAnswer(b *testing.B) {
	e := newEngine(b, Options{})
	vm, effects := start(b, e, limits(`for (;;) await tools.call("openclaw:core:echo", {path: "a.txt"})`))
	defer vm.Close()
	b.ReportAllocs()
	for b.Loop() {
		if len(effects.Requests) != 1 {
			b.Fatal("no request")
		}
		// A run has a million requests in it; what is measured is one.
		if effects.Requests[0].ID>>12 > 1<<19 {
			vm.Close()
			vm, effects = start(b, e, limits(`for (;;) await tools.call("openclaw:core:echo", {path: "a.txt"})`))
		}
		effects = resume(b, vm, engine.Answer{ID: effects.Requests[0].ID, Payload: []byte(`{"tool":"echo","result":{"content":[{"type":"text","text":"hello"}]}}`)})
	}
}

func BenchmarkReset(b *testing.B) {
	e := newEngine(b, Options{Warm: 1})
	h := e.heaps.all[0]
	b.SetBytes(int64(len(h.image)))
	for b.Loop() {
		h.reset()
	}
}

// kernels are what cells compute: each returns a number that depends on all of the work.
var kernels = []struct{ name, code string }{
	{"fib", `function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } return fib(24)`},
	{"sort", `const a = []; let s = 7; for (let i = 0; i < 20000; i++) a.push(s = (s * 1103515245 + 12345) % 2147483648); a.sort((x, y) => x - y); return a[777]`},
	{"json", `let n = 0; const o = {a: [1, 2, {b: "text", c: null}], d: {e: 1.5, f: "x".repeat(50)}}; for (let i = 0; i < 2000; i++) n += JSON.stringify(JSON.parse(JSON.stringify(o))).length; return n`},
	{"regexp", `let n = 0; const t = "The quick brown fox jumps over 13 lazy dogs. ".repeat(40); for (let i = 0; i < 60; i++) n += t.replace(/([a-z]+) (\d+)/g, "$2 $1").match(/\b\w{4,5}\b/g).length; return n`},
	{"strings", `let s = ""; for (let i = 0; i < 60000; i++) s += "item " + i + ","; return s.split(",").map(x => x.toUpperCase()).join(";").length`},
	{"map", `const m = new Map(); for (let i = 0; i < 40000; i++) m.set("k" + i, {i}); let n = 0; for (const [k, v] of m) n += v.i + k.length; return n`},
	{"objects", `let l = null, n = 0; for (let k = 0; k < 10; k++) { l = null; for (let i = 0; i < 10000; i++) l = {l, v: [i, i + 1]}; for (let p = l; p; p = p.l) n += p.v[1] } return n`},
	{"closures", `let n = 0; for (let i = 0; i < 60000; i++) n += [i, 1].map(x => x + 1).reduce((a, b) => a + b); return n`},
}

// BenchmarkKernels runs the same code in a heap of ours, on the arena, and in a runtime of the engine's own Go binding,
// on the system's allocator. The times are of the code alone, by its own clock, so that making and freeing runtimes
// does not count.
func BenchmarkKernels(b *testing.B) {
	e := newEngine(b, Options{Warm: 1})
	for _, k := range kernels {
		want := value(b, e, k.code)
		begin := limits(k.code)
		input := begin.Append(nil)
		b.Run(k.name+"/arena", func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				vm, err := e.NewVM(nil)
				if err != nil {
					b.Fatal(err)
				}
				effects, err := vm.Step(context.Background(), input, longEnough)
				if err != nil || string(effects.Main.Value) != want {
					b.Fatal(err)
				}
				took += effects.Took
				vm.Close()
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "guest-ns/op")
		})
		b.Run(k.name+"/bare", func(b *testing.B) {
			var took time.Duration
			for b.Loop() {
				took += bare(b, k.code, want)
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N), "guest-ns/op")
		})
	}
}

// bare evaluates code in a runtime of its own, the engine's way, and returns how long the evaluation took.
func bare(b *testing.B, code, want string) time.Duration {
	rt := quickjs.NewRuntime()
	defer rt.Close()
	ctx := rt.NewContext()
	defer ctx.Close()
	began := time.Now()
	v := ctx.Eval("(() => {" + code + "})()")
	took := time.Since(began)
	require.Equal(b, want, v.String())
	v.Free()
	return took
}

//go:build cgo

package native

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

func begin(source string) []byte {
	b := engine.Begin{Source: source, MemoryLimit: 64 << 20, MaxOutput: 65536, MaxValue: 65536, MaxRequests: 1016, MaxTimers: 1000}
	return b.Append(nil)
}

func TestSmoke(t *testing.T) {
	e, err := New(Options{})
	require.NoError(t, err)
	for _, src := range []string{"return 1+1", "text('a');json({b:[1,2n,new Date(0)]});return typeof tools.search", "throw new TypeError('x')", "\n\nconst x = ;", "})(); (async()=>{ return 5", "while(1);", "return 'a'.repeat(2e7).indexOf('a'.repeat(1e7)+'b')", "const a=[];for(;;)a.push(new Array(1000).fill(1))", "function f(){f()} f()", "return [Date.now()>1e12,Math.random()<1,crypto.randomUUID(),new TextDecoder().decode(new TextEncoder().encode('é😀')),structuredClone({a:new Map([[1,{b:2}]])}).a.get(1)]", "return Object.getOwnPropertyNames(globalThis).join()", "const o={};o.o=o;return o", "return await tools.foo"} {
		vm, err := e.NewVM(nil)
		require.NoError(t, err)
		start := time.Now()
		eff, err := vm.Step(context.Background(), begin(src), 300*time.Millisecond)
		t.Logf("%s\n  %v %v", src, err, time.Since(start))
		if eff != nil {
			t.Logf("  %s %+v out=%v", eff.Main.Value, eff.Main, eff.Outputs)
		}
		t.Log(vm.HeapBytes(), vm.Footprint())
		vm.Close()
	}
	require.NoError(t, e.Close())
}

func BenchmarkFresh(b *testing.B) {
	e, _ := New(Options{})
	in := begin("return 1+1")
	for b.Loop() {
		vm, _ := e.NewVM(nil)
		_, err := vm.Step(context.Background(), in, time.Second)
		if err != nil {
			b.Fatal(err)
		}
		vm.Close()
	}
}

//go:build cgo

package native

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine"
)

// FuzzStepInput: arbitrary bytes as a step's input, before and after a real one, and as a catalog. They are no step, or
// a step with a valid end; the heap serves the next guest either way.
func FuzzStepInput(f *testing.F) {
	short, waiting := limits(`return ALL_TOOLS.length`), limits(`return await tools.echo(Object.keys(tools))`)
	f.Add(short.Append(nil), []byte{}, smallCatalog())
	f.Add(waiting.Append(nil), engine.AppendResume(nil, []engine.Answer{{ID: 1 << 12, Payload: []byte(`{"a":1}`)}}), smallCatalog())
	f.Add(waiting.Append(nil), engine.AppendResume(nil, []engine.Answer{{ID: 1 << 12, Kind: engine.AnswerError, Payload: []byte(`null`)}}), []byte{})
	f.Add(waiting.Append(nil), engine.AppendResume(nil, []engine.Answer{{ID: 1 << 12, Kind: engine.AnswerFired}}), smallCatalog()[:99])
	f.Add([]byte{1}, []byte{2, 255, 255, 255, 255}, []byte{0, 0, 0, 0, 0})
	e := newEngine(f, Options{Warm: 1})
	f.Fuzz(func(t *testing.T, first, later, catalog []byte) {
		vm, err := e.NewVM(catalog)
		require.NoError(t, err)
		for _, input := range [][]byte{first, later, later} {
			effects, err := vm.Step(context.Background(), input, 30*time.Millisecond)
			if err != nil {
				require.True(t, ended(err) || errors.Is(err, engine.ErrProtocol) || errors.Is(err, engine.ErrClosed), "%v", err)
				break
			}
			require.LessOrEqual(t, effects.Main.State, engine.Settled)
		}
		vm.Close()
		require.Equal(t, "2", value(t, e, "return 2"))
	})
}

// ended says whether an error is one by which a cell may end.
func ended(err error) bool {
	return errors.Is(err, engine.ErrTimeout) || errors.Is(err, engine.ErrMemory) || errors.Is(err, engine.ErrOutput)
}

// FuzzCell: arbitrary text as a cell. Its effects decode, and it does the same when it runs again, unless a limit or
// the clock came in between.
func FuzzCell(f *testing.F) {
	for _, cell := range []string{
		`return 1`, `text("a"); json({b: [1n]}); console.log(() => 1)`, `throw new Error("x")`, `const x = ;`, "`${",
		`return await tools.echo(1)`, `for (;;);`, `return [Math.random(), crypto.randomUUID(), new URL("http://h/é?a=1#b").href]`,
		`class A { #p = 1; static { text(new A().#p) } }`, `return structuredClone(new Map([[1, {a: new Date(5)}]]))`,
		"\ufeff#!x\r\n\u2028 'use strict'; return this", `})(); (async () => { return 5`, `Object.prototype.toJSON = () => 5; return {}`,
		`label: for (const [a, ...b] of [[1, 2]]) { using x = null; continue label }`, `return /(?<a>.)\k<a>/v.exec("aa")?.groups`,
		`setTimeout(() => { throw 1 }); Promise.reject(new Error("u")); await null; return function* () {}().next()`, "\x00", "\xff\xfe",
		`Error.prepareStackTrace = (e, s) => s; return new Error().stack`, `return new Proxy([], {get: (t, k) => k === "length" ? 1e9 : 0})`,
	} {
		f.Add(cell)
	}
	e := newEngine(f, Options{Warm: 1})
	f.Fuzz(func(t *testing.T, cell string) {
		b := limits(cell)
		b.MemoryLimit, b.MaxOutput, b.MaxValue = 8<<20, 10000, 10000
		first, err := limited(t, e, b, 100*time.Millisecond)
		if err != nil {
			require.True(t, ended(err), "%v", err)
			return
		}
		again, err := limited(t, e, b, 2*time.Second)
		if len(first.Clock) > 0 {
			return
		}
		require.NoError(t, err)
		require.Equal(t, first.Hash(), again.Hash())
	})
}

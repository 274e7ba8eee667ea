package script

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// cost is the processor time that f takes by a clock, that of its thread or of the whole process. The goroutine stays on
// one thread meanwhile, since the clocks of two have nothing to do with each other.
func cost(clock int32, f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := used(clock)
	f()
	return used(clock) - before
}

func used(clock int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// ours is all that the service itself does with a text of any size.
var ours = map[string]func(text string){
	"Check":         func(text string) { _, _, _ = Check(text, JavaScript, Options{MaxBytes: len(text)}) },
	"measure":       func(text string) { measure(text) },
	"scanModules":   func(text string) { m := scanModules(text); m.find(); m.importType() },
	"plainNames":    func(text string) { plainNames(text) },
	"hasNamespace":  func(text string) { hasNamespace(text) },
	"labelReturns":  func(text string) { labelReturns(text) },
	"closesAtEnd":   func(text string) { closesAtEnd(text) },
	"breakoutError": func(text string) { _ = breakoutError(text) },
	"Locate":        func(text string) { (&Source{Body: text}).Locate("absent", true, 1, 1) },
	"Position":      func(text string) { (&Source{Body: text}).Position(strings.Count(text, "\n"), 1000) },
	"printed Position": func(text string) {
		s := &Source{Body: text, code: text, mappings: mappings(strings.Repeat("AACA;AAA,", len(text)/8))}
		s.Position(strings.Count(text, "\n"), 1000)
	},
}

// A function that is quadratic in one of the shapes takes 64 times as long for 8 times the text. One that is linear may
// once in a while seem to, when the collector or another process comes between, but not every time.
func TestOwnGrowth(t *testing.T) {
	const small, factor, allowed, tries = 16 << 10, 8, 32, 5
	short, long := shapes(small), shapes(small*factor)
	for name, f := range ours {
		t.Run("H6 the time of "+name+" grows with the text", func(t *testing.T) {
			for shape := range short {
				var before, after time.Duration
				for try := 0; try == 0 || after >= allowed*before && try < tries; try++ {
					// What takes less than this is dominated by what is there for any text.
					before = max(cost(unix.CLOCK_THREAD_CPUTIME_ID, func() { f(short[shape]) }), 500*time.Microsecond)
					after = cost(unix.CLOCK_THREAD_CPUTIME_ID, func() { f(long[shape]) })
				}
				require.Less(t, after, allowed*before, "%s: %s at first", shape, before)
			}
		})
	}
}

// H6: what is parsed in the service's own process costs it little whatever the text is.
func TestParsingInProcess(t *testing.T) {
	ordinary := strings.ReplaceAll(ordinary, "const hits", "var hits")
	ordinary = strings.Repeat("{"+strings.TrimSuffix(ordinary, "return hits.length;\n")+"}\n", MaxInProcess/len(ordinary))
	usual := cost(unix.CLOCK_PROCESS_CPUTIME_ID, func() {
		_, err := Prepare(ordinary, TypeScript, Options{})
		require.NoError(t, err)
	})
	for name, code := range shapes(MaxInProcess) {
		for _, lang := range []Language{JavaScript, TypeScript} {
			t.Run("H6 "+string(lang)+" "+name, func(t *testing.T) {
				var s *Source
				most := 300 * max(usual, time.Millisecond)
				require.Less(t, cost(unix.CLOCK_PROCESS_CPUTIME_ID, func() { s, _ = Prepare(code, lang, Options{}) }), most)
				if s != nil {
					require.Less(t, len(s.Body), 8<<20)
				}
			})
		}
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, code := range shapes(DefaultMaxBytes - 1024) {
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

package script

import (
	"strings"
	"testing"
)

// ordinary is about 2 KB of what models write.
var ordinary = strings.Repeat(`const hits = await tools.search("issues", {limit: 5});
for (const hit of hits) {
  const { result } = await tools.call(hit.id, { state: "open", labels: ["bug"] });
  text(`+"`${hit.name}: ${result.details.length / 2}`"+`);
}
`, 8) + "return hits.length;\n"

func benchmark(b *testing.B, code string, lang Language) {
	b.ReportAllocs()
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		if _, err := Prepare(code, lang, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSmallest(b *testing.B) { benchmark(b, "return 1+1", JavaScript) }
func BenchmarkOrdinary(b *testing.B) {
	benchmark(b, "{"+strings.ReplaceAll(ordinary, "const hits", "var hits")+"}", JavaScript)
}

func BenchmarkMention(b *testing.B) {
	benchmark(b, strings.ReplaceAll(ordinary, "const hits", "var hits")+"// import later\n", JavaScript)
}

func BenchmarkSmallestTypeScript(b *testing.B) { benchmark(b, "return 1+1", TypeScript) }
func BenchmarkOrdinaryTypeScript(b *testing.B) {
	benchmark(b, strings.ReplaceAll(ordinary, "const hits", "var hits"), TypeScript)
}

func BenchmarkMeasure(b *testing.B) {
	b.SetBytes(int64(len(ordinary)))
	for b.Loop() {
		measure(ordinary)
	}
}

func BenchmarkPosition(b *testing.B) {
	s, err := Prepare("type A = 1\nreturn 1 as any", TypeScript, Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		s.Position(1, 3)
	}
}

package catalog

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

var sizes = []int{10, 50, 300, 1000}

func benchSizes(b *testing.B, run func(b *testing.B, tools []Tool)) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			tools := manyTools(n)
			b.ReportAllocs()
			run(b, tools)
		})
	}
}

func BenchmarkNew(b *testing.B) {
	benchSizes(b, func(b *testing.B, tools []Tool) {
		for b.Loop() {
			if _, err := New(tools, Policy{Allow: []string{"*"}}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkNewGuest is the catalog's share of a one-call exec.
func BenchmarkNewGuest(b *testing.B) {
	benchSizes(b, func(b *testing.B, tools []Tool) {
		for b.Loop() {
			mustNew(b, tools...).GuestWithoutFiles()
		}
	})
}

func BenchmarkNewFiles(b *testing.B) {
	benchSizes(b, func(b *testing.B, tools []Tool) {
		for b.Loop() {
			mustNew(b, tools...).Guest()
		}
	})
}

func BenchmarkIndex(b *testing.B) {
	benchSizes(b, func(b *testing.B, tools []Tool) {
		c := mustNew(b, tools...)
		for b.Loop() {
			newIndex(c)
		}
	})
}

func BenchmarkSearch(b *testing.B) {
	benchSizes(b, func(b *testing.B, tools []Tool) {
		c := mustNew(b, tools...)
		c.Search("warm up", 1)
		for b.Loop() {
			c.Search("update customer order", 8)
		}
	})
}

func BenchmarkSearchTypo(b *testing.B) {
	benchSizes(b, func(b *testing.B, tools []Tool) {
		c := mustNew(b, tools...)
		c.Search("warm up", 1)
		for b.Loop() {
			c.Search("calender deploymnet", 8)
		}
	})
}

func BenchmarkSearchHuge(b *testing.B) {
	c := mustNew(b, manyTools(1000)...)
	query := strings.Repeat("update customer zebra ", 150_000)
	c.Search("warm up", 1)
	for b.Loop() {
		c.Search(query, 8)
	}
}

func BenchmarkSurface(b *testing.B) {
	benchSizes(b, func(b *testing.B, tools []Tool) {
		for b.Loop() {
			mustNew(b, tools...).Surface(Budget{TimeoutMs: 10000}, nil)
		}
	})
}

func BenchmarkWarnings(b *testing.B) {
	benchSizes(b, func(b *testing.B, tools []Tool) {
		for b.Loop() {
			mustNew(b, tools...).Warnings()
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	c := mustNew(b, manyTools(1000)...)
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			_, _ = c.Lookup("create_ticket_0")
		}
	})
	b.Run("unknown", func(b *testing.B) {
		for b.Loop() {
			_, _ = c.Lookup("ticket_create")
		}
	})
}

func BenchmarkValidate(b *testing.B) {
	c := mustNew(b, manyTools(1)...)
	e := c.Entries()[0]
	input := []byte(`{"id":7,"state":"open","tags":["a","b"],"patch":{"title":"t"}}`)
	for b.Loop() {
		if err := e.Validate(input); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDescribe(b *testing.B) {
	e := mustNew(b, manyTools(1)...).Entries()[0]
	for b.Loop() {
		e.DescribeJSON()
	}
}

// variedTools is a turn of n tools whose descriptions have many words.
func variedTools(n int) []Tool {
	r := rand.New(rand.NewPCG(1, 2))
	tools := manyTools(n)
	for i := range tools {
		tools[i].Description += " " + strings.Join(randomWords(r, 40), " ")
	}
	return tools
}

func randomWords(r *rand.Rand, n int) []string {
	syllables := []string{"ba", "con", "di", "for", "gra", "in", "ker", "lo", "men", "pre", "re", "sta", "ti", "ver"}
	words := make([]string, n)
	for i := range words {
		for range 2 + r.IntN(3) {
			words[i] += syllables[r.IntN(len(syllables))]
		}
	}
	return words
}

// BenchmarkSearchWords is what a cell can make one search cost, on tools that have much to say: a short query, one of
// many unknown words, and 64 KiB.
func BenchmarkSearchWords(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	queries := []struct{ name, text string }{
		{"short", "update customer order"},
		{"all", "system record state"},
		{"unknown", strings.Join(randomWords(r, 24), "x ")},
		{"64KiB", strings.Join(randomWords(r, 8000), " ")},
		{"one", strings.Repeat("in", 1<<15)},
	}
	for _, n := range []int{50, 200, 1000} {
		c := mustNew(b, variedTools(n)...)
		c.Search("warm up", 1)
		for _, q := range queries {
			b.Run(fmt.Sprintf("%s/%d", q.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					c.Search(q.text, 8)
				}
			})
		}
	}
}

package catalog

import (
	"fmt"
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
			newIndex(c.visible)
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

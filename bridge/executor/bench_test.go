package executor

import (
	"context"
	"testing"
)

// BenchmarkHTTP measures one call of a tool on this machine, from call to result.
func BenchmarkHTTP(b *testing.B) {
	r := newRemote(b)
	r.handle(answers(200, `{"content":[{"type":"text","text":"ok"}],"details":{"ok":true}}`))
	registry := NewRegistry(Options{Outbound: toLoopback(b), Keys: SigningKeys{Master: []byte("signing key")}})
	defer registry.Close()
	call := r.call(b, `,"headers":{"X-Own":"v"}`)
	binding, err := registry.Bind("acme", call.Spec, call.Tool.Tool().Annotations)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := binding.Execute(context.Background(), call); err != nil {
			b.Fatal(err)
		}
	}
}

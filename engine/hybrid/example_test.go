package hybrid_test

import (
	"context"
	"fmt"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/hybrid"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/wasi"
)

// Cells run on the native engine, and suspended runs leave their heaps by way of the WASI engine. A binary that has only
// one of them works on that one: without the WASI engine, suspended runs stay in their heaps.
func ExampleNew() {
	var whole engine.Engine
	portable, missing := wasi.New(wasi.Options{})
	primary, err := native.New(native.Options{Threads: 8})
	switch {
	case err == nil && missing == nil:
		whole = hybrid.New(primary, portable)
	case err == nil:
		whole = primary
	case missing == nil:
		whole = portable
	default:
		fmt.Println("no engine:", err, missing)
		return
	}
	defer whole.Close() // closes both

	service, err := bridge.New(bridge.Options{Engine: whole})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer service.Close(context.Background())
	fmt.Println(service.EngineName())
}

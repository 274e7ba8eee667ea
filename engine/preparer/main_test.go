package preparer

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine/worker/sandbox/sandboxtest"
)

// The test binary is also the child that it starts, when it is started with one of these.
const (
	asChild = "parse"
	asLiar  = "lie" // and what it says
	// A child whose kernel lacks a layer of the sandbox.
	asChildOnOldKernel = "parse on an old kernel"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case asChild:
			exit(Serve())
		case asChildOnOldKernel:
			if err := sandboxtest.WithoutLandlock(); err != nil {
				exit(err)
			}
			exit(Serve())
		case asLiar:
			exit(lie(os.Args[2]))
		}
	}
	goleak.VerifyTestMain(m)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

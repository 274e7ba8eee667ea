package server_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/codecell/codecell/engine/worker"
)

// TestMain makes the test's binary a worker where it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asWorker {
		if err := worker.Serve(openEngine); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	// net/http lingers half a second on a connection that it closes with bytes unread.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

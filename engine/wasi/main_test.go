package wasi

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets a plain `go test ./...` pass where `make guest` has not run: then all there is to test is that the
// engine says so. The Makefile's targets set CODECELL_GUEST, and demand the guest.
func TestMain(m *testing.M) {
	if _, err := Module(); err == nil {
		goleak.VerifyTestMain(m)
		return
	}
	_, err := New(Options{})
	if !errors.Is(err, ErrNoGuest) || os.Getenv("CODECELL_GUEST") == "required" {
		fmt.Println("engine/wasi without a guest:", err)
		os.Exit(1)
	}
	fmt.Println("engine/wasi: only the refusal was tested:", err)
}

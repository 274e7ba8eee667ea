//go:build cgo

package aot

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/engine/guest"
)

// crashes is the variable that makes the test's binary crash, with a guest in it.
const crashes = "CODECELL_TEST_CRASHES"

// crash ends this process in one of several ways, after guests have run and faulted.
func crash(how string) {
	e, err := New(Options{})
	if err != nil {
		panic(err)
	}
	if err := e.Ready(); err != nil {
		panic(err)
	}
	switch how {
	case "go":
		var nothing *int
		*nothing = 1
	case "c":
		(&guest.Sandbox{}).Grow(1)
	case "kill":
		vm, err := e.NewVM(nil)
		if err != nil {
			panic(err)
		}
		time.AfterFunc(50*time.Millisecond, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGSEGV) })
		b := limits("for (;;);")
		_, _ = vm.Step(context.Background(), b.Append(nil), longEnough)
	}
}

// TestCrashes holds the process to ending as it would without the engine, where what is wrong is not a guest's fault.
func TestCrashes(t *testing.T) {
	run := func(t *testing.T, how string, traceback string) (string, syscall.WaitStatus) {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), crashes+"="+how, "GOTRACEBACK="+traceback)
		var says bytes.Buffer
		c.Stderr = &says
		err := c.Run()
		require.Error(t, err)
		return says.String(), c.ProcessState.Sys().(syscall.WaitStatus)
	}
	for how, want := range map[string]string{
		"go":   "invalid memory address or nil pointer dereference",
		"c":    "signal arrived during cgo execution",
		"kill": "SIGSEGV",
	} {
		t.Run("H1 by "+how, func(t *testing.T) {
			says, status := run(t, how, "single")
			require.Contains(t, says, want)
			require.Equal(t, 2, status.ExitStatus(), says)
			require.Contains(t, strings.ToLower(says), "goroutine")
			says, status = run(t, how, "crash")
			require.Contains(t, says, want)
			require.Equal(t, syscall.SIGABRT, status.Signal(), "a core could be dumped")
		})
	}
}

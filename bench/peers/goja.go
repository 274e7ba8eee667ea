package main

import (
	"context"
	"time"

	"github.com/dop251/goja"

	"github.com/codecell/codecell/bench/suite"
)

// gojaPeer is goja: a runtime for each run.
type gojaPeer struct{}

func (gojaPeer) Name() string { return "goja" }

// Measure implements suite.Subject.
func (gojaPeer) Measure(_ context.Context, task string, d time.Duration) (time.Duration, error) {
	code := "(function () { return 1+1 })()"
	switch task {
	case suite.Fresh:
		return suite.Repeat(d, func() error {
			_, err := goja.New().RunString(code)
			return err
		})
	case suite.Suspend, suite.Restore, suite.Cycle:
		return 0, suite.ErrNotApplicable
	}
	for _, k := range suite.Kernels {
		if k.Name == task {
			code = "(function () { " + k.Code + " })()"
		}
	}
	vm := goja.New()
	return suite.Repeat(d, func() error {
		_, err := vm.RunString(code)
		return err
	})
}

// StoredBytes implements suite.Subject.
func (gojaPeer) StoredBytes() (int, error) { return 0, suite.ErrNotApplicable }

func (gojaPeer) Close() error { return nil }

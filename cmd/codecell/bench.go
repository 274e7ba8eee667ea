package main

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/codecell/codecell/bench/suite"
	"github.com/codecell/codecell/engine"
)

// benchCommand is codecell bench: what an operator can measure without any peer.
type benchCommand struct {
	Time      time.Duration `help:"How long each measurement takes." default:"1s"`
	Isolation string        `help:"Where the guests run: process or thread." enum:"process,thread" default:"process"`
	JSON      string        `help:"Also write the report as JSON." type:"path" placeholder:"FILE"`
	HTML      string        `help:"Also write it as a page." name:"html" type:"path" placeholder:"FILE"`
}

// Run measures the engines that this binary has, and a service on them, and prints a table.
func (c *benchCommand) Run(t *terminal) (err error) {
	if c.Time <= 0 {
		return usageError{errors.New("--time must be positive")}
	}
	config := Config{Engine: EngineConfig{Isolation: c.Isolation}}.WithDefaults()
	codeMode, err := config.codeMode()
	if err != nil {
		return err
	}
	engines := newEngines(config, codeMode, nil, slog.New(slog.DiscardHandler))
	if engines.err != nil {
		return engines.err
	}
	defer func() { err = errors.Join(err, engines.close()) }()
	subjects, err := engines.subjects()
	if err != nil {
		return err
	}
	service, err := suite.NewService(engines.whole)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.Close()) }()
	report, err := suite.Run(t.ctx, suite.Options{Time: c.Time, Progress: suite.Bar(t.err)}, subjects, service)
	if err != nil {
		return err
	}
	if engines.missing != nil {
		report.LeftOut = append(report.LeftOut, "the WASI engine: "+engines.missing.Error())
	}
	report.Versions["codecell"] = version()
	report.Versions["isolation"] = c.Isolation
	return errors.Join(report.WriteTable(t.out), writeFile(c.JSON, report.WriteJSON), writeFile(c.HTML, report.WriteHTML))
}

// subjects are the engines as the suite measures them.
func (e *engines) subjects() ([]suite.Subject, error) {
	catalog, err := suite.GuestCatalog()
	if err != nil {
		return nil, err
	}
	var subjects []suite.Subject
	for _, one := range e.parts {
		if r, ok := one.(engine.Readier); ok {
			if err := r.Ready(); err != nil {
				return nil, err
			}
		}
		s, err := suite.OfEngine(one, catalog)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	return subjects, nil
}

// writeFile writes a file, if one is named.
func writeFile(path string, write func(io.Writer) error) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

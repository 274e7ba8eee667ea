package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/alecthomas/kong"

	"github.com/codecell/codecell/bench/suite"
	"github.com/codecell/codecell/engine/aot"
	"github.com/codecell/codecell/engine/hybrid"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/purego"
	"github.com/codecell/codecell/engine/wasi"
)

type options struct {
	Out  string        `help:"Directory of the report." default:"bench/report" type:"path"`
	Time time.Duration `help:"How long each measurement of each subject takes." default:"1s"`
	Node string        `help:"Directory with the Node peer, installed." default:"bench/peers/node" type:"path"`
}

func main() {
	var o options
	kong.Parse(&o)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	catalog, err := suite.GuestCatalog()
	if err != nil {
		return err
	}
	n, err := native.New(native.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	p, err := purego.New(purego.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	w, err := wasi.New(wasi.Options{Heaps: 64})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := w.Build(); err != nil {
		return err
	}
	var leftOut []string
	makers := []func() (suite.Subject, error){
		func() (suite.Subject, error) { return suite.OfEngine(n, catalog) },
		func() (suite.Subject, error) { return suite.OfEngine(w, catalog) },
		func() (suite.Subject, error) { return suite.OfEngine(p, catalog) },
		func() (suite.Subject, error) { return gojaPeer{}, nil },
	}
	if a, missing := aot.New(aot.Options{Heaps: 64}); missing != nil {
		leftOut = append(leftOut, "aot: "+missing.Error())
	} else {
		defer func() { err = errors.Join(err, a.Close()) }()
		makers = slices.Insert(makers, 1, func() (suite.Subject, error) { return suite.OfEngine(a, catalog) })
	}

	var subjects []suite.Subject
	defer func() {
		for _, s := range subjects {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, make := range makers {
		s, err := make()
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	for _, mode := range []string{suite.NodeVM, suite.NodeVM + " in a worker"} {
		peer, err := startNode(o.Node, mode)
		if err != nil {
			leftOut = append(leftOut, fmt.Sprintf("%s: %v", mode, err))
			continue
		}
		subjects = append(subjects, peer)
	}
	service, err := suite.NewService(hybrid.New(n, w))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.Close()) }()
	report, err := suite.Run(ctx, suite.Options{Time: o.Time, Progress: suite.Bar(os.Stderr)}, subjects, service)
	if err != nil {
		return err
	}
	report.LeftOut = append(report.LeftOut, leftOut...)
	report.Versions = versions(subjects)
	return write(report, o.Out)
}

// versions tells what was compared.
func versions(subjects []suite.Subject) map[string]string {
	v := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			switch d.Path {
			case "modernc.org/quickjs":
				v["modernc.org/quickjs"] = d.Version
			case "github.com/dop251/goja", "github.com/tetratelabs/wazero", "github.com/buke/quickjs-go":
				v[filepath.Base(d.Path)] = d.Version
			}
		}
	}
	for _, s := range subjects {
		if n, ok := s.(*node); ok {
			v["quickjs-wasi"], v["node"] = n.version, n.node
		}
	}
	return v
}

func write(r *suite.Report, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(*os.File) error{
		"report.json": func(f *os.File) error { return r.WriteJSON(f) },
		"index.html":  func(f *os.File) error { return r.WriteHTML(f) },
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := errors.Join(write(f), f.Close()); err != nil {
			return err
		}
	}
	if err := r.WriteTable(os.Stdout); err != nil {
		return err
	}
	fmt.Printf("\nwritten to %s\n", filepath.Join(dir, "index.html"))
	return nil
}

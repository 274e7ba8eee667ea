package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/codecell/codecell/bench"
)

type options struct {
	Binary string        `help:"The service." default:"bin/codecell" type:"path"`
	Out    string        `help:"Where the table is written as well." default:"bench/report/rates.md" type:"path"`
	Time   time.Duration `help:"How long each subject is loaded with each number of connections, spread over the rounds." default:"2s"`
	Rounds int           `help:"How often they take turns." default:"5"`
	Only   []string      `help:"Subjects, such as aot/thread; all by default."`
}

var connections = []int{1, 16, 256}

func main() {
	if len(os.Args) == 2 && os.Args[1] == noop {
		exit(serveNoop())
	}
	var o options
	kong.Parse(&o)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(run(ctx, o))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "rates:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// run starts all subjects, loads them in turns, and prints the table.
func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "codecell-rates")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	subjects, leftOut, err := startAll(ctx, o, dir)
	defer func() {
		for _, s := range subjects {
			s.stop()
		}
	}()
	if err != nil {
		return err
	}
	for _, n := range connections {
		for range o.Rounds {
			for _, s := range subjects {
				if err := errors.Join(s.load(n, o.Time/time.Duration(o.Rounds)), ctx.Err()); err != nil {
					return fmt.Errorf("%s, %d connections: %w", s.name, n, err)
				}
			}
		}
	}
	text := table(subjects) + leftOut
	fmt.Print(text)
	if err := os.MkdirAll(filepath.Dir(o.Out), 0o755); err != nil {
		return err
	}
	return os.WriteFile(o.Out, []byte(text), 0o644)
}

// table is the table, in Markdown. The first subject is the handler that does nothing, whose rates the others' are held to.
func table(subjects []*subject) string {
	var b strings.Builder
	b.WriteString("| cells on | of no-op at 1, 16, 256 | req/s at 16 | p50 at 1, 16, 256 | p99 at 1, 16, 256 | processor time a request | resident |\n|---|---|---|---|---|---|---|\n")
	for _, s := range subjects {
		var shares, p50, p99 []string
		for _, n := range connections {
			r := s.loads[n]
			shares = append(shares, fmt.Sprintf("%.2f", r.Rate()/subjects[0].loads[n].Rate()))
			p50, p99 = append(p50, short(r.Quantile(0.5))), append(p99, short(r.Quantile(0.99)))
		}
		fmt.Fprintf(&b, "| %s | %s | %.0f | %s | %s | %d µs | %d MB |\n", s.name, strings.Join(shares, ", "), s.loads[16].Rate(),
			strings.Join(p50, ", "), strings.Join(p99, ", "), s.cpu[16].Microseconds(), s.resident>>20)
	}
	return b.String()
}

func short(d time.Duration) string {
	if d < time.Millisecond {
		return fmt.Sprintf("%.2f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.1f ms", float64(d)/1e6)
}

// load loads a subject for so long, and adds what it came to.
func (s *subject) load(n int, d time.Duration) error {
	l, err := bench.Dial(s.address, n, bench.Post(s.address, "/v1/exec", s.request), []byte(completed))
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	before, err := bench.UsageOf(s.process.Pid)
	if err != nil {
		return err
	}
	var total *bench.Report
	for began := time.Now(); time.Since(began) < d; {
		r, err := l.Run(max(50, 4*n))
		if err != nil {
			return err
		}
		if total == nil {
			total = r
		} else {
			total.Append(r)
		}
	}
	after, err := bench.UsageOf(s.process.Pid)
	if err != nil {
		return err
	}
	s.add(n, total, after.CPU-before.CPU)
	s.resident = max(s.resident, after.Resident)
	return nil
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/alecthomas/kong"
)

type options struct {
	Time    time.Duration `help:"How long to go on." default:"10m"`
	Clients int           `help:"How many clients send cells at once." default:"6"`
	Round   time.Duration `help:"How long the clients work between two measurements." default:"10s"`
	Binary  string        `arg:"" help:"The codecell to start." default:"bin/codecell" type:"path"`
}

func main() {
	var o options
	kong.Parse(&o)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// minRounds are as many as are needed to tell early ones from late ones.
const minRounds = 9

// warmup is how many rounds come before those that are judged: until every heap that will be needed has been made.
const warmup = 2

func run(ctx context.Context, o options) error {
	tools := startTools()
	defer tools.close()
	s, err := startService(o.Binary, tools.good.URL+"/ok")
	if err != nil {
		return err
	}
	defer s.kill()
	mix, err := newMix(s, tools)
	if err != nil {
		return err
	}
	idle, err := s.measure(ctx)
	if err != nil {
		return err
	}
	var rounds []measurement
	for end := time.Now().Add(o.Time); len(rounds) < warmup+minRounds || time.Now().Before(end); {
		if err := mix.round(ctx, o.Clients, o.Round); err != nil {
			return fmt.Errorf("after %d rounds: %w", len(rounds), err)
		}
		m, err := s.measure(ctx)
		if err != nil {
			return err
		}
		rounds = append(rounds, m)
		fmt.Println(m)
	}
	fmt.Println(mix.counts())
	if err := s.judge(rounds[warmup:]); err != nil {
		return err
	}
	if err := mix.end(ctx); err != nil {
		return err
	}
	if err := s.judgeRest(ctx, idle); err != nil {
		return err
	}
	return s.stop()
}

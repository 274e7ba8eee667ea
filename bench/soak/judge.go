package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	// probes are how many cells are measured, one after the other, in the rest after a round.
	probes = 300
	// How much slower, in relation to the calibration, late rounds may be than early ones: at the median, and of the slowest
	// of ten.
	maxDrift     = 1.5
	maxSlowDrift = 2.0
	// What may be left of memory, in bytes, and of goroutines and threads.
	maxGrowth = 64 << 20
	maxLeft   = 20
)

// measurement is how a resting service was after a round.
type measurement struct {
	median, slow        time.Duration // of a cell; slow is the slowest of ten
	calibration         time.Duration // the median of requests that do not depend on the service
	slowCalibration     time.Duration // the slowest of ten of those
	resident            float64       // bytes
	goroutines, threads float64
	descriptors         float64
}

func (m measurement) String() string {
	return fmt.Sprintf("a cell takes %.2f times as long as a request beside it (%s), a slow one %.2f times; %.0f MB, %.0f goroutines, %.0f threads, %.0f descriptors",
		m.ratio(), m.calibration.Round(time.Microsecond), m.slowRatio(), m.resident/(1<<20), m.goroutines, m.threads, m.descriptors)
}

func (m measurement) ratio() float64     { return float64(m.median) / float64(m.calibration) }
func (m measurement) slowRatio() float64 { return float64(m.slow) / float64(m.slowCalibration) }

// measure waits until nothing is under way, and measures.
func (s *service) measure(ctx context.Context) (m measurement, err error) {
	if _, err := s.await(ctx, "codecell_invocations_running", "codecell_steps_running"); err != nil {
		return m, err
	}
	turn, err := s.post(ctx, "/v1/turns", `{"context":{"agentId":"probe"},"config":true,"tools":[{"source":"openclaw","owner":"soak",`+
		`"name":"echo","parameters":{"type":"object"},"executor":{"type":"echo","result":{"details":{"a":1}}}}]}`)
	if err != nil {
		return m, err
	}
	id := turn.Get("turnId").Str
	var cells, work []time.Duration
	for range probes {
		start := time.Now()
		doc, err := s.post(ctx, "/v1/exec", `{"turnId":"`+id+`","code":"return (await tools.callValue(\"openclaw:soak:echo\", {a: 1})).a"}`)
		if err == nil {
			err = completed(doc, "1")
		}
		if err != nil {
			return m, err
		}
		cells = append(cells, time.Since(start))
		beside, err := s.calibrate(ctx)
		if err != nil {
			return m, err
		}
		work = append(work, beside)
	}
	slices.Sort(cells)
	slices.Sort(work)
	m.median, m.slow = cells[probes/2], cells[probes*9/10]
	m.calibration, m.slowCalibration = work[probes/2], work[probes*9/10]
	if err := s.delete(ctx, "/v1/turns/"+id); err != nil {
		return m, err
	}
	all, err := s.metrics(ctx)
	m.resident, m.goroutines = all["process_resident_memory_bytes"], all["go_goroutines"]
	m.threads, m.descriptors = all["go_threads"], all["process_open_fds"]
	return m, err
}

// calibrate returns how long a request takes that no part of the service answers. What slows down the one, such as others who
// use the machine, slows down the other.
func (s *service) calibrate(ctx context.Context) (time.Duration, error) {
	start := time.Now()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.beside, strings.NewReader("{}"))
	if err != nil {
		return 0, err
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return time.Since(start), errors.Join(err, answer.Body.Close())
}

// await waits until metrics are 0, and returns all.
func (s *service) await(ctx context.Context, names ...string) (all map[string]float64, err error) {
	const patience = 30 * time.Second
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if all, err = s.metrics(ctx); err != nil {
			return all, err
		}
		var left error
		for _, name := range names {
			if v, ok := all[name]; !ok || v != 0 {
				left = errors.Join(left, fmt.Errorf("%s is %v after %s of rest", name, v, patience))
			}
		}
		if left == nil || time.Now().After(end) {
			return all, left
		}
	}
}

// judge compares late rounds with early ones.
func (s *service) judge(rounds []measurement) error {
	third := len(rounds) / 3
	early, late := rounds[:third], rounds[len(rounds)-third:]
	var failed error
	for _, of := range []struct {
		what string
		most float64 // times as much
		more float64 // and so much more
		get  func(measurement) float64
	}{
		{"time of a cell to the calibration", maxDrift, 0, measurement.ratio},
		{"time of slow cells to the calibration", maxSlowDrift, 0, measurement.slowRatio},
		{"resident memory", 1, maxGrowth, func(m measurement) float64 { return m.resident }},
		{"goroutines", 1, maxLeft, func(m measurement) float64 { return m.goroutines }},
		{"threads", 1, maxLeft, func(m measurement) float64 { return m.threads }},
		{"descriptors", 1, maxLeft, func(m measurement) float64 { return m.descriptors }},
	} {
		before, after := median(early, of.get), median(late, of.get)
		fmt.Printf("%s: %.2f early, %.2f late\n", of.what, before, after)
		if after > of.most*before+of.more {
			failed = errors.Join(failed, fmt.Errorf("%s was %.2f and came to %.2f", of.what, before, after))
		}
	}
	return failed
}

func median(rounds []measurement, get func(measurement) float64) float64 {
	var all []float64
	for _, m := range rounds {
		all = append(all, get(m))
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// judgeRest requires that nothing is left when all turns are gone. idle is how the service was in the beginning.
func (s *service) judgeRest(ctx context.Context, idle measurement) error {
	all, err := s.await(ctx, "codecell_turns", "codecell_suspended_runs", "codecell_heaps{used}", "codecell_held_bytes",
		"codecell_snapshot_bytes", "codecell_invocations_running", "codecell_steps_running", "codecell_steps_queued")
	if err != nil {
		return err
	}
	if lost := all["codecell_worker_losses_total"]; lost == 0 {
		return errors.New("no worker was lost, although some were killed")
	}
	if n := all["go_goroutines"]; n > idle.goroutines+maxLeft {
		return fmt.Errorf("%.0f goroutines are left of %.0f in the beginning", n, idle.goroutines)
	}
	return nil
}

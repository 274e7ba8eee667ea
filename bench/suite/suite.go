package suite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Options say how long it takes.
type Options struct {
	// Time is how long each measurement of each subject takes in all, spread over the rounds.
	Time time.Duration
	// Rounds take turns between the subjects. Default 5.
	Rounds int
	// Progress is told before each piece of work: how many are done of how many, and what comes.
	Progress func(done, all int, what string)
}

// task is one line of the report for every subject.
type task struct{ group, name, what string }

func tasks() []task {
	all := []task{{"guest", "fresh guest, 1+1", Fresh}}
	for _, k := range Kernels {
		all = append(all, task{"kernel", k.Name, k.Name})
	}
	return append(all, task{"snapshot", "suspend", Suspend}, task{"snapshot", "restore", Restore},
		task{"snapshot", "suspend + restore + resume", Cycle})
}

// Run measures the subjects, and the service if there is one.
func Run(ctx context.Context, o Options, subjects []Subject, service *Service) (*Report, error) {
	if o.Rounds <= 0 {
		o.Rounds = 5
	}
	if o.Progress == nil {
		o.Progress = func(int, int, string) {}
	}
	r := newReport()
	loads := 0
	if service != nil {
		loads = service.pieces(o.Rounds)
	}
	p := progress{all: len(tasks())*o.Rounds*len(subjects) + loads, tell: o.Progress}
	for _, t := range tasks() {
		if err := r.measure(ctx, &p, t, o, subjects); err != nil {
			return nil, err
		}
	}
	for _, s := range subjects {
		bytes, err := s.StoredBytes()
		switch {
		case errors.Is(err, ErrNotApplicable):
		case err != nil:
			return nil, fmt.Errorf("%s: stored bytes: %w", s.Name(), err)
		case bytes > 0:
			r.Results = append(r.Results, Result{"snapshot", "stored bytes", s.Name(), "bytes", []float64{float64(bytes)}})
		}
	}
	if service != nil {
		if err := service.measure(ctx, r, &p, o); err != nil {
			return nil, err
		}
	}
	r.Judge()
	return r, nil
}

// measure lets the subjects take turns.
func (r *Report) measure(ctx context.Context, p *progress, t task, o Options, subjects []Subject) error {
	results := make([]Result, len(subjects))
	for range o.Rounds {
		for n, s := range subjects {
			p.next(t.name + ", " + s.Name())
			took, err := s.Measure(ctx, t.what, o.Time/time.Duration(o.Rounds))
			if errors.Is(err, ErrNotApplicable) {
				continue
			}
			if err != nil {
				return fmt.Errorf("%s: %s: %w", s.Name(), t.name, err)
			}
			results[n].Samples = append(results[n].Samples, float64(took))
		}
	}
	for n, x := range results {
		if len(x.Samples) > 0 {
			r.Results = append(r.Results, Result{t.group, t.name, subjects[n].Name(), "ns", x.Samples})
		}
	}
	return ctx.Err()
}

// progress counts pieces of work.
type progress struct {
	done, all int
	tell      func(done, all int, what string)
}

func (p *progress) next(what string) {
	p.tell(p.done, p.all, what)
	p.done++
}

// Groups returns the groups of the report in their order.
func (r *Report) Groups() []string {
	var groups []string
	for _, x := range r.Results {
		if !slices.Contains(groups, x.Group) {
			groups = append(groups, x.Group)
		}
	}
	return groups
}

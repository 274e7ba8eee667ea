package suite

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// Report is everything that one run of the suite found.
type Report struct {
	Date     time.Time         `json:"date"`
	Machine  Machine           `json:"machine"`
	Versions map[string]string `json:"versions"`
	Results  []Result          `json:"results"`
	Targets  []Target          `json:"targets"`
	LeftOut  []string          `json:"leftOut"` // what could not be measured here, and why
}

// Machine is where it was measured.
type Machine struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	OS    string `json:"os"`
	Go    string `json:"go"`
}

// Result is one measurement of one subject.
type Result struct {
	Group   string    `json:"group"`   // such as "kernel"
	Name    string    `json:"name"`    // such as "fib"
	Subject string    `json:"subject"` // such as "native"
	Unit    string    `json:"unit"`    // "ns", "bytes", "req/s"
	Samples []float64 `json:"samples"` // one a round
}

// Median is the middle of the samples.
func (r *Result) Median() float64 { return r.quantile(0.5) }

// quantile returns the sample that the given share of them does not exceed.
func (r *Result) quantile(share float64) float64 {
	if len(r.Samples) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(r.Samples))
	return sorted[int(share*float64(len(sorted)-1)+0.5)]
}

// Target is a number to reach and what was measured.
type Target struct {
	What string  `json:"what"`
	Want string  `json:"want"`
	Got  float64 `json:"got"`
	Unit string  `json:"unit"`
	Met  bool    `json:"met"`
}

// Find returns a result, nil if there is none.
func (r *Report) Find(group, name, subject string) *Result {
	for n := range r.Results {
		if x := &r.Results[n]; x.Group == group && x.Name == name && x.Subject == subject {
			return x
		}
	}
	return nil
}

// atLeast adds a target of a ratio: a must be so many times b, if both were measured.
func (r *Report) atLeast(what string, want float64, a, b *Result) {
	if a == nil || b == nil || b.Median() == 0 {
		return
	}
	got := a.Median() / b.Median()
	r.Targets = append(r.Targets, Target{what, fmt.Sprintf("≥ %g ×", want), got, "×", got >= want})
}

// within adds a target of a ratio: a must be at most so many times b, if both were measured.
func (r *Report) within(what string, most float64, a, b *Result) {
	if a == nil || b == nil || b.Median() == 0 {
		return
	}
	got := a.Median() / b.Median()
	r.Targets = append(r.Targets, Target{what, fmt.Sprintf("≤ %g ×", most), got, "×", got <= most})
}

// atMost adds a target of an amount.
func (r *Report) atMost(what, want string, limit float64, x *Result) {
	if x == nil {
		return
	}
	r.Targets = append(r.Targets, Target{what, want, x.Median(), x.Unit, x.Median() <= limit})
}

// Judge compares what was measured with the numbers to reach.
func (r *Report) Judge() {
	r.Targets = nil
	fresh := func(subject string) *Result { return r.Find("guest", "fresh guest, 1+1", subject) }
	r.atLeast("fresh guest: native against quickjs-wasi", 200, fresh(NodeVM), fresh("native"))
	cycle := func(subject string) *Result { return r.Find("snapshot", "suspend + restore + resume", subject) }
	r.atLeast("suspend + restore + resume against quickjs-wasi", 30, cycle(NodeVM), cycle("wasi"))
	r.atLeast("suspend + restore + resume, aot against quickjs-wasi", 30, cycle(NodeVM), cycle("aot"))
	r.within("fresh guest: aot against native", 2, fresh("aot"), fresh("native"))
	for _, k := range Kernels {
		kernel := func(subject string) *Result { return r.Find("kernel", k.Name, subject) }
		r.within(k.Name+": aot against native", 1.4, kernel("aot"), kernel("native"))
	}
	r.atMost("stored bytes of a suspended run, 50 tools", "≤ 64 KiB", 64<<10, r.Find("snapshot", "stored bytes", "wasi"))
	r.atMost("10,000 suspended runs, resident", "< 1 GB", 1e9, r.Find("snapshot", "10,000 suspended runs", "service"))
	r.atLeast("POST /v1/exec, 16 connections, against a handler that does nothing", 0.5,
		r.Find("rest", "16 connections", "codecell"), r.Find("rest", "16 connections", "no-op"))
}

// NodeVM is the peer that the numbers to reach are about.
const NodeVM = "quickjs-wasi"

// WriteJSON writes the report as it is.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// WriteTable writes the report for a terminal.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s, %d cores, %s, %s\n\n", r.Machine.CPU, r.Machine.Cores, r.Machine.OS, r.Machine.Go)
	for _, x := range r.Results {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t± %s\n", x.Group, x.Name, x.Subject, show(x.Median(), x.Unit), spread(&x))
	}
	if len(r.Targets) > 0 {
		fmt.Fprintln(t)
	}
	for _, x := range r.Targets {
		met := "met"
		if !x.Met {
			met = "NOT met"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", x.What, x.Want, show(x.Got, x.Unit), met)
	}
	for _, what := range r.LeftOut {
		fmt.Fprintf(t, "left out: %s\n", what)
	}
	return t.Flush()
}

// spread is half the range of the middle of the samples, in per cent of the median.
func spread(r *Result) string {
	if r.Median() == 0 || len(r.Samples) < 2 {
		return "-"
	}
	return fmt.Sprintf("%.0f %%", 50*(r.quantile(0.75)-r.quantile(0.25))/r.Median())
}

// show writes an amount for people.
func show(v float64, unit string) string {
	scale := func(names ...string) string {
		n := 0
		for v >= 1000 && n < len(names)-1 {
			v /= 1000
			n++
		}
		return fmt.Sprintf("%.3g %s", v, names[n])
	}
	switch unit {
	case "ns":
		return scale("ns", "µs", "ms", "s")
	case "bytes":
		return scale("B", "kB", "MB", "GB")
	}
	if v >= 1000 {
		return fmt.Sprintf("%.0f %s", v, unit)
	}
	return fmt.Sprintf("%.3g %s", v, unit)
}

// newReport begins a report with what is known of the machine.
func newReport() *Report {
	return &Report{
		Date:     time.Now().UTC().Truncate(time.Second),
		Machine:  Machine{CPU: cpuModel(), Cores: runtime.NumCPU(), OS: runtime.GOOS + "/" + runtime.GOARCH + kernel(), Go: runtime.Version()},
		Versions: map[string]string{},
	}
}

func cpuModel() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

func kernel() string {
	text, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return ""
	}
	return ", kernel " + strings.TrimSpace(string(text))
}

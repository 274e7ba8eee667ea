package suite

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Funcs(template.FuncMap{"show": show, "spread": spread}).Parse(pageText))

// section is one group of the report as the page shows it.
type section struct {
	Title, Explains string
	Plots           []plot
}

// plot is a bar for each subject.
type plot struct {
	Name string
	SVG  template.HTML
}

var explains = map[string]string{
	"guest":    "Make a guest that sees 50 tools, evaluate 1+1, drop it. Peers make their kind of guest, without tools. Shorter is better; the scale is logarithmic.",
	"kernel":   "Programs that compute, in a guest that is there already or takes microseconds to make. Shorter is better.",
	"snapshot": "A suspended guest: restored from its stored bytes, resumed, and suspended to bytes again. Shorter is better; the scale is logarithmic where subjects are far apart.",
	"rest":     "POST /v1/exec of return 1+1 with 50 tools, by connections, beside a handler that binds and writes the same and does nothing. Longer is better.",
	"latency":  "At a steady half of the rate above, each request measured from the moment when it was due.",
}

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error {
	var sections []section
	for _, group := range r.Groups() {
		s := section{Title: group, Explains: explains[group]}
		for _, name := range r.names(group) {
			s.Plots = append(s.Plots, plot{name, bars(r.row(group, name))})
		}
		sections = append(sections, s)
	}
	return page.Execute(w, map[string]any{"Report": r, "Sections": sections})
}

func (r *Report) names(group string) []string {
	var names []string
	seen := map[string]bool{}
	for _, x := range r.Results {
		if x.Group == group && !seen[x.Name] {
			seen[x.Name] = true
			names = append(names, x.Name)
		}
	}
	return names
}

func (r *Report) row(group, name string) []Result {
	var row []Result
	for _, x := range r.Results {
		if x.Group == group && x.Name == name {
			row = append(row, x)
		}
	}
	return row
}

const (
	labelWidth = 170
	barWidth   = 380
	barHeight  = 20
	barStep    = 26
	// logarithmic where the largest is so many times the smallest.
	farApart = 30
)

// bars draws a bar for each result, with the range of the middle half of its samples.
func bars(row []Result) template.HTML {
	least, most := row[0].Median(), row[0].Median()
	for _, x := range row {
		least, most = min(least, x.Median()), max(most, x.quantile(0.75))
	}
	length := scale(least, most)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img">`, labelWidth+barWidth+110, len(row)*barStep)
	for n, x := range row {
		y := n * barStep
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end" class="name">%s</text>`, labelWidth-8, y+15, template.HTMLEscapeString(x.Subject))
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%.1f" height="%d" rx="3" class="%s"/>`, labelWidth, y+2, max(length(x.Median()), 1), barHeight, kind(x.Subject))
		low, high := length(x.quantile(0.25)), length(x.quantile(0.75))
		fmt.Fprintf(&b, `<path d="M%.1f %d H%.1f" class="range"/>`, labelWidth+low, y+2+barHeight/2, labelWidth+high)
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" class="value">%s</text>`, labelWidth+high+8, y+16, show(x.Median(), x.Unit))
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// scale returns how long the bar of an amount is.
func scale(least, most float64) func(float64) float64 {
	if least > 0 && most/least > farApart {
		from := decade(least)
		span := decade(most) + 1 - from
		return func(v float64) float64 { return barWidth * min((decadeOf(v)-float64(from))/float64(span), 1) }
	}
	if most <= 0 {
		return func(float64) float64 { return 0 }
	}
	return func(v float64) float64 { return barWidth * v / most }
}

// kind is how a subject is coloured.
func kind(subject string) string {
	switch subject {
	case "no-op", "goja", NodeVM, NodeVM + " in a worker":
		return "peer"
	}
	return "own"
}

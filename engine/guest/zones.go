package guest

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	// The zones are those of Go's own data where the machine has none.
	_ "time/tzdata"
)

// zones is the table of time zones: for a name in lower case its row (see date_zone.js), or "=" and the lower-case name that
// it stands for. Changes are listed up to 2037, or to the year that a rule is marked with.
var zones = sync.OnceValue(func() string {
	var rows []zoneRow
	for line := range strings.Lines(zoneNames) {
		names, list, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		parts := strings.Split(names, "|")
		for item := range strings.SplitSeq(list, ";") {
			item, since, dated := strings.Cut(item, "@")
			name, place, ok := strings.Cut(item, "=")
			if !ok {
				place = strings.ReplaceAll(name[strings.LastIndexByte(name, '/')+1:], "_", " ")
			}
			if name == "UTC" || strings.HasPrefix(name, "Etc/") {
				place = ""
			}
			if dated {
				place += "@" + since
			}
			rows = append(rows, zoneRow{name: name, names: strings.Join(append(parts, place), "|")})
		}
	}
	var all sync.WaitGroup
	for some := range slices.Chunk(rows, (len(rows)+3)/4) {
		all.Go(func() {
			for i := range some {
				some[i].times, some[i].rule = zoneTimes(some[i].name)
			}
		})
	}
	all.Wait()
	var table strings.Builder
	table.WriteByte('\n')
	for _, r := range rows {
		if r.times == "" {
			continue
		}
		table.WriteString(strings.ToLower(r.name) + "\t" + r.name + "|" + r.times + "|" + r.names + "|" + r.rule + "\n")
	}
	for line := range strings.Lines(zoneLinks) {
		name, links, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		for link := range strings.SplitSeq(links, " ") {
			table.WriteString(strings.ToLower(link) + "\t=" + strings.ToLower(name) + "\n")
		}
	}
	return table.String()
})

// zoneRow is one zone: name, names in English, changes, and whether they go on by rule.
type zoneRow struct{ name, names, times, rule string }

// span is a time in which a zone has one offset.
type span struct {
	from     int64 // seconds since 1970
	offset   int   // seconds
	daylight bool
}

const (
	firstChange  = -1 << 33
	lastYear     = 2037
	cycle        = 28 // years, after which the calendar has the same days of the week
	year         = 366 * 24 * 60 * 60
	explicitYear = 2088 // of zones whose changes follow no rule of days
)

// zoneTimes lists the changes of a zone; "" if there is no such zone.
func zoneTimes(name string) (times, rule string) {
	location, err := time.LoadLocation(name)
	if err != nil {
		return "", ""
	}
	spans := zoneSpans(location)
	followDaylight(spans)
	b := strconv.AppendInt(nil, int64(spans[0].offset), 36)
	b = append(b, ",0"...)
	if spans[0].daylight {
		b[len(b)-1] = '1'
	}
	last := int64(0)
	for _, s := range spans[1:] {
		b = strconv.AppendInt(append(b, ','), s.from-last, 36)
		b = strconv.AppendInt(append(b, ','), int64(s.offset), 36)
		last = s.from
		if s.daylight {
			b = append(b, ",1"...)
		} else {
			b = append(b, ",0"...)
		}
	}
	if last := spans[len(spans)-1]; last.from > time.Date(lastYear-1, 1, 1, 0, 0, 0, 0, time.UTC).Unix() {
		switch year := lastChangesOf(location); year {
		case lastYear, lastYear + cycle:
			rule = strconv.Itoa(year)
		}
	}
	return string(b), rule
}

func zoneSpans(location *time.Location) []span {
	last := lastChangesOf(location)
	end := time.Date(last, 12, 31, 0, 0, 0, 0, time.UTC).Unix()
	at := time.Unix(firstChange, 0).In(location)
	_, offset := at.Zone()
	spans := []span{{firstChange, offset, at.IsDST()}}
	for {
		_, next := at.ZoneBounds()
		if next.IsZero() || next.Unix() > end {
			return spans
		}
		if !next.After(at) {
			// On the last day of a leap year the bounds are that of a time without any length.
			next = at.Add(48 * time.Hour)
		}
		at = next
		_, offset := at.Zone()
		if last := spans[len(spans)-1]; last.offset != offset || last.daylight != at.IsDST() {
			spans = append(spans, span{at.Unix(), offset, at.IsDST()})
		}
	}
}

// lastChangesOf is the last year whose changes are listed. Rules go by days of the week, so a cycle of years stands for all
// that follow: the one to 2037 if the zone has kept its rule through it, else the next one.
func lastChangesOf(location *time.Location) int {
	if repeats(location, lastYear) {
		return lastYear
	}
	if repeats(location, lastYear+cycle) {
		return lastYear + cycle
	}
	return explicitYear
}

// repeats reports whether the zone's offsets in a cycle of years to that one are those of the next.
func repeats(location *time.Location, year int) bool {
	for from := year - cycle + 1; from <= year; from += 3 {
		for week := range 52 {
			day := 7*week + 4
			_, a := time.Date(from, 1, day, 0, 0, 0, 0, time.UTC).In(location).Zone()
			_, b := time.Date(from+cycle, 1, day, 0, 0, 0, 0, time.UTC).In(location).Zone()
			if a != b {
				return false
			}
		}
	}
	return true
}

// followDaylight makes the later clock the daylight one where a zone's data say that winter has a clock of its own.
func followDaylight(spans []span) {
	inverted := func(i int) bool {
		return spans[i].daylight && (i > 0 && !spans[i-1].daylight && spans[i].offset < spans[i-1].offset ||
			i+1 < len(spans) && !spans[i+1].daylight && spans[i].offset < spans[i+1].offset)
	}
	turned := make([]bool, len(spans))
	for i := range spans {
		if inverted(i) {
			turned[i] = true
			for _, k := range []int{i - 1, i + 1} {
				if k >= 0 && k+1 < len(spans) && spans[k+1].from-spans[k].from < year && !spans[k].daylight && spans[k].offset > spans[i].offset {
					turned[k] = true
				}
			}
		}
	}
	for i := range spans {
		if turned[i] {
			spans[i].daylight = !spans[i].daylight
		}
	}
}

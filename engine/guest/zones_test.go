package guest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// zonesTable is the number of the table of zones among Tables.
const zonesTable = 2

func TestZones(t *testing.T) {
	t.Run("a name and its links have the row of one zone", func(t *testing.T) {
		row, ok := Row(zonesTable, "america/new_york")
		require.True(t, ok)
		require.True(t, strings.HasPrefix(row, "America/New_York|"))
		link, ok := Row(zonesTable, "us/eastern")
		require.True(t, ok)
		require.Equal(t, "=america/new_york", link)
		_, ok = Row(zonesTable, "mars/olympus")
		require.False(t, ok)
	})
	t.Run("every name that stands for a zone leads to one", func(t *testing.T) {
		for line := range strings.Lines(zones()[1:]) {
			_, row, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
			if name, ok := strings.CutPrefix(row, "="); ok {
				to, ok := Row(zonesTable, name)
				require.True(t, ok, "%s", row)
				require.False(t, strings.HasPrefix(to, "="), "%s", row)
				continue
			}
			require.Equal(t, 7, strings.Count(row, "|"), "%s", row)
		}
	})
	t.Run("changes are those of the zone", func(t *testing.T) {
		for _, name := range []string{"America/New_York", "Europe/Dublin", "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Kolkata"} {
			location, err := time.LoadLocation(name)
			require.NoError(t, err)
			spans := zoneSpans(location)
			for i, s := range spans {
				_, offset := time.Unix(s.from, 0).In(location).Zone()
				require.Equal(t, offset, s.offset, "%s from %d", name, s.from)
				require.True(t, i == 0 || s.from > spans[i-1].from)
			}
		}
	})
	t.Run("the later clock is the daylight one", func(t *testing.T) {
		location, err := time.LoadLocation("Europe/Dublin")
		require.NoError(t, err)
		spans := zoneSpans(location)
		followDaylight(spans)
		last := spans[len(spans)-2:]
		require.ElementsMatch(t, []bool{false, true}, []bool{last[0].daylight, last[1].daylight})
		for _, s := range last {
			require.Equal(t, s.offset == 3600, s.daylight)
		}
	})
	t.Run("rules go on; what follows none is listed", func(t *testing.T) {
		for name, rule := range map[string]string{"America/New_York": "2037", "Asia/Kolkata": "", "Africa/Casablanca": ""} {
			_, got := zoneTimes(name)
			require.Equal(t, rule, got, "%s", name)
		}
	})
}

package guest

import (
	"strings"
	"sync"
)

// Tables returns constants that are too many for a heap: a heap gets one row of them at a time, by host.row(table, name).
// A table is lines, each "\n" + name + "\t" + text, and a last "\n". Neither part has a tab or a line break.
var Tables = sync.OnceValue(func() []string {
	return append(FixedTables(), zones())
})

// FixedTables are those of the Tables that are the same for every machine: all but the zones, whose data may be the machine's.
func FixedTables() []string { return []string{currencies, units} }

// Row is what the table with that number says of a name; false if it has no such row.
func Row(table int, name string) (text string, ok bool) {
	if table < 0 || table >= len(Tables()) || strings.ContainsAny(name, "\n\t") {
		return "", false
	}
	_, rest, ok := strings.Cut(Tables()[table], "\n"+name+"\t")
	if !ok {
		return "", false
	}
	text, _, ok = strings.Cut(rest, "\n")
	return text, ok
}

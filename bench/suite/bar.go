package suite

import (
	"fmt"
	"io"
	"os"
	"strings"
)

// Bar returns a progress that draws a bar where w is a terminal, and writes a line for each new thing elsewhere.
func Bar(w io.Writer) func(done, all int, what string) {
	if !terminal(w) {
		last := ""
		return func(_, _ int, what string) {
			subject, _, _ := strings.Cut(what, ", ")
			if subject != last {
				fmt.Fprintln(w, subject)
			}
			last = subject
		}
	}
	return func(done, all int, what string) {
		const width = 30
		full := width * (done + 1) / max(all, 1)
		fmt.Fprintf(w, "\r\x1b[K%s%s %3d %%  %s", strings.Repeat("█", full), strings.Repeat("░", width-full), 100*(done+1)/max(all, 1), what)
		if done+1 == all {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
}

func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

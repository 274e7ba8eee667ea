package bridge

import (
	"fmt"
	"regexp"

	"github.com/codecell/codecell/engine"
)

// maxHints bounds what one result tells the model about its mistakes.
const maxHints = 8

func (r *run) hint(text string) {
	if len(r.hints) < maxHints {
		r.hints = append(r.hints, text)
	}
}

// hintValue tells the model what its value lost on the way out (contract B7).
func (r *run) hintValue(timers int) {
	if r.noticed&engine.HintPromise != 0 {
		r.hint("The value holds a promise that was not awaited: it became {}. Write await before the call, or await Promise.all(list).")
	}
	if r.noticed&engine.HintMapOrSet != 0 {
		r.hint("The value holds a Map or Set, which JSON shows as {}. Return Object.fromEntries(map) or [...set].")
	}
	if r.noticed&engine.HintIterator != 0 {
		r.hint("The value holds an iterator (what keys(), values(), entries() or a generator gives), which JSON shows as {}. Return [...iterator].")
	}
	if r.noticed&engine.HintFunction != 0 && string(r.value) == "null" {
		r.hint("The cell returned a function, which has no JSON form. Call it, or return its result.")
	}
	if r.noticed&engine.HintUndefined != 0 && len(r.output.items) == 0 {
		r.hint(r.nothingHint())
	}
	if r.noticed&engine.HintLocale != 0 {
		r.hint("Only English is known here: what was to be written for another locale was written as for en-US. Numbers, dates, and the order and case of words may differ from what that locale's readers expect.")
	}
	if timers > 0 && !races.MatchString(r.cell.code) {
		r.hint(fmt.Sprintf("%d timer(s) had not fired when the cell returned, and were dropped. Await a promise that the timer resolves.", timers))
	}
}

// races matches cells that wait for what comes first: the timer of a time limit is left over on purpose there.
var races = regexp.MustCompile(`\bPromise\s*\.\s*(?:race|any)\b`)

// nothingHint says why a cell has nothing to show.
func (r *run) nothingHint() string {
	if r.whyNothing != "" {
		return r.whyNothing
	}
	if line := r.reading().LoneReturn(); line > 0 {
		return fmt.Sprintf("Nothing was returned: return stands alone on line %d, and what is below it never runs. Write the value on the same line, or in parentheses that open there.", line)
	}
	return "Nothing was returned and nothing was put out. Use return to pass a value back, or text() and json() for output."
}

// hintUnhandled reports rejections that the cell never looked at (contract C8).
func (r *run) hintUnhandled(thrown []engine.Thrown) {
	for i := range thrown {
		r.hint("A promise was rejected and nobody handled it: " + thrownText(&thrown[i]) + thrown[i].Reasons + ". Await the call, or catch its error.")
	}
}

package bridge

import (
	"fmt"

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
	for _, l := range lost {
		if r.noticed&l.what != 0 {
			r.hint(l.say)
		}
	}
	switch {
	case r.noticed&engine.HintFunction != 0 && string(r.value) == "null":
		r.hint("The cell returned a function, which has no JSON form. Call it, or return its result.")
	case r.noticed&engine.HintFunctions != 0:
		r.hint("The value holds functions, which have no JSON form: an object that has nothing else is {}, and in a list they are null. Call them, or return what they return.")
	}
	if r.noticed&engine.HintUndefined != 0 && len(r.output.items) == 0 {
		r.hint(r.nothingHint())
	}
	if r.noticed&engine.HintLocale != 0 {
		r.hint("Only English is known here: what was to be written for another locale was written as for en-US. Numbers, dates, and the order and case of words may differ from what that locale's readers expect.")
	}
	if timers > 0 && !r.timersMayFire {
		r.hintTimers()
	}
}

// lost are the things that JSON has no form for.
var lost = []struct {
	what engine.Hint
	say  string
}{
	{engine.HintMapOrSet, "A Map or Set left the cell, which JSON shows as {}. Write Object.fromEntries(map) or [...set]."},
	{engine.HintIterator, "An iterator (what keys(), values(), entries() or a generator gives) or another object that is only iterable left the cell, which JSON shows as {}. Write [...iterator], or await Array.fromAsync(iterator) if it is asynchronous."},
	{engine.HintBytes, "An ArrayBuffer or typed array left the cell, which JSON shows as {} or as an object of its indexes. Write [...bytes] (of a buffer, [...new Uint8Array(buffer)]), new TextDecoder().decode(bytes) for text, or base64."},
	{engine.HintOpaque, "A RegExp, WeakMap, WeakSet or WeakRef left the cell, which JSON shows as {}. Write String(regexp), or take out of it what is needed."},
	{engine.HintNumber, "The value holds NaN or an infinity, which JSON has as null. Check what was computed, such as a division by zero or the largest number of an empty list."},
}

// hintTimers tells of timers that were dropped with something that the cell wanted of them.
func (r *run) hintTimers() {
	told := map[string]bool{}
	for _, callback := range r.leftTimers {
		t, ok := r.reading().LeftTimer(callback)
		if !ok || t.Changes && !r.hasNothing() {
			continue
		}
		what := "its callback never ran: write await new Promise((done) => setTimeout(done, ms)), and behind it what the callback does"
		if t.Sleeps {
			what = "nobody waited for it: write await before it"
		}
		r.hintOnce(told, fmt.Sprintf("The timer of %s on line %d had not fired when the cell returned, and was dropped; %s.", t.Text, t.Line, what))
	}
}

// hasNothing says whether the value is one that something was to be put into.
func (r *run) hasNothing() bool {
	switch string(r.value) {
	case "null", `""`, "[]", "{}", "0", "false":
		return true
	}
	return false
}

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

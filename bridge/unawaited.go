package bridge

import (
	"fmt"
	"strings"

	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/script"
)

// The keys of engine.Misused that are no property's name.
const (
	iteratorKey  = "@@iterator"
	primitiveKey = "@@toPrimitive"
)

// hintMisused tells the model where an await is missing (contract B7): the guest has noticed that a promise was used as if
// it were its value, or that nobody waited for a call, and the cell's text says what that comes to. Where it leaves a doubt
// there is no hint: a call may well be made without waiting for it (contract C8).
func (r *run) hintMisused(e *engine.Effects) {
	r.misused = e.Misused
	if len(e.Misused) == 0 {
		return
	}
	told := map[string]bool{}
	for _, m := range e.Misused {
		if m.Misuse == engine.MisuseTouched {
			r.hintOnce(told, r.touchedHint(m))
		}
	}
	for _, m := range e.Misused {
		switch m.Misuse {
		case engine.MisuseUnawaited:
			r.hintOnce(told, r.unawaitedHint(m))
		case engine.MisuseLeft:
			r.timersMayFire = true
			r.hintOnce(told, r.leftHint(m, e.Main.Hints&engine.HintUndefined != 0))
		case engine.MisuseTimer:
			r.leftTimers = append(r.leftTimers, m.Key)
		}
	}
}

func (r *run) hintOnce(told map[string]bool, text string) {
	if text == "" || told[text] {
		return
	}
	told[text] = true
	r.missesAwait = true
	r.hint(text)
}

// touchedHint is about a promise of which something was read that only its value has.
func (r *run) touchedHint(m engine.Misused) string {
	call, made := r.reading().CallAt(frameOf(m.Call))
	made = made && m.Call != ""
	use, used := r.reading().PropertyRead(m.Key, frameOf(m.Use))
	used = used && m.Use != ""
	if !made && used && use.Call != nil {
		call, made = *use.Call, true
	}
	var what string
	switch m.Key {
	case "toJSON":
		what = "its promise became {} where it was made JSON" + r.lineOf(m.Use)
	case primitiveKey, "toString", "valueOf":
		what = `its promise became "[object Promise]" or NaN where it was used as a text or a number` + r.lineOf(m.Use)
	case iteratorKey:
		what = "its promise can't be gone through" + r.lineOf(m.Use)
	default:
		property := script.Clip(m.Key)
		what = fmt.Sprintf("its promise has no property %s%s", property, r.lineOf(m.Use))
		if used && use.At.Text != "" {
			what = fmt.Sprintf("%s is read of its promise, not of its result (line %d)", use.At.Text, use.At.Line)
		}
	}
	if made {
		return r.notAwaited(call, what)
	}
	if m.Key == "toJSON" && r.lineOf(m.Use) == "" {
		return "" // the value itself, of which there is a hint anyway
	}
	const cure = "Write await before the call that made it; for a list of promises, await Promise.all(list)."
	if used {
		return fmt.Sprintf("%s was not awaited: %s. %s", use.Text, what, cure)
	}
	return fmt.Sprintf("A promise was not awaited, and %s. %s", strings.Replace(what, "its promise", "it", 1), cure)
}

// lineOf is the line of a stack trace's innermost frame of the cell, as the end of a sentence; empty if it is not known.
func (r *run) lineOf(stack string) string {
	f := frameOf(stack)
	if f.Line <= 0 {
		return ""
	}
	line, _ := r.cell.source.Position(f.Line, f.Column)
	return fmt.Sprintf(" (line %d)", line)
}

// notAwaited says that a call was not awaited, what came of that, and what to write.
func (r *run) notAwaited(c script.Call, what string) string {
	text := fmt.Sprintf("%s on line %d was not awaited: %s.", c.Text, c.Line, what)
	line, caller, ok := r.reading().Awaited(c)
	switch {
	case !ok:
		return text + " Write await before it."
	case caller == "map" || caller == "flatMap":
		return text + " Write: " + line + " and await Promise.all(…) around " + caller + "(…)."
	case caller != "":
		return text + " Write: " + line + " and await what that function returns."
	}
	return text + " Write: " + line
}

// unawaitedHint is about a call that was answered and that nobody ever waited for.
func (r *run) unawaitedHint(m engine.Misused) string {
	call, ok := r.reading().CallAt(frameOf(m.Call))
	if !ok || m.Call == "" {
		return ""
	}
	use, how, ok := r.reading().Misuse(call)
	if !ok {
		return ""
	}
	return r.notAwaited(call, fmt.Sprintf("its promise %s (line %d)", how, use.Line))
}

// leftHint is about a call that was under way when the cell returned: part of a loop that waits for nothing, or of a
// function that nobody waited for. A function that is called by itself may be left on purpose: only if the cell has nothing
// to show in the end, it was not, and that is seen then.
func (r *run) leftHint(m engine.Misused, nothing bool) string {
	call, ok := r.reading().CallAt(frameOf(m.Call))
	if !ok || m.Call == "" {
		return ""
	}
	left, ok := r.reading().RunawayOf(call, nothing)
	if !ok {
		return ""
	}
	switch {
	case left.Method == "forEach":
		list := strings.TrimSuffix(left.Text, ".forEach")
		return fmt.Sprintf("forEach does not wait for async functions: %s on line %d was still running when the cell returned. "+
			"Write: for (const item of %s) { await … }, or await Promise.all(%s.map(async item => …)).", call.Text, call.Line, list, list)
	case left.Method != "":
		return fmt.Sprintf("%s on line %d is given an async function, whose promise it takes for the answer: %s was still running when the cell returned. "+
			"Await the answers first, with await Promise.all(list.map(async item => …)).", left.Text, left.Line, call.Text)
	case left.How != "":
		return r.notAwaited(*left.Call, "its promise "+left.How)
	}
	text := r.notAwaited(*left.Call, "it was still running when the cell returned, and nothing was returned")
	r.whyNothing = strings.Replace(text, "Write: await", "Write: return await", 1)
	return ""
}

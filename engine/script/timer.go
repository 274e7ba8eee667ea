package script

import "strings"

// Timer is a timer of the cell's that is lost with what its callback would have done.
type Timer struct {
	Found        // the call of setTimeout, or of the function that sleeps
	Sleeps  bool // it was to be awaited: nothing else comes of it
	Changes bool // its callback only changes variables
}

// LeftTimer returns the timer whose callback has that text, and which had not fired when the cell returned, where it is
// certain that something is lost with it. A time limit or a watchdog is left over on purpose: its callback throws or aborts,
// or its function goes on to wait for something.
func (r *Reading) LeftTimer(callback string) (Timer, bool) {
	if r == nil {
		return Timer{}, false
	}
	if strings.Contains(callback, "[native code]") {
		return r.lostSleep()
	}
	for n := range r.functions[1:] {
		f := r.functions[n+1]
		begin := r.functionBegin(f)
		if r.src[r.token(begin).start:r.token(f.to-1).end] != callback {
			continue
		}
		does := r.does(f, 2)
		if does == nothing {
			continue
		}
		if at, ok := r.timerOf(f, begin); ok && !r.awaitsAfter(at) {
			t := Timer{Found: r.placed(at), Changes: does == changes}
			t.Text = "setTimeout"
			return t, true
		}
	}
	return Timer{}, false
}

// timerOf returns the call of setTimeout that is given a function: where it is written, or by its name.
func (r *Reading) timerOf(f function, begin int) (at int, ok bool) {
	if r.isTimer(begin-2) && r.text(begin-1) == "(" {
		return begin - 2, true
	}
	if f.name == "" || !f.declared {
		return 0, false
	}
	for i := range r.tokens {
		if r.isWord(i) && r.text(i) == f.name && r.text(i-1) == "(" && r.isTimer(i-2) {
			return i - 2, true
		}
	}
	return 0, false
}

func (r *Reading) isTimer(i int) bool {
	return r.text(i) == "setTimeout" && r.token(i).kind == kindWord
}

// awaitsAfter says whether the function around the i-th token may wait for something after it.
func (r *Reading) awaitsAfter(i int) bool {
	r.work += len(r.tokens)
	for n := i + 1; n < len(r.tokens); n++ {
		if r.inside(n) == r.inside(i) && r.isWord(n) && (r.text(n) == "await" || r.text(n) == "return" && r.promises(n)) {
			return true
		}
	}
	return r.tired()
}

// promises says whether what is returned at the i-th token may be a promise that takes the timer along: one of several.
func (r *Reading) promises(i int) bool { return r.text(i+1) == "Promise" || r.text(i+1) == "new" }

// What comes of a callback.
type effect int

const (
	nothing effect = iota // that is seen, or it ends something
	changes               // variables have other values
	shows                 // there is output, or a call of a tool
)

// endings are what the callback of a time limit calls.
var endings = map[string]bool{"reject": true, "rej": true, "abort": true, "cancel": true, "throw": true, "stop": true, "fail": true, "resolve": true, "done": true}

// mutators change what they are called on.
var mutators = map[string]bool{"push": true, "unshift": true, "set": true, "add": true, "splice": true}

// does says what comes of a function, following the cell's own functions so far.
func (r *Reading) does(f function, depth int) effect {
	found := nothing
	r.work += f.to - f.body
	for i := f.body; i < f.to && !r.tired(); i++ {
		text := r.text(i)
		if r.token(i).kind == kindWord && endings[text] {
			return nothing
		}
		switch {
		case r.token(i).property && mutators[text] && r.text(i+1) == "(", r.isWord(i) && r.isChanged(i):
			found = max(found, changes)
		case !r.isWord(i):
		case (text == "text" || text == "json") && r.text(i+1) == "(", r.text(i+1) == "." && (text == "console" || text == "tools" || text == "MCP"):
			if r.declared(text) == 0 {
				found = shows
			}
		case r.text(i+1) == "(" && depth > 0:
			found = max(found, r.doesNamed(text, depth-1))
		}
	}
	return found
}

func (r *Reading) doesNamed(name string, depth int) effect {
	for _, f := range r.functions[1:] {
		if f.name == name && f.declared {
			return r.does(f, depth)
		}
	}
	return nothing
}

// isChanged says whether a variable that is declared elsewhere, or a property of one, gets a value at the i-th token.
func (r *Reading) isChanged(i int) bool {
	switch r.text(i - 1) {
	case "const", "let", "var", ",", "[":
		return false
	case "{":
		if !r.isBlock(i - 1) {
			return false
		}
	}
	end := i
	for r.text(end+1) == "." {
		end += 2
	}
	switch r.text(end + 1) {
	case "=", "+=", "-=", "++", "--", "||=", "??=":
		return true
	}
	return r.text(i-1) == "++" || r.text(i-1) == "--"
}

// lostSleep returns the promise of a timer that stands alone, where it was to be awaited: it is made there, or by a function
// of the cell that is called there.
func (r *Reading) lostSleep() (Timer, bool) {
	for i := range r.tokens {
		if !r.isTimer(i) || r.inside(i) == 0 {
			continue
		}
		made := r.promiseAround(i)
		if made < 0 {
			continue
		}
		if r.standsAlone(made, r.expressionEnd(made)-1) {
			t := Timer{Found: r.placed(made), Sleeps: true}
			t.Text = "new Promise(…)"
			return t, true
		}
		f := r.functions[r.inside(made)]
		if r.inside(made) == 0 || f.name == "" || !f.declared {
			continue
		}
		for at := range r.tokens {
			if !r.isWord(at) || r.text(at) != f.name || r.text(at+1) != "(" || r.closer(at+1) < 0 || !r.standsAlone(at, r.closer(at+1)) {
				continue
			}
			t := Timer{Found: r.placed(at), Sleeps: true}
			t.Text, _ = r.show(at, r.closer(at+1))
			return t, true
		}
	}
	return Timer{}, false
}

// promiseAround returns the new of the promise in whose function the i-th token is, -1 if that is no promise's.
func (r *Reading) promiseAround(i int) int {
	f := r.functions[r.inside(i)]
	at := r.functionBegin(f)
	if r.text(at-1) == "(" && r.text(at-2) == "Promise" && r.text(at-3) == "new" {
		return at - 3
	}
	return -1
}

// standsAlone says whether those tokens are a statement of their own, whose value nobody takes.
func (r *Reading) standsAlone(from, to int) bool {
	return r.startsExpression(from) && (r.text(to+1) == ";" || r.text(to+1) == "" || r.text(to+1) == "}" || r.token(to+1).newline)
}

package bridge

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/codecell/codecell/bridge/internal/jsontext"
	"github.com/codecell/codecell/engine/script"
)

// foresight is how the errors are worded that the engine may throw in a cell, for cells that catch them (contract B9): the
// guest can't ask for that when it happens. Making it costs as much as several cells, so it is made only for cells that call
// a tool which is not there, and so will need it. Each is known by the engine's message and the place that the engine has for it.
type foresight struct {
	byText map[string]mistake // by the whole text
	places []string           // keys and texts in turns, as the guest reads them
}

// wordsThatCatch are those without which no cell reads what an error says.
var wordsThatCatch = []string{"catch", "allSettled", "any("}

// maxForeseenBytes bounds the texts that a guest is given.
const maxForeseenBytes = 32 << 10

// messagesOf are the engine's texts, by what goes wrong. Those about a property go on with its name.
func messagesOf(p script.Foreseen) []string {
	switch p.Kind {
	case script.CallOfNone:
		return []string{"not a function"}
	case script.NewOfNone:
		return []string{"not a function", "not a constructor"}
	case script.ReadOfNone:
		return []string{"cannot read property '" + p.Property + "' of undefined", "cannot read property '" + p.Property + "' of null"}
	case script.SetOfNone:
		return []string{"cannot set property '" + p.Property + "' of undefined", "cannot set property '" + p.Property + "' of null"}
	case script.UnpackOfNone:
		return []string{"Cannot convert undefined or null to object"}
	case script.WalkOfNone:
		return []string{"value is not iterable", "cannot read property 'Symbol.iterator' of undefined", "cannot read property 'Symbol.iterator' of null"}
	}
	return nil
}

// foreseen is made when it is first asked for, of the cell's text alone: a run that was moved has the same.
func (r *run) foreseen() *foresight {
	if r.foresight != nil {
		return r.foresight
	}
	f := &foresight{byText: map[string]mistake{}}
	r.foresight = f
	if !r.needsForesight() {
		return f
	}
	texts, size := map[string]string{}, 0
	for _, p := range r.reading().Foresee(r.hasCallee) {
		for _, message := range messagesOf(p) {
			key := message + "\n" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
			m, ok := r.nameOf(message, p.Frame)
			text := m.message + m.suffix
			if before, known := texts[key]; known {
				if before != text {
					texts[key] = "" // one place, two meanings
				}
				continue
			}
			if size += len(key) + len(text); !ok || size > maxForeseenBytes {
				continue
			}
			texts[key], f.byText[text] = text, m
			f.places = append(f.places, key)
		}
	}
	keys := f.places
	f.places = nil
	for _, key := range keys {
		if texts[key] != "" {
			f.places = append(f.places, key, texts[key])
		}
	}
	return f
}

// callees matches what may be calls of tools in a cell's text.
var callees = regexp.MustCompile(`\b(tools|MCP)(?:\.([\w$]+)|\[\s*["']([^"'\n]+)["']\s*\])(?:\.([\w$]+))?`)

// maxCallees bounds how many of them are looked at.
const maxCallees = 64

// needsForesight says whether the cell's text catches errors and names a tool that is not there.
func (r *run) needsForesight() bool {
	body := r.cell.source.Body
	if len(body) > script.MaxInProcess || !mentions(body, wordsThatCatch) || !strings.Contains(body, "tools") && !strings.Contains(body, "MCP") {
		return false
	}
	for _, m := range callees.FindAllStringSubmatch(body, maxCallees) {
		path := []string{m[1], m[2] + m[3]}
		if m[1] == "MCP" && m[4] != "" {
			path = append(path, m[4])
		}
		if !r.hasCallee(path) && !ownCallees[path[len(path)-1]] {
			return true
		}
	}
	return false
}

// ownCallees are what tools, MCP and their members have beside tools.
var ownCallees = map[string]bool{
	"search": true, "describe": true, "call": true, "callValue": true, "$api": true, "$serverName": true, "resources": true, "prompts": true,
	"map": true, "filter": true, "find": true, "length": true, // of a variable of that name
}

// hasCallee says whether a path is that of a tool that the turn has.
func (r *run) hasCallee(path []string) bool {
	g := r.turn.catalog.GuestWithoutFiles()
	switch last := path[len(path)-1]; path[0] {
	case "tools":
		return len(path) == 2 && bytes.Contains(g.Names, []byte("\n"+last+"\t"))
	case "MCP":
		return bytes.Contains(g.MCP, jsontext.AppendString(nil, last))
	}
	return false
}

// globalOfNames is the entry of the run's globals that tells a guest of foreseen errors; empty if there are none.
func (r *run) globalOfNames() []byte {
	places := r.foreseen().places
	if len(places) == 0 {
		return nil
	}
	text := []byte(`["","",[5,[`)
	for n, s := range places {
		if n > 0 {
			text = append(text, ',')
		}
		text = jsontext.AppendString(text, s)
	}
	return append(text, "]]]"...)
}

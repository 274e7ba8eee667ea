package bridge

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/aot"
	"github.com/codecell/codecell/engine/native"
	"github.com/codecell/codecell/engine/purego"
	"github.com/codecell/codecell/engine/script"
	"github.com/codecell/codecell/engine/wasi"
)

// toolsOfCells are what the cells of the tests on real engines can call.
const toolsOfCells = `[
	{"source":"openclaw","owner":"desk","name":"create_ticket","executor":{"type":"echo"}},
	{"source":"openclaw","owner":"web","name":"web-search","description":"Searches the web.","executor":{"type":"echo"}},
	{"source":"openclaw","owner":"a","name":"fast","executor":{"type":"echo"}},
	{"source":"openclaw","owner":"a","name":"rows","executor":{"type":"echo","result":{"content":[],"details":[{"id":1,"ok":true},{"id":2,"ok":false}]}}},
	{"source":"openclaw","owner":"a","name":"name","executor":{"type":"echo","result":{"content":[],"details":"Ann"}}},
	{"source":"openclaw","owner":"a","name":"log","executor":{"type":"echo","delayMs":5}},
	{"source":"openclaw","owner":"a","name":"slow","executor":{"type":"echo","delayMs":20}},
	{"source":"openclaw","owner":"a","name":"boom","executor":{"type":"echo","error":"it broke"}},
	{"source":"mcp","owner":"git-hub","name":"create_issue","executor":{"type":"echo"},"mcp":{"serverName":"git-hub","toolName":"create_issue"}},
	{"source":"mcp","owner":"google-workspace","name":"calendar.updateEvent","executor":{"type":"echo"},"mcp":{"serverName":"google-workspace","toolName":"calendar.updateEvent"}}]`

// cells runs cells on a real engine.
type cells struct {
	turn *Turn
}

// onEngines runs a test on every engine.
func onEngines(t *testing.T, test func(t *testing.T, c cells)) {
	t.Helper()
	all := map[string]func() (engine.Engine, error){
		"native": func() (engine.Engine, error) { return native.New(native.Options{Threads: 2, Heaps: 8}) },
		"aot":    func() (engine.Engine, error) { return aot.New(aot.Options{Threads: 2, Heaps: 8}) },
		"wasi":   func() (engine.Engine, error) { return wasi.New(wasi.Options{Threads: 2, Heaps: 8}) },
		"purego": func() (engine.Engine, error) { return purego.New(purego.Options{}) },
	}
	if _, err := wasi.Module(); err != nil && os.Getenv("CODECELL_GUEST") != "required" {
		delete(all, "wasi") // make guest has not run
	}
	if aot.Missing() != nil && os.Getenv("CODECELL_AOT") != "required" {
		delete(all, "aot")
	}
	var tools []catalog.Tool
	require.NoError(t, json.Unmarshal([]byte(toolsOfCells), &tools))
	for name, start := range all {
		t.Run(name, func(t *testing.T) {
			e, err := start()
			require.NoError(t, err)
			s, err := New(Options{Engine: e, TestExecutors: true})
			require.NoError(t, err)
			turn, err := s.Prepare(t.Context(), "", &TurnRequest{Config: []byte(`{"enabled":true,"timeoutMs":60000}`), Tools: tools})
			require.NoError(t, err)
			test(t, cells{turn})
			require.NoError(t, s.Close(t.Context()))
			require.NoError(t, e.Close())
		})
	}
}

// exec runs a cell to its end.
func (c cells) exec(t *testing.T, language script.Language, code string) *Result {
	t.Helper()
	r, err := c.turn.Exec(t.Context(), ExecInput{Code: quoted(code), Language: quoted(string(language))})
	require.NoError(t, err)
	for r.Status == Waiting {
		r, err = c.turn.Wait(t.Context(), WaitInput{RunID: quoted(r.RunID)})
		require.NoError(t, err)
	}
	return r
}

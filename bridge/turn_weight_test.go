package bridge

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

// alive is how many bytes of the heap are in use.
func alive() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers let go of
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// worded are n tools whose descriptions have so many of a number of words, and inputs so many properties.
func worded(n, words, vocabulary, properties int) []catalog.Tool {
	tools := make([]catalog.Tool, n)
	for i := range tools {
		var text, schema strings.Builder
		for j := range words {
			fmt.Fprintf(&text, "word%d ", (i*words+j)*7919%vocabulary)
		}
		for j := range properties {
			fmt.Fprintf(&schema, `,"p%d":{"type":"string","description":"the %d"}`, j*i%500, j)
		}
		tools[i] = catalog.Tool{
			Source: "openclaw", Owner: "lab", Name: fmt.Sprintf("tool_%d", i), Description: text.String(), Executor: json.RawMessage(`{"type":"echo"}`),
			Parameters: json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}` + schema.String() + `}}`),
		}
	}
	return tools
}

func TestTurnWeight(t *testing.T) {
	for _, c := range []struct {
		name                             string
		n, words, vocabulary, properties int
	}{
		{"long descriptions", 200, 1500, 500, 5},
		{"many tools", 1000, 300, 500, 10},
		{"small tools", 1000, 5, 500, 1},
		{"large schemas", 300, 10, 500, 100},
		{"words of their own", 500, 300, 1 << 20, 10},
	} {
		t.Run("H6 a turn is counted at no less than it holds, whatever of it is used: "+c.name, func(t *testing.T) {
			w := newWorld(t, enginetest.Always(returns("1")), Options{Config: wide(t), MemoryBytes: 16 << 30, TenantBytes: 16 << 30})
			before, weighed := alive(), w.Stats().HeldBytes
			turn, err := w.Prepare(t.Context(), tenant, &TurnRequest{Tools: worded(c.n, c.words, c.vocabulary, c.properties)})
			require.NoError(t, err)
			holds := func() (bytes int) {
				return alive() - before
			}
			require.LessOrEqual(t, holds(), turn.weight(), "prepared")
			r := asking(t, turn, 0, toCaller)
			e := effectsOf(c.n+1, func(i int) engine.Request {
				if i == 0 {
					return engine.Request{Method: engine.MethodSearch, Name: "word1 word2 other", Payload: []byte("50")}
				}
				return engine.Request{Method: engine.MethodCall, Name: fmt.Sprintf("openclaw:lab:tool_%d", i-1), Payload: []byte(`{}`)}
			})
			_, err = r.admit(r.invocation, e)
			require.NoError(t, err)
			for _, code := range []string{"return 1", "return API.list()"} {
				_, err = turn.guestCatalogFor(code)
				require.NoError(t, err)
			}
			r.discard()
			require.LessOrEqual(t, holds(), turn.weight()*5/4, "used")
			require.NoError(t, w.DropTurn(tenant, turn.ID()))
			require.Equal(t, weighed, w.Stats().HeldBytes)
			runtime.KeepAlive(turn)
		})
	}
	t.Run("H6 what there is no room for is not built", func(t *testing.T) {
		tools := worded(200, 300, 500, 10)
		var got []string
		w := newWorld(t, enginetest.Always(asks(func(out *records) { out.Request(1, engine.MethodSearch, "word1", "1") }), func(in *input, out *records) error {
			got = append(got, errorOf(t, in.Answers[0]).Code)
			out.Fulfil("1", 0)
			return nil
		}), Options{TenantBytes: 2 * int64(catalogBytes(tools))})
		turn, err := w.Prepare(t.Context(), tenant, &TurnRequest{Config: json.RawMessage(`true`), Tools: tools})
		require.NoError(t, err)
		require.Equal(t, Completed, w.exec(turn).Status)
		require.Equal(t, []string{"too_many_bytes"}, got)
		_, err = turn.Exec(t.Context(), ExecInput{Code: quoted("return API.list()")})
		requireKind(t, err, KindOverloaded)
	})
}

package mcp

import (
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge/executor"
)

func TestHeld(t *testing.T) {
	const answer = 1 << 20 // bytes, of which the rogue's is a little more
	for name, config := range transports {
		s := open(t, map[string]Config{"lab": config(t, "large")})
		fine(t, s)
		ask := func(most int64) (raw json.RawMessage, held int64, err error) {
			var sum atomic.Int64
			spec, err := json.Marshal(Spec{Type: ExecutorType, Server: "lab", Tool: "bad"})
			require.NoError(t, err)
			raw, err = s.Execute(t.Context(), executor.Call{Spec: spec, Input: json.RawMessage(`{}`), Hold: func(bytes int) error {
				if sum.Load()+int64(bytes) > most {
					return errors.New("the run may hold no more")
				}
				sum.Add(int64(bytes))
				return nil
			}})
			return raw, sum.Load(), err
		}
		before := connection(s)
		t.Run("H6 an answer is counted while it arrives, over "+name, func(t *testing.T) {
			raw, held, err := ask(2 * answer)
			require.NoError(t, err)
			require.GreaterOrEqual(t, held, int64(len(raw)))
			require.Less(t, held, int64(len(raw)+1000), "once")
		})
		t.Run("H6 one that there is no room for fails its call, and no other, over "+name, func(t *testing.T) {
			_, held, err := ask(answer / 2)
			require.EqualError(t, err, `MCP server "lab": its answer is too long: the run may hold no more`)
			require.LessOrEqual(t, held, int64(answer/2))
			fine(t, s)
			require.Same(t, before, connection(s))
		})
	}
}

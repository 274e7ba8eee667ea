package server

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/codecell/codecell/bridge"
)

func TestTransfer(t *testing.T) {
	f := newFake()
	s := newTestServer(t, Options{Backend: f})
	t.Run("H4 a run leaves as base64", func(t *testing.T) {
		f.turns["/turn-1"].exported = &bridge.Exported{RunID: "r", ExpiresAt: time.Unix(0, 0).UTC(), Snapshot: []byte("abc")}
		rec := do(t, s, post("/v1/runs/r/export", `{"turnId":"turn-1"}`))
		require.Equal(t, http.StatusOK, rec.Code)
		require.JSONEq(t, `{"runId":"r","expiresAt":"1970-01-01T00:00:00Z","snapshot":"YWJj"}`, rec.Body.String())
	})
	t.Run("H4 and comes back", func(t *testing.T) {
		rec := do(t, s, post("/v1/runs/r/import", `{"turnId":"turn-1","snapshot":"YWJj"}`))
		require.Equal(t, http.StatusOK, rec.Code)
		require.Equal(t, "abc", string(f.turns["/turn-1"].imported))
	})
	for name, tc := range map[string]struct {
		path, body, says string
		status           int
	}{
		"no turn":               {"export", `{}`, "turnId is missing", http.StatusBadRequest},
		"a turn of no string":   {"export", `{"turnId":1}`, "turnId", http.StatusBadRequest},
		"an unknown turn":       {"export", `{"turnId":"x"}`, "turn", http.StatusNotFound},
		"no snapshot":           {"import", `{"turnId":"turn-1"}`, "base64", http.StatusBadRequest},
		"a snapshot of no text": {"import", `{"turnId":"turn-1","snapshot":[]}`, "snapshot", http.StatusBadRequest},
		"not base64":            {"import", `{"turnId":"turn-1","snapshot":"***"}`, "base64", http.StatusBadRequest},
		"not JSON":              {"import", `{`, "JSON", http.StatusBadRequest},
	} {
		t.Run("I3 "+name, func(t *testing.T) {
			rec := do(t, s, post("/v1/runs/r/"+tc.path, tc.body))
			require.Equal(t, tc.status, rec.Code, rec.Body.String())
			require.Contains(t, rec.Body.String(), tc.says)
		})
	}
}

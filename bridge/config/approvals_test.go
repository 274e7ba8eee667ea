package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestApprovals(t *testing.T) {
	mail, files := ApprovalRule{"openclaw:mail:*", "first"}, ApprovalRule{"write_*", "always"}
	const mailText, filesText = `{"approvals":[{"tool":"openclaw:mail:*","approval":"first"}]}`, `{"approvals":[{"tool":" write_* ","approval":"always"}]}`
	for _, c := range []struct {
		name            string
		operator, agent string
		turn            string
		want            [][]ApprovalRule
	}{
		{"nobody is asked", ``, ``, ``, nil},
		{"the operator's", mailText, ``, ``, [][]ApprovalRule{{mail}}},
		{"an agent's in place of them", mailText, filesText, ``, [][]ApprovalRule{{files}}},
		{"none in place of them", mailText, `{"approvals":[]}`, ``, nil},
		{"null changes nothing", mailText, `{"approvals":null}`, `{"approvals":null}`, [][]ApprovalRule{{mail}}},
		{"a turn's beside them", mailText, ``, filesText, [][]ApprovalRule{{mail}, {files}}},
		{"a turn takes none away", mailText, ``, `{"approvals":[]}`, [][]ApprovalRule{{mail}}},
		{"a turn's alone", ``, ``, filesText, [][]ApprovalRule{{files}}},
	} {
		t.Run("G4 "+c.name, func(t *testing.T) {
			base := merged(t, merged(t, Default(), c.operator), c.agent)
			before := base.Approvals
			require.Equal(t, c.want, narrowed(t, base, c.turn).Approvals)
			require.Equal(t, before, base.Approvals, "the operator's are not touched")
		})
	}
	t.Run("G4 two turns do not share what they add", func(t *testing.T) {
		base := merged(t, Default(), mailText)
		a, b := narrowed(t, base, filesText), narrowed(t, base, mailText)
		require.Equal(t, [][]ApprovalRule{{mail}, {files}}, a.Approvals)
		require.Equal(t, [][]ApprovalRule{{mail}, {mail}}, b.Approvals)
	})
	t.Run("G4 the time follows the run's until it is set, and a turn lowers it", func(t *testing.T) {
		require.Equal(t, 60, merged(t, Default(), `{"snapshotTtlSeconds":60}`).ApprovalTimeoutSeconds)
		base := merged(t, Default(), `{"approvalTimeoutSeconds":300}`)
		require.Equal(t, 300, narrowed(t, base, `{"approvalTimeoutSeconds":600}`).ApprovalTimeoutSeconds)
		require.Equal(t, 30, narrowed(t, base, `{"approvalTimeoutSeconds":30}`).ApprovalTimeoutSeconds)
	})
	many := `[` + strings.Repeat(`{"tool":"*","approval":"never"},`, 100) + `{"tool":"*","approval":"never"}]`
	for _, c := range []struct{ name, list, key, says string }{
		{"an object", `{"tool":"*","approval":"always"}`, "approvals", "must be a list"},
		{"a string", `"always"`, "approvals", "must be a list"},
		{"a rule that is none", `[1]`, "approvals[0]", "must be an object"},
		{"null for a rule", `[null]`, "approvals[0]", "must be an object"},
		{"another key", `[{"tool":"*","approval":"always","tenants":["a"]}]`, "approvals[0]", "no other keys"},
		{"no tool", `[{"tool":"*","approval":"always"},{"approval":"always"}]`, "approvals[1]", ".tool must be a glob"},
		{"a glob of any size", `[{"tool":"` + strings.Repeat("*", 257) + `","approval":"always"}]`, "approvals[0]", "at most 256 bytes"},
		{"another mode", `[{"tool":"*","approval":"often"}]`, "approvals[0]", `"always" or "first" or "never", got "often"`},
		{"no mode", `[{"tool":"*"}]`, "approvals[0]", ".approval must be"},
		{"a huge mode", `[{"tool":"*","approval":"` + strings.Repeat("x", 1<<16) + `"}]`, "approvals[0]", "…"},
		{"any number of rules", many, "approvals", "at most 100 rules"},
	} {
		t.Run("G4 refused: "+c.name, func(t *testing.T) {
			for _, lay := range []func(json.RawMessage) (Config, error){Default().Merge, Default().Narrow} {
				_, err := lay(json.RawMessage(`{"approvals":` + c.list + `}`))
				refusal := requireInvalid(t, err, c.key)
				require.Contains(t, refusal.Msg, c.says)
				require.Less(t, len(refusal.Msg), 300)
			}
		})
	}
}

package hook

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzAnswer reads what a hook may have sent: it is refused, or what it says can go on to a cell.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		"", "{}", `{"block":true,"reason":"no"}`, `{"params":[1],"blockReason":"x"}`, `{"result":{"details":1},"reason":null}`,
		`{"error":"e"}`, `{"blok":1}`, `[]`, "{\"input\":\"\xff\"}", `{"input":{},"params":{}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if v, err := readVerdict(body); err == nil {
			require.True(t, v.Input == nil || sound(v.Input))
		} else {
			require.Less(t, len(err.Error()), 400)
		}
		if r, err := readRevision(body); err == nil {
			require.True(t, r.Result == nil || sound(r.Result))
		}
	})
}

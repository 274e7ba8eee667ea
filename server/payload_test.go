package server

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

func TestCheckPayload(t *testing.T) {
	s := newTestServer(t, Options{Backend: newFake()})
	t.Run("A6 exactly exec and wait", func(t *testing.T) {
		rec := do(t, s, post("/v1/payload/check", `{"tools":[{"name":"exec"},{"name":"wait"}]}`))
		require.Equal(t, http.StatusOK, rec.Code)
		require.True(t, gjson.Get(rec.Body.String(), "ok").Bool())
	})
	t.Run("A6 a further tool", func(t *testing.T) {
		rec := do(t, s, post("/v1/payload/check", `{"tools":[{"name":"exec"},{"name":"wait"},{"name":"read_file"}]}`))
		require.Equal(t, http.StatusConflict, rec.Code)
		doc := problemOf(t, rec)
		require.False(t, *doc.OK)
		require.Contains(t, doc.Names, "read_file")
		require.Contains(t, doc.Detail, "read_file")
	})
	t.Run("A6 filter returns the two", func(t *testing.T) {
		rec := do(t, s, post("/v1/payload/check?filter=1", `{"tools":[{"name":"exec"},{"name":"wait"},{"name":"read_file"}]}`))
		require.Equal(t, http.StatusOK, rec.Code)
		require.JSONEq(t, `{"tools":[{"name":"exec"},{"name":"wait"}]}`, rec.Body.String())
	})
	t.Run("A6 a thousand tools make a short answer", func(t *testing.T) {
		rec := do(t, s, post("/v1/payload/check", `{"tools":[`+strings.Repeat(`{"name":"t"},`, 1000)+`{"name":"exec"}]}`))
		require.Equal(t, http.StatusConflict, rec.Code)
		require.Less(t, rec.Body.Len(), 2000)
		require.Contains(t, problemOf(t, rec).Detail, "1001")
	})
	t.Run("A6 a list that can't be read has neither", func(t *testing.T) {
		for _, body := range []string{`{"tools":null}`, `{"tools":"exec,wait"}`, `{"tools":{"exec":1}}`} {
			rec := do(t, s, post("/v1/payload/check?filter=1", body))
			require.NotContains(t, rec.Body.String(), "wait", "nothing is made up")
		}
	})
	for name, body := range map[string]string{
		"no list":        `{}`,
		"null":           `{"tools":null}`,
		"a string":       `{"tools":"exec,wait"}`,
		"the list twice": `{"tools":[{"name":"exec"},{"name":"wait"}],"tools":[]}`,
	} {
		t.Run("A6 fails closed: "+name, func(t *testing.T) {
			rec := do(t, s, post("/v1/payload/check", body))
			require.Contains(t, []int{http.StatusBadRequest, http.StatusConflict}, rec.Code)
			problemOf(t, rec)
		})
	}
}

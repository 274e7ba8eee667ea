package contracttest

import (
	"io"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// hookOwner is the owner of the tools that the target's hooks are asked about.
const hookOwner = "hooked"

// HookTools are the globs that a target's hooks of nested calls have.
var HookTools = []string{"*:" + hookOwner + ":*"}

// Hooks is a server of hooks that do what the call's own input says: `before` and `after` are their answers as they are sent,
// status is that of the answer, and with hang there is none. "tell" answers with what the hook was told: as the reason of a
// block, or as the details of a result. For a cell the same stands in JSON after the // of its first line.
func Hooks() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		asked := gjson.ParseBytes(body)
		orders := asked.Get("input")
		if asked.Get("toolKind").Exists() {
			line, _, _ := strings.Cut(asked.Get("input.code").Str, "\n")
			orders = gjson.Parse(strings.TrimPrefix(line, "//"))
		}
		event := strings.TrimSuffix(asked.Get("event").Str, "_tool_call")
		answer := orders.Get(event).Str
		switch {
		case orders.Get("hang").Str == event:
			<-r.Context().Done()
			return
		case answer == "tell" && event == "before":
			answer = mustJSON(object{"block": true, "reason": string(body)})
		case answer == "tell":
			answer = `{"result":{"details":` + string(body) + `}}`
		}
		if orders.Get(event).Exists() && orders.Get("status").Exists() {
			w.WriteHeader(int(orders.Get("status").Int()))
		}
		_, _ = io.WriteString(w, answer)
	})
}

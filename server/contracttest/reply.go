package contracttest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"
)

// reply is an answer. Its methods each hold it against one expectation and return it, so that a case is a chain.
type reply struct {
	t      testing.TB
	sent   string
	status int
	header http.Header
	raw    []byte
	body   gjson.Result
	took   time.Duration
}

// story is what every failure shows.
func (r reply) story() string { return "sent " + r.sent + "\ngot " + clip(string(r.raw)) }

func (r reply) is(status int) reply {
	r.t.Helper()
	require.Equal(r.t, status, r.status, r.story())
	return r
}

// has wants a JSON value at a path; the order of keys does not matter.
func (r reply) has(path, want string) reply {
	r.t.Helper()
	got := r.body.Get(path)
	require.True(r.t, got.Exists(), "nothing at %s\n%s", path, r.story())
	require.JSONEq(r.t, want, got.Raw, "at %s\n%s", path, r.story())
	return r
}

// lacks wants nothing at the paths.
func (r reply) lacks(paths ...string) reply {
	r.t.Helper()
	for _, path := range paths {
		require.False(r.t, r.body.Get(path).Exists(), "%s is there\n%s", path, r.story())
	}
	return r
}

// mentions wants a string at a path to contain each part.
func (r reply) mentions(path string, parts ...string) reply {
	r.t.Helper()
	for _, part := range parts {
		require.Contains(r.t, r.body.Get(path).String(), part, "at %s\n%s", path, r.story())
	}
	return r
}

// conceals wants none of the words anywhere in the answer.
func (r reply) conceals(words ...string) reply {
	r.t.Helper()
	for _, word := range words {
		require.NotContains(r.t, string(r.raw), word, r.story())
	}
	return r
}

// result wants one of the three results (contract B7), which are all HTTP 200.
func (r reply) result(status string) reply {
	r.t.Helper()
	r.is(http.StatusOK).has("status", `"`+status+`"`)
	require.True(r.t, r.body.Get("output").IsArray(), "output must always be an array\n%s", r.story())
	require.True(r.t, r.body.Get("telemetry").IsObject(), "telemetry must always be there\n%s", r.story())
	return r
}

// completed wants a value, given as JSON.
func (r reply) completed(value string) reply {
	r.t.Helper()
	return r.result("completed").has("value", value)
}

// failed wants a code and the beginning of the error's text.
func (r reply) failed(code, text string) reply {
	r.t.Helper()
	r.result("failed").has("code", `"`+code+`"`)
	require.True(r.t, strings.HasPrefix(r.body.Get("error").Str, text), "want an error that begins with %q\n%s", text, r.story())
	return r
}

// refused wants input that was turned down before any guest started (contract B1).
func (r reply) refused(text string) reply {
	r.t.Helper()
	return r.failed("invalid_input", text).has("output", `[]`).has("telemetry.runtime.steps", `0`)
}

// waiting wants a suspended run.
func (r reply) waiting(reason string) reply {
	r.t.Helper()
	r.result("waiting").has("reason", `"`+reason+`"`)
	require.NotEmpty(r.t, r.body.Get("runId").Str, r.story())
	return r
}

// problem wants an RFC 9457 document (contract I3) whose text mentions the parts.
func (r reply) problem(status int, parts ...string) reply {
	r.t.Helper()
	r.is(status)
	require.Equal(r.t, "application/problem+json", r.header.Get("Content-Type"), r.story())
	require.EqualValues(r.t, status, r.body.Get("status").Int(), r.story())
	require.NotEmpty(r.t, r.body.Get("title").Str, r.story())
	require.NotEmpty(r.t, r.body.Get("type").Str, r.story())
	return r.mentions("detail", parts...)
}

// within wants an answer before d has passed. It is for cases where being late is the defect, with room to spare, never
// for how fast things are.
func (r reply) within(d time.Duration) reply {
	r.t.Helper()
	require.Less(r.t, r.took, d, r.story())
	return r
}

func (r reply) str(path string) string { return r.body.Get(path).String() }
func (r reply) runID() string          { return r.str("runId") }

// pending is the id of the n-th pending call.
func (r reply) pending(n int) string { return r.body.Get("pendingToolCalls").Array()[n].Get("id").Str }

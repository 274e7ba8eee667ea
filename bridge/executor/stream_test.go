package executor

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStream(t *testing.T) {
	const events, lines = "text/event-stream", "application/x-ndjson"
	const result = `{"content":[{"type":"text","text":"done"}],"details":1}`
	for _, tc := range []struct {
		name, form, body string
		progress         []string // done/total message
		result, text     string
	}{
		{"lines: the last one is the result", lines, `{"content":[{"type":"text","text":"half"}]}` + "\n" + result + "\n", []string{"0/0 half"}, result, ""},
		{"lines: one", lines, result, nil, result, ""},
		{
			"lines: updates that say that they are", lines,
			`{"progress":1,"total":4,"message":"a"}` + "\r\n\n" + `{"type":"update","message":"b"}` + "\n" + `{"progress":{"progress":3,"total":4}}` + "\n" + `{"progress":"d"}` + "\n" + result,
			[]string{"1/4 a", "0/0 b", "3/4 ", "0/0 d"},
			result, "",
		},
		{"lines: anything is an update if something follows", lines, "[1]\nnot JSON\n" + result, []string{"0/0 [1]", "0/0 not JSON"}, result, ""},
		{"lines: a result with a key progress", lines, `{"progress":1}` + "\n" + `{"progress":2,"details":{}}`, []string{"1/0 "}, `{"progress":2,"details":{}}`, ""},
		{"lines: an update behind the result", lines, result + "\n" + `{"progress":1}`, []string{"1/0 "}, result, ""},
		{"lines: the forms of RFC 7464", "application/json-seq", "\x1e{\"progress\":1}\n\x1e" + result + "\n", []string{"1/0 "}, result, ""},
		{"lines: no result", lines, `{"progress":1}` + "\n", []string{"1/0 "}, "", "ended its answer without a result"},
		{"lines: nothing", lines, "\n\n", nil, "", "ended its answer without a result"},
		{"lines: a last one that is cut", lines, result + "\n" + `{"deta`, []string{"0/0 done"}, "", `did not answer with JSON: {"deta`},
		{"events", events, ": hello\n\ndata: {\"progress\":1,\"total\":2}\n\ndata: " + result + "\n\n", []string{"1/2 "}, result, ""},
		{"events: with names", events, "event: progress\ndata: {\"message\":\"a\"}\n\nevent: update\ndata: b\n\nevent: result\ndata: " + result + "\n\nevent: end\ndata: {}\n\n", []string{"0/0 a", "0/0 b"}, result, ""},
		{"events: over several lines", events, "\uFEFFid: 1\nretry: 5\r\ndata: {\"details\":\r\ndata:[1]}\r\n\r\n", nil, "{\"details\":\n[1]}", ""},
		{"events: without an end", events, "data: {\"progress\":1}\n\ndata: " + result, []string{"1/0 "}, result, ""},
		{"events: the end that some write", events, "data: " + result + "\n\ndata: [DONE]\n\n", nil, result, ""},
		{"events: an end and no result", events, "data: [DONE]\n\n", nil, "", "ended its answer without a result"},
		{"events: an error", events, "event: error\ndata: {\"message\":\"no  luck\"}\n\ndata: " + result + "\n\n", nil, "", "failed: no luck"},
		{"events: an error within an object", events, "event: error\ndata: {\"error\":{\"message\":\"no luck\"}}\n\n", nil, "", "failed: no luck"},
		{"events: an error as text", events, "event: error\ndata: no luck\n\n", nil, "", "failed: no luck"},
		{"events: no JSON", events, "data: x\n\n", nil, "", "did not answer with JSON: x"},
		{"events: other fields", events, "foo: 1\ndata\n\nevent: x\n\ndata: 2\n\n", []string{"0/0 "}, "2", ""},
	} {
		t.Run("G3 "+tc.name, func(t *testing.T) {
			for _, body := range map[string]io.ReadCloser{
				"whole":        io.NopCloser(strings.NewReader(tc.body)),
				"byte by byte": io.NopCloser(iotest.OneByteReader(strings.NewReader(tc.body))),
			} {
				var progress []string
				call := annotated(t, idempotent)
				call.Progress = func(done, total float64, message string) {
					progress = append(progress, fmt.Sprintf("%v/%v %s", done, total, message))
				}
				a := answer{call: &call, limit: maxResponse}
				a.read(t.Context(), &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {tc.form + "; charset=utf-8"}}, Body: body})
				require.Equal(t, tc.progress, progress)
				require.Equal(t, tc.result, string(a.result))
				if tc.text != "" {
					require.EqualError(t, a.err, "tool openclaw:core:own "+tc.text)
				} else {
					require.NoError(t, a.err)
				}
			}
		})
	}
	t.Run("G3 a stream is bounded as a whole", func(t *testing.T) {
		call := annotated(t, idempotent)
		a := answer{call: &call, limit: 1000}
		body := io.NopCloser(strings.NewReader(strings.Repeat("{\"progress\":1}\n", 100) + result))
		a.read(t.Context(), &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {lines}}, Body: body})
		require.EqualError(t, a.err, "tool openclaw:core:own answered with more than 1000 bytes")
	})
	t.Run("H6 a stream is bounded in messages", func(t *testing.T) {
		for n, text := range map[int]string{maxMessages: "", maxMessages + 1: "tool openclaw:core:own answered with more than 100000 messages"} {
			call := annotated(t, idempotent)
			a := answer{call: &call, limit: maxResponse}
			body := io.NopCloser(strings.NewReader(strings.Repeat("1\n", n)))
			a.read(t.Context(), &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {lines}}, Body: body})
			if text == "" {
				require.NoError(t, a.err)
			} else {
				require.EqualError(t, a.err, text)
			}
		}
	})
	t.Run("G3 a stream that breaks off has no result", func(t *testing.T) {
		call := annotated(t, idempotent)
		a := answer{call: &call, limit: maxResponse}
		body := io.NopCloser(io.MultiReader(strings.NewReader(result+"\n"), iotest.ErrReader(io.ErrUnexpectedEOF)))
		a.read(t.Context(), &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {lines}}, Body: body})
		require.EqualError(t, a.err, "tool openclaw:core:own broke off its answer")
		require.Nil(t, a.result)
	})
}

func TestStreamIsLive(t *testing.T) {
	t.Run("G3 an update is passed on before there is a result", func(t *testing.T) {
		r := newRemote(t)
		seen := make(chan string)
		r.handle(func(w http.ResponseWriter, req *http.Request) {
			_, _ = io.Copy(io.Discard, req.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"progress\":1,\"total\":2,\"message\":\"half\"}\n\n")
			w.(http.Flusher).Flush()
			select {
			case message := <-seen:
				_, _ = fmt.Fprintf(w, "data: {\"details\":%q}\n\n", message)
			case <-req.Context().Done():
			}
		})
		b, call := r.binding(t, "", idempotent)
		call.Progress = func(_, _ float64, message string) { seen <- message }
		got, err := b.Execute(t.Context(), call)
		require.NoError(t, err)
		require.Equal(t, `{"details":"half"}`, string(got))
	})
}

func TestBounded(t *testing.T) {
	t.Run("H6 what arrives is counted while it does, and no more is read than the run may hold", func(t *testing.T) {
		held, full := 0, errors.New("the run may hold no more")
		call := annotated(t, idempotent)
		call.Hold = func(n int) error {
			if held+n > 5*holdEvery {
				return full
			}
			held += n
			return nil
		}
		endless := iotest.ErrReader(errors.New("read too far"))
		body := io.NopCloser(io.MultiReader(strings.NewReader(strings.Repeat(" ", 6*holdEvery)), endless))
		a := answer{call: &call, limit: maxResponse}
		a.read(t.Context(), &http.Response{StatusCode: 200, Body: body})
		require.EqualError(t, a.err, "tool openclaw:core:own answered with more than 327680 bytes, and the run may hold no more")
		require.ErrorIs(t, a.err, full)
		require.Equal(t, 5*holdEvery, held)
	})
	t.Run("G3 a tool may have a bound of its own", func(t *testing.T) {
		r := newRemote(t)
		r.handle(answers(200, `"`+strings.Repeat("x", 100)+`"`))
		b, call := r.binding(t, `,"maxResponseBytes":50`, idempotent)
		_, err := b.Execute(t.Context(), call)
		require.EqualError(t, err, "tool openclaw:core:remote answered with more than 50 bytes")
		b, call = r.binding(t, `,"maxResponseBytes":1e300`, idempotent)
		_, err = b.Execute(t.Context(), call)
		require.NoError(t, err)
	})
}

func TestPaced(t *testing.T) {
	t.Run("H6 progress is passed on at a bounded rate and size", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			passed, longest := 0, ""
			next := paced(func(_, _ float64, message string) {
				passed++
				longest = message
			})
			for range 1000 {
				next(1, 2, strings.Repeat("é", 2000))
			}
			require.Equal(t, progressBurst, passed)
			require.LessOrEqual(t, len(longest), maxMessage)
			require.Equal(t, strings.Repeat("é", 510)+"…", longest)
			time.Sleep(time.Second)
			for range 1000 {
				next(1, 2, "")
			}
			require.Equal(t, progressBurst+20, passed)
			time.Sleep(time.Hour)
			for range 1000 {
				next(1, 2, "")
			}
			require.Equal(t, 2*progressBurst+20, passed, "what was not used does not add up")
		})
	})
}

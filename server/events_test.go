package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"github.com/codecell/codecell/bridge"
	"github.com/codecell/codecell/bridge/events"
)

// names are those of a stream's events, in order.
func names(t testing.TB, stream string) string {
	t.Helper()
	var all []string
	for _, e := range parseEvents(t, stream) {
		all = append(all, e.name)
	}
	return strings.Join(all, " ")
}

func streaming(c call) call { return c.with("Accept", mimeEvents) }

func TestStreamedAnswers(t *testing.T) {
	s := newReal(t)
	turn := gjson.Get(do(t, s, post("/v1/turns", realTurn)).Body.String(), "turnId").Str
	exec := func(code string) call {
		return post("/v1/exec", `{"turnId":"`+turn+`","toolCallId":"c1","code":`+quote(code)+`}`)
	}
	t.Run("I5 exec and wait stream their run, and end with the result", func(t *testing.T) {
		rec := do(t, s, streaming(exec(`text("a"); await tools.noop({}); await yield_control(); json({b: 1}); return 2`)))
		require.Equal(t, mimeEvents, rec.Header().Get("Content-Type"))
		require.Equal(t, "run.started output call.started call.ended run.suspended result", names(t, rec.Body.String()))
		all := parseEvents(t, rec.Body.String())
		require.Equal(t, "a", gjson.Get(all[1].data, "item.text").Str)
		waiting := gjson.Parse(all[5].data)
		require.Equal(t, "waiting", waiting.Get("status").Str)
		require.Equal(t, gjson.Get(all[0].data, "runId").Str, waiting.Get("runId").Str)
		rec = do(t, s, streaming(post("/v1/wait", `{"turnId":"`+turn+`","runId":"`+waiting.Get("runId").Str+`"}`)))
		require.Equal(t, "run.resumed output run.ended result", names(t, rec.Body.String()))
		require.EqualValues(t, 2, gjson.Get(parseEvents(t, rec.Body.String())[3].data, "value").Int())
	})
	t.Run("I5 a turn in the same request", func(t *testing.T) {
		rec := do(t, s, streaming(post("/v1/exec", `{"turn":`+realTurn+`,"code":"return 5"}`)))
		require.Equal(t, "run.started run.ended result", names(t, rec.Body.String()))
	})
	t.Run("I5 a cell that is refused, a run that is not there: the result alone", func(t *testing.T) {
		require.Equal(t, "result", names(t, do(t, s, streaming(exec(` `))).Body.String()))
		require.Equal(t, "result", names(t, do(t, s, streaming(post("/v1/wait", `{"turnId":"`+turn+`","runId":"x"}`))).Body.String()))
	})
	t.Run("I3 what is no result has a status of its own", func(t *testing.T) {
		require.Equal(t, http.StatusNotFound, do(t, s, streaming(post("/v1/exec", `{"turnId":"x","code":"1"}`))).Code)
		require.Equal(t, http.StatusBadRequest, do(t, s, streaming(post("/v1/exec", `{`))).Code)
	})
	t.Run("I3 a retry has the first answer, without events", func(t *testing.T) {
		keyed := streaming(exec(`return Math.random()`)).with("Idempotency-Key", "k")
		first, second := do(t, s, keyed), do(t, s, keyed)
		require.Equal(t, "run.started run.ended result", names(t, first.Body.String()))
		require.Equal(t, "result", names(t, second.Body.String()))
		require.Equal(t, "true", second.Header().Get("Idempotency-Replayed"))
		require.Equal(t, parseEvents(t, first.Body.String())[2].data, parseEvents(t, second.Body.String())[0].data)
		plain := do(t, s, exec(`return Math.random()`).with("Idempotency-Key", "k"))
		require.Equal(t, parseEvents(t, second.Body.String())[0].data, plain.Body.String())
	})
	for accept, streams := range map[string]bool{
		"text/event-stream":                             true,
		"text/event-stream, */*":                        true,
		"text/event-stream;q=0.9, application/json;q=1": false,
		"application/json, text/event-stream":           false,
		"application/json;q=0.5, text/event-stream":     true,
		"text/event-stream;q=0":                         false,
		"text/event-stream;q=x":                         false,
		"*/*":                                           false,
		"text/event-streams":                            false,
		",;text/event-stream":                           false,
	} {
		t.Run("I5 Accept: "+accept, func(t *testing.T) {
			rec := do(t, s, exec(`return 1`).with("Accept", accept))
			require.Equal(t, streams, rec.Header().Get("Content-Type") == mimeEvents)
		})
	}
}

// TestStreamedProblems has the backend fail once the stream has begun.
func TestStreamedProblems(t *testing.T) {
	for _, tc := range []struct {
		name   string
		events []string
		code   int
		want   string
	}{
		{"before anything has happened it has its own status", nil, http.StatusServiceUnavailable, ""},
		{"also when the run has begun", []string{"run.started"}, http.StatusServiceUnavailable, ""},
		{"afterwards it is the last event", []string{"run.started", "output"}, http.StatusOK, "run.started output problem"},
	} {
		t.Run("I3 "+tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				f.exec = func(ctx context.Context, _ bridge.ExecInput) (*bridge.Result, error) {
					from := &events.Source{}
					require.NoError(t, events.From(ctx).Attach(f.log, from, "r"))
					for _, name := range tc.events {
						f.log.Tell(from, "r", name, []byte(`{"runId":"r"}`))
					}
					synctest.Wait()
					return nil, &bridge.Error{Kind: bridge.KindOverloaded, Msg: "busy"}
				}
				s := newTestServer(t, Options{Backend: f})
				rec := do(t, s, streaming(post("/v1/exec", cell)))
				require.Equal(t, tc.code, rec.Code, rec.Body)
				if tc.want != "" {
					require.Equal(t, tc.want, names(t, rec.Body.String()))
				}
				f.log.End("turn.ended", nil)
			})
		})
	}
	t.Run("I5 a run of which nothing more comes is sent soon all the same", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			f.exec = func(ctx context.Context, _ bridge.ExecInput) (*bridge.Result, error) {
				from := &events.Source{}
				require.NoError(t, events.From(ctx).Attach(f.log, from, "r"))
				f.log.Tell(from, "r", "run.started", []byte(`{"runId":"r"}`))
				time.Sleep(patience + time.Millisecond)
				return nil, &bridge.Error{Kind: bridge.KindOverloaded, Msg: "busy"}
			}
			s := newTestServer(t, Options{Backend: f})
			require.Equal(t, "run.started problem", names(t, do(t, s, streaming(post("/v1/exec", cell))).Body.String()))
			f.log.End("turn.ended", nil)
		})
	})
}

// TestStreams drives streams that stay open, over connections in memory.
func TestStreams(t *testing.T) {
	// serve passes a function that connects and sends a request, and returns the answer.
	serve := func(t *testing.T, o Options, test func(f *fakeBackend, get func(path string, header ...string) (*http.Response, net.Conn))) {
		t.Helper()
		synctest.Test(t, func(t *testing.T) {
			f := newFake()
			o.Backend = f
			f.close = func(context.Context) error {
				f.log.End("turn.ended", []byte(`{"turnId":"turn-1"}`))
				return nil
			}
			l := &callers{make(chan net.Conn), make(chan struct{})}
			s := newTestServer(t, o)
			stopping, stop := context.WithCancel(t.Context())
			served := make(chan error, 1)
			go func() { served <- s.Serve(stopping, t.Context(), l, time.Second) }()
			test(f, func(path string, header ...string) (*http.Response, net.Conn) {
				conn := l.call()
				fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n\r\n", path, strings.Join(header, "\r\n"))
				answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
				require.NoError(t, err)
				return answer, conn
			})
			stop()
			require.NoError(t, <-served)
		})
	}
	const path = "/v1/turns/turn-1/events"
	from := func() *events.Source { return &events.Source{} }
	t.Run("I5 what comes is sent at once, with an id to come back with", func(t *testing.T) {
		serve(t, Options{}, func(f *fakeBackend, get func(string, ...string) (*http.Response, net.Conn)) {
			answer, conn := get(path)
			require.Equal(t, http.StatusOK, answer.StatusCode)
			require.Equal(t, mimeEvents, answer.Header.Get("Content-Type"))
			require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
			lines := bufio.NewReader(answer.Body)
			next := func() string {
				var block strings.Builder
				for {
					line, err := lines.ReadString('\n')
					require.NoError(t, err)
					if block.WriteString(line); line == "\n" {
						return block.String()
					}
				}
			}
			require.Regexp(t, `^retry: 2000\nid: \w+\.0\n:\n\n$`, next())
			f.log.Tell(from(), "r", "output", []byte("{\"runId\":\n\"r\"}"))
			require.Regexp(t, `^id: \w+\.1\nevent: output\ndata: {"runId": "r"}\n\n$`, next())
			before := time.Now()
			require.Regexp(t, `^id: \w+\.1\n:\n\n$`, next())
			require.Equal(t, heartbeat, time.Since(before))
			require.NoError(t, conn.Close())
			f.log.Tell(from(), "r", "output", []byte(`{"runId":"r"}`))
			synctest.Wait()
			require.False(t, f.log.Listened(), "a client that has gone is noticed")

			again, _ := get(path, "Last-Event-ID: "+idOf(t, f, 1))
			f.log.End("turn.ended", []byte(`{"turnId":"turn-1"}`))
			rest, err := io.ReadAll(again.Body)
			require.NoError(t, err)
			require.Equal(t, "output turn.ended", names(t, string(rest)))
		})
	})
	t.Run("I5 one that reads too slowly is told so, and disconnected", func(t *testing.T) {
		serve(t, Options{}, func(f *fakeBackend, get func(string, ...string) (*http.Response, net.Conn)) {
			answer, _ := get(path)
			synctest.Wait()
			for range 3 * events.MaxEvents {
				f.log.Tell(from(), "r", "output", []byte(`{"runId":"r"}`))
			}
			stream, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.True(t, strings.HasSuffix(names(t, string(stream)), "missed"))
			require.False(t, f.log.Listened())
		})
	})
	t.Run("I5 one that does not read at all is disconnected", func(t *testing.T) {
		serve(t, Options{}, func(f *fakeBackend, get func(string, ...string) (*http.Response, net.Conn)) {
			_, conn := get(path)
			synctest.Wait()
			for range events.MaxEvents {
				f.log.Tell(from(), "r", "output", []byte(`{"runId":"r"}`))
			}
			time.Sleep(2 * writePatience)
			synctest.Wait()
			require.False(t, f.log.Listened())
			require.NoError(t, conn.Close())
		})
	})
	t.Run("H6 so many streams may be open, and so many of one tenant", func(t *testing.T) {
		serve(t, Options{MaxStreams: 2}, func(_ *fakeBackend, get func(string, ...string) (*http.Response, net.Conn)) {
			_, first := get(path)
			_, second := get(path)
			refused, third := get(path)
			require.Equal(t, http.StatusTooManyRequests, refused.StatusCode)
			require.Equal(t, "60", refused.Header.Get("Retry-After"))
			require.NoError(t, third.Close())
			require.NoError(t, first.Close())
			synctest.Wait()
			again, fourth := get(path)
			require.Equal(t, http.StatusOK, again.StatusCode)
			require.NoError(t, second.Close())
			require.NoError(t, fourth.Close())
		})
	})
	t.Run("I1 streams end when the service does", func(t *testing.T) {
		var stream io.ReadCloser
		serve(t, Options{}, func(_ *fakeBackend, get func(string, ...string) (*http.Response, net.Conn)) {
			answer, _ := get("/v1/runs/r/events")
			stream = answer.Body
			go func() { _, _ = io.Copy(io.Discard, stream) }()
		})
	})
}

// idOf is the id of the event with that number.
func idOf(t *testing.T, f *fakeBackend, number int) string {
	t.Helper()
	at, err := f.log.Listen(nil, "", events.All)
	require.NoError(t, err)
	defer at.Close()
	prefix, _, ok := strings.Cut(at.At(), ".")
	require.True(t, ok)
	return fmt.Sprintf("%s.%d", prefix, number)
}

func TestStreamPlaces(t *testing.T) {
	p := newStreamPlaces(3, 2)
	leave := make([]func(), 3)
	for i, tenant := range []string{"a", "a", "b"} {
		var err error
		leave[i], err = p.take(tenant)
		require.NoError(t, err)
	}
	t.Run("H6 a tenant that has all its streams is told that it is the one", func(t *testing.T) {
		_, err := p.take("a")
		require.Equal(t, kindQuota, asProblem(err).kind)
	})
	t.Run("H6 another is told that there are no more", func(t *testing.T) {
		_, err := p.take("b")
		require.Equal(t, kindOverloaded, asProblem(err).kind)
	})
	for _, f := range leave {
		f()
	}
	require.Zero(t, p.open)
	require.Empty(t, p.tenants)
}

func TestStreamsHTTP(t *testing.T) {
	s := newReal(t)
	created := do(t, s, post("/v1/turns", realTurn))
	turn := gjson.Get(created.Body.String(), "turnId").Str
	t.Run("I5 HEAD says whether there is such a stream", func(t *testing.T) {
		head := call{method: http.MethodHead, path: "/v1/turns/" + turn + "/events"}
		rec := do(t, s, head)
		require.Equal(t, http.StatusOK, rec.Code)
		require.Equal(t, mimeEvents, rec.Header().Get("Content-Type"))
		for _, path := range []string{"/v1/turns/x/events", "/v1/runs/x/events"} {
			require.Equal(t, http.StatusNotFound, do(t, s, call{method: http.MethodHead, path: path}).Code)
			require.Equal(t, http.StatusNotFound, do(t, s, call{method: http.MethodGet, path: path}).Code)
		}
	})
	t.Run("I5 thousands of streams that are opened and cut leave nothing", func(t *testing.T) {
		held := s.backend.Health().HeldBytes
		srv := httptest.NewServer(s.Handler())
		defer srv.Close()
		client := srv.Client()
		defer client.CloseIdleConnections()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for n := range 250 {
					ctx, cut := context.WithCancel(t.Context())
					r, err := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/v1/turns/"+turn+"/events", nil)
					if n%2 == 1 {
						r, err = http.NewRequestWithContext(ctx, http.MethodPost, srv.URL+"/v1/exec",
							strings.NewReader(`{"turnId":"`+turn+`","code":"text(1); await tools.slow({})"}`))
						r.Header.Set("Content-Type", "application/json")
						r.Header.Set("Accept", mimeEvents)
					}
					if err == nil {
						var answer *http.Response
						if answer, err = client.Do(r); err == nil {
							_, err = answer.Body.Read(make([]byte, 1))
							cut()
							answer.Body.Close()
						}
					}
					cut()
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		require.NoError(t, s.backend.DropTurn("", turn))
		require.Eventually(t, func() bool {
			s.streams.mu.Lock()
			defer s.streams.mu.Unlock()
			h := s.backend.Health()
			return s.streams.open == 0 && h.Running == 0 && h.HeldBytes < held
		}, 10*time.Second, 10*time.Millisecond)
	})
}

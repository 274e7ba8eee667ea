package bench

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/codecell/codecell/bridge"
)

// BenchmarkExecNoHTTP is a whole exec, from the model's text to the result's, without HTTP around it.
func BenchmarkExecNoHTTP(b *testing.B) {
	s := newService(b)
	for _, tools := range []int{10, 50, 300, 1000} {
		b.Run(fmt.Sprintf("tools=%d", tools), func(b *testing.B) {
			repeat(b, s, s.turn(b, turnRequest(tools, `true`)), "return 1+1",
				fmt.Sprintf("exec of `return 1+1`, %d tools", tools))
		})
	}
}

// BenchmarkNested is an exec whose cell calls tools that answer at once.
func BenchmarkNested(b *testing.B) {
	s := newService(b)
	t := s.turn(b, turnRequest(50, `true`))
	for _, tc := range []struct{ name, code, what string }{
		{"one", `return tools.tool_7({query: "a"})`, "exec with one nested call, 50 tools"},
		{
			"ten", `return (await Promise.all([0,1,2,3,4,5,6,7,8,9].map((i) => tools["tool_" + i]({query: "a"})))).length`,
			"exec with ten nested calls at once, 50 tools",
		},
		{"search", `return (await tools.search("records department 7")).length`, "exec with one `tools.search`, 50 tools"},
	} {
		b.Run(tc.name, func(b *testing.B) { repeat(b, s, t, tc.code, tc.what) })
	}
}

// repeat measures one cell, one after the other on one goroutine.
func repeat(b *testing.B, s *service, t *bridge.Turn, code, what string) {
	in, ctx := cell(code), b.Context()
	var buffer []byte
	b.ReportAllocs()
	for b.Loop() {
		r, err := t.Exec(ctx, in)
		buffer = must(b, bridge.Completed, r, err).AppendJSON(buffer[:0])
	}
	each(what, b.Elapsed(), b.N)
}

// BenchmarkWait suspends a run and resumes it in the heap where it was parked.
func BenchmarkWait(b *testing.B) {
	s := newService(b)
	t := s.turn(b, turnRequest(50, `true`))
	in, ctx := cell(`await yield_control("later"); return 1`), b.Context()
	var suspending, resuming time.Duration
	for b.Loop() {
		start := time.Now()
		r, err := t.Exec(ctx, in)
		id, _ := json.Marshal(must(b, bridge.Waiting, r, err).RunID)
		suspended := time.Now()
		r, err = t.Wait(ctx, bridge.WaitInput{RunID: id})
		must(b, bridge.Completed, r, err)
		suspending += suspended.Sub(start)
		resuming += time.Since(suspended)
	}
	each("exec that suspends, 50 tools", suspending, b.N)
	each("wait that resumes the parked heap", resuming, b.N)
}

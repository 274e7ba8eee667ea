package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	// A storm is so many clients of one tenant at once.
	stormClients = 64
	// The calm tenant's slowest of a hundred answers may take so many times as long during a storm, and somewhat longer, since
	// one thread of two or all of them may be computing when a request comes.
	maxStormRatio = 2
	stormSlack    = 5 * time.Millisecond
)

// BenchmarkTenantsSoak measures how long the cells of one tenant take alone, and while another tenant sends as many of the
// same as it can (contract I2). An operation is a cell of the first. make neighbours runs enough of them to judge.
func BenchmarkTenantsSoak(b *testing.B) {
	for _, isolation := range []struct {
		name string
		open func(*testing.B) *service
	}{{"process", newIsolated}, {"thread", newService}} {
		b.Run(isolation.name, func(b *testing.B) {
			s := isolation.open(b)
			address := serve(b, s, "calm", "storm")
			turns := map[string]string{}
			for _, tenant := range []string{"calm", "storm"} {
				turn, err := s.Prepare(b.Context(), tenant, turnRequest(50, `true`))
				require.NoError(b, err)
				turns[tenant] = fmt.Sprintf(`{"turnId":%q,"code":"return (await tools.tool_0({query: \"a\"})).found.length"}`, turn.ID())
			}
			request := PostAs(address, "/v1/exec", "calm", turns["calm"])
			load, err := Dial(address, neighbourClients, request, []byte(`{"status":"completed","value":3`))
			require.NoError(b, err)
			defer func() { require.NoError(b, load.Close()) }()
			_, err = load.Run(neighbourRound)
			require.NoError(b, err)
			alone, during := newReport(), newReport()
			b.ResetTimer()
			for done := 0; done < b.N; done += neighbourRound {
				n := min(neighbourRound, b.N-done)
				r, err := load.Run(n)
				require.NoError(b, err)
				alone.Append(r)
				stop := startStorm(b, address, turns["storm"])
				r, err = load.Run(n)
				require.NoError(b, err, "and nothing of the calm tenant's is refused")
				during.Append(r)
				stop()
			}
			b.StopTimer()
			if during.Requests >= minNeighbourRequests {
				require.Less(b, during.Quantile(0.99), maxStormRatio*alone.Quantile(0.99)+stormSlack)
			}
			ratio := float64(during.Quantile(0.99)) / float64(alone.Quantile(0.99))
			b.ReportMetric(ratio, "p99-ratio")
			show("a tenant alone, "+isolation.name, alone)
			show("during another's storm, "+isolation.name, during)
			row("p50 and p99 during a storm to alone, "+isolation.name, "%.2f, %.2f", float64(during.Quantile(0.5))/float64(alone.Quantile(0.5)), ratio)
		})
	}
}

// startStorm lets many clients of a tenant run a cell over and over until the returned function is called. What is refused
// is sent again.
func startStorm(b *testing.B, address, body string) (stop func()) {
	ctx, cancel := context.WithCancel(b.Context())
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: stormClients}}
	var all sync.WaitGroup
	for range stormClients {
		all.Go(func() {
			for ctx.Err() == nil {
				request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/v1/exec", strings.NewReader(body))
				if err != nil {
					b.Error(err)
					return
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", "Bearer storm")
				answer, err := client.Do(request)
				if err != nil {
					continue // it was cancelled
				}
				_, _ = io.Copy(io.Discard, answer.Body)
				answer.Body.Close()
			}
		})
	}
	return func() {
		cancel()
		all.Wait()
		client.CloseIdleConnections()
	}
}

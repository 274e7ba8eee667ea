package traces

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/protobuf/proto"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver is a collector.
type receiver struct {
	collector.UnimplementedTraceServiceServer

	mu      sync.Mutex
	spans   []*otlp.Span
	service string
	secret  string // of a header
}

func (r *receiver) take(request *collector.ExportTraceServiceRequest, secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
	for _, of := range request.ResourceSpans {
		for _, a := range of.Resource.Attributes {
			if a.Key == "service.name" {
				r.service = a.Value.GetStringValue()
			}
		}
		for _, scope := range of.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
}

// Export implements the service of OTLP.
func (r *receiver) Export(ctx context.Context, request *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	in, _ := metadata.FromIncomingContext(ctx)
	r.take(request, strings.Join(in.Get("x-secret"), ""))
	return &collector.ExportTraceServiceResponse{}, nil
}

// ServeHTTP is the same over HTTP.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var body collector.ExportTraceServiceRequest
	text, err := io.ReadAll(request.Body)
	if err != nil || request.URL.Path != "/v1/traces" || proto.Unmarshal(text, &body) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.take(&body, request.Header.Get("X-Secret"))
}

func TestExporter(t *testing.T) {
	overHTTP := func(t *testing.T, r *receiver) string {
		server := httptest.NewServer(r)
		t.Cleanup(server.Close)
		return server.URL
	}
	overGRPC := func(t *testing.T, r *receiver) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		server := grpc.NewServer()
		collector.RegisterTraceServiceServer(server, r)
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(l) }()
		t.Cleanup(func() {
			server.Stop()
			require.NoError(t, <-ended)
		})
		return "http://" + l.Addr().String()
	}
	for _, tc := range []struct {
		protocol string
		start    func(*testing.T, *receiver) string
	}{{HTTP, overHTTP}, {GRPC, overGRPC}} {
		t.Run("I4 spans arrive over "+tc.protocol, func(t *testing.T) {
			r := &receiver{}
			e, err := Open(t.Context(), Config{
				Endpoint: tc.start(t, r), Protocol: tc.protocol, Headers: map[string]string{"x-secret": "s"},
			}, "v1")
			require.NoError(t, err)
			ctx, outer := e.Tracer().Start(t.Context(), "outer")
			_, inner := e.Tracer().Start(ctx, "inner", trace.WithAttributes(attribute.String("long", strings.Repeat("x", 10*maxAttribute))))
			inner.End()
			outer.End()
			require.NoError(t, e.Close(t.Context()))
			require.Len(t, r.spans, 2)
			require.Equal(t, "inner", r.spans[0].Name)
			require.Equal(t, r.spans[1].SpanId, r.spans[0].ParentSpanId)
			require.Len(t, r.spans[0].Attributes[0].Value.GetStringValue(), maxAttribute)
			require.Equal(t, "codecell", r.service)
			require.Equal(t, "s", r.secret)
		})
	}
	t.Run("I4 what part is recorded is the gateway's decision where a trace began there", func(t *testing.T) {
		none := 0.0
		r := &receiver{}
		e, err := Open(t.Context(), Config{Endpoint: overHTTP(t, r), Sample: &none}, "v1")
		require.NoError(t, err)
		_, own := e.Tracer().Start(t.Context(), "own")
		own.End()
		parent := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: trace.FlagsSampled, Remote: true})
		_, theirs := e.Tracer().Start(trace.ContextWithRemoteSpanContext(t.Context(), parent), "theirs")
		theirs.End()
		require.NoError(t, e.Close(t.Context()))
		require.Len(t, r.spans, 1)
		require.Equal(t, "theirs", r.spans[0].Name)
	})
	t.Run("I4 nobody waits for the collector when the service starts", func(t *testing.T) {
		e, err := Open(t.Context(), Config{Endpoint: "http://127.0.0.1:1"}, "v1")
		require.NoError(t, err)
		require.NoError(t, e.Close(t.Context()), "with nothing to send it is not asked")
	})
}

func TestConfig(t *testing.T) {
	two := 2.0
	for _, tc := range []struct {
		name, want string
		config     Config
	}{
		{"nothing", "", Config{}},
		{"all", "", Config{Endpoint: "https://collector.example:4318/otlp/v1/traces", Protocol: GRPC, Sample: new(float64)}},
		{"a protocol", "protocol must be http or grpc", Config{Protocol: "udp"}},
		{"a part", "sample must be from 0 to 1", Config{Sample: &two}},
		{"no URL", "endpoint must be a URL", Config{Endpoint: "localhost:4318"}},
	} {
		t.Run("I4 "+tc.name, func(t *testing.T) {
			if tc.want == "" {
				require.NoError(t, tc.config.Validate())
			} else {
				require.ErrorContains(t, tc.config.Validate(), tc.want)
			}
		})
	}
	t.Run("I4 off unless it is asked for", func(t *testing.T) {
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "")
		require.False(t, Config{}.On())
		require.True(t, Config{Endpoint: "http://localhost:4318"}.On())
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://localhost:4318")
		require.True(t, Config{}.On())
	})
}

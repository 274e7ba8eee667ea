package traces

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// The protocols.
const (
	HTTP = "http" // protobuf in POST requests
	GRPC = "grpc"
)

// Config says where spans go. What it leaves out is read from the environment variables that OpenTelemetry defines
// (OTEL_EXPORTER_OTLP_…).
type Config struct {
	// Endpoint is the URL of the collector: http://… or https://…, with a path only if it is not the usual one. Without one,
	// here or in the environment, no spans are recorded.
	Endpoint string `json:"endpoint"`
	// Protocol is http, the default, or grpc.
	Protocol string `json:"protocol"`
	// Headers are sent along.
	Headers map[string]string `json:"headers" secret:"yes"`
	// Sample is which part of the traces that begin here is recorded, from 0 to 1. Default 1. Whether a trace that began
	// elsewhere is recorded has been decided there.
	Sample *float64 `json:"sample"`
}

// Validate names the first key that can't be used.
func (c Config) Validate() error {
	switch c.Protocol {
	case "", HTTP, GRPC:
	default:
		return fmt.Errorf("protocol must be %s or %s, not %q", HTTP, GRPC, c.Protocol)
	}
	if c.Sample != nil && !(*c.Sample >= 0 && *c.Sample <= 1) {
		return errors.New("sample must be from 0 to 1")
	}
	if c.Endpoint == "" {
		return nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("endpoint must be a URL such as http://localhost:4318, not %q", c.Endpoint)
	}
	return nil
}

// On says whether spans are to be recorded.
func (c Config) On() bool {
	return c.Endpoint != "" || os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// Exporter records spans and sends them.
type Exporter struct{ provider *sdktrace.TracerProvider }

// Bounds of one span. Names of tools come from clients.
const (
	maxAttribute  = 256 // characters of a value
	maxAttributes = 32
	maxLinks      = 8
)

// Open starts an exporter. It does not wait for the collector. version is the service's.
func Open(ctx context.Context, c Config, version string) (*Exporter, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	client, err := c.client()
	if err != nil {
		return nil, err
	}
	exporter, err := otlptrace.New(ctx, client)
	if err != nil {
		return nil, err
	}
	about, err := resource.New(ctx,
		resource.WithAttributes(attribute.String("service.name", "codecell"), attribute.String("service.version", version)),
		resource.WithTelemetrySDK(), resource.WithHost(), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, errors.Join(err, exporter.Shutdown(ctx))
	}
	limits := sdktrace.NewSpanLimits()
	limits.AttributeValueLengthLimit, limits.AttributeCountLimit, limits.LinkCountLimit = maxAttribute, maxAttributes, maxLinks
	options := []sdktrace.TracerProviderOption{
		sdktrace.WithBatcher(exporter), sdktrace.WithResource(about), sdktrace.WithRawSpanLimits(limits),
	}
	if c.Sample != nil { // else by the environment, or all
		options = append(options, sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(*c.Sample))))
	}
	return &Exporter{sdktrace.NewTracerProvider(options...)}, nil
}

func (c Config) client() (otlptrace.Client, error) {
	if c.Protocol == GRPC {
		var options []otlptracegrpc.Option
		if c.Endpoint != "" {
			options = append(options, otlptracegrpc.WithEndpointURL(c.Endpoint))
		}
		if len(c.Headers) > 0 {
			options = append(options, otlptracegrpc.WithHeaders(c.Headers))
		}
		return otlptracegrpc.NewClient(options...), nil
	}
	var options []otlptracehttp.Option
	if c.Endpoint != "" {
		u, err := url.Parse(c.Endpoint)
		if err != nil {
			return nil, err
		}
		if u.Path == "" || u.Path == "/" {
			u.Path = "/v1/traces"
		}
		options = append(options, otlptracehttp.WithEndpointURL(u.String()))
	}
	if len(c.Headers) > 0 {
		options = append(options, otlptracehttp.WithHeaders(c.Headers))
	}
	return otlptracehttp.NewClient(options...), nil
}

// Tracer returns what spans begin with.
func (e *Exporter) Tracer() trace.Tracer { return e.provider.Tracer("github.com/codecell/codecell") }

// Close sends what is left, until ctx ends.
func (e *Exporter) Close(ctx context.Context) error { return e.provider.Shutdown(ctx) }

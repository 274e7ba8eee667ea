// Command codecell runs cells: as a service for LLM gateways (codecell serve) or one from a file (codecell exec). It
// owns the command line, the config file and the signals, and puts engine, bridge and server together; it knows nothing
// of what they do (contract I1).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// Exit statuses.
const (
	exitOK     = 0
	exitFailed = 1 // a cell failed, or the service did
	exitUsage  = 2 // the command line, the config or a file is wrong
	exitCut    = 3 // the last line of an audit file is unfinished, and all before is sound
)

// cli is the command line. A flag wins over its environment variable, and that over the config file.
type cli struct {
	Serve      serveCommand      `cmd:"" help:"Answer HTTP requests."`
	Exec       execCommand       `cmd:"" help:"Run one cell and print what it gives."`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"Be an MCP server on stdin and stdout, over the MCP servers of the config."`
	Bench      benchCommand      `cmd:"" help:"Measure the engines and a service on this machine."`
	Config     configCommand     `cmd:"" help:"Check a config, and print what it comes to."`
	Keys       keysCommand       `cmd:"" help:"Add, list and revoke API keys."`
	SigningKey signingKeyCommand `cmd:"" help:"Print the key that a tenant's tool requests are signed with."`
	Audit      auditCommand      `cmd:"" help:"Look at audit files."`
	Health     healthCommand     `cmd:"" help:"Ask a service whether it is ready, and fail if it is not."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
	Worker     workerCommand     `cmd:"" hidden:"" help:"Run cells for a service that started this process."`
	Parser     parserCommand     `cmd:"" hidden:"" help:"Parse cells for a service that started this process."`
}

// terminal is what a command reads, writes and obeys.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	// ctx ends at the first signal, now at the second.
	ctx, now context.Context
	// hangup has a signal whenever the config is to be read again.
	hangup <-chan os.Signal
}

// usageError is a mistake of the person at the terminal.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// errFailed ends a command whose output has already said why.
var errFailed = errors.New("failed")

func main() {
	ctx, now := signals()
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	os.Exit(run(&terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr, ctx: ctx, now: now, hangup: hangup}, os.Args[1:]))
}

// signals returns a context that ends at the first SIGINT or SIGTERM and one that ends at the second. They live as long
// as the process.
func signals() (ctx, now context.Context) {
	ctx, stop := context.WithCancel(context.Background())
	now, end := context.WithCancel(context.Background())
	caught := make(chan os.Signal, 2)
	signal.Notify(caught, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-caught
		stop()
		<-caught
		end()
	}()
	return ctx, now
}

// run is main without the process: it returns the exit status.
func run(t *terminal, args []string) int {
	var commands cli
	// kong ends the process for --help; here that only ends the parsing.
	helped := false
	parser, err := kong.New(&commands, kong.Name("codecell"), kong.Writers(t.out, t.err), kong.UsageOnError(),
		kong.Description("A code-mode engine: models write cells, cells call tools."),
		kong.Exit(func(int) { helped = true }))
	if err != nil {
		return t.fail(err)
	}
	parsed, err := parser.Parse(args)
	switch {
	case helped:
		return exitOK
	case err != nil:
		return t.fail(usageError{fmt.Errorf("%w (codecell --help lists the commands)", err)})
	}
	return t.fail(parsed.Run(t))
}

// fail prints an error and chooses the exit status for it; nil is success.
func (t *terminal) fail(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed):
		return exitFailed
	case errors.Is(err, errCut):
		return exitCut
	}
	fmt.Fprintln(t.err, "codecell: "+err.Error())
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailed
}

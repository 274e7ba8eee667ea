package bridge

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/codecell/codecell/bridge/approval"
	"github.com/codecell/codecell/bridge/config"
	"github.com/codecell/codecell/bridge/executor"
	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/bridge/redact"
	"github.com/codecell/codecell/catalog"
	"github.com/codecell/codecell/engine"
	"github.com/codecell/codecell/engine/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Shorter names: every table of steps has them on each line.
type (
	input   = enginetest.Input
	records = enginetest.Records
)

// executorFunc is an executor as a function.
type executorFunc func(ctx context.Context, call executor.Call) (json.RawMessage, error)

func (f executorFunc) Execute(ctx context.Context, call executor.Call) (json.RawMessage, error) {
	return f(ctx, call)
}

// world is a service over a fake engine. The end of its test closes it and checks that every guest was used as its
// interface allows and closed exactly once.
type world struct {
	*Service
	t      testing.TB
	engine *enginetest.Engine
}

func newWorld(t testing.TB, e *enginetest.Engine, o Options) *world {
	t.Helper()
	return newWorldOn(t, e, e, o)
}

// newWorldOn is newWorld for an engine that is made of a fake one, among others.
func newWorldOn(t testing.TB, whole engine.Engine, e *enginetest.Engine, o Options) *world {
	t.Helper()
	o.Engine = whole
	o.TestExecutors = true
	s, err := New(o)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		require.NoError(t, s.Close(ctx))
		require.NoError(t, e.Close())
		require.Zero(t, s.Stats().Suspended)
	})
	return &world{Service: s, t: t, engine: e}
}

// heldBeside is how many bytes are held beside those of a turn, of which more is counted when it is used first.
func (w *world) heldBeside(turn *Turn) int64 { return w.Stats().HeldBytes - int64(turn.weight()) }

const tenant = "tenant"

func someone() Context {
	return Context{AgentID: "agent", SessionID: "session", SessionKey: "key", RunID: "run", Sender: "sender"}
}

// someTools are one tool of each kind: local ones that echo or fail, one of the test's own executor (type "go"), one
// that the caller runs, and one of an MCP server.
func someTools() []catalog.Tool {
	return []catalog.Tool{
		{Source: "openclaw", Owner: "core", Name: "echo", Executor: json.RawMessage(`{"type":"echo"}`)},
		{Source: "openclaw", Owner: "core", Name: "fail", Executor: json.RawMessage(`{"type":"echo","error":"it broke"}`)},
		{Source: "openclaw", Owner: "core", Name: "slow", Executor: json.RawMessage(`{"type":"echo","delayMs":3600000,"timeoutMs":3600000}`)},
		{Source: "client", Owner: "app", Name: "ask"},
		{Source: "mcp", Owner: "hub", Name: "issue", Executor: json.RawMessage(`{"type":"echo"}`)},
	}
}

// turn prepares a turn of someone with someTools, and more of them, if given.
func (w *world) turn(config string, more ...catalog.Tool) *Turn {
	return w.turnOf(tenant, someone(), config, more...)
}

func (w *world) turnOf(tenant string, c Context, config string, more ...catalog.Tool) *Turn {
	w.t.Helper()
	if config == "" {
		config = `true`
	}
	turn, err := w.Prepare(context.Background(), tenant, &TurnRequest{
		Context: c, Config: json.RawMessage(config), Tools: append(someTools(), more...),
	})
	require.NoError(w.t, err)
	require.True(w.t, turn.codeMode)
	return turn
}

// exec runs a cell whose text does not matter to the script.
func (w *world) exec(turn *Turn) *Result {
	w.t.Helper()
	return w.execText(turn, "return 1")
}

func (w *world) execText(turn *Turn, code string) *Result {
	w.t.Helper()
	result, err := turn.Exec(context.Background(), ExecInput{ToolCallID: "parent", Code: quoted(code)})
	require.NoError(w.t, err)
	return w.checked(result)
}

func (w *world) wait(turn *Turn, runID string, results ...CallResult) *Result {
	w.t.Helper()
	result, err := turn.Wait(context.Background(), WaitInput{RunID: quoted(runID), Results: results})
	require.NoError(w.t, err)
	return w.checked(result)
}

// checked requires what holds for every result: it is JSON.
func (w *world) checked(r *Result) *Result {
	w.t.Helper()
	require.True(w.t, json.Valid(r.AppendJSON(nil)), "%s", r.AppendJSON(nil))
	return r
}

// lastInput is the input of the latest step of the guest made last.
func (w *world) lastInput() *input {
	w.t.Helper()
	vms := w.engine.VMs()
	require.NotEmpty(w.t, vms)
	inputs := vms[len(vms)-1].Inputs()
	require.NotEmpty(w.t, inputs)
	return inputs[len(inputs)-1]
}

func quoted(s string) json.RawMessage {
	b, _ := json.Marshal(s)
	return b
}

func requireFailed(t testing.TB, r *Result, code Code, text string) {
	t.Helper()
	require.Equal(t, Failed, r.Status, "%s", r.AppendJSON(nil))
	require.Equal(t, code, r.Code)
	require.Contains(t, r.Error, text)
}

func requireKind(t testing.TB, err error, kind Kind) {
	t.Helper()
	var refusal *Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, kind, refusal.Kind)
}

// The steps that most scripts are made of.

// returns ends the cell with a value.
func returns(value string) enginetest.Step {
	return func(_ *input, out *records) error {
		out.Fulfil(value, 0)
		return nil
	}
}

// settled is a step after the one that returned.
func settled(_ *input, out *records) error {
	out.Settled()
	return nil
}

// asks leaves the cell's promise pending and asks for what the function adds.
func asks(what func(out *records)) enginetest.Step {
	return func(_ *input, out *records) error {
		what(out)
		out.Pending()
		return nil
	}
}

func yields(id uint32) enginetest.Step {
	return asks(func(out *records) { out.Yield(id, "null") })
}

// calls asks for tools with the ids from 1 on.
func calls(tools ...string) enginetest.Step {
	return asks(func(out *records) {
		for i, name := range tools {
			out.Call(uint32(i+1), name, `{"i":`+strconv.Itoa(i+1)+`}`)
		}
	})
}

// stops ends the step with an error from outside.
func stops(err error) enginetest.Step {
	return func(*input, *records) error { return err }
}

// computes runs until it is interrupted, and says so once it has begun.
func computes(begun chan<- struct{}) enginetest.Step {
	return func(in *input, _ *records) error {
		close(begun)
		<-in.Interrupted
		return engine.ErrStopped
	}
}

// aRun is a run outside of any service, for what a run does by itself.
func aRun(t testing.TB, raw string) *run {
	t.Helper()
	c, err := config.Default().Merge(json.RawMessage(raw))
	require.NoError(t, err)
	s := &Service{options: Options{}.withDefaults(), account: account.New("service", 1<<30)}
	turn := &Turn{service: s, account: s.account, of: &tenancy{}, config: c, redactor: func() *redact.Redactor { return nil }, approvals: approval.NewRegistry(approval.Options{}).Tenant(tenant, s.account)}
	r, err := newRun(turn, cell{})
	require.NoError(t, err)
	t.Cleanup(r.discard)
	return r
}

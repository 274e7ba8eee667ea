package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/tiktoken-go/tokenizer"
)

// Turns of the model. Each sends it all the schemas once more.
const (
	cellTurns  = 2 // it writes the cell, and then the answer
	leastTurns = 5 // the same with direct tools, if it calls at once all that can be: customers; orders and tickets; stock; the new tickets; the answer
)

// tell runs the cell and prints it, what it gave, and what it saved against direct tools.
func tell(ctx context.Context, s *service, tools []any, out io.Writer) error {
	direct, err := prepare(ctx, s, tools, false)
	if err != nil {
		return err
	}
	t, err := prepare(ctx, s, tools, true)
	if err != nil {
		return err
	}
	r, err := run(ctx, s, t)
	if err != nil {
		return err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(direct.Tools, &list); err != nil {
		return err
	}
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	before, err := codec.Count(string(direct.Tools))
	if err != nil {
		return err
	}
	after, err := codec.Count(string(t.Tools))
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n--- the cell, which the model wrote for exec\n\n%s\n--- what it gave\n\n", cell)
	for _, o := range r.Output {
		fmt.Fprintln(out, o.Text)
	}
	fmt.Fprintf(out, "%s\n\n--- what it saved\n\n", r.Value)
	row := func(what string, cells ...any) {
		fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("%-34s%14v%14v%14v", append([]any{what}, cells...)...), " "))
	}
	saved := func(before, after int) string { return fmt.Sprint(before - after) }
	calls := r.Telemetry.Calls
	row("", "direct tools", "code mode", "saved")
	row("tools that the model is shown", len(list), 2, "")
	row("calls of tools", calls, calls, "")
	row("turns of the model, at least", leastTurns, cellTurns, saved(leastTurns, cellTurns))
	row("and with one call a turn", calls+1, cellTurns, saved(calls+1, cellTurns))
	row("schema tokens in each turn", before, after, saved(before, after))
	row("in all turns, at least", before*leastTurns, after*cellTurns, saved(before*leastTurns, after*cellTurns))
	row("and with one call a turn", before*(calls+1), after*cellTurns, saved(before*(calls+1), after*cellTurns))
	fmt.Fprintln(out, "\nTokens are o200k's, of the tools in OpenAI's format. What tools answered is not counted: with direct tools the model reads all of it.")
	return nil
}

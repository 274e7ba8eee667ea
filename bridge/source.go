package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/codecell/codecell/bridge/internal/account"
	"github.com/codecell/codecell/engine/script"
)

// refusal is a reason in the contract's own words, full stop and all.
type refusal string

func (r refusal) Error() string { return string(r) }

// prepareCell judges the input in the contract's order (B1) and makes it ready for the guest.
func (t *Turn) prepareCell(ctx context.Context, in ExecInput) (cell, error) {
	code, err := pickSource(in)
	if err != nil {
		return cell{}, err
	}
	language, err := pickLanguage(in.Language)
	if err != nil {
		return cell{}, err
	}
	if !t.codeMode {
		return cell{}, refusal("code mode is disabled.")
	}
	if !t.allowsLanguage(string(language)) {
		return cell{}, refusal(fmt.Sprintf("code mode %s input is disabled.", language))
	}
	return t.cellOf(ctx, code, language)
}

// cellOf prepares a source that may be run in the turn. The parsers may take as long as the cell (contract H6); what they
// took is noted also where the source is refused.
func (t *Turn) cellOf(ctx context.Context, code string, language script.Language) (cell, error) {
	source, took, err := t.service.options.Preparer.Prepare(ctx, script.Request{
		Tenant: t.tenant, Code: code, Language: language, Limit: time.Duration(t.config.TimeoutMs) * time.Millisecond,
		Options: script.Options{MaxBytes: t.config.MaxSourceBytes, ShellTool: t.shellTool},
	})
	if err != nil {
		return cell{code: code, language: language, parsing: took}, err
	}
	entries, err := t.guestCatalogFor(source.Body)
	return cell{code: code, language: language, source: source, parsing: took, catalog: entries}, err
}

// notPrepared is the answer where there is no cell to run. The error says that the service is why.
func (t *Turn) notPrepared(ctx context.Context, c cell, err error) (*Result, error) {
	switch {
	case errors.Is(err, script.ErrBusy):
		return nil, &Error{Kind: KindOverloaded, Msg: err.Error() + "; try again shortly", RetryAfter: time.Second}
	case errors.Is(err, script.ErrUnavailable):
		t.service.options.Logger.Error("no parser for a cell", "error", err, "turn", t.id)
		return nil, &Error{Kind: KindUnavailable, Msg: "runtime_unavailable: the cell can't be parsed; try a smaller one"}
	}
	var full *account.FullError
	if errors.As(err, &full) {
		return nil, noRoom(err)
	}
	f := failure{code: CodeInvalidInput, text: err.Error()}
	var refused *script.Error
	switch {
	case errors.As(err, &refused):
		f.code = codeOf[refused.Reason]
		f.again = refused.Reason == script.TooSlow
	case ctx.Err() != nil:
		f = aborted
	}
	result := t.failedWith(f)
	if refused != nil && refused.Reason == script.Invalid && refused.Line > 0 && c.language == script.TypeScript {
		cure, took := t.syntaxCure(c.code, c.language, refused.Text, refused.Line)
		c.parsing += took
		if cure != "" {
			result.Hints = append(result.Hints, cure)
		}
	}
	result.Telemetry.ServiceMs = c.parsing.Seconds() * 1000
	return result, nil
}

// codeOf are the codes of the reasons why a source is refused.
var codeOf = map[script.Reason]Code{
	script.Invalid: CodeInvalidInput, script.TooSlow: CodeTimeout, script.TooLarge: CodeMemoryLimit,
}

const errMustMatch = refusal("code and command must match when both are provided.")

func pickSource(in ExecInput) (string, error) {
	code, hasCode := jsonString(in.Code)
	command, hasCommand := jsonString(in.Command)
	switch {
	case hasCode && hasCommand && code != command:
		return "", errMustMatch
	case hasCommand:
		code = command
	}
	if strings.TrimSpace(code) == "" {
		return "", refusal("code or command must be a non-empty string.")
	}
	return code, nil
}

func pickLanguage(raw json.RawMessage) (script.Language, error) {
	if raw == nil {
		return script.JavaScript, nil
	}
	name, _ := jsonString(raw)
	switch l := script.Language(name); l {
	case script.JavaScript, script.TypeScript:
		return l, nil
	}
	return "", refusal("language must be javascript or typescript.")
}

func jsonString(raw json.RawMessage) (string, bool) {
	raw = bytes.TrimSpace(raw)
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	// Valid JSON without a backslash is its own text.
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// wordsThatReachAPI are those without which no cell gets hold of API: its name, or a way to a global by another name. A
// cell that spells such a word out of pieces at run time is told that the files are not there.
var wordsThatReachAPI = []string{"API", "this", "This", "eval", "Function", "constructor", `\u`}

// guestCatalogFor returns the catalog for a cell. Rendering the declaration files costs more than many a cell, so a
// cell that can't read them does without. The error is a *account.FullError.
func (t *Turn) guestCatalogFor(body string) ([]byte, error) {
	if err := t.weighPart(guestTexts); err != nil {
		return nil, err
	}
	if !mentions(body, wordsThatReachAPI) {
		return t.guestBrief(), nil
	}
	if err := t.weighPart(guestFiles); err != nil {
		return nil, err
	}
	return t.guest(), nil
}

func mentions(body string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(body, word) })
}

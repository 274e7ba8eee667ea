package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// printer shows results to a person, or hands them to a program.
type printer struct {
	out, err     io.Writer
	asJSON       bool
	file, source string   // the cell, for showing the line of an error
	asked        []string // approvals that were told of
}

// print shows one result: what the cell wrote, then its value or what went wrong.
func (p *printer) print(raw []byte, result gjson.Result) {
	if p.asJSON {
		fmt.Fprintf(p.out, "%s\n", raw)
		return
	}
	// Output comes once (contract C7), so what an earlier result showed is not shown again.
	for _, item := range result.Get("output").Array() {
		if item.Get("type").Str == "text" {
			fmt.Fprintln(p.out, printable(item.Get("text").Str))
		} else {
			fmt.Fprintln(p.out, indented(item.Get("value").Raw))
		}
	}
	switch result.Get("status").Str {
	case "completed":
		fmt.Fprintln(p.out, indented(result.Get("value").Raw))
	case "failed":
		p.failure(result)
	case "waiting":
		p.waiting(result)
	}
	for _, hint := range result.Get("hints").Array() {
		fmt.Fprintln(p.err, "hint: "+printable(hint.String()))
	}
}

// failure shows the error above the line of the source that it is in.
func (p *printer) failure(result gjson.Result) {
	fmt.Fprintf(p.err, "%s: %s\n", result.Get("code").Str, printable(strings.TrimRight(result.Get("error").Str, "\n")))
	line, column := int(result.Get("detail.line").Int()), int(result.Get("detail.column").Int())
	// Lines are those of the source as it was sent (contract B2).
	lines := strings.Split(p.source, "\n")
	if line < 1 || line > len(lines) {
		return
	}
	text := strings.TrimRight(lines[line-1], "\r")
	fmt.Fprintf(p.err, "%s:%d:%d\n%6d | %s\n", p.file, line, column, line, printable(text))
	if column >= 1 && column <= len(text)+1 {
		fmt.Fprintf(p.err, "       | %s^\n", strings.Repeat(" ", column-1))
	}
}

// waiting tells what only a gateway can do, and nothing of mere waiting.
func (p *printer) waiting(result gjson.Result) {
	for _, call := range result.Get("pendingToolCalls").Array() {
		if id := call.Get("approvalId").Str; id != "" && !slices.Contains(p.asked, id) {
			p.asked = append(p.asked, id)
			fmt.Fprintf(p.err, "The cell waits for somebody to approve its call of %s: POST /v1/approvals/%s\n", printable(call.Get("toolId").Str), printable(id))
		}
	}
	if !needsCaller(result) {
		return
	}
	fmt.Fprintln(p.err, "The cell waits for calls that the caller must run; a gateway would deliver their results:")
	for _, call := range result.Get("pendingToolCalls").Array() {
		if input := call.Get("input"); input.Exists() {
			fmt.Fprintf(p.err, "  %s %s\n", printable(call.Get("toolId").Str), indented(input.Raw))
		}
	}
}

// warn shows a remark on the turn, apart from what the cell writes.
func (p *printer) warn(text string) { fmt.Fprintln(p.err, "warning: "+printable(text)) }

// indented lays JSON out for reading; what is not JSON is shown as it is.
func indented(raw string) string {
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(raw), "", "  "); err != nil {
		return printable(raw)
	}
	return printable(out.String())
}

// printable takes the control characters out of what a cell says: a terminal would obey them.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if (r < 0x20 && r != '\n' && r != '\t') || (r >= 0x7f && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, text)
}

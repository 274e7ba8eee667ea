package executor

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/tidwall/gjson"
)

// accepted are the forms of an answer: one JSON text, or a stream of them (see answer.stream).
const accepted = "application/json, application/x-ndjson;q=0.9, text/event-stream;q=0.8"

var lineTypes = []string{
	"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/jsonlines", "application/x-jsonlines",
	"application/json-lines", "application/json-seq", "application/stream+json",
}

const eventsType = "text/event-stream"

// mediaType is what a Content-Type header has before its parameters.
func mediaType(header string) string {
	name, _, _ := strings.Cut(header, ";")
	return strings.ToLower(strings.TrimSpace(name))
}

// maxMessages bounds those of a stream: reading many small ones takes longer than reading a large one.
const maxMessages = 100_000

// message is one of a stream: a line, or an event with the name that it has.
type message struct {
	event string
	data  []byte
}

// messageReader reads a stream. next returns io.EOF after the last message.
type messageReader interface{ next() (message, error) }

// stream reads an answer that comes in pieces. The last one is the result, unless an event named "result" comes before. The
// others are passed on as progress: those that are marked as an update (see update) at once, and others when they turn out
// not to be the last. An event named "error" fails the call.
func (a *answer) stream(from messageReader) error {
	var candidate message
	for count := 1; ; count++ {
		m, err := from.next()
		ended := errors.Is(err, io.EOF) || m.event == "message" && string(m.data) == "[DONE]"
		switch {
		case ended && candidate.data == nil:
			a.failf("ended its answer without a result")
			return nil
		case ended:
			a.result = candidate.data
			return nil
		case err != nil:
			return err
		case count > maxMessages:
			a.failf("answered with more than %d messages", maxMessages)
			return nil
		case m.event == "error":
			a.failf("failed: %s", snippet([]byte(errorText(m.data))))
			return nil
		case m.event == "result":
			a.result = m.data
			return nil
		}
		if u, marked := updateOf(m); marked {
			a.progress(u)
			continue
		}
		if candidate.data != nil {
			u, _ := updateOf(candidate)
			a.progress(u)
		}
		candidate = m
	}
}

func (a *answer) progress(u update) {
	if a.call.Progress != nil {
		a.call.Progress(u.done, u.total, u.message)
	}
}

// errorText is the text of an error event.
func errorText(data []byte) string {
	for _, path := range []string{"message", "error.message", "error"} {
		if text := gjson.GetBytes(data, path); text.Type == gjson.String {
			return text.Str
		}
	}
	return string(data)
}

// update is what a message says of a tool's progress.
type update struct {
	done, total float64
	message     string
}

// updateOf reads a message as an update, and tells whether it is marked as one: by its event's name, by its type, or by
// having a key "progress", and nothing that a result has.
func updateOf(m message) (u update, marked bool) {
	body := gjson.ParseBytes(m.data)
	progress, kind := body.Get("progress"), body.Get("type").Str
	marked = m.event == "progress" || m.event == "update"
	if body.IsObject() && !body.Get("content").Exists() && !body.Get("details").Exists() && !body.Get("isError").Exists() {
		marked = marked || progress.Exists() || kind == "progress" || kind == "update"
	}
	if progress.IsObject() {
		body, progress = progress, progress.Get("progress")
	}
	u.done, u.total, u.message = progress.Num, body.Get("total").Num, body.Get("message").Str
	switch {
	case u.message != "":
	case progress.Type == gjson.String:
		u.message = progress.Str
	case body.Get("content.0.text").Type == gjson.String:
		u.message = body.Get("content.0.text").Str
	case progress.Type != gjson.Number:
		u.message = string(m.data[:min(len(m.data), maxMessage+1)])
	}
	return u, marked
}

// lineReader reads lines of any length; what bounds them is what it reads from.
type lineReader struct{ *bufio.Reader }

func newLineReader(from io.Reader) lineReader { return lineReader{bufio.NewReader(from)} }

// line returns the next line without its end. The last one may have none.
func (r lineReader) line() ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return bytes.TrimRight(line, "\r\n"), err
}

// jsonLineReader reads JSON lines, also those of RFC 7464, which begin with a separator.
type jsonLineReader struct{ lines lineReader }

func (r *jsonLineReader) next() (message, error) {
	for {
		line, err := r.lines.line()
		if line = bytes.Trim(line, " \t\x1e"); len(line) > 0 || err != nil {
			return message{data: line}, err
		}
	}
}

// eventReader reads server-sent events. The last one may lack the empty line behind it.
type eventReader struct {
	lines   lineReader
	started bool
}

func (r *eventReader) next() (message, error) {
	m := message{event: "message"}
	for {
		line, err := r.lines.line()
		if err != nil {
			if errors.Is(err, io.EOF) && m.data != nil {
				err = nil // it comes again
			}
			return m, err
		}
		if !r.started {
			r.started, line = true, bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if len(line) == 0 {
			if m.data != nil {
				return m, nil
			}
			m.event = "message"
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			m.event = string(value)
		case "data":
			if m.data == nil {
				m.data = []byte{}
			} else {
				m.data = append(m.data, '\n')
			}
			m.data = append(m.data, value...)
		}
	}
}

package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/tidwall/gjson"
)

// maxMessage bounds one message of a server, in bytes.
const maxMessage = 16 << 20

// pieces is a stream that is read piece by piece, so that each can be replaced by another. An error of next comes after its
// piece.
type pieces struct {
	io.Closer
	next func() ([]byte, error)
	left []byte
	err  error
}

// Read implements io.Reader.
func (p *pieces) Read(b []byte) (int, error) {
	for len(p.left) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		p.left, p.err = p.next()
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}

// line reads up to the end of a line. Of one that there is no room for it returns the beginning, and the end as rest.
func line(r *bufio.Reader, room func(bytes int) bool) (text, rest []byte, err error) {
	const kept = 256
	for {
		part, err := r.ReadSlice('\n')
		switch {
		case rest != nil:
			rest = append(rest, part...)
			rest = bytes.Clone(rest[max(0, len(rest)-kept):])
		case room(len(text) + len(part)):
			text = append(text, part...)
		default:
			text = append(text, part[:min(len(part), kept)]...)
			text = bytes.Clone(text[:min(len(text), kept)])
			rest = bytes.Clone(part[max(0, len(part)-kept):])
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, rest, err
		}
	}
}

// messages are the lines of a child process that are messages. One line that is too long, or no message (servers print what
// they should not), is left out, where the protocol's library would end the connection for all calls; if it was to be an
// answer, an error takes its place.
func messages(out io.ReadCloser, log *slog.Logger) io.ReadCloser {
	r := bufio.NewReaderSize(out, 64<<10)
	return &pieces{Closer: out, next: func() ([]byte, error) {
		text, rest, err := line(r, func(bytes int) bool { return bytes <= maxMessage })
		why := tooLong
		if rest == nil {
			if blank := len(bytes.TrimSpace(text)) == 0; blank || isMessage(text) {
				return text, err
			}
			why, rest = "its answer can't be read", text
		}
		log.Warn("an MCP server wrote a line that is no message, or too long", "line", clip(string(text)))
		if id := answered(text, rest); id != "" {
			return append(refusal(id, why), '\n'), err
		}
		return nil, err
	}}
}

// isMessage says whether the library can read a line.
func isMessage(text []byte) bool {
	batch := gjson.ParseBytes(text)
	if !batch.IsArray() || !json.Valid(text) { // gjson's own check recurses: brackets alone would overflow the stack
		_, err := jsonrpc.DecodeMessage(text)
		return err == nil
	}
	all := true
	batch.ForEach(func(_, one gjson.Result) bool {
		_, err := jsonrpc.DecodeMessage([]byte(one.Raw))
		all = err == nil
		return all
	})
	return all
}

// What the two ends of an answer look like, as servers write it: the id comes first or last.
var (
	idFirst = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,18})\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"result"`)
	noID    = regexp.MustCompile(`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"result"`)
	idLast  = regexp.MustCompile(`"id"\s*:\s*(\d{1,18})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)
)

// answered returns the id of the request that a line was to answer, as far as its two ends tell.
func answered(begin, end []byte) string {
	if m := idFirst.FindSubmatch(begin); m != nil {
		return string(m[1])
	}
	if m := idLast.FindSubmatch(end); m != nil && noID.Match(begin) {
		return string(m[1])
	}
	return ""
}

// wholeAnswer is a body that is one JSON text, as the capture has it.
func wholeAnswer(body io.ReadCloser, c *capture, id func() string) io.ReadCloser {
	return &pieces{Closer: body, next: func() ([]byte, error) {
		raw, err := io.ReadAll(&roomy{body: body, room: c.room})
		switch {
		case errors.Is(err, errNoRoom):
			return refusal(id(), tooLong), io.EOF
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(raw)) == 0:
			return raw, io.EOF
		}
		return c.answer(raw, id()), io.EOF
	}}
}

// roomy is a body that is read as far as there is room for it.
type roomy struct {
	body io.Reader
	room func(bytes int) bool
	read int
}

var errNoRoom = errors.New("there is no room")

// Read implements io.Reader.
func (r *roomy) Read(b []byte) (int, error) {
	n, err := r.body.Read(b)
	if r.read += n; r.read > maxMessage || !r.room(r.read) {
		return 0, errNoRoom
	}
	return n, err
}

// eventAnswers is a body of server-sent events, whose messages are as the capture has them.
func eventAnswers(body io.ReadCloser, c *capture, id func() string) io.ReadCloser {
	r := bufio.NewReaderSize(body, 64<<10)
	return &pieces{Closer: body, next: func() ([]byte, error) {
		fields, data, long, err := event(r, c.room)
		switch {
		case long:
			data = refusal(id(), tooLong)
		case len(data) > 0:
			data = c.answer(data, id())
		}
		if len(data) > 0 {
			fields = append(append(fields, "data: "...), bytes.ReplaceAll(data, []byte("\n"), []byte("\ndata: "))...)
			fields = append(fields, '\n')
		}
		return append(fields, '\n'), err
	}}
}

// event reads one event: its data, and its other fields as they are. Of one that there is no room for nothing is kept.
func event(r *bufio.Reader, room func(bytes int) bool) (fields, data []byte, long bool, err error) {
	for {
		text, rest, err := line(r, func(bytes int) bool {
			const end = 2 // of a line
			all := len(fields) + len(data) + bytes
			return bytes <= end || !long && all <= maxMessage && room(all)
		})
		long = long || rest != nil
		text = bytes.TrimRight(text, "\r\n")
		field, isData := bytes.CutPrefix(text, []byte("data:"))
		switch {
		case long:
			fields, data = nil, nil
		case isData:
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, bytes.TrimSpace(field)...)
		case len(text) > 0:
			fields = append(append(fields, text...), '\n')
		}
		if err != nil || len(text) == 0 && rest == nil {
			return fields, data, long, err
		}
	}
}

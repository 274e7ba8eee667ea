package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"strconv"
	"sync/atomic"
	"time"
)

// connection is one client: it sends, waits for the answer, and sends again.
type connection struct {
	conn          net.Conn
	in            *bufio.Reader
	request, want []byte
}

// maxAnswer is how much of an answer can be looked at, in bytes; benchmarks have small ones.
const maxAnswer = 64 << 10

func newConnection(c net.Conn, request, want []byte) *connection {
	return &connection{conn: c, in: bufio.NewReaderSize(c, maxAnswer), request: request, want: want}
}

// Post returns the bytes of a POST request with a JSON body, to be sent as they are.
func Post(host, path, body string) []byte { return post(host, path, "", body) }

// PostAs is Post with an API key.
func PostAs(host, path, key, body string) []byte {
	return post(host, path, "Authorization: Bearer "+key+"\r\n", body)
}

func post(host, path, headers, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		path, host, headers, len(body), body)
}

// work takes requests from left until there are none.
func (c *connection) work(left *atomic.Int64) (*Report, error) {
	r := newReport()
	for left.Add(-1) >= 0 {
		start := time.Now()
		if _, err := c.conn.Write(c.request); err != nil {
			return r, fmt.Errorf("load: send: %w", err)
		}
		if err := c.answer(); err != nil {
			return r, err
		}
		r.add(time.Since(start))
	}
	return r, nil
}

// workAt sends each request when it is due, or as soon after that as this connection is free.
func (c *connection) workAt(due <-chan time.Time) (*Report, error) {
	r := newReport()
	for at := range due {
		time.Sleep(time.Until(at))
		if _, err := c.conn.Write(c.request); err != nil {
			return r, fmt.Errorf("load: send: %w", err)
		}
		if err := c.answer(); err != nil {
			return r, err
		}
		r.add(time.Since(at))
	}
	return r, nil
}

var (
	statusOK      = []byte("HTTP/1.1 200 ")
	contentLength = []byte("Content-Length: ")
)

// answer reads one answer and judges it.
func (c *connection) answer() error {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return fmt.Errorf("load: read: %w", err)
	}
	if !bytes.HasPrefix(line, statusOK) {
		return fmt.Errorf("load: answered %q", bytes.TrimSpace(line))
	}
	length, err := c.headers()
	if err != nil {
		return err
	}
	body, err := c.in.Peek(length)
	if err != nil {
		return fmt.Errorf("load: read the body of %d bytes: %w", length, err)
	}
	if !bytes.HasPrefix(body, c.want) {
		return fmt.Errorf("load: answered %q, not %q…", body[:min(len(body), 300)], c.want)
	}
	_, err = c.in.Discard(length)
	return err
}

// headers reads up to the empty line and returns the body's length.
func (c *connection) headers() (int, error) {
	length := -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, fmt.Errorf("load: read headers: %w", err)
		}
		if len(line) <= len("\r\n") {
			break
		}
		if value, ok := bytes.CutPrefix(line, contentLength); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, fmt.Errorf("load: Content-Length: %w", err)
			}
		}
	}
	if length < 0 {
		return 0, fmt.Errorf("load: an answer without Content-Length; chunked ones are not read here")
	}
	return length, nil
}

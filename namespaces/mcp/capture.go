package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// capture takes the result of one request as the server wrote it, before the protocol's library decodes it into types of its
// own: that would cost long numbers their digits and objects their order, and fail on what the library does not know.
//
// It goes along in the request's context. Where answers arrive (stdioConn, authorized), it is asked to replace them.
type capture struct {
	// listing says that the result is a list of tools, which the library needs: it gets one that holds the schemas as text, too.
	listing bool
	result  atomic.Pointer[json.RawMessage]
	forget  func()

	mu      sync.Mutex
	hold    func(bytes int) error // executor.Call.Hold, nil if nobody counts
	held    int
	refused error // what hold said
}

type captureKey struct{}

// withCapture returns a context for one request. The capture's end is to be called when the request has ended.
func withCapture(ctx context.Context, listing bool, hold func(bytes int) error) (context.Context, *capture) {
	c := &capture{listing: listing, forget: func() {}, hold: hold}
	return context.WithValue(ctx, captureKey{}, c), c
}

// end says that nothing is captured any more: the body of a request that was given up may still be read.
func (c *capture) end() {
	c.forget()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil {
		c.refused = errors.New("the request has ended")
	}
}

// room counts what an answer takes in memory, as far as it is more than before, in the account of the run that made the
// call (contract H6), and says whether there is room.
func (c *capture) room(bytes int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused == nil && c.hold != nil && bytes > c.held {
		c.refused = c.hold(bytes - c.held)
		c.held = bytes
	}
	return c.refused == nil
}

// refusal is why there was no room, nil if there was.
func (c *capture) refusal() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused
}

func captureOf(ctx context.Context) *capture {
	c, _ := ctx.Value(captureKey{}).(*capture)
	return c
}

// standIn is what the library gets in place of a captured result: it fits every type of result that is captured.
var standIn = json.RawMessage(`{"content":[]}`)

// take notes the result that an answer holds, and returns what the library is to have in its place. Only the first answer
// counts.
func (c *capture) take(result json.RawMessage) json.RawMessage {
	if c.listing {
		return withSchemas(result)
	}
	if c.room(len(result)) {
		c.result.CompareAndSwap(nil, &result)
	}
	return standIn
}

// answer is take for an answer that isn't parsed yet. id is the request's; a text that is no message becomes an error of it.
func (c *capture) answer(raw []byte, id string) []byte {
	message, err := jsonrpc.DecodeMessage(raw)
	if err != nil {
		return refusal(id, "its answer can't be read")
	}
	response, ok := message.(*jsonrpc.Response)
	if !ok || response.Error != nil {
		return raw
	}
	response.Result = c.take(response.Result)
	replaced, err := jsonrpc.EncodeMessage(response)
	if err != nil {
		return refusal(id, "its answer can't be read")
	}
	return replaced
}

// refusal is an answer that says why there is none. id is JSON.
func refusal(id, why string) []byte {
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, jsonrpc.CodeInternalError, why)
}

// tooLong says that a message is longer than maxMessage.
var tooLong = fmt.Sprintf("its answer has more than %d bytes", maxMessage)

// Members of a tool's _meta that hold its schemas as the server wrote them, as text: decoded, their properties would be in
// no order.
const (
	inputText  = "codecell/inputSchema"
	outputText = "codecell/outputSchema"
)

// withSchemas adds those members to a list of tools. What is no such list stays as it is, for the library to complain of.
func withSchemas(result json.RawMessage) json.RawMessage {
	var page map[string]json.RawMessage
	var tools []map[string]json.RawMessage
	if json.Unmarshal(result, &page) != nil || json.Unmarshal(page["tools"], &tools) != nil {
		return result
	}
	for _, tool := range tools {
		var meta map[string]json.RawMessage
		if json.Unmarshal(tool["_meta"], &meta) != nil || meta == nil {
			meta = map[string]json.RawMessage{}
		}
		for member, key := range map[string]string{"inputSchema": inputText, "outputSchema": outputText} {
			delete(meta, key)
			if schema, ok := tool[member]; ok {
				meta[key], _ = json.Marshal(string(schema)) // a string always encodes
			}
		}
		if tool != nil {
			tool["_meta"], _ = json.Marshal(meta)
		}
	}
	var err error
	if page["tools"], err = json.Marshal(tools); err != nil {
		return result
	}
	replaced, err := json.Marshal(page)
	if err != nil {
		return result
	}
	return replaced
}

// schemaOf returns a schema of a listed tool: as the server wrote it, if that was noted.
func schemaOf(t *mcp.Tool, key string, decoded any) (json.RawMessage, error) {
	if decoded == nil {
		return nil, nil
	}
	if text, ok := t.Meta[key].(string); ok {
		var compact bytes.Buffer
		err := json.Compact(&compact, []byte(text))
		return compact.Bytes(), err
	}
	return json.Marshal(decoded)
}

// stdioConn gives the results that arrive on a connection to those who capture them.
type stdioConn struct {
	mcp.Connection
	pending sync.Map // jsonrpc.ID → *capture
}

// Write implements mcp.Connection.
func (c *stdioConn) Write(ctx context.Context, message jsonrpc.Message) error {
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		if to := captureOf(ctx); to != nil {
			id := request.ID
			c.pending.Store(id, to)
			to.forget = func() { c.pending.Delete(id) }
		}
	}
	return c.Connection.Write(ctx, message)
}

// Read implements mcp.Connection.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if response, ok := message.(*jsonrpc.Response); ok && err == nil {
		if to, ok := c.pending.LoadAndDelete(response.ID); ok && response.Error == nil {
			response.Result = to.(*capture).take(response.Result)
		}
	}
	return message, err
}

package mcp

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"
)

// rogue is a kind of server that does what it must not. It writes its messages itself, since a library would write better ones.
type rogue string

// deep is as deep as an answer may be beside its own three levels, or nearly.
var deep = strings.Repeat("[", 990) + strings.Repeat("]", 990)

// hang is the answer of one that never comes.
const hang = ""

// answer is what the server writes when it has got a message: as a rule one line.
func (k rogue) answer(message string) string {
	request := gjson.Parse(message)
	reply := func(member, value string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%q:%s}`, request.Get("id").Raw, member, value)
	}
	switch request.Get("method").Str {
	case "initialize":
		return reply("result", `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{}},"serverInfo":{"name":"rogue","version":"1"}}`)
	case "tools/list":
		return reply("result", k.tools(request.Get("params.cursor").Str))
	case "tools/call", "resources/read":
		return k.result(request, reply)
	}
	if !request.Get("id").Exists() {
		return hang // a notification
	}
	return reply("error", `{"code":-32601,"message":"no such method"}`)
}

func tool(name, schema string) string {
	return fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, name, strings.Join(strings.Fields(schema), ""))
}

// listings counts the lists that were asked for.
var listings atomic.Int64

// tools is a page of the list.
func (k rogue) tools(cursor string) string {
	page := func(next string, tools ...string) string {
		return fmt.Sprintf(`{"tools":[%s],"nextCursor":%q}`, strings.Join(tools, ","), next)
	}
	const object = `{"type":"object"}`
	listings.Add(1)
	switch k {
	case "endless":
		n, _ := strconv.Atoi(cursor)
		return page(strconv.Itoa(n + 1))
	case "loop":
		return page("again", tool("ok", object))
	case "vast cursor":
		return page(strings.Repeat("x", 1<<20), tool("ok", object))
	case "nonsense":
		return `{"tools":5}`
	case "many":
		n, _ := strconv.Atoi(cursor)
		var tools []string
		for i := range 100 {
			tools = append(tools, tool(fmt.Sprintf("tool_%03d", n*100+i), object))
		}
		if n == 4 {
			return page("", tools...)
		}
		return page(strconv.Itoa(n+1), tools...)
	case "names":
		return page("", tool("ok", object), tool("ok", `{"type":"object","properties":{"other":{}}}`), tool("", object), tool("__proto__", object),
			tool("constructor", object), tool("prototype", object), tool("then", object), tool("toString", object), tool("a b", object),
			tool("resources_list", object), tool(strings.Repeat("x", 1<<20), object), `null`, tool("schemaless", `null`), tool("wrong", `5`))
	case "cyclic":
		return page("", tool("ok", `{"type":"object","properties":{"node":{"$ref":"#/$defs/node"},"self":{"$ref":"#"}},
			"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"},"both":{"allOf":[{"$ref":"#/$defs/node"},{"$ref":"#/$defs/other"}]}}},
			"other":{"$ref":"#/$defs/other"}}}`))
	case "deep":
		return page("", tool("ok", object), tool("bad", object), tool("sunk", `{"type":"object","default":`+deep+`}`))
	case "hostile":
		text := "Ends a comment */ declare const stolen: string; /* `${1}` \u2028 <script>"
		return page("", fmt.Sprintf(`{"name":"ok","title":%[1]q,"description":%[1]q,"inputSchema":{"type":"object","description":%[1]q,`+
			`"properties":{"*/ }; declare const stolen: 1; /*":{"type":"string","description":%[1]q},"a\nb":{"enum":["*/",%[1]q]}}}}`, text))
	case "order":
		return page("", tool("ok", `{"type":"object","required":["zebra"],"properties":{"mouse":{"type":"string"},"zebra":{"type":"string"},"ant":{
			"type":"object","properties":{"z":{"type":"string"},"a":{"type":"string"}}}}}`))
	}
	return page("", tool("ok", object), tool("bad", object))
}

// result is what a call gives: of the tool ok what it should, of any other what the kind is about.
func (k rogue) result(request gjson.Result, reply func(member, value string) string) string {
	if request.Get("params.name").Str == "ok" {
		return reply("result", `{"content":[{"type":"text","text":"fine"}]}`)
	}
	switch k {
	case "hang":
		return hang
	case "exit":
		os.Exit(1)
	case "garbage":
		return reply("result", `{"content":[`)
	case "huge", "huge resource":
		return reply("result", `{"content":[{"type":"text","text":"`+strings.Repeat("x", 50<<20)+`"}]}`)
	case "huge, id last":
		return `{"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", 50<<20) + `"}]},"jsonrpc":"2.0","id":` + request.Get("id").Raw + `}`
	case "large":
		return reply("result", `{"content":[{"type":"text","text":"`+strings.Repeat("x", 1<<20)+`"}]}`)
	case "brackets":
		return strings.Repeat("[", maxMessage/2) + "\n" + reply("result", `{"content":[]}`)
	case "too deep":
		return reply("result", `{"content":[],"deep":`+strings.Repeat("[", 5<<20)+strings.Repeat("]", 5<<20)+`}`)
	case "deep":
		return reply("result", `{"content":[],"deep":`+deep+`}`)
	case "no object":
		return reply("result", `"a text"`)
	case "wrong types":
		return reply("result", `{"content":"a text","isError":"no"}`)
	case "no content":
		return reply("result", `{"structuredContent":{"zebra":9007199254740993,"ant":1e400}}`)
	case "unknown":
		return reply("result", `{"content":[{"type":"hologram","beam":1}],"other":true}`)
	case "input":
		return reply("result", `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}}`)
	case "two answers":
		one := reply("result", `{"content":[{"type":"text","text":"first"}]}`)
		return one + "\n" + reply("result", `{"content":[{"type":"text","text":"second"}]}`)
	case "asks":
		ask := `{"jsonrpc":"2.0","id":"q","method":"sampling/createMessage","params":{"messages":[],"maxTokens":1}}`
		return ask + "\n" + reply("result", `{"content":[]}`)
	case "chatty":
		return "listening\n\n{\"level\":30}\n[1]\n" + reply("result", `{"content":[]}`)
	}
	return reply("result", `{"content":[]}`)
}

// overStdio serves stdin and stdout.
func (k rogue) overStdio() {
	if k == "stubborn" { // and does not end when its stdin does
		signal.Ignore(syscall.SIGTERM)
		defer func() { select {} }()
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		if answer := k.answer(line); answer != hang {
			fmt.Println(answer)
		}
		if k == "storm" {
			fmt.Print(strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`+"\n", 100))
		}
	}
}

// overHTTP serves streamable HTTP: with bodies of JSON, or with streams of events.
func (k rogue) overHTTP(t *testing.T, events bool) string {
	var hung sync.WaitGroup
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := k.answer(string(body))
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case answer == hang && !gjson.GetBytes(body, "id").Exists():
			w.WriteHeader(http.StatusAccepted)
		case answer == hang:
			hung.Add(1)
			defer hung.Done()
			<-r.Context().Done()
		case events:
			w.Header().Set("Content-Type", "text/event-stream")
			for _, line := range strings.Split(answer, "\n") {
				fmt.Fprintf(w, ": a comment\nevent: message\ndata: %s\n\n", line)
			}
		default:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answer)
		}
	}))
	t.Cleanup(func() {
		s.Close()
		hung.Wait()
	})
	return s.URL
}

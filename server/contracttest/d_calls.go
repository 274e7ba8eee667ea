package contracttest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func toolCalls(t *testing.T, c *client) {
	textBlock := func(text string) object { return object{"content": []object{{"type": "text", "text": text}}} }
	tool := newToolServer(t, nil)
	order := object{
		"type": "object", "required": []string{"number"}, "properties": object{
			"number": object{"type": "integer", "minimum": 1}, "kind": object{"enum": []string{"a", "b"}},
			"nested": object{"type": "object", "properties": object{"list": object{"type": "array", "items": object{"type": "string"}}}},
		},
	}
	tn := c.prepare(t, spec{tools: []object{
		echo("echo"), broken("bad", "it broke"),
		giving("details", object{"details": object{"a": 1}, "structuredContent": 2, "content": []any{}}),
		giving("structured", object{"structuredContent": object{"b": 2}, "content": []object{{"type": "text", "text": "no"}}}),
		giving("jsontext", textBlock(` {"c": 3} `)), giving("plain", textBlock("just text")),
		giving("two", object{"content": []object{{"type": "text", "text": "1"}, {"type": "text", "text": "2"}}}),
		giving("picture", object{"content": []object{{"type": "image", "data": "AA=="}}}),
		giving("nulldetails", object{"details": nil, "structuredContent": "s"}), giving("falsy", object{"details": 0}),
		giving("list", []int{1, 2}), giving("text", "bare"),
		giving("refuses", object{"isError": true, "content": []object{{"type": "text", "text": "not today"}}}),
		giving("mute", object{"isError": true}),
		with(remote("checked", tool.URL), object{"parameters": order}),
	}})
	tn.completeAll(t, []cell{
		{
			"D5 call gives the tool and its own result", `return await tools.call("openclaw:lab:echo", {n: 1})`,
			`{"tool":{"id":"openclaw:lab:echo","source":"openclaw","sourceName":"lab","name":"echo","description":"Lab tool echo."},
			  "result":{"content":[{"type":"text","text":"{\"name\":\"echo\",\"input\":{\"n\":1}}"}],"details":{"name":"echo","input":{"n":1}}}}`,
		},
		{"D5 details", `return [await tools.details({}), await tools.callValue("details")]`, `[{"a":1},{"a":1}]`},
		{"D5 else structuredContent", `return await tools.structured({})`, `{"b":2}`},
		{"D5 null details are none", `return await tools.nulldetails({})`, `"s"`},
		{"D5 details that are zero are details", `return await tools.falsy({})`, `0`},
		{"D5 else the JSON of one text", `return await tools.jsontext({})`, `{"c":3}`},
		{"D5 else the text", `return await tools.plain({})`, `"just text"`},
		{
			"D5 else the result", `return [await tools.two({}), await tools.list({}), await tools.text({})]`,
			`[{"content":[{"type":"text","text":"1"},{"type":"text","text":"2"}]},[1,2],"bare"]`,
		},
		{"D5 an image is the result", `return (await tools.picture({})).content[0].type`, `"image"`},
		{"D5 isError throws from the convenience function", `return await tools.refuses({}).catch(e => [e.name, e.message, e.toolId])`, `["Error","not today","openclaw:lab:refuses"]`},
		{"D5 isError without a text throws too", `return await tools.mute({}).catch(e => typeof e.message)`, `"string"`},
		{"D5 isError does not throw from call", `return (await tools.call("refuses", {})).result.isError`, `true`},
		{"D5 null, undefined and nothing are {}", `return [(await tools.echo()).input, (await tools.echo(null)).input, (await tools.echo(undefined)).input, (await tools.call("echo")).result.details.input]`, `[{},{},{},{}]`},
		{"D5 a name works as an id", `return (await tools.call("echo", {})).tool.id`, `"openclaw:lab:echo"`},
		{"D5 input is taken at the call", `const o = {n: 1}; const p = tools.echo(o); o.n = 2; return (await p).input`, `{"n":1}`},
		{"D5 what the tool gave is the cell's own copy", `const r = await tools.echo({a: [1]}); r.input.a.push(2); return [r.input.a, Object.getPrototypeOf(r) === Object.prototype]`, `[[1,2],true]`},
		{"D5 input that can't be sent rejects, nothing worse", `const said = await tools.echo({get a() { throw new Error("no input") }}).catch(e => e.message); return said`, `"no input"`},
		{
			"D7 a failing tool is a plain guest Error", `try { await tools.bad({}) } catch (e) { return [e instanceof Error, Object.getPrototypeOf(e) === Error.prototype, e.name, e.message, e.toolId, typeof e.code, typeof e.callId] }`,
			`[true,true,"Error","it broke","openclaw:lab:bad","string","string"]`,
		},
		{"D7 its members are own data", `const e = await tools.bad({}).catch(e => e); return ["name", "code", "toolId", "callId"].map(k => "value" in (Object.getOwnPropertyDescriptor(e, k) ?? {}))`, `[true,true,true,true]`},
		{"D7 it can be caught and the cell goes on", `let n = 0; for (let i = 0; i < 3; i++) try { await tools.bad({}) } catch { n++ } return n`, `3`},
		{"D7 one failure does not take the others along", `return (await Promise.allSettled([tools.bad({}), tools.echo({})])).map(s => s.status)`, `["rejected","fulfilled"]`},
	})
	for _, v := range []struct {
		rule, input string
		says        []string
	}{
		{"a wrong type", `{number: "5"}`, []string{"number", "integer", "string"}},
		{"a missing member", `{}`, []string{"number"}},
		{"a value out of range", `{number: 0}`, []string{"number", "1"}},
		{"a value not in the list", `{number: 1, kind: "z"}`, []string{"kind", "a"}},
		{"a deep path", `{number: 1, nested: {list: ["x", 7]}}`, []string{"nested", "list", "1", "string"}},
		{"not an object", `"text"`, []string{"object"}},
		{"an array", `[1]`, []string{"object"}},
	} {
		t.Run("D5 validation names the path and what was expected: "+v.rule, func(t *testing.T) {
			r := tn.exec(t, `return await tools.checked(`+v.input+`).then(() => "ran", e => e.code + " " + e.message)`).result("completed")
			r.mentions("value", append(v.says, "openclaw:lab:checked", "invalid_input")...)
		})
	}
	t.Run("D5 what is invalid never reaches the tool, what is valid does", func(t *testing.T) {
		tool.called(t, 0)
		tn.exec(t, `return await tools.checked({number: 3, kind: "a", nested: {list: ["x"]}, more: 1})`).completed(`{"ok":true}`)
		tool.called(t, 1)
	})
}

func overflows(t *testing.T, c *client) {
	brief := func(_ *toolServer, w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		respond(w, http.StatusOK, `{"details":1}`)
	}
	const burst = `const s = await Promise.allSettled(Array.from({length: %d}, (_, i) => tools.count({i})));
return [s.filter(x => x.status === "fulfilled").length, ...new Set(s.filter(x => x.status === "rejected").map(x => x.reason.message))]`
	for _, o := range []struct {
		rule            string
		config          object
		calls           int
		value           string
		reached, atOnce int64
	}{
		{"the surplus is queued", object{"maxPendingToolCalls": 3}, 20, `[20]`, 20, 3},
		{"one at a time", object{"maxPendingToolCalls": 1}, 5, `[5]`, 5, 1},
		{"the default is 16", object{}, 40, `[40]`, 40, 16},
		{"a full queue rejects", object{"maxPendingToolCalls": 2, "maxQueuedToolCalls": 3}, 9, `[5,"too many pending code mode tool calls"]`, 5, 2},
		{"reject at once", object{"maxPendingToolCalls": 4, "overflow": "reject"}, 10, `[4,"too many pending code mode tool calls"]`, 4, 4},
		{"as many as there are places", object{"maxPendingToolCalls": 4, "overflow": "reject"}, 4, `[4]`, 4, 4},
	} {
		t.Run("D6 "+o.rule, func(t *testing.T) {
			tool := newToolServer(t, brief)
			tn := c.prepare(t, spec{config: o.config, tools: []object{remote("count", tool.URL)}})
			tn.exec(t, fmt.Sprintf(burst, o.calls)).completed(o.value)
			tool.called(t, o.reached)
			require.LessOrEqual(t, tool.most.Load(), o.atOnce, "calls at once")
		})
	}
	t.Run("D6 up to 1,000 are queued by default", func(t *testing.T) {
		tn := c.prepare(t, spec{tools: []object{echo("count")}})
		tn.exec(t, fmt.Sprintf(burst, 1016)).completed(`[1016]`)
		tn.exec(t, fmt.Sprintf(burst, 1100)).completed(`[1016,"too many pending code mode tool calls"]`)
	})
	t.Run("D6 one after the other is no surplus", func(t *testing.T) {
		tn := c.prepare(t, spec{config: object{"maxPendingToolCalls": 1, "overflow": "reject"}, tools: []object{echo("count")}})
		tn.exec(t, `let n = 0; for (let i = 0; i < 60; i++) n += (await tools.count({})).name.length; return n`).completed(`300`)
	})
	t.Run("D6 an uncaught surplus fails the cell, and says what had started", func(t *testing.T) {
		tn := c.prepare(t, spec{config: object{"maxPendingToolCalls": 1, "overflow": "reject"}, tools: []object{echo("count")}})
		tn.exec(t, `await Promise.all([tools.count({}), tools.count({})])`).failed("internal_error", "Error: too many pending code mode tool calls")
	})
}

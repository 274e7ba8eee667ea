package contracttest

import "maps"

// The tools of the cases. with adds members to one of them.

func with(tool object, extra object) object {
	out := maps.Clone(tool)
	maps.Copy(out, extra)
	return out
}

// lab is a plugin's tool that the executor carries out.
func lab(name string, executor object) object {
	return object{"source": "openclaw", "owner": "lab", "name": name, "description": "Lab tool " + name + ".", "executor": executor}
}

// echo answers {content: [text], details: {name, input}}.
func echo(name string) object { return lab(name, object{"type": "echo"}) }

// slow is echo after a delay in milliseconds.
func slow(name string, ms int) object { return lab(name, object{"type": "echo", "delayMs": ms}) }

// giving answers with a result of its own, broken fails with a text.
func giving(name string, result any) object {
	return lab(name, object{"type": "echo", "result": result})
}
func broken(name, text string) object { return lab(name, object{"type": "echo", "error": text}) }

// asking is a tool that the caller runs (contract C10).
func asking(name string) object {
	return object{"source": "client", "owner": "app", "name": name, "description": "Asks the user."}
}

// remote is a tool behind HTTP.
func remote(name, url string) object { return lab(name, object{"type": "http", "url": url}) }

// mcp is a tool of an MCP server; its executor echoes.
func mcp(server, name string, properties object, required ...string) object {
	schema := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return object{
		"source": "mcp", "owner": server, "name": name, "description": "Does " + name + ".", "parameters": schema,
		"mcp": object{"serverName": server, "toolName": name}, "executor": object{"type": "echo"},
	}
}

// takes gives a tool a schema of one property that is required.
func takes(tool object, property, kind string) object {
	return with(tool, object{"parameters": object{
		"type": "object", "properties": object{property: object{"type": kind}}, "required": []string{property},
	}})
}

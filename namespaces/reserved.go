package namespaces

import (
	"regexp"
	"strings"
)

var identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)

// words are the identifiers that a cell can't name a global by.
var words = setOf(`arguments await break case catch class const continue debugger default delete do else enum eval export
	extends false finally for function if implements import in instanceof interface let new null package private protected
	public return static super switch this throw true try typeof var void while with yield`)

// reserved are the names of code mode's own globals, and of those that it is most confusing to be without.
var reserved = setOf(`ALL_TOOLS API Array Boolean Date Error JSON MCP Map Math Number Object Promise Set String globalThis
	json namespaces text tools yield_control`)

// globals are the other names that a guest's global object has, and those that a model expects of a JavaScript host: a
// namespace of such a name would be taken for something else.
var globals = setOf(`AbortController AbortSignal AggregateError ArrayBuffer AsyncDisposableStack AsyncIterator Atomics BigInt
	BigInt64Array BigUint64Array Blob Buffer Bun DOMException DataView Deno DisposableStack EvalError Event EventTarget
	FinalizationRegistry Float16Array Float32Array Float64Array FormData Function Headers Infinity Int16Array Int32Array
	Int8Array InternalError Intl Iterator NaN Promise Proxy RangeError ReadableStream ReferenceError Reflect RegExp Request
	Response ShadowRealm SharedArrayBuffer SuppressedError Symbol SyntaxError Temporal TextDecoder TextEncoder TypeError
	URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet WebAssembly
	WebSocket Worker XMLHttpRequest atob btoa clearImmediate clearInterval clearTimeout console crypto decodeURI
	decodeURIComponent document encodeURI encodeURIComponent escape exports fetch global isFinite isNaN module navigator
	parseFloat parseInt performance process queueMicrotask require self setImmediate setInterval setTimeout
	structuredClone undefined unescape window constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString
	toString valueOf __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__`)

func setOf(names string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(names) {
		set[name] = true
	}
	return set
}

// badGlobal says why a namespace can't have that name as its global, or "".
func badGlobal(name string) string {
	switch {
	case len(name) > maxNameBytes || !identifier.MatchString(name) || words[name]:
		return "Code mode namespace globalName must be a JavaScript identifier."
	case reserved[name] || strings.HasPrefix(name, "__openclaw") || strings.HasPrefix(name, "__codecell"):
		return `Code mode namespace globalName "` + name + `" is reserved.`
	case globals[name]:
		return `Code mode namespace globalName "` + name + `" collides with a global.`
	}
	return ""
}

// Package guest is the runtime inside a guest heap: guest.js and its companions, which a cell sees, and the C shim that
// executes steps. It is the same for every build of the engine.
//
// It owns the layout of a heap, the step protocol's guest side, the JSON adapter and the hard stop. It knows no tool,
// no run and no policy; it never calls into Go, and nothing of the host lies inside a heap.
//
// # The step protocol
//
// Bytes in, effects out. All integers are little-endian; a text is u32 length, that many bytes, NUL.
//
// The input of a run's first step:
//
//	u8 1, u8 flags (1: TypeScript, 2: truncate output), u32 memory limit, u32 max output, u32 max value,
//	u32 max requests, u32 max timers, [32]u8 seed, text source, text namespaces
//
// The namespaces are empty, or JSON: [[global, name, member], …]. A member is [0, value], [1, [member, …]] for an array,
// [2, [key, member, …]] for an object, or [3] for a function. A function's name in requests is that of its namespace and the
// keys and indices that lead to it, with a NUL before each. Before them may stand the session's store, ["store", "",
// [4, [key, JSON text, …]]]; its changes are requests of the names "$store:set" and "$store:delete".
//
// and beside it the turn's catalog: four texts (entries, names, MCP servers, declaration files), which the heap keeps
// as they are and parses when the cell first touches them. The source is the cell wrapped in an async arrow function.
// The input of every later step:
//
//	u8 2, u32 n, n × (u32 request id, u8 kind, text payload)
//
// with kind 0 a value (JSON), 1 a failure (JSON object: message, name, code, toolId, callId), 2 a timer that fired.
// Answers are delivered in this order, and the jobs that follow from one run before the next; so a timer may have been
// cancelled before its answer is reached, which is then ignored.
//
// The effects are records: u8 type, u32 length, payload.
//
//	T  u8 level, text without length      text output; level 0 is text(), 1 to 5 the console's
//	J  JSON                               json() output
//	R  u32 id, u8 method, u32 n, name[n], JSON payload
//	X  u32 id                             a timer was cancelled
//	D  u8 state, …                        the cell's promise: 0 pending; 1 fulfilled: u32 hints, JSON;
//	                                      2 rejected: what was thrown; 3 settled in an earlier step
//	U  what was thrown                    a rejection without a handler, or what a callback threw
//	A  u8 kind, texts key, use, call      a promise that was used as if it were its value: 1 the property key was read of
//	                                      it; 2 a call was answered that nobody waited for; 3 a call is under way while
//	                                      the cell's promise is fulfilled; use and call are stack traces; 4 so is a timer that
//	                                      was set in the same step, with its callback's text as key
//	O  u64 bytes                          output dropped in truncate mode
//	C  n × (i64 milliseconds, u32 count)  the clock reads of the step
//
// What was thrown is u8 1 and the texts name, message, stack and reasons (u32 length, bytes) of an error, or u8 0 and one text
// for anything else.
//
// A step that was ended from outside hands out the records that were complete by then, and no D.
//
// # What is hashed
//
// Two engines executed the same step if the SHA-256 of their effects is the same, all records but C in order. C is
// really an input: a guest that replays the step is given these reads.
package guest

// Package purego executes steps in QuickJS translated to Go: no C compiler, no WebAssembly, the slowest of the engines.
//
// It is a second opinion in tests, a bar in the benchmark, and a way to run cells where nothing else can be built. It
// runs the guest's own JavaScript (package guest) on another version of QuickJS, with host.js in place of the guest's
// C.
//
// # What differs
//
// It is not for hostile cells:
//   - a builtin that never looks at the interrupt handler can't be ended;
//   - running out of memory is an exception that a cell can catch; it may be null, which a cell that throws a null that
//     its text does not name is taken for.
//
// And it is poorer, where the engine offers no way:
//   - guests can't be copied out, so every suspended run keeps its interpreter;
//   - a heap's size is not known, so the limit on what a suspended run may keep does not hold;
//   - a rejection that nobody handles goes unnoticed, but for those of calls;
//   - an error of the engine's that a cell catches has the engine's own words;
//   - this version of QuickJS lacks DisposableStack, its asynchronous twin, SuppressedError, and using declarations outside
//     of TypeScript cells; it words some errors otherwise;
//   - in a regular expression with the flag v it refuses a dash, and escaped punctuation in a class such as [\&], and
//     knows properties of strings such as \p{RGI_Emoji}, which the other engines refuse;
//   - more than 255 alternatives between two groups of one name are refused.
//
// A heap here is one interpreter; the package owns nothing that outlives it.
package purego

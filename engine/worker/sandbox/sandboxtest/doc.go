// Package sandboxtest makes the kernel look as if it lacked a layer of the sandbox, for tests of what is done about that.
//
// It must not know who enters the sandbox, or why.
package sandboxtest

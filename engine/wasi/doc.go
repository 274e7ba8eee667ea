// Package wasi executes steps in the guest that was compiled to WebAssembly, run by wazero. Its guests are slower than
// native ones and portable: they can be copied out at rest and restored in any process of the same build.
//
// It owns the module, its instances and their linear memories, fresh guests and images. What a guest does, even one
// that found a bug in the engine, stays inside its linear memory: the host reads that with bounds and trusts none of
// it.
//
// The module is embedded if `make guest` made it before the binary was built. A binary without it says so (ErrNoGuest);
// nothing weaker takes its place.
package wasi

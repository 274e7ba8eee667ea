// The guest on WebAssembly, compiled ahead of time to C and from there to the machine's code: what the object that is made of it
// (engine/aot/code) and its host say to each other.
//
// Such a guest reads and writes one linear memory and nothing else. Its code computes an address from a 32-bit number and a
// 32-bit constant, without looking whether there is memory: all that it can reach is reserved, and what is no memory can't be
// accessed, so that the kernel sends a signal (sandbox_fault.c).
#ifndef CODECELL_SANDBOX_H
#define CODECELL_SANDBOX_H

#include <stdint.h>

struct sandbox;

// The guest's functions that the host calls; see wasi.c.
enum sandbox_function {
	SANDBOX_LAYOUT,
	SANDBOX_COMPILE,
	SANDBOX_BOOT,
	SANDBOX_STEP,
	SANDBOX_COLLECT,
	SANDBOX_REST,
	SANDBOX_CATALOG,
};

#define SANDBOX_ARGS 5

// sandbox_code is what the object offers. An instance is instance_bytes of zeroed memory that the code keeps its own state in:
// where the linear memory is, and its global variables.
struct sandbox_code {
	const char *module;  // SHA-256 of the module that it was made of, in hexadecimal
	uint64_t instance_bytes;
	uint32_t initial_pages;                // of linear memory, which instantiate writes to
	uint32_t constant_from, constant_to;   // the part of it that the guest has no reason to write to
	void (*init)(void);                    // once a process
	void (*instantiate)(void *instance, struct sandbox *host, uint8_t *memory);
	void (*grow)(void *instance, uint32_t pages);  // so many pages are memory now
	void (*renew)(void *instance);                 // after a function was left in the middle
	void (*free)(void *instance);
	uint32_t (*call)(void *instance, int function, const uint32_t args[SANDBOX_ARGS]);
};

// The binary may have been built without the object.
extern const struct sandbox_code sandbox_code __attribute__((weak));

// What the guest asks of its host. Addresses are those of its memory, and anything may be wrong with them.
uint32_t sandbox_poll(struct sandbox *s);
int64_t sandbox_clock(struct sandbox *s);
int32_t sandbox_copy_code(struct sandbox *s, uint32_t index, uint32_t to, uint32_t room);
int32_t sandbox_copy_row(struct sandbox *s, uint32_t table, uint32_t name, uint32_t len, uint32_t to, uint32_t room);

// sandbox_trap leaves the function that the thread is in. Reasons are those of the runtime that the code was made for.
_Noreturn void sandbox_trap(int reason);

#endif

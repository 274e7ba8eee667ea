// The host's side of a sandbox: its memory, and the function that is under way in it.
#ifndef CODECELL_SANDBOX_HOST_H
#define CODECELL_SANDBOX_HOST_H

#define _GNU_SOURCE
#include "guest.h"
#include "sandbox.h"

#include <signal.h>

// Why sandbox_call returned: nothing, a status of enum status, or one of these.
#define SANDBOX_FAULT 100     // the guest reached for what is not its memory, or its stack is full
#define SANDBOX_TRAPPED 200   // it met a trap; the reason is added

// struct sandbox lies outside of all that the guest can reach.
struct sandbox {
	struct control step;     // how the function under way is left
	void *instance;
	uint8_t *reserved;       // all addresses that the guest's code can compute, and its stack
	uint64_t reserved_bytes;
	uint8_t *stack_end;      // where the stack begins: it grows down
	uint8_t *memory;
	uint64_t memory_bytes, limit_bytes;
	uint32_t result;
	volatile int faulted;    // it was left from the handler of a fault, and these signals were blocked before:
	sigset_t mask;
};

// inside is the sandbox that this thread executes a function of, NULL otherwise.
extern __thread struct sandbox *inside;

struct sandbox *sandbox_new(uint32_t max_pages);
void sandbox_free(struct sandbox *s);
int sandbox_grow(struct sandbox *s, uint32_t pages);
void sandbox_freshen(struct sandbox *s, int deep);
int sandbox_call(struct sandbox *s, int function, const uint32_t args[SANDBOX_ARGS], int64_t timeout_ns);
void sandbox_keep_code(int index, const uint8_t *code, uint64_t len);
const char *sandbox_module(void);
uint64_t sandbox_constant_from(void);
uint64_t sandbox_constant_to(void);
int sandbox_supported(void);

// sandbox_fault.c
int sandbox_open(void);
void sandbox_fault_done(struct sandbox *s);

#endif

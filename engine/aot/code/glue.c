//go:build ignore

// The guest on WebAssembly as one object: what wasm2c makes of the module is included here, with the small runtime that it
// expects and what engine/guest/sandbox.h promises. build.sh compiles it.
#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 1
#define WASM_RT_SKIP_SIGNAL_RECOVERY 1
#define WASM_RT_USE_STACK_DEPTH_COUNT 0

#include "wasm-rt.h"

// The guest's memory begins where the segment register GS says: so no access has to look up where that is (build.sh puts these
// in). An address is a 32-bit number with a 32-bit constant added.
#define GUEST_AT(type, address) (((__seg_gs struct { type value; } __attribute__((packed, may_alias)) *)(address))->value)

#include "guest.c"

#include <stdarg.h>

#include "sandbox.h"

// ---- the runtime that the code expects

WASM_RT_NO_RETURN void wasm_rt_trap(wasm_rt_trap_t reason) { sandbox_trap((int)reason); }

// The host has reserved the memory, and says where it is before it is asked for.
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages)
{
	memory->pages = pages;
	memory->max_pages = max_pages;
	memory->size = pages << 16;
}

// The guest's memory is as large as the host makes it: its own code never asks for more.
uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t pages)
{
	return pages == 0 ? memory->pages : UINT32_MAX;
}

void wasm_rt_free_memory(wasm_rt_memory_t *memory) { memory->data = NULL; }

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t entries, uint32_t max)
{
	table->data = calloc(entries, sizeof(*table->data));
	if (!table->data)
		abort();
	table->size = entries;
	table->max_size = max;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table) { free(table->data); }

bool wasm_rt_is_initialized(void) { return true; }

// Function types that are equal have one number, by which indirect calls are checked.
#define MAX_TYPES 512
#define MAX_VALUES 32

static struct { uint32_t params, results; uint8_t values[MAX_VALUES]; } types[MAX_TYPES];
static uint32_t types_used;

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...)
{
	if (types_used == MAX_TYPES || params + results > MAX_VALUES)
		abort();
	types[types_used].params = params;
	types[types_used].results = results;
	va_list values;
	va_start(values, results);
	for (uint32_t i = 0; i < params + results; i++)
		types[types_used].values[i] = (uint8_t)va_arg(values, int);
	va_end(values);
	uint32_t i = 0;
	while (memcmp(&types[i], &types[types_used], sizeof(types[i])) != 0)
		i++;
	if (i == types_used)
		types_used++;
	return i + 1;
}

// ---- what the guest asks for

#define HOST(s) ((struct sandbox *)(s))

u32 Z_codecellZ_poll(struct Z_codecell_instance_t *s) { return sandbox_poll(HOST(s)); }
u64 Z_codecellZ_clock(struct Z_codecell_instance_t *s) { return (u64)sandbox_clock(HOST(s)); }

u32 Z_codecellZ_code(struct Z_codecell_instance_t *s, u32 index, u32 to, u32 room)
{
	return (u32)sandbox_copy_code(HOST(s), index, to, room);
}

u32 Z_codecellZ_table(struct Z_codecell_instance_t *s, u32 table, u32 name, u32 len, u32 to, u32 room)
{
	return (u32)sandbox_copy_row(HOST(s), table, name, len, to, room);
}

// ---- what the host calls

static void instantiate(void *instance, struct sandbox *host, uint8_t *memory)
{
	Z_guest_instance_t *guest = instance;
	guest->w2c_memory.data = memory;
	Z_guest_instantiate(guest, (struct Z_codecell_instance_t *)host);
}

static void grow(void *instance, uint32_t pages)
{
	Z_guest_instance_t *guest = instance;
	guest->w2c_memory.pages = pages;
	guest->w2c_memory.size = pages << 16;
}

static void renew(void *instance) { init_globals(instance); }

static void release(void *instance) { Z_guest_free(instance); }

static uint32_t call(void *instance, int function, const uint32_t *args)
{
	switch (function) {
	case SANDBOX_LAYOUT:
		return Z_guestZ_layout(instance);
	case SANDBOX_COMPILE:
		return Z_guestZ_compile(instance, args[0], args[1], args[2], args[3], args[4]);
	case SANDBOX_BOOT:
		return Z_guestZ_boot(instance, args[0]);
	case SANDBOX_STEP:
		Z_guestZ_step(instance, args[0], args[1], args[2], args[3]);
		return 0;
	case SANDBOX_COLLECT:
		Z_guestZ_collect(instance);
		return 0;
	case SANDBOX_REST:
		Z_guestZ_rest(instance);
		return 0;
	case SANDBOX_CATALOG:
		return Z_guestZ_catalog(instance);
	}
	sandbox_trap(WASM_RT_TRAP_UNREACHABLE);
}

#pragma GCC visibility push(default)
const struct sandbox_code sandbox_code = {
	.module = MODULE_SHA256,
	.instance_bytes = sizeof(Z_guest_instance_t),
	.initial_pages = INITIAL_PAGES,
	.constant_from = (CONSTANT_FROM + 4095u) & ~4095u,
	.constant_to = CONSTANT_TO & ~4095u,
	.init = Z_guest_init_module,
	.instantiate = instantiate,
	.grow = grow,
	.renew = renew,
	.free = release,
	.call = call,
};
#pragma GCC visibility pop

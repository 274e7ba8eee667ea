// What stands between the engine and its regular expression compiler: the linker makes the engine's calls of the
// functions below calls of these. See regexp.h.
#include "regexp.h"

#include <string.h>

// Bits of the flags in the engine's bytecode that it does not use.
#define FLAG_REPEATED_NAMES (1 << 9)  // two tables of names behind the code: all of them, and those of the last match
#define FLAG_CASE_IN_CLASSES (1 << 10)  // the flag i was given, and is no longer needed

#define HEADER 8
#define CODE_LEN_AT 4
#define CBUF_16 1

CODECELL_WEAK uint8_t *__real_lre_compile(int *plen, char *error_msg, int error_msg_size, const char *buf, size_t buf_len,
                                          int re_flags, void *opaque);
CODECELL_WEAK int __real_lre_exec(uint8_t **capture, const uint8_t *bc_buf, const uint8_t *cbuf, int cindex, int clen,
                                  int cbuf_type, void *opaque);
CODECELL_WEAK int __real_lre_get_flags(const uint8_t *bc_buf);
CODECELL_WEAK const char *__real_lre_get_groupnames(const uint8_t *bc_buf);

// regexp_compile is the engine's compiler.
uint8_t *regexp_compile(struct translation *t, const uint8_t *pattern, size_t len, int flags, int *code_len)
{
	uint8_t *code = NULL;
	struct text terminated = {NULL, 0, 0};
	if (text_add(t, &terminated, pattern, len) && text_add(t, &terminated, "", 1))
		code = __real_lre_compile(code_len, t->error, (int)t->error_size, (const char *)terminated.data, len, flags, t->ctx);
	lre_realloc(t->ctx, terminated.data, 0);
	return code;
}

static const char *skip_names(const char *names, int count)
{
	while (count-- > 0)
		names += strlen(names) + 1;
	return names;
}

// add_names puts two tables of the names of all groups in the place of the engine's, which has each name once.
static uint8_t *add_names(struct translation *t, uint8_t *code, int *code_len)
{
	uint32_t len;
	memcpy(&len, code + CODE_LEN_AT, sizeof(len));
	struct text table = {NULL, 0, 0};
	int groups = lre_get_capture_count(code);
	uint32_t next = 0;
	bool ok = true;
	for (uint32_t group = 1; group < (uint32_t)groups && ok; group++) {
		bool named = next < t->name_count && t->names[next].group == group;
		ok = (!named || text_add(t, &table, t->name_text.data + t->names[next].at, t->names[next].len)) &&
		     text_add(t, &table, "", 1);
		next += named;
	}
	uint8_t *grown = ok ? lre_realloc(t->ctx, code, HEADER + len + 2 * table.len) : NULL;
	if (grown) {
		memcpy(grown + HEADER + len, table.data, table.len);
		memcpy(grown + HEADER + len + table.len, table.data, table.len);
		*code_len = (int)(HEADER + len + 2 * table.len);
	} else {
		lre_realloc(t->ctx, code, 0);
		regexp_fail(t, "out of memory");
	}
	lre_realloc(t->ctx, table.data, 0);
	return grown;
}

static uint8_t *compile_translation(struct translation *t, int *code_len)
{
	uint8_t *code = NULL;
	if (pattern_translate(t))
		code = __real_lre_compile(code_len, t->error, (int)t->error_size, (const char *)t->out.data, t->out.len - 1, t->base, t->ctx);
	if (code && t->duplicates)
		code = add_names(t, code, code_len);
	if (!code)
		return NULL;
	uint16_t flags;
	memcpy(&flags, code, sizeof(flags));
	flags |= t->given & LRE_FLAG_UNICODE_SETS;
	if (t->duplicates)
		flags |= FLAG_REPEATED_NAMES;
	if (t->case_modifiers && (t->given & LRE_FLAG_IGNORECASE))
		flags |= FLAG_CASE_IN_CLASSES;
	memcpy(code, &flags, sizeof(flags));
	return code;
}

static const char memory_error[] = "out of memory";

static uint8_t *reset_loops(uint8_t *code, int *code_len, char *error, void *opaque)
{
	code = loops_reset(opaque, code, code_len);
	if (!code)
		memcpy(error, memory_error, sizeof(memory_error));
	return code;
}

uint8_t *__wrap_lre_compile(int *plen, char *error_msg, int error_msg_size, const char *buf, size_t buf_len, int re_flags,
                            void *opaque)
{
	uint8_t *code;
	if (!pattern_needs_translation(buf, buf_len, re_flags)) {
		code = __real_lre_compile(plen, error_msg, error_msg_size, buf, buf_len, re_flags, opaque);
		return code ? reset_loops(code, plen, error_msg, opaque) : NULL;
	}
	struct translation *t = lre_realloc(opaque, NULL, sizeof(*t));
	if (!t) {
		memcpy(error_msg, memory_error, sizeof(memory_error));
		return NULL;
	}
	memset(t, 0, sizeof(*t));
	t->ctx = opaque;
	t->at = (const uint8_t *)buf;
	t->end = t->at + buf_len;
	t->given = re_flags;
	t->error = error_msg;
	t->error_size = (size_t)error_msg_size;
	code = compile_translation(t, plen);
	lre_realloc(opaque, t->out.data, 0);
	lre_realloc(opaque, t->name_text.data, 0);
	lre_realloc(opaque, t->scopes.data, 0);
	case_free(t);
	lre_realloc(opaque, t, 0);
	return code ? reset_loops(code, plen, error_msg, opaque) : NULL;
}

// matched_names writes the second table of names after a match. The engine takes the last group with a name for the
// named one, so those behind the one that matched lose their name; those before it keep it, as the order of properties
// is that of the first ones.
static void matched_names(uint8_t **capture, const uint8_t *code)
{
	int groups = lre_get_capture_count(code) - 1;
	const char *all = __real_lre_get_groupnames(code), *name = all;
	char *to = (char *)skip_names(all, groups);
	for (int i = 1; i <= groups; i++, name += strlen(name) + 1) {
		bool taken = false;
		const char *other = all;
		for (int k = 1; k < i && *name && !taken; k++, other += strlen(other) + 1)
			taken = capture[2 * k] && capture[2 * k + 1] && strcmp(name, other) == 0;
		size_t len = taken ? 0 : strlen(name);
		memmove(to, name, len);
		to[len] = 0;
		to += len + 1;
	}
}

int __wrap_lre_exec(uint8_t **capture, const uint8_t *bc_buf, const uint8_t *cbuf, int cindex, int clen, int cbuf_type,
                    void *opaque)
{
	int flags = __real_lre_get_flags(bc_buf);
	const uint16_t *text = (const uint16_t *)cbuf;
	// In Unicode, a match never begins in the middle of a character.
	if ((flags & LRE_FLAG_UNICODE) && cbuf_type == CBUF_16 && cindex > 0 && cindex < clen &&
	    text[cindex] >> 10 == 0xdc00 >> 10 && text[cindex - 1] >> 10 == 0xd800 >> 10)
		cindex--;
	int matched = __real_lre_exec(capture, bc_buf, cbuf, cindex, clen, cbuf_type, opaque);
	if (matched == 1 && (flags & FLAG_REPEATED_NAMES))
		matched_names(capture, bc_buf);
	return matched;
}

// __wrap_lre_get_flags returns the flags as they were given.
int __wrap_lre_get_flags(const uint8_t *bc_buf)
{
	int flags = __real_lre_get_flags(bc_buf);
	if (flags & LRE_FLAG_UNICODE_SETS)
		flags &= ~LRE_FLAG_UNICODE;
	if (flags & FLAG_CASE_IN_CLASSES)
		flags |= LRE_FLAG_IGNORECASE;
	return flags & ~(FLAG_REPEATED_NAMES | FLAG_CASE_IN_CLASSES);
}

const char *__wrap_lre_get_groupnames(const uint8_t *bc_buf)
{
	const char *names = __real_lre_get_groupnames(bc_buf);
	if (!(__real_lre_get_flags(bc_buf) & FLAG_REPEATED_NAMES))
		return names;
	return skip_names(names, lre_get_capture_count(bc_buf) - 1);
}

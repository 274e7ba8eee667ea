// Regular expressions: what this engine's compiler does not know of the language is written in what it knows.
//
// The linker puts regexp.c between the engine and its regular expression compiler (see cgo.go and build.sh). Patterns that
// use the flag v, modifiers such as (?i:…), or one name for groups of several alternatives are translated here and then
// compiled by the engine; all others go to it as they are. Of both, the code is mended where it has groups in loops.
#ifndef CODECELL_REGEXP_H
#define CODECELL_REGEXP_H

#include "guest.h"

#define MAX_CODE_POINT 0x10FFFFu
// The engine takes no more groups, the whole match among them.
#define MAX_GROUPS 255
// A longer translation is refused: one class of a few bytes can stand for thousands of ranges.
#define MAX_TRANSLATION (8u << 20)

struct text {
	uint8_t *data;
	size_t len, cap;
};

// A set of code points, and of strings of no or several code points. Strings are kept one after the other, each with
// its length before it.
struct set {
	CharRange chars;
	uint32_t *strings;
	uint32_t used, cap, count;
	bool may_be_strings;  // by what the class says, whether or not strings are left
};

// A named group: where its name is in the text of names, and which named group is the first with this name.
struct name {
	uint32_t at, len, same;
	uint32_t group;
	uint32_t together;  // of the first: how many of its groups can take part in a match with what is being read
};

// A group that is being read: what is as it was before when it ends.
struct scope {
	int flags;
	uint32_t from, alternative;  // how many named groups were before it, and before its last alternative
};

// One pattern, while it is translated.
struct translation {
	JSContext *ctx;
	const uint8_t *at, *end;
	int given;          // the flags of the regular expression
	int base;           // those that it is compiled with
	int flags;          // those that hold where the translation is
	char *error;
	size_t error_size;
	struct text out;

	struct text name_text;
	struct name names[MAX_GROUPS];
	uint32_t name_count;
	bool duplicates, case_modifiers;

	uint32_t read;       // how many of the named groups the translation is behind
	struct text scopes;  // of struct scope, the innermost group last

	// For ignoring case by what a class says: each character whose canonical form is another one, as (form, character) in
	// this order, and all characters that are their own form. Made when first needed.
	uint32_t *forms;
	uint32_t form_count;
	CharRange own;
};

// regexp.c
uint8_t *regexp_compile(struct translation *t, const uint8_t *pattern, size_t len, int flags, int *code_len);

// regexp_text.c
bool regexp_fail(struct translation *t, const char *message);
bool text_add(struct translation *t, struct text *to, const void *data, size_t len);
bool write_bytes(struct translation *t, const void *data, size_t len);
bool write_text(struct translation *t, const char *s);
bool write_code_point(struct translation *t, uint32_t c);
uint32_t char_at(const uint8_t **p, const uint8_t *end, bool pairs);
bool unicode_escape(const uint8_t **p, const uint8_t *end, uint32_t *c);
bool hex_escape(const uint8_t **p, const uint8_t *end, int digits, uint32_t *c);
bool starts(const struct translation *t, const char *text);
bool copy(struct translation *t, size_t n);

// regexp_pattern.c
bool pattern_needs_translation(const char *pattern, size_t len, int flags);
bool pattern_translate(struct translation *t);

// regexp_names.c
bool names_collect(struct translation *t);
const uint8_t *name_end(const uint8_t *p, const uint8_t *end);
const uint8_t *class_end(const uint8_t *p, const uint8_t *end, bool nested);
bool names_enter(struct translation *t);
bool names_open(struct translation *t);
void names_alternative(struct translation *t);
void names_leave(struct translation *t);
bool names_reference(struct translation *t);

// regexp_class.c
bool class_sets(struct translation *t);
bool class_old(struct translation *t);
bool class_escape(struct translation *t);

// regexp_loops.c
uint8_t *loops_reset(void *opaque, uint8_t *code, int *code_len);

// regexp_set.c
void set_init(struct translation *t, struct set *s);
void set_free(struct translation *t, struct set *s);
bool set_add(struct translation *t, struct set *s, uint32_t from, uint32_t to);
bool set_add_string(struct translation *t, struct set *s, const uint32_t *points, uint32_t len);
bool set_join(struct translation *t, struct set *s, const struct set *other);
bool set_sort(struct translation *t, struct set *s);
bool set_combine(struct translation *t, struct set *s, struct set *other, bool without);
bool set_fold(struct translation *t, struct set *s);
bool set_complement(struct translation *t, struct set *s);
bool set_compiled(struct translation *t, struct set *s, const uint8_t *text, size_t len, int flags);
void sort_pairs(uint32_t *pairs, size_t n);

// regexp_case.c
bool case_unfold(struct translation *t, CharRange *chars);
bool case_complement(struct translation *t, CharRange *chars);
bool case_write_char(struct translation *t, uint32_t c);
void case_free(struct translation *t);

// after returns a byte of what is left of the pattern, 0 beyond its end.
static inline uint8_t after(const struct translation *t, size_t n) { return (size_t)(t->end - t->at) > n ? t->at[n] : 0; }

static inline bool no_memory(struct translation *t) { return regexp_fail(t, "out of memory"); }

// Whether case does not count here, and whether that is to be said by classes because the engine can't be told.
static inline bool folds(const struct translation *t) { return t->flags & LRE_FLAG_IGNORECASE; }
static inline bool folds_here(const struct translation *t) { return t->case_modifiers && folds(t); }
static inline bool is_unicode(const struct translation *t) { return t->base & LRE_FLAG_UNICODE; }
static inline bool is_sets(const struct translation *t) { return t->given & LRE_FLAG_UNICODE_SETS; }

#endif

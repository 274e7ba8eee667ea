// Sets of code points and strings, which are what a class with the flag v stands for.
#include "regexp.h"

#include <string.h>

// The engine's opcodes that a class is compiled to, behind its header and the start of the match.
#define CODE_AT 10
#define OP_RANGE 22
#define OP_RANGE32 23

#ifdef CODECELL_ABI_CHECK
enum {
#define DEF(name, size) REOP_##name,
#include "libregexp-opcode.h"
#undef DEF
};
_Static_assert(REOP_range == OP_RANGE && REOP_range32 == OP_RANGE32, "another engine has other opcodes");
#endif

void set_init(struct translation *t, struct set *s)
{
	memset(s, 0, sizeof(*s));
	cr_init(&s->chars, t->ctx, lre_realloc);
}

void set_free(struct translation *t, struct set *s)
{
	cr_free(&s->chars);
	lre_realloc(t->ctx, s->strings, 0);
}

// set_add adds from up to and including to. The set is in order only after set_sort.
bool set_add(struct translation *t, struct set *s, uint32_t from, uint32_t to)
{
	CharRange *c = &s->chars;
	if (c->len + 2 > c->size && cr_realloc(c, c->len + 2))
		return no_memory(t);
	c->points[c->len++] = from;
	c->points[c->len++] = to + 1;
	return true;
}

bool set_add_string(struct translation *t, struct set *s, const uint32_t *points, uint32_t len)
{
	if (len == 1)
		return set_add(t, s, points[0], points[0]);
	if (s->used + len + 1 > s->cap) {
		uint32_t cap = (s->used + len + 1) * 2;
		uint32_t *grown = lre_realloc(t->ctx, s->strings, cap * sizeof(*grown));
		if (!grown)
			return no_memory(t);
		s->strings = grown;
		s->cap = cap;
	}
	s->strings[s->used++] = len;
	for (uint32_t i = 0; i < len; i++)
		s->strings[s->used++] = folds(t) ? (uint32_t)lre_canonicalize(points[i], true) : points[i];
	s->count++;
	return true;
}

bool set_join(struct translation *t, struct set *s, const struct set *other)
{
	for (int i = 0; i < other->chars.len; i += 2) {
		if (!set_add(t, s, other->chars.points[i], other->chars.points[i + 1] - 1))
			return false;
	}
	for (uint32_t at = 0; at < other->used; at += other->strings[at] + 1) {
		if (!set_add_string(t, s, other->strings + at + 1, other->strings[at]))
			return false;
	}
	return true;
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t from = a[0], to = a[1];
	a[0] = b[0], a[1] = b[1];
	b[0] = from, b[1] = to;
}

// sift and sort_pairs are a heap sort of pairs by their first number: in place, and never slower than n log n.
static void sift(uint32_t *pairs, size_t at, size_t n)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n && pairs[2 * child + 2] > pairs[2 * child])
			child++;
		if (pairs[2 * at] >= pairs[2 * child])
			return;
		swap(pairs + 2 * at, pairs + 2 * child);
	}
}

void sort_pairs(uint32_t *pairs, size_t n)
{
	bool sorted = true;
	for (size_t i = 1; i < n && sorted; i++)
		sorted = pairs[2 * i - 2] <= pairs[2 * i];
	if (sorted)
		return;
	for (size_t i = n / 2; i-- > 0;)
		sift(pairs, i, n);
	for (size_t i = n; i-- > 1;) {
		swap(pairs, pairs + 2 * i);
		sift(pairs, 0, i);
	}
}

// chars_sort puts the ranges in order and makes one of those that touch.
static void chars_sort(CharRange *c)
{
	sort_pairs(c->points, (size_t)c->len / 2);
	int n = 0;
	for (int i = 0; i < c->len; i += 2) {
		uint32_t from = c->points[i], to = c->points[i + 1];
		if (n > 0 && from <= c->points[n - 1]) {
			if (to > c->points[n - 1])
				c->points[n - 1] = to;
			continue;
		}
		c->points[n++] = from;
		c->points[n++] = to;
	}
	c->len = n;
}

// later orders strings: longer ones first, as a match tries them; of the same length, by their code points.
static int later(const uint32_t *a, const uint32_t *b)
{
	if (a[0] != b[0])
		return a[0] < b[0] ? 1 : -1;
	for (uint32_t i = 1; i <= a[0]; i++) {
		if (a[i] != b[i])
			return a[i] > b[i] ? 1 : -1;
	}
	return 0;
}

static void sift_strings(const uint32_t *strings, uint32_t *at, size_t root, size_t n)
{
	for (size_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && later(strings + at[child + 1], strings + at[child]) > 0)
			child++;
		if (later(strings + at[root], strings + at[child]) >= 0)
			return;
		uint32_t held = at[root];
		at[root] = at[child];
		at[child] = held;
	}
}

// strings_sort puts the strings in order, each once.
static bool strings_sort(struct translation *t, struct set *s)
{
	if (s->count < 2)
		return true;
	uint32_t n = s->count, *at = lre_realloc(t->ctx, NULL, n * sizeof(*at));
	uint32_t *sorted = lre_realloc(t->ctx, NULL, s->used * sizeof(*sorted));
	bool ok = at && sorted;
	if (ok) {
		for (uint32_t i = 0, p = 0; i < n; i++, p += s->strings[p] + 1)
			at[i] = p;
		for (size_t i = n / 2; i-- > 0;)
			sift_strings(s->strings, at, i, n);
		for (size_t i = n; i-- > 1;) {
			uint32_t held = at[0];
			at[0] = at[i];
			at[i] = held;
			sift_strings(s->strings, at, 0, i);
		}
		uint32_t used = 0, count = 0;
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t *string = s->strings + at[i];
			if (i > 0 && later(string, s->strings + at[i - 1]) == 0)
				continue;
			memcpy(sorted + used, string, (string[0] + 1) * sizeof(*sorted));
			used += string[0] + 1;
			count++;
		}
		memcpy(s->strings, sorted, used * sizeof(*sorted));
		s->used = used;
		s->count = count;
	}
	lre_realloc(t->ctx, at, 0);
	lre_realloc(t->ctx, sorted, 0);
	return ok || no_memory(t);
}

bool set_sort(struct translation *t, struct set *s)
{
	chars_sort(&s->chars);
	return strings_sort(t, s);
}

// strings_combine keeps the strings of s that other has, or those that it has not. Both are in order.
static void strings_combine(struct set *s, const struct set *other, bool without)
{
	uint32_t used = 0, count = 0;
	for (uint32_t at = 0, b = 0, next; at < s->used; at = next) {
		const uint32_t *string = s->strings + at;
		next = at + string[0] + 1;
		while (b < other->used && later(string, other->strings + b) > 0)
			b += other->strings[b] + 1;
		bool both = b < other->used && later(string, other->strings + b) == 0;
		if (both == without)
			continue;
		memmove(s->strings + used, string, (next - at) * sizeof(*string));
		used += next - at;
		count++;
	}
	s->used = used;
	s->count = count;
}

// set_combine leaves in s what other has too, or what it has not. Both are in order; other is used up.
bool set_combine(struct translation *t, struct set *s, struct set *other, bool without)
{
	strings_combine(s, other, without);
	if (without && cr_invert(&other->chars))
		return no_memory(t);
	CharRange was = s->chars;
	cr_init(&s->chars, t->ctx, lre_realloc);
	int r = cr_op(&s->chars, was.points, was.len, other->chars.points, other->chars.len, CR_OP_INTER);
	cr_free(&was);
	return r == 0 || no_memory(t);
}

// set_fold puts the canonical forms in the place of the characters, where case does not count. The set is in order.
bool set_fold(struct translation *t, struct set *s)
{
	return !folds(t) || cr_regexp_canonicalize(&s->chars, is_unicode(t)) == 0 || no_memory(t);
}

bool set_complement(struct translation *t, struct set *s)
{
	if (folds(t))
		return case_complement(t, &s->chars);
	return cr_invert(&s->chars) == 0 || no_memory(t);
}

static uint32_t number(const uint8_t *at, int bytes)
{
	uint16_t two;
	uint32_t four;
	if (bytes == 2)
		return memcpy(&two, at, 2), two;
	return memcpy(&four, at, 4), four;
}

// set_compiled reads what the engine makes of a class. What it takes for an end of 0xffff is no end.
bool set_compiled(struct translation *t, struct set *s, const uint8_t *text, size_t len, int flags)
{
	int code_len;
	uint8_t *code = regexp_compile(t, text, len, flags | LRE_FLAG_STICKY, &code_len);
	if (!code)
		return false;
	int bytes = code[CODE_AT] == OP_RANGE ? 2 : 4;
	uint32_t n = code[CODE_AT] == OP_RANGE || code[CODE_AT] == OP_RANGE32 ? number(code + CODE_AT + 1, 2) : 0;
	bool ok = true;
	for (uint32_t i = 0; i < n && ok; i++) {
		const uint8_t *range = code + CODE_AT + 3 + (size_t)i * 2 * (size_t)bytes;
		uint32_t to = number(range + bytes, bytes);
		if (to > MAX_CODE_POINT || (bytes == 2 && to == 0xffff))
			to = MAX_CODE_POINT;
		ok = set_add(t, s, number(range, bytes), to);
	}
	lre_realloc(t->ctx, code, 0);
	return ok;
}

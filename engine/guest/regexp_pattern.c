// Translating a pattern, term by term. What is not named here means the same in both and is copied.
#include "regexp.h"

#include <string.h>

#define LINE_END "\\n\\r\\u2028\\u2029"

// repeats_name tells whether the name at p is one of the others, or might be after its escapes are resolved.
static bool repeats_name(const char *p, const char *end, const char **names, size_t *lens, size_t *count)
{
	const char *to = memchr(p, '>', (size_t)(end - p));
	if (!to)
		return false;
	size_t len = (size_t)(to - p);
	if (memchr(p, '\\', len))
		return true;
	for (size_t i = 0; i < *count; i++) {
		if (lens[i] == len && memcmp(names[i], p, len) == 0)
			return true;
	}
	if (*count < MAX_GROUPS) {
		names[*count] = p;
		lens[(*count)++] = len;
	}
	return false;
}

// pattern_needs_translation finds what may be something that the engine does not know. It may be wrong: a translation
// means the same as its pattern.
bool pattern_needs_translation(const char *pattern, size_t len, int flags)
{
	const int unicode_case = LRE_FLAG_UNICODE | LRE_FLAG_IGNORECASE;
	const char *names[MAX_GROUPS], *end = pattern + len;
	size_t lens[MAX_GROUPS], count = 0;
	if (flags & LRE_FLAG_UNICODE_SETS)
		return true;
	if ((flags & unicode_case) == unicode_case && strstr(pattern, "\\W"))
		return true;
	for (const char *p = pattern; (p = memchr(p, '(', (size_t)(end - p))); p++) {
		if (end - p < 4 || p[1] != '?')
			continue;
		if (p[2] == 'i' || p[2] == 'm' || p[2] == 's' || p[2] == '-')
			return true;
		if (p[2] == '<' && p[3] != '=' && p[3] != '!' && repeats_name(p + 3, end, names, lens, &count))
			return true;
	}
	return false;
}

static int modifier(uint8_t c)
{
	return c == 'i' ? LRE_FLAG_IGNORECASE : c == 'm' ? LRE_FLAG_MULTILINE : c == 's' ? LRE_FLAG_DOTALL : 0;
}

// modifiers_read reads (?i-m: at p and returns how long it is, 0 if it is none.
static size_t modifiers_read(const uint8_t *p, const uint8_t *end, int *add, int *remove, bool *twice)
{
	const uint8_t *from = p;
	int *to = add, flag;
	*add = *remove = 0;
	*twice = false;
	if (end - p < 4 || p[1] != '?' || p[2] == ':')
		return 0;
	for (p += 2; p < end && *p != ':'; p++) {
		if (*p == '-' && to == add) {
			to = remove;
			continue;
		}
		if (!(flag = modifier(*p)))
			return 0;
		*twice |= ((*add | *remove) & flag) != 0;
		*to |= flag;
	}
	return p < end ? (size_t)(p + 1 - from) : 0;
}

// has_case_modifiers tells whether case counts in one part of the pattern and not in another.
static bool has_case_modifiers(const struct translation *t)
{
	int add, remove;
	bool twice;
	for (const uint8_t *p = t->at; p < t->end; p++) {
		if (*p == '\\')
			p++;
		else if (*p == '[')
			p = class_end(p, t->end, is_sets(t)) - 1;
		else if (*p == '(' && modifiers_read(p, t->end, &add, &remove, &twice) && ((add | remove) & LRE_FLAG_IGNORECASE))
			return true;
	}
	return false;
}

static bool group(struct translation *t)
{
	int add, remove;
	bool twice;
	size_t len = modifiers_read(t->at, t->end, &add, &remove, &twice);
	if (len > 0) {
		if (twice || (add | remove) == 0)
			return regexp_fail(t, "invalid modifiers of a group");
		t->at += len;
		if (!names_enter(t) || !write_text(t, "(?:"))
			return false;
		t->flags = (t->flags | add) & ~remove;
		return true;
	}
	if (after(t, 1) != '?')
		return copy(t, 1) && names_enter(t);
	if (after(t, 2) == '<' && after(t, 3) != '=' && after(t, 3) != '!')
		return names_open(t);
	return copy(t, after(t, 2) == '<' ? 4 : 3) && names_enter(t);
}

// line translates ^ and $ where modifiers say otherwise than the flags that the engine is given.
static bool line(struct translation *t)
{
	bool start = *t->at++ == '^', lines = t->flags & LRE_FLAG_MULTILINE;
	if (lines == ((t->base & LRE_FLAG_MULTILINE) != 0))
		return write_text(t, start ? "^" : "$");
	if (lines)
		return write_text(t, start ? "(?<![^" LINE_END "])" : "(?![^" LINE_END "])");
	return write_text(t, start ? "(?<![^])" : "(?![^])");
}

static bool dot(struct translation *t)
{
	bool all = t->flags & LRE_FLAG_DOTALL;
	t->at++;
	if (all == ((t->base & LRE_FLAG_DOTALL) != 0))
		return write_text(t, ".");
	return write_text(t, all ? "[^]" : "[^" LINE_END "]");
}

static bool letter(uint32_t c) { return c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

static bool literal(struct translation *t)
{
	const uint8_t *p = t->at;
	uint32_t c = char_at(&p, t->end, is_unicode(t));
	if ((folds_here(t) && letter(c)) || c > 0xffff) {
		t->at = p;
		return case_write_char(t, c);
	}
	return copy(t, (size_t)(p - t->at));
}

// char_escape translates an escape of one character, in all of its cases.
static bool char_escape(struct translation *t)
{
	const uint8_t *p = t->at + 2;
	uint32_t c;
	uint8_t n = t->at[1];
	bool read = (n == 'x' && hex_escape(&p, t->end, 2, &c)) ||
	            (n == 'u' && (is_unicode(t) ? unicode_escape(&p, t->end, &c) : hex_escape(&p, t->end, 4, &c)));
	if (!read && n == '0') {  // an octal escape, of which the first digit is no more than this
		for (c = 0; !is_unicode(t) && p < t->end && p < t->at + 4 && *p >= '0' && *p <= '7'; p++)
			c = c << 3 | (uint32_t)(*p - '0');
		read = true;
	}
	// An escaped letter without a meaning is the letter.
	bool itself = !read && !is_unicode(t) && letter(n) && !strchr("bBcfnrtv", n);
	if (!read && !itself)
		return copy(t, n < 0x80 && n != 'c' ? 2 : n == 'c' ? 3 : 1);
	t->at = itself ? t->at + 1 : p;
	return itself ? literal(t) : case_write_char(t, c);
}

// boundary writes \b or \B where two more characters are letters of words: those that differ from s and k in case only.
static bool boundary(struct translation *t)
{
	bool inside = t->at[1] == 'B';
	t->at += 2;
#define WORD "[\\w\\u017f\\u212a])"
	return write_text(t, inside ? "(?:(?<=" WORD "(?=" WORD "|(?<!" WORD "(?!" WORD ")"
	                            : "(?:(?<=" WORD "(?!" WORD "|(?<!" WORD "(?=" WORD ")");
#undef WORD
}

static bool escape(struct translation *t)
{
	uint8_t n = after(t, 1);
	if (n == 0)
		return copy(t, 2);
	if ((n | 0x20) == 'b' && folds(t) && is_unicode(t))
		return boundary(t);
	if (n == 'k')
		return names_reference(t);
	if (n >= '1' && n <= '9' && folds_here(t))
		return regexp_fail(t, "no back reference inside (?i:) here: use the flag i");
	bool property = (n | 0x20) == 'p' && is_unicode(t), word = (n | 0x20) == 'w';
	if ((property && is_sets(t)) || ((property || word) && (folds_here(t) || (is_sets(t) && folds(t)))))
		return class_escape(t);
	if (property) {
		const uint8_t *to = memchr(t->at, '}', (size_t)(t->end - t->at));
		return copy(t, to ? (size_t)(to + 1 - t->at) : 2);
	}
	if (folds_here(t) && !strchr("dDsS", n))
		return char_escape(t);
	return copy(t, n < 0x80 ? 2 : 1);
}

static bool term(struct translation *t)
{
	switch (*t->at) {
	case '\\': return escape(t);
	case '(': return group(t);
	case '[': return is_sets(t) ? class_sets(t) : class_old(t);
	case '.': return dot(t);
	case '^':
	case '$': return line(t);
	case '|': return names_alternative(t), copy(t, 1);
	case ')': return names_leave(t), copy(t, 1);
	default: return literal(t);
	}
}

// pattern_translate leaves in out the pattern as the engine is to compile it with the flags base.
bool pattern_translate(struct translation *t)
{
	t->base = t->given & LRE_FLAG_UNICODE_SETS ? (t->given & ~LRE_FLAG_UNICODE_SETS) | LRE_FLAG_UNICODE : t->given;
	t->flags = t->given;
	t->case_modifiers = has_case_modifiers(t);
	if (t->case_modifiers)
		t->base &= ~LRE_FLAG_IGNORECASE;
	if (!names_collect(t) || !names_enter(t))
		return false;
	while (t->at < t->end) {
		if (!term(t))
			return false;
	}
	return text_add(t, &t->out, "", 1);
}

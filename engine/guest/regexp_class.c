// Classes. With the flag v a class is computed here and written as ranges, and as alternatives if it has strings.
#include "regexp.h"

#include <stdio.h>
#include <string.h>

#define NO_CHAR UINT32_MAX

static bool one_of(const char *chars, uint8_t c) { return c != 0 && c < 0x80 && strchr(chars, c) != NULL; }

// class_char_escape reads an escape that stands for one character.
static bool class_char_escape(struct translation *t, uint32_t *c)
{
	static const char names[] = "bfnrtv", values[] = "\b\f\n\r\t\v";
	uint8_t n = after(t, 1);
	t->at += 2;
	*c = n;
	if (one_of(names, n))
		return *c = (uint8_t)values[strchr(names, n) - names], true;
	if (one_of("^$\\.*+?()[]{}|/&-!#%,:;<=>@`~", n))
		return true;
	if (n == '0' && !(after(t, 0) >= '0' && after(t, 0) <= '9'))
		return *c = 0, true;
	if (n == 'c' && ((after(t, 0) | 0x20) >= 'a' && (after(t, 0) | 0x20) <= 'z'))
		return *c = *t->at++ & 0x1f, true;
	if ((n == 'x' && hex_escape(&t->at, t->end, 2, c)) || (n == 'u' && unicode_escape(&t->at, t->end, c)))
		return true;
	return regexp_fail(t, "invalid escape in a class with the flag v");
}

// class_char reads one character of a class.
static bool class_char(struct translation *t, uint32_t *c)
{
	char message[64];
	if (t->at >= t->end)
		return regexp_fail(t, "a class has no end");
	if (*t->at == '\\')
		return class_char_escape(t, c);
	if (one_of("()[]{}/-|", *t->at)) {
		snprintf(message, sizeof(message), "write \\%c for %c in a class with the flag v", *t->at, *t->at);
		return regexp_fail(t, message);
	}
	if (one_of("&!#$%*+,.:;<=>?@^`~", *t->at) && after(t, 1) == *t->at) {
		snprintf(message, sizeof(message), "%c%c is reserved in a class with the flag v: use \\", *t->at, *t->at);
		return regexp_fail(t, message);
	}
	*c = char_at(&t->at, t->end, true);
	return true;
}

// class_strings reads \q{a|bc}.
static bool class_strings(struct translation *t, struct set *s)
{
	struct text string = {NULL, 0, 0};
	bool ok = true, open = true;
	t->at += 3;
	while (ok && open) {
		uint32_t c, len = (uint32_t)(string.len / sizeof(c));
		if (*t->at == '|' || *t->at == '}') {
			open = *t->at++ == '|';
			s->may_be_strings |= len != 1;
			ok = set_add_string(t, s, (const uint32_t *)string.data, len);
			string.len = 0;
			continue;
		}
		ok = class_char(t, &c) && text_add(t, &string, &c, sizeof(c));
	}
	lre_realloc(t->ctx, string.data, 0);
	return ok;
}

// property_of_strings tells whether \p at the translation's place is one, and refuses it.
static bool property_of_strings(struct translation *t)
{
	static const char *const names[] = {
		"Basic_Emoji", "Emoji_Keycap_Sequence", "RGI_Modifier_Sequence", "RGI_Flag_Sequence", "RGI_Emoji",
		"RGI_Emoji_Modifier_Sequence", "RGI_Emoji_Flag_Sequence", "RGI_Emoji_Tag_Sequence", "RGI_Emoji_ZWJ_Sequence",
	};
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char property[64];
		snprintf(property, sizeof(property), "\\p{%s}", names[i]);
		if (starts(t, property)) {
			snprintf(property, sizeof(property), "\\p{%s}: unsupported, use \\p{ExtPict}", names[i]);
			regexp_fail(t, property);
			return true;
		}
	}
	return false;
}

// escape_len returns how many bytes the escape of a set has.
static size_t escape_len(const struct translation *t)
{
	const uint8_t *to;
	if ((after(t, 1) | 0x20) != 'p' || !is_unicode(t))
		return 2;
	to = memchr(t->at, '}', (size_t)(t->end - t->at));
	return to ? (size_t)(to + 1 - t->at) : (size_t)(t->end - t->at);
}

// escape_set reads \d, \P{…} and the like with the flag v. A capital letter is the complement of the small one, and
// where case does not count, of all that differs from it in case only.
static bool escape_set(struct translation *t, struct set *s)
{
	struct text class = {NULL, 0, 0};
	if (property_of_strings(t))
		return false;
	size_t len = escape_len(t);
	bool ok = text_add(t, &class, "[", 1) && text_add(t, &class, t->at, len) && text_add(t, &class, "]", 1);
	if (ok) {
		bool capital = !(class.data[2] & 0x20);
		class.data[2] |= 0x20;
		t->at += len;
		ok = set_compiled(t, s, class.data, class.len, LRE_FLAG_UNICODE) && set_fold(t, s) &&
		     (!capital || set_complement(t, s));
	}
	lre_realloc(t->ctx, class.data, 0);
	return ok;
}

static bool class_parse(struct translation *t, struct set *s);

// operand reads one part of a class into s, or into *c if it is a character.
static bool operand(struct translation *t, struct set *s, uint32_t *c)
{
	*c = NO_CHAR;
	if (starts(t, "\\q{"))
		return class_strings(t, s);
	bool escape = t->at < t->end && *t->at == '\\' && one_of("dDsSwWpP", after(t, 1));
	if (!escape && !starts(t, "["))
		return class_char(t, c);
	struct set inner;
	set_init(t, &inner);
	bool ok = (escape ? escape_set(t, &inner) : class_parse(t, &inner)) && set_join(t, s, &inner);
	s->may_be_strings |= inner.may_be_strings;
	set_free(t, &inner);
	return ok;
}

// member reads a character, a range or an operand of a union.
static bool member(struct translation *t, struct set *s, bool *range)
{
	uint32_t c, to;
	if (!operand(t, s, &c))
		return false;
	*range = c != NO_CHAR && starts(t, "-") && !starts(t, "--");
	if (!*range)
		return c == NO_CHAR || set_add(t, s, c, c);
	t->at++;
	if (!class_char(t, &to))
		return false;
	return c <= to ? set_add(t, s, c, to) : regexp_fail(t, "a range in a class is out of order");
}

// combination reads the rest of A&&B or A--B, of which A is in s.
static bool combination(struct translation *t, struct set *s)
{
	const char *operator = starts(t, "&&") ? "&&" : "--";
	bool ok = set_sort(t, s) && set_fold(t, s);
	while (ok && !starts(t, "]")) {
		uint32_t c;
		struct set other;
		if (!starts(t, operator))
			return regexp_fail(t, t->at < t->end ? "in a class, put [] around what && or -- combines" : "a class has no end");
		t->at += 2;
		set_init(t, &other);
		ok = operand(t, &other, &c) && (c == NO_CHAR || set_add(t, &other, c, c)) && set_sort(t, &other) &&
		     set_fold(t, &other) && set_combine(t, s, &other, *operator == '-');
		if (*operator == '&')
			s->may_be_strings &= other.may_be_strings;
		set_free(t, &other);
	}
	return ok;
}

static bool contents(struct translation *t, struct set *s)
{
	bool range = false;
	for (int members = 0; !starts(t, "]"); members++) {
		bool operator = starts(t, "&&") || starts(t, "--");
		if (operator && members == 1 && !range)
			return combination(t, s);
		if (operator)
			return regexp_fail(t, "in a class, put [] around what && or -- combines");
		if (!member(t, s, &range))
			return false;
	}
	return set_sort(t, s) && set_fold(t, s);
}

// class_parse reads a class; what it leaves is in order.
static bool class_parse(struct translation *t, struct set *s)
{
	if (lre_check_stack_overflow(t->ctx, 0))
		return regexp_fail(t, "classes are nested too deeply");
	t->at++;
	bool negated = starts(t, "^");
	t->at += negated;
	if (!contents(t, s))
		return false;
	t->at++;
	if (!negated)
		return true;
	if (s->may_be_strings)
		return regexp_fail(t, "a class that begins with ^ can't contain strings");
	return set_complement(t, s);
}

static bool write_ranges(struct translation *t, const CharRange *chars)
{
	uint32_t last = is_unicode(t) ? MAX_CODE_POINT : 0xffff;
	bool ok = write_text(t, "[");
	for (int i = 0; i < chars->len && ok; i += 2) {
		uint32_t from = chars->points[i], to = chars->points[i + 1] - 1;
		if (from > last)
			break;
		if (to > last)
			to = last;
		ok = write_code_point(t, from) && (from == to || (write_text(t, "-") && write_code_point(t, to)));
	}
	return ok && write_text(t, "]");
}

// write_set writes a set: the longest strings first, as they are to be tried.
static bool write_set(struct translation *t, struct set *s)
{
	if (folds_here(t) && !case_unfold(t, &s->chars))
		return false;
	if (s->count == 0)
		return write_ranges(t, &s->chars);
	bool ok = write_text(t, "(?:"), chars = s->chars.len > 0, first = true;
	for (uint32_t at = 0; ok && at < s->used; at += s->strings[at] + 1) {
		uint32_t len = s->strings[at];
		if (len == 0 && chars) {
			ok = (first || write_text(t, "|")) && write_ranges(t, &s->chars);
			chars = first = false;
		}
		ok = ok && (first || write_text(t, "|"));
		first = false;
		for (uint32_t i = 1; i <= len && ok; i++)
			ok = case_write_char(t, s->strings[at + i]);
	}
	if (ok && chars)
		ok = write_text(t, "|") && write_ranges(t, &s->chars);
	return ok && write_text(t, ")");
}

// class_sets translates a class with the flag v.
bool class_sets(struct translation *t)
{
	struct set s;
	set_init(t, &s);
	bool ok = class_parse(t, &s) && write_set(t, &s);
	set_free(t, &s);
	return ok;
}

// old_text copies a class without the flag v. Where case does not count in Unicode, \W is without the two characters
// that differ from s and k in case only, which the engine overlooks.
static bool old_text(struct translation *t, struct text *to, const uint8_t *p, const uint8_t *end)
{
	static const char not_word[] = "\\0-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\u{17e}\\u{180}-\\u{2129}\\u{212b}-\\u{10ffff}";
	bool ok = true;
	while (p < end && ok) {
		size_t n = *p == '\\' && end - p > 1 ? 2 : 1;
		bool word = n == 2 && p[1] == 'W' && folds(t) && is_unicode(t);
		ok = word ? text_add(t, to, not_word, sizeof(not_word) - 1) : text_add(t, to, p, n);
		p += n;
	}
	return ok;
}

// old_class writes a class that the engine would compile as it is, if case meant the same everywhere.
static bool old_class(struct translation *t, const uint8_t *p, const uint8_t *end)
{
	if (!folds_here(t))
		return old_text(t, &t->out, p, end);
	struct text class = {NULL, 0, 0};
	struct set s;
	set_init(t, &s);
	bool ok = old_text(t, &class, p, end) &&
	          set_compiled(t, &s, class.data, class.len, (t->base & LRE_FLAG_UNICODE) | LRE_FLAG_IGNORECASE) &&
	          write_set(t, &s);
	set_free(t, &s);
	lre_realloc(t->ctx, class.data, 0);
	return ok;
}

bool class_old(struct translation *t)
{
	const uint8_t *from = t->at;
	t->at = class_end(from, t->end, false);
	return old_class(t, from, t->at);
}

// class_escape translates an escape outside of classes that stands for a set.
bool class_escape(struct translation *t)
{
	struct set s;
	if (is_sets(t)) {
		set_init(t, &s);
		bool ok = escape_set(t, &s) && write_set(t, &s);
		set_free(t, &s);
		return ok;
	}
	struct text class = {NULL, 0, 0};
	size_t len = escape_len(t);
	bool ok = text_add(t, &class, "[", 1) && text_add(t, &class, t->at, len) && text_add(t, &class, "]", 1);
	t->at += len;
	ok = ok && old_class(t, class.data, class.data + class.len);
	lre_realloc(t->ctx, class.data, 0);
	return ok;
}

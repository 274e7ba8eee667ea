// The texts of a translation: reading the pattern's characters, writing what the engine compiles.
#include "regexp.h"

#include <stdio.h>
#include <string.h>

// regexp_fail gives the reason; the engine makes a SyntaxError of it. Only 63 bytes of it are seen.
bool regexp_fail(struct translation *t, const char *message)
{
	snprintf(t->error, t->error_size, "%s", message);
	return false;
}

bool text_add(struct translation *t, struct text *to, const void *data, size_t len)
{
	if (len == 0)
		return true;
	if (to->len + len > MAX_TRANSLATION)
		return regexp_fail(t, "the regular expression is too large");
	if (to->len + len > to->cap) {
		size_t cap = (to->len + len) * 2 + 64;
		uint8_t *grown = lre_realloc(t->ctx, to->data, cap);
		if (!grown)
			return regexp_fail(t, "out of memory");
		to->data = grown;
		to->cap = cap;
	}
	memcpy(to->data + to->len, data, len);
	to->len += len;
	return true;
}

bool write_bytes(struct translation *t, const void *data, size_t len) { return text_add(t, &t->out, data, len); }

bool write_text(struct translation *t, const char *s) { return write_bytes(t, s, strlen(s)); }

// write_code_point writes an escape, which means the same inside and outside of classes.
bool write_code_point(struct translation *t, uint32_t c)
{
	char escape[16];
	snprintf(escape, sizeof(escape), is_unicode(t) ? "\\u{%x}" : "\\u%04x", (unsigned)c);
	return write_text(t, escape);
}

static uint32_t decode(const uint8_t **p, const uint8_t *end)
{
	uint32_t c = *(*p)++;
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
	if (more)
		c &= 0x3fu >> more;
	for (; more > 0 && *p < end; more--)
		c = c << 6 | (*(*p)++ & 0x3f);
	return c;
}

// char_at returns the character at *p and moves *p behind it. With pairs, two surrogates are one character: the engine
// hands over the text of a pattern without the flag u with a sequence of bytes for each.
uint32_t char_at(const uint8_t **p, const uint8_t *end, bool pairs)
{
	uint32_t c = decode(p, end);
	if (pairs && c >> 10 == 0xd800 >> 10 && *p < end) {
		const uint8_t *next = *p;
		uint32_t low = decode(&next, end);
		if (low >> 10 == 0xdc00 >> 10) {
			*p = next;
			return 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
		}
	}
	return c;
}

// starts tells whether the rest of the pattern begins with a text.
bool starts(const struct translation *t, const char *text)
{
	size_t len = strlen(text);
	return (size_t)(t->end - t->at) >= len && memcmp(t->at, text, len) == 0;
}

// copy takes over so many bytes, or what is left.
bool copy(struct translation *t, size_t n)
{
	if (n > (size_t)(t->end - t->at))
		n = (size_t)(t->end - t->at);
	t->at += n;
	return write_bytes(t, t->at - n, n);
}

static int hex(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// hex_escape reads so many digits.
bool hex_escape(const uint8_t **p, const uint8_t *end, int digits, uint32_t *c)
{
	const uint8_t *at = *p;
	if (end - at < digits)
		return false;
	*c = 0;
	for (int i = 0; i < digits; i++) {
		int digit = hex(at[i]);
		if (digit < 0)
			return false;
		*c = *c << 4 | (uint32_t)digit;
	}
	*p = at + digits;
	return true;
}

static bool braced_escape(const uint8_t **p, const uint8_t *end, uint32_t *c)
{
	const uint8_t *at = *p + 1;
	*c = 0;
	for (; at < end && *at != '}'; at++) {
		int digit = hex(*at);
		if (digit < 0 || (*c = *c << 4 | (uint32_t)digit) > MAX_CODE_POINT)
			return false;
	}
	if (at >= end || at == *p + 1)
		return false;
	*p = at + 1;
	return true;
}

// unicode_escape reads what follows \u; two escaped surrogates are one character.
bool unicode_escape(const uint8_t **p, const uint8_t *end, uint32_t *c)
{
	if (*p < end && **p == '{')
		return braced_escape(p, end, c);
	if (!hex_escape(p, end, 4, c))
		return false;
	const uint8_t *next = *p + 2;
	uint32_t low;
	if (*c >> 10 == 0xd800 >> 10 && end - *p >= 6 && memcmp(*p, "\\u", 2) == 0 && hex_escape(&next, end, 4, &low) &&
	    low >> 10 == 0xdc00 >> 10) {
		*p = next;
		*c = 0x10000 + ((*c & 0x3ff) << 10) + (low & 0x3ff);
	}
	return true;
}

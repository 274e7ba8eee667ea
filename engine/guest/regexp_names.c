// The groups of a pattern and their names. One name may stand for a group in each of several alternatives: the engine
// compiles the later ones as groups without a name, and regexp.c gives them their names back.
#include "regexp.h"

#include <stdio.h>
#include <string.h>

// name_end returns where a name that begins at p ends, NULL if it does not.
const uint8_t *name_end(const uint8_t *p, const uint8_t *end)
{
	return p < end ? memchr(p, '>', (size_t)(end - p)) : NULL;
}

// class_end returns what is behind the class that begins at p. With the flag v, classes contain classes.
const uint8_t *class_end(const uint8_t *p, const uint8_t *end, bool nested)
{
	int depth = 0;
	for (; p < end; p++) {
		if (*p == '\\')
			p++;
		else if (*p == '[' && (nested || depth == 0))
			depth++;
		else if (*p == ']' && --depth == 0)
			return p + 1;
	}
	return end;
}

static bool add_char(struct translation *t, struct text *to, uint32_t c)
{
	uint8_t utf8[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		utf8[i] = 0x80 | (c & 0x3f);
	utf8[0] = (uint8_t)(n == 1 ? c : (0xf00 >> n) | c);
	return text_add(t, to, utf8, n);
}

// name_read appends the name between p and end, with its escapes resolved.
static bool name_read(struct translation *t, struct text *to, const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		uint32_t c;
		if (end - p > 2 && p[0] == '\\' && p[1] == 'u') {
			p += 2;
			if (!unicode_escape(&p, end, &c))
				return regexp_fail(t, "invalid group name");
		} else {
			c = char_at(&p, end, true);
		}
		if (!add_char(t, to, c))
			return false;
	}
	return true;
}

// find_name returns the first group with the name, or name_count.
static uint32_t find_name(const struct translation *t, const uint8_t *name, size_t len)
{
	uint32_t i = 0;
	while (i < t->name_count && !(t->names[i].len == len && memcmp(t->name_text.data + t->names[i].at, name, len) == 0))
		i++;
	return i;
}

static bool collect_name(struct translation *t, const uint8_t *p, const uint8_t *end, uint32_t group)
{
	struct name *n = &t->names[t->name_count];
	n->at = (uint32_t)t->name_text.len;
	if (!name_read(t, &t->name_text, p, end))
		return false;
	n->len = (uint32_t)t->name_text.len - n->at;
	n->same = find_name(t, t->name_text.data + n->at, n->len);
	t->duplicates |= n->same != t->name_count;
	n->group = group;
	t->name_count++;
	return true;
}

// names_collect notes all named groups of the pattern, for references to those that come later.
bool names_collect(struct translation *t)
{
	const uint8_t *end = t->end, *to;
	uint32_t group = 0;
	for (const uint8_t *p = t->at; p < end && group + 1 < MAX_GROUPS; p++) {
		if (*p == '\\') {
			p++;
		} else if (*p == '[') {
			p = class_end(p, end, is_sets(t)) - 1;
		} else if (*p == '(' && (end - p < 2 || p[1] != '?')) {
			group++;
		} else if (*p == '(' && end - p > 3 && p[2] == '<' && p[3] != '=' && p[3] != '!' && (to = name_end(p + 3, end))) {
			if (!collect_name(t, p + 3, to, ++group))
				return false;
			p = to;
		}
	}
	return true;
}

static struct scope *innermost(struct translation *t)
{
	return (struct scope *)(t->scopes.data + t->scopes.len) - 1;
}

// names_enter begins a group, or the pattern.
bool names_enter(struct translation *t)
{
	struct scope s = {t->flags, t->read, t->read};
	return text_add(t, &t->scopes, &s, sizeof(s));
}

// names_alternative: what was in the alternative that ends can't take part in a match together with what follows.
void names_alternative(struct translation *t)
{
	struct scope *s = innermost(t);
	for (; s->alternative < t->read; s->alternative++)
		t->names[t->names[s->alternative].same].together--;
}

// names_leave ends a group. All that was in it can take part together with what follows.
void names_leave(struct translation *t)
{
	if (t->scopes.len <= sizeof(struct scope))
		return;  // not opened: the engine says so
	struct scope *s = innermost(t);
	for (uint32_t i = s->from; i < s->alternative; i++)
		t->names[t->names[i].same].together++;
	t->flags = s->flags;
	t->scopes.len -= sizeof(*s);
}

// names_open begins a named group. From the second with its name on, the engine does not get to see the name.
bool names_open(struct translation *t)
{
	const uint8_t *to = name_end(t->at + 3, t->end);
	if (!to || t->read == t->name_count)
		return copy(t, 3) && names_enter(t);
	struct name *n = &t->names[t->read], *first = &t->names[n->same];
	if (first->together > 0)
		return regexp_fail(t, "duplicate group name");
	first->together++;
	t->read++;
	if (n == first)
		return copy(t, (size_t)(to + 1 - t->at)) && names_enter(t);
	t->at = to + 1;
	return write_text(t, "(") && names_enter(t);
}

// write_references writes a reference to each group of a name: of those at most one has matched, and a reference to
// the others matches the empty string.
static bool write_references(struct translation *t, uint32_t same)
{
	bool ok = write_text(t, "(?:");
	for (uint32_t i = same; i < t->name_count && ok; i++) {
		char reference[16];
		snprintf(reference, sizeof(reference), "\\%u", (unsigned)t->names[i].group);
		ok = t->names[i].same != same || write_text(t, reference);
	}
	return ok && write_text(t, ")");
}

// names_reference translates \k<name>.
bool names_reference(struct translation *t)
{
	const uint8_t *to = starts(t, "\\k<") ? name_end(t->at + 3, t->end) : NULL;
	if (!to || t->name_count == 0)
		return copy(t, 2);
	struct text name = {NULL, 0, 0};
	bool ok = name_read(t, &name, t->at + 3, to);
	uint32_t same = ok ? find_name(t, name.data, name.len) : t->name_count, groups = 0;
	lre_realloc(t->ctx, name.data, 0);
	for (uint32_t i = same; i < t->name_count; i++)
		groups += t->names[i].same == same;
	if (!ok)
		return false;
	if (folds_here(t))
		return regexp_fail(t, "no back reference inside (?i:) here: use the flag i");
	if (groups < 2)
		return copy(t, (size_t)(to + 1 - t->at));
	t->at = to + 1;
	return write_references(t, same);
}

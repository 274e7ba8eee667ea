// Ignoring case by classes: (?i:a) becomes [aA]. The engine ignores case in all of a regular expression or in none.
#include "regexp.h"

#include <string.h>

// case_load makes the tables of forms.
static bool case_load(struct translation *t)
{
	static const char cased[] = "[\\p{Changes_When_Casemapped}\\p{Changes_When_Casefolded}]";
	if (t->forms)
		return true;
	struct set all;
	set_init(t, &all);
	bool ok = set_compiled(t, &all, (const uint8_t *)cased, sizeof(cased) - 1, LRE_FLAG_UNICODE);
	size_t n = 0;
	for (int i = 0; ok && i < all.chars.len; i += 2)
		n += all.chars.points[i + 1] - all.chars.points[i];
	t->forms = ok ? lre_realloc(t->ctx, NULL, (2 * n + 2) * sizeof(*t->forms)) : NULL;
	ok = ok && (t->forms || no_memory(t));
	cr_init(&t->own, t->ctx, lre_realloc);
	struct set mapped;
	set_init(t, &mapped);
	for (int i = 0; ok && i < all.chars.len; i += 2) {
		for (uint32_t c = all.chars.points[i]; c < all.chars.points[i + 1] && ok; c++) {
			uint32_t form = (uint32_t)lre_canonicalize(c, is_unicode(t));
			if (form == c)
				continue;
			t->forms[2 * t->form_count] = form;
			t->forms[2 * t->form_count++ + 1] = c;
			ok = set_add(t, &mapped, c, c);
		}
	}
	ok = ok && set_sort(t, &mapped) && (cr_invert(&mapped.chars) == 0 || no_memory(t));
	t->own = mapped.chars;
	set_free(t, &all);
	if (ok)
		sort_pairs(t->forms, t->form_count);
	return ok;
}

void case_free(struct translation *t)
{
	if (!t->forms)
		return;
	lre_realloc(t->ctx, t->forms, 0);
	cr_free(&t->own);
}

// first_form returns the index of the first of the forms that is not below c.
static uint32_t first_form(const struct translation *t, uint32_t c)
{
	uint32_t from = 0, to = t->form_count;
	while (from < to) {
		uint32_t middle = (from + to) / 2;
		if (t->forms[2 * middle] < c)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

// only_own leaves the characters that are their own form.
static bool only_own(struct translation *t, CharRange *chars)
{
	CharRange was = *chars;
	cr_init(chars, t->ctx, lre_realloc);
	int r = cr_op(chars, was.points, was.len, t->own.points, t->own.len, CR_OP_INTER);
	cr_free(&was);
	return r == 0 || no_memory(t);
}

// case_complement is the complement of a set of canonical forms among all forms.
bool case_complement(struct translation *t, CharRange *chars)
{
	if (!case_load(t))
		return false;
	if (cr_invert(chars))
		return no_memory(t);
	return only_own(t, chars);
}

// case_unfold makes of a set of forms that of all characters that have them.
bool case_unfold(struct translation *t, CharRange *chars)
{
	if (!case_load(t) || !only_own(t, chars))
		return false;
	struct set all;
	set_init(t, &all);
	bool ok = true;
	for (int i = 0; i < chars->len && ok; i += 2) {
		uint32_t from = chars->points[i], to = chars->points[i + 1];
		ok = set_add(t, &all, from, to - 1);
		for (uint32_t f = first_form(t, from); ok && f < t->form_count && t->forms[2 * f] < to; f++)
			ok = set_add(t, &all, t->forms[2 * f + 1], t->forms[2 * f + 1]);
	}
	ok = ok && set_sort(t, &all);
	cr_free(chars);
	*chars = all.chars;
	return ok;
}

// case_write_char writes one character, in all its cases where case does not count.
bool case_write_char(struct translation *t, uint32_t c)
{
	if (!folds_here(t))
		return write_code_point(t, c);
	if (!case_load(t))
		return false;
	uint32_t form = (uint32_t)lre_canonicalize(c, is_unicode(t)), f = first_form(t, form);
	if (f == t->form_count || t->forms[2 * f] != form)
		return write_code_point(t, c);
	bool ok = write_text(t, "[") && write_code_point(t, form);
	for (; ok && f < t->form_count && t->forms[2 * f] == form; f++)
		ok = write_code_point(t, t->forms[2 * f + 1]);
	return ok && write_text(t, "]");
}

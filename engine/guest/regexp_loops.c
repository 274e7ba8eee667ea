// Groups in loops: each round of a loop forgets what the groups inside of it matched in the round before, which the
// engine's compiler leaves out: /(?:(a)|b)*/ has no group 1 after "ab". The instruction for it is put into the code here.
#include "regexp.h"

#include <string.h>

#define HEADER 8
#define CODE_LEN_AT 4
#define RESET_SIZE 3

enum {
	OP_GOTO = 8, OP_SPLIT_GOTO_FIRST = 9, OP_SPLIT_NEXT_FIRST = 10, OP_SAVE_START = 12, OP_SAVE_RESET = 14, OP_LOOP = 15,
	OP_RANGE = 22, OP_RANGE32 = 23, OP_LOOKAHEAD = 24, OP_NEGATIVE_LOOKAHEAD = 25, OP_PUSH_CHAR_POS = 26, OPS = 30,
};

static const uint8_t sizes[OPS] = {1, 2, 3, 5, 1, 1, 1, 1, 5, 5, 5, 1, 2, 2, 3, 5, 5, 1, 1, 1, 2, 2, 3, 3, 5, 5, 1, 1, 1, 17};

#ifdef CODECELL_ABI_CHECK
enum {
#define DEF(name, size) REOP_##name,
#include "libregexp-opcode.h"
#undef DEF
	REOP_COUNT,
};
#define SAME(theirs, ours) _Static_assert((int)REOP_##theirs == (int)ours, "another engine has other opcodes")
SAME(goto, OP_GOTO);
SAME(split_goto_first, OP_SPLIT_GOTO_FIRST);
SAME(split_next_first, OP_SPLIT_NEXT_FIRST);
SAME(save_start, OP_SAVE_START);
SAME(save_reset, OP_SAVE_RESET);
SAME(loop, OP_LOOP);
SAME(range, OP_RANGE);
SAME(range32, OP_RANGE32);
SAME(lookahead, OP_LOOKAHEAD);
SAME(negative_lookahead, OP_NEGATIVE_LOOKAHEAD);
SAME(push_char_pos, OP_PUSH_CHAR_POS);
SAME(COUNT, OPS);
#endif

// A group's start in the code, or a jump back.
struct place { uint32_t at, to; };

// An instruction to be put before the one at a place, for the jump back that begins a round there.
struct reset { uint32_t at, jump; uint8_t first, last; };

struct loops {
	const uint8_t *code;
	uint32_t len;
	struct place *saves, *jumps;
	struct reset *resets;
	uint32_t save_count, jump_count, reset_count;
};

static uint32_t number(const uint8_t *at)
{
	uint32_t n;
	return memcpy(&n, at, sizeof(n)), n;
}

static uint32_t op_size(const uint8_t *code, uint32_t at)
{
	uint16_t n;
	uint8_t op = code[at];
	memcpy(&n, code + at + 1, sizeof(n));
	return sizes[op] + (op == OP_RANGE ? n * 4u : op == OP_RANGE32 ? n * 8u : 0);
}

static bool jumps(uint8_t op)
{
	return (op >= OP_GOTO && op <= OP_SPLIT_NEXT_FIRST) || op == OP_LOOP || op == OP_LOOKAHEAD || op == OP_NEGATIVE_LOOKAHEAD;
}

static uint32_t target(const uint8_t *code, uint32_t at) { return at + 5 + number(code + at + 1); }

// find notes groups and jumps back; with NULL for the lists it only counts them.
static void find(struct loops *l)
{
	l->save_count = l->jump_count = 0;
	for (uint32_t at = 0; at < l->len; at += op_size(l->code, at)) {
		uint8_t op = l->code[at];
		if (op == OP_SAVE_START) {
			if (l->saves)
				l->saves[l->save_count] = (struct place){at, l->code[at + 1]};
			l->save_count++;
		} else if (jumps(op) && target(l->code, at) <= at) {
			if (l->jumps)
				l->jumps[l->jump_count] = (struct place){at, target(l->code, at)};
			l->jump_count++;
		}
	}
}

// round_start returns where a round begins: behind the instruction that decides whether there is another one, if the
// jump goes to that.
static uint32_t round_start(const struct loops *l, const struct place *jump)
{
	uint8_t op = l->code[jump->to];
	if ((op != OP_SPLIT_GOTO_FIRST && op != OP_SPLIT_NEXT_FIRST) || target(l->code, jump->to) < jump->at + 5)
		return jump->to;
	return jump->to + 5 + (l->code[jump->to + 5] == OP_PUSH_CHAR_POS);
}

// groups finds the groups between two places.
static bool groups(const struct loops *l, uint32_t from, uint32_t to, struct reset *r)
{
	uint32_t low = 0, high = l->save_count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (l->saves[middle].at < from)
			low = middle + 1;
		else
			high = middle;
	}
	r->first = 255, r->last = 0;
	for (; low < l->save_count && l->saves[low].at < to; low++) {
		uint8_t group = (uint8_t)l->saves[low].to;
		if (group < r->first)
			r->first = group;
		if (group > r->last)
			r->last = group;
	}
	return r->first <= r->last;
}

static bool before(const struct reset *a, const struct reset *b)
{
	return a->at != b->at ? a->at < b->at : a->jump > b->jump;  // an outer loop jumps back later
}

static void sift(struct reset *r, uint32_t root, uint32_t n)
{
	for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && before(&r[child], &r[child + 1]))
			child++;
		if (!before(&r[root], &r[child]))
			return;
		struct reset held = r[root];
		r[root] = r[child];
		r[child] = held;
	}
}

static void sort(struct reset *r, uint32_t n)
{
	for (uint32_t i = n / 2; i-- > 0;)
		sift(r, i, n);
	for (uint32_t i = n; i-- > 1;) {
		struct reset held = r[0];
		r[0] = r[i];
		r[i] = held;
		sift(r, 0, i);
	}
}

// moved returns where a place is once the resets are there: before those at it, or behind them.
static uint32_t moved(const struct loops *l, uint32_t at, bool behind)
{
	uint32_t low = 0, high = l->reset_count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (l->resets[middle].at < at || (behind && l->resets[middle].at == at))
			low = middle + 1;
		else
			high = middle;
	}
	return at + RESET_SIZE * low;
}

// landing returns where a jump goes once the resets are there: a jump back to the reset that is its own.
static uint32_t landing(const struct loops *l, uint32_t at)
{
	uint32_t to = target(l->code, at), first = (moved(l, to, false) - to) / RESET_SIZE;
	for (uint32_t i = first; to <= at && i < l->reset_count && l->resets[i].at == to; i++) {
		if (l->resets[i].jump == at)
			return to + RESET_SIZE * i;
	}
	return moved(l, to, true);
}

// write writes the code with its resets.
static void write(const struct loops *l, uint8_t *out)
{
	uint32_t next = 0, n;
	for (uint32_t at = 0; at < l->len; at += n) {
		n = op_size(l->code, at);
		for (; next < l->reset_count && l->resets[next].at == at; next++) {
			uint8_t reset[RESET_SIZE] = {OP_SAVE_RESET, l->resets[next].first, l->resets[next].last};
			memcpy(out, reset, sizeof(reset));
			out += sizeof(reset);
		}
		memcpy(out, l->code + at, n);
		if (jumps(l->code[at])) {
			uint32_t offset = landing(l, at) - (moved(l, at, true) + 5);
			memcpy(out + 1, &offset, sizeof(offset));
		}
		out += n;
	}
}

static uint8_t *with_resets(void *opaque, uint8_t *code, int *code_len, struct loops *l)
{
	for (uint32_t i = 0; i < l->jump_count; i++) {
		struct reset r = {.at = round_start(l, &l->jumps[i]), .jump = l->jumps[i].at};
		if (groups(l, r.at, l->jumps[i].at, &r))
			l->resets[l->reset_count++] = r;
	}
	if (l->reset_count == 0)
		return code;
	sort(l->resets, l->reset_count);
	uint32_t more = l->reset_count * RESET_SIZE, rest = (uint32_t)*code_len - HEADER - l->len, len = l->len + more;
	uint8_t *grown = lre_realloc(opaque, NULL, (size_t)*code_len + more);
	if (grown) {
		memcpy(grown, code, HEADER);
		memcpy(grown + CODE_LEN_AT, &len, sizeof(len));
		write(l, grown + HEADER);
		memcpy(grown + HEADER + len, code + HEADER + l->len, rest);
		*code_len += (int)more;
	}
	lre_realloc(opaque, code, 0);
	return grown;
}

// loops_reset returns the code, which it takes, with the resets that it lacks, NULL if there is no memory.
uint8_t *loops_reset(void *opaque, uint8_t *code, int *code_len)
{
	struct loops l = {.code = code + HEADER, .len = number(code + CODE_LEN_AT)};
	if (lre_get_capture_count(code) < 2)
		return code;
	find(&l);
	if (l.jump_count == 0)
		return code;
	l.saves = lre_realloc(opaque, NULL, (l.save_count + 1) * sizeof(*l.saves));
	l.jumps = lre_realloc(opaque, NULL, l.jump_count * sizeof(*l.jumps));
	l.resets = lre_realloc(opaque, NULL, l.jump_count * sizeof(*l.resets));
	if (l.saves && l.jumps && l.resets) {
		find(&l);
		code = with_resets(opaque, code, code_len, &l);
	} else {
		lre_realloc(opaque, code, 0);
		code = NULL;
	}
	lre_realloc(opaque, l.saves, 0);
	lre_realloc(opaque, l.jumps, 0);
	lre_realloc(opaque, l.resets, 0);
	return code;
}

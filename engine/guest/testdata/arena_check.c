// Checks the arena against a model: what is handed out, how large it is, and what was written to it.
//
//	arena_check SEED STEPS LIMIT
//
// It allocates, grows and frees at random, fills all that it may use, and looks for anything that is not as it was
// left. It exits with 1 and says what was wrong.
#include "../arena.c"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SLOTS 700

struct live { uint8_t *p; size_t asked, usable; uint8_t fill; };

static struct live slots[SLOTS];
static struct arena *arena;
static uint64_t state;
static int exhausted;

void *arena_exhausted(void)
{
	exhausted++;
	return NULL;
}

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

#define CHECK(condition, what)                                       \
	do {                                                         \
		if (!(condition)) {                                  \
			fprintf(stderr, "%d: %s\n", __LINE__, what); \
			exit(1);                                     \
		}                                                    \
	} while (0)

static size_t random_size(void)
{
	switch (next() % 8) {
	case 0: return next() % 16;
	case 1:
	case 2:
	case 3: return next() % 128;
	case 4:
	case 5: return next() % 1024;
	case 6: return next() % 20000;
	default: return next() % 200000;
	}
}

static void keeps(const struct live *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		CHECK(s->p[i] == s->fill, "contents changed");
}

// take_over checks a new block and fills all of it.
static void take_over(struct live *s, uint8_t *p, size_t asked)
{
	uint8_t *base = (uint8_t *)arena;
	size_t usable = arena_usable_size(p);
	CHECK((uintptr_t)p % 16 == 0, "alignment");
	CHECK(usable >= asked, "smaller than asked for");
	CHECK(usable < asked + asked / 8 + 600, "far larger than asked for");
	CHECK(p >= base + sizeof(*arena) && p + usable <= base + arena->limit, "outside of the limit");
	CHECK(p + usable <= base + arena->high, "beyond the high mark");
	for (int i = 0; i < SLOTS; i++) {
		if (slots[i].p && &slots[i] != s)
			CHECK(p + usable <= slots[i].p || slots[i].p + slots[i].usable <= p, "two blocks overlap");
	}
	*s = (struct live){p, asked, usable, (uint8_t)(next() | 1)};
	memset(p, s->fill, usable);
}

static void allocate(struct live *s)
{
	size_t n = random_size();
	int before = exhausted, zeroed = next() % 4 == 0;
	uint8_t *p = zeroed ? arena_calloc(arena, n / 8 + 1, 8) : arena_malloc(arena, n);
	if (!p) {
		CHECK(exhausted == before + 1, "nothing handed out and nobody told");
		return;
	}
	for (size_t i = 0; zeroed && i < n / 8 * 8 + 8; i++)
		CHECK(p[i] == 0, "calloc left something");
	take_over(s, p, n);
}

static void resize(struct live *s)
{
	size_t n = next() % 3 ? random_size() : s->asked + next() % 64;
	int before = exhausted;
	uint8_t *p = arena_realloc(arena, s->p, n);
	if (n == 0) {
		CHECK(p == NULL, "realloc to nothing is a free");
		s->p = NULL;
		return;
	}
	if (!p) {
		CHECK(exhausted == before + 1, "nothing handed out and nobody told");
		keeps(s, s->usable);
		return;
	}
	size_t kept = n < s->usable ? n : s->usable;
	s->p = p;
	keeps(s, kept);
	take_over(s, p, n);
}

static void step(void)
{
	struct live *s = &slots[next() % SLOTS];
	if (!s->p) {
		allocate(s);
		return;
	}
	keeps(s, s->usable);
	if (next() % 3 == 0) {
		resize(s);
		return;
	}
	arena_free(arena, s->p);
	s->p = NULL;
}

static void beyond_high_is_zero(size_t size)
{
	const uint8_t *base = (const uint8_t *)arena;
	for (size_t i = arena->high; i < size; i++)
		CHECK(base[i] == 0, "something was written beyond the high mark");
}

static void free_all(void)
{
	for (int i = 0; i < SLOTS; i++) {
		arena_free(arena, slots[i].p);
		slots[i].p = NULL;
	}
	flush_fast(arena);
}

int main(int argc, char **argv)
{
	CHECK(argc == 4, "usage: arena_check SEED STEPS LIMIT");
	state = strtoull(argv[1], NULL, 10) * 2654435761u + 88172645463325252u;
	int steps = atoi(argv[2]);
	size_t limit = strtoull(argv[3], NULL, 10), size = limit + (1 << 20);
	uint8_t *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(base != MAP_FAILED, "no memory for the test");
	arena = arena_init(base, limit);
	uint64_t top = arena->top;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < steps; i++)
			step();
		beyond_high_is_zero(size);
		free_all();
		CHECK(arena->top == top, "free blocks were not merged back into the top");
		CHECK(arena->class_map == 0, "bins are not empty");
	}
	CHECK(arena_malloc(arena, SIZE_MAX) == NULL && arena_malloc(arena, SIZE_MAX - 8) == NULL, "a size that wraps around");
	CHECK(arena_calloc(arena, SIZE_MAX / 2, 3) == NULL, "a product that wraps around");
	CHECK(arena_realloc(arena, NULL, limit) == NULL, "more than there is");
	void *p = arena_malloc(arena, 64);
	CHECK(arena_realloc(arena, p, SIZE_MAX - 20) == NULL && arena_usable_size(p) >= 64, "a size that wraps around");
	arena_free(arena, p);
	arena_free(arena, NULL);
	CHECK(arena_usable_size(NULL) == 0, "nothing has no size");
	printf("%d\n", exhausted);
	return 0;
}

/* Symbol table of one module. */
#include "input/symbols/symtab.h"

#include "base/decimal.h"
#include "base/map.h"
#include "input/symbols/demangle.h"

enum { PAGE_BYTES = 4096, SORTED_BITS = 11, SORTED_DIGITS = 1 << SORTED_BITS };

void lode_symtab_add(struct lode_symtab *symtab, uint64_t start, uint64_t size, const char *name,
		     enum lode_binding binding)
{
	struct lode_symtab_entry *entry = lode_vec_append_zero(&symtab->entries);

	entry->start = start;
	entry->end = size > UINT64_MAX - start ? UINT64_MAX : start + size;
	entry->name = name;
	entry->order = (uint32_t)(symtab->entries.n - 1);
	entry->binding = (uint8_t)binding;
}

void lode_symtab_release(struct lode_symtab *symtab)
{
	lode_vec_release(&symtab->entries);
	lode_vec_release(&symtab->starts);
	lode_vec_release(&symtab->ends);
	lode_vec_release(&symtab->owners);
}

/* ---- Order, ends, aliases ---- */

static bool is_sorted(const struct lode_symtab *symtab)
{
	for (size_t i = 1; i < symtab->entries.n; i++)
		if (symtab->entries.at[i - 1].start > symtab->entries.at[i].start)
			return false;
	return true;
}

struct start_key {
	uint64_t start;
	uint32_t entry;
};

/* Stable, by so many bits from `shift` on. */
static void sort_by_bits(struct start_key *to, const struct start_key *from, size_t n,
			 unsigned shift)
{
	size_t next[SORTED_DIGITS + 1] = {0};

	for (size_t i = 0; i < n; i++)
		next[(from[i].start >> shift) % SORTED_DIGITS + 1]++;
	for (size_t digit = 1; digit < SORTED_DIGITS; digit++)
		next[digit] += next[digit - 1];
	for (size_t i = 0; i < n; i++)
		to[next[(from[i].start >> shift) % SORTED_DIGITS]++] = from[i];
}

/* By start, then in order of adding, in which they are: a pass for each digit of the starts. */
static void sort_entries(struct lode_symtab *symtab)
{
	size_t n = symtab->entries.n;
	struct start_key *keys, *other, *swap;
	struct lode_symtab_entry *sorted;
	uint64_t differing = 0;

	if (is_sorted(symtab))
		return;
	keys = lode_alloc(n * sizeof(*keys));
	other = lode_alloc(n * sizeof(*other));
	for (size_t i = 0; i < n; i++) {
		keys[i] = (struct start_key){symtab->entries.at[i].start, (uint32_t)i};
		differing |= keys[i].start ^ keys[0].start;
	}
	for (unsigned shift = 0; shift < 64 && differing >> shift; shift += SORTED_BITS) {
		sort_by_bits(other, keys, n, shift);
		swap = keys;
		keys = other;
		other = swap;
	}
	sorted = lode_alloc(n * sizeof(*sorted));
	for (size_t i = 0; i < n; i++)
		sorted[i] = symtab->entries.at[keys[i].entry];
	memcpy(symtab->entries.at, sorted, n * sizeof(*sorted));
	free(sorted);
	free(keys);
	free(other);
}

/* The first page border behind the page of `address` + `PAGE_BYTES`, without wrapping. */
static uint64_t page_end(uint64_t address)
{
	uint64_t end = (address + 2 * PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);

	return end > address ? end : UINT64_MAX;
}

/*
 * A symbol without a size reaches to the next one. Of aliases only the last gets a size this way,
 * which is what makes it win below; perf does the same in the same order. A label inside of a
 * function that has a size is no function: it gets none, and its code stays the function's. (In
 * perf it depends on the shape of a tree which of both is found.)
 */
static void fix_ends(struct lode_symtab *symtab)
{
	struct lode_symtab_entry *entry = symtab->entries.at;
	size_t n = symtab->entries.n, first = 0;
	uint64_t covered = 0, covered_before = 0; /* by sizes; by those that start before */

	for (size_t i = 0; i < n; i++) {
		if (entry[i].start != entry[first].start) {
			first = i;
			covered_before = covered;
		}
		if (entry[i].end != entry[i].start) {
			covered = entry[i].end > covered ? entry[i].end : covered;
			continue;
		}
		if (entry[i].start < covered_before)
			continue;
		if (i + 1 == n)
			entry[i].end = page_end(entry[i].start);
		else
			entry[i].end = entry[i + 1].start;
	}
}

static size_t n_underscores(const char *name)
{
	return strspn(name, "_");
}

/* Constructors and destructors have two or three names each (C1, C2; D0, D1, D2), equally good. */
static bool is_same_constructor(const char *a, const char *b)
{
	size_t i = 0;

	while (a[i] && (a[i] == b[i] || (i && (a[i - 1] == 'C' || a[i - 1] == 'D') &&
					 lode_is_digit(a[i]) && lode_is_digit(b[i]))))
		i++;
	return !strncmp(a, "_Z", 2) && a[i] == b[i];
}

/* Is the alias `a` (of equal start, added before) a better name than `b`? */
static bool is_better(const struct lode_symtab_entry *a, const struct lode_symtab_entry *b)
{
	char a_text[256], b_text[256];
	size_t a_n, b_n;

	if ((a->end == a->start) != (b->end == b->start))
		return a->end != a->start;
	if ((a->binding == LODE_BINDING_WEAK) != (b->binding == LODE_BINDING_WEAK))
		return a->binding != LODE_BINDING_WEAK;
	if ((a->binding == LODE_BINDING_GLOBAL) != (b->binding == LODE_BINDING_GLOBAL))
		return a->binding == LODE_BINDING_GLOBAL;
	/* Most aliases of a C++ program, and to demangle them costs more than all else here. */
	if (is_same_constructor(a->name, b->name))
		return true;
	/* Names as they will be shown: a mangled one starts with an underscore of its own. */
	lode_demangle_short(a->name, a_text, sizeof(a_text));
	lode_demangle_short(b->name, b_text, sizeof(b_text));
	a_n = n_underscores(a_text);
	b_n = n_underscores(b_text);
	if (a_n != b_n)
		return a_n < b_n;
	a_n = strlen(a_text);
	b_n = strlen(b_text);
	if (a_n != b_n)
		return a_n > b_n;
	/* Kernels before 4.17 have each system call twice; SyS_read is not the known name. */
	return strncmp(a->name, "SyS", 3) != 0 && strncmp(a->name, "compat_SyS", 10) != 0;
}

static void drop_aliases(struct lode_symtab *symtab)
{
	struct lode_symtab_entry *entry = symtab->entries.at;
	size_t n = 0;

	for (size_t i = 0; i < symtab->entries.n; i++) {
		if (n && entry[n - 1].start == entry[i].start) {
			if (!is_better(&entry[n - 1], &entry[i]))
				entry[n - 1] = entry[i];
			continue;
		}
		entry[n++] = entry[i];
	}
	symtab->entries.n = n;
}

/* ---- Disjoint ranges ---- */

/* Which entry owns an address that several cover: the one of the highest rank. */
struct ranking {
	const struct lode_symtab *symtab;
	bool by_order;		 /* else by position: the latest start */
	LODE_VEC(uint32_t) heap; /* indices of entries that have begun, highest rank first */
};

static uint32_t rank_of(const struct ranking *ranking, uint32_t entry)
{
	return ranking->by_order ? ranking->symtab->entries.at[entry].order : entry;
}

static void heap_push(struct ranking *ranking, uint32_t entry)
{
	size_t i = ranking->heap.n, up;

	lode_vec_append(&ranking->heap, entry);
	for (; i > 0; i = up) {
		up = (i - 1) / 2;
		if (rank_of(ranking, ranking->heap.at[up]) > rank_of(ranking, entry))
			break;
		ranking->heap.at[i] = ranking->heap.at[up];
	}
	ranking->heap.at[i] = entry;
}

static void heap_pop(struct ranking *ranking)
{
	uint32_t entry = ranking->heap.at[--ranking->heap.n];
	size_t n = ranking->heap.n, i = 0, down;

	if (!n)
		return;
	while ((down = 2 * i + 1) < n) {
		if (down + 1 < n && rank_of(ranking, ranking->heap.at[down + 1]) >
					    rank_of(ranking, ranking->heap.at[down]))
			down++;
		if (rank_of(ranking, ranking->heap.at[down]) < rank_of(ranking, entry))
			break;
		ranking->heap.at[i] = ranking->heap.at[down];
		i = down;
	}
	ranking->heap.at[i] = entry;
}

static void add_range(struct lode_symtab *symtab, uint64_t start, uint64_t end, uint32_t owner)
{
	size_t n = symtab->owners.n;

	if (n && symtab->owners.at[n - 1] == owner && symtab->ends.at[n - 1] == start) {
		symtab->ends.at[n - 1] = end;
		return;
	}
	lode_vec_append(&symtab->starts, start);
	lode_vec_append(&symtab->ends, end);
	lode_vec_append(&symtab->owners, owner);
}

/* Sweeps over the starts and ends in order; at most two ranges per entry. */
static void make_ranges(struct lode_symtab *symtab, bool by_order)
{
	const struct lode_symtab_entry *entry = symtab->entries.at;
	struct ranking ranking = {.symtab = symtab, .by_order = by_order};
	size_t n = symtab->entries.n, i = 0;
	uint64_t at = 0;

	lode_vec_reserve(&symtab->starts, n);
	lode_vec_reserve(&symtab->ends, n);
	lode_vec_reserve(&symtab->owners, n);
	while (i < n || ranking.heap.n) {
		uint64_t end;
		uint32_t top;

		if (!ranking.heap.n) {
			at = entry[i].start;
			/* Nearly all overlap with no other. */
			if (at < entry[i].end &&
			    (i + 1 == n || entry[i + 1].start >= entry[i].end)) {
				add_range(symtab, at, entry[i].end, (uint32_t)i);
				i++;
				continue;
			}
		}
		for (; i < n && entry[i].start == at; i++)
			heap_push(&ranking, (uint32_t)i);
		while (ranking.heap.n && entry[ranking.heap.at[0]].end <= at)
			heap_pop(&ranking);
		if (!ranking.heap.n)
			continue;
		top = ranking.heap.at[0];
		end = entry[top].end;
		if (i < n && entry[i].start < end)
			end = entry[i].start;
		add_range(symtab, at, end, top);
		at = end;
	}
	lode_vec_release(&ranking.heap);
}

void lode_symtab_settle(struct lode_symtab *symtab, enum lode_symtab_rule rule)
{
	sort_entries(symtab);
	if (rule != LODE_SYMTAB_LAST_WINS) {
		fix_ends(symtab);
		drop_aliases(symtab);
	}
	make_ranges(symtab, rule == LODE_SYMTAB_LAST_WINS);
}

uint32_t lode_symtab_find(const struct lode_symtab *symtab, uint64_t address)
{
	size_t low = 0, high = symtab->starts.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symtab->starts.at[middle] <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= symtab->ends.at[low - 1])
		return LODE_NONE;
	return symtab->owners.at[low - 1];
}

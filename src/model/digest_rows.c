/* Compares and sorts the rows of a digest. */
#include "base/sorted.h"
#include "model/digest.h"

/*
 * Rows are long and their stacks are short: stacks are sorted, with the place of their row, by
 * counting, 11 bits at a time, so that three passes over 8 bytes a row do what a sort by comparison
 * needs some twenty passes over whole rows for. A stack has few rows in a symptom: what is left to
 * compare is next to nothing.
 */
enum {
	DIGIT_BITS = 11,
	N_DIGITS = 3,
	DIGIT_MASK = (1 << DIGIT_BITS) - 1,
	WORTH_IT = 256, /* rows: below, the counters alone cost more than comparing */
};

struct place {
	uint32_t stack, row;
};

int lode_digest_row_compare(const void *left, const void *right)
{
	const struct lode_digest_row *a = left, *b = right;

	if (a->symptom != b->symptom)
		return a->symptom < b->symptom ? -1 : 1;
	if (a->stack != b->stack)
		return a->stack < b->stack ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->reason != b->reason)
		return a->reason < b->reason ? -1 : 1;
	return (a->waker > b->waker) - (a->waker < b->waker);
}

/* Sorts by stack; `spare` is as long. Gives which of the two holds the result. */
static struct place *sort_places(struct place *places, struct place *spare, size_t n)
{
	uint32_t counts[N_DIGITS][DIGIT_MASK + 1] = {0};

	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < N_DIGITS; d++)
			counts[d][places[i].stack >> d * DIGIT_BITS & DIGIT_MASK]++;
	for (unsigned d = 0; d < N_DIGITS; d++) {
		unsigned shift = d * DIGIT_BITS;
		struct place *from = places;
		uint32_t next = 0, count;

		if (counts[d][places[0].stack >> shift & DIGIT_MASK] == n)
			continue; /* all have the same here */
		for (size_t digit = 0; digit <= DIGIT_MASK; digit++) {
			count = counts[d][digit];
			counts[d][digit] = next;
			next += count;
		}
		for (size_t i = 0; i < n; i++)
			spare[counts[d][from[i].stack >> shift & DIGIT_MASK]++] = from[i];
		places = spare;
		spare = from;
	}
	return places;
}

static void sort_by_comparison(struct lode_digest_row *rows, size_t n)
{
	lode_sort(rows, n, lode_digest_row_compare);
}

static void sort_symptom(struct lode_digest_row *rows, size_t n)
{
	struct place *places, *sorted;
	struct lode_digest_row *copy;

	if (n < WORTH_IT) {
		sort_by_comparison(rows, n);
		return;
	}
	places = lode_alloc(2 * n * sizeof(*places));
	copy = lode_alloc(n * sizeof(*copy));
	memcpy(copy, rows, n * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){rows[i].stack, (uint32_t)i};
	sorted = sort_places(places, places + n, n);
	for (size_t i = 0, first = 0; i < n; i++) {
		rows[i] = copy[sorted[i].row];
		if (i + 1 == n || sorted[i + 1].stack != sorted[i].stack) {
			sort_by_comparison(rows + first, i + 1 - first);
			first = i + 1;
		}
	}
	free(places);
	free(copy);
}

void lode_digest_rows_sort(struct lode_digest_row *rows, size_t n)
{
	for (size_t i = 0, first = 0; i < n; i++)
		if (i + 1 == n || rows[i + 1].symptom != rows[i].symptom) {
			sort_symptom(rows + first, i + 1 - first);
			first = i + 1;
		}
}

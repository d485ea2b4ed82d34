/* Compares and sorts the rows of a digest. */
#include "base/number_sort.h"
#include "base/sorted.h"
#include "model/digest.h"

/*
 * Rows are long and their stacks are short: stacks are sorted, with the place of their row, by
 * counting, 11 bits at a time, so that three passes over 8 bytes a row do what a sort by comparison
 * needs some twenty passes over whole rows for. A stack has few rows in a symptom: what is left to
 * compare is next to nothing.
 */
enum { WORTH_IT = 256 }; /* rows: below, the counters alone cost more than comparing */

int lode_digest_row_compare(const void *left, const void *right)
{
	const struct lode_digest_row *a = left, *b = right;
	int order = LODE_ORDER(a->symptom, b->symptom) ?: LODE_ORDER(a->stack, b->stack);

	order = order ?: LODE_ORDER(a->kind, b->kind) ?: LODE_ORDER(a->reason, b->reason);
	return order ?: LODE_ORDER(a->waker, b->waker);
}

static void sort_by_comparison(struct lode_digest_row *rows, size_t n)
{
	lode_sort(rows, n, lode_digest_row_compare);
}

static void sort_symptom(struct lode_digest_row *rows, size_t n)
{
	struct lode_keyed *places, *sorted;
	struct lode_digest_row *copy;

	if (n < WORTH_IT) {
		sort_by_comparison(rows, n);
		return;
	}
	places = lode_alloc(2 * n * sizeof(*places));
	copy = lode_alloc(n * sizeof(*copy));
	memcpy(copy, rows, n * sizeof(*copy));
	for (size_t i = 0; i < n; i++)
		places[i] = (struct lode_keyed){rows[i].stack, (uint32_t)i};
	sorted = lode_keyed_sort(places, places + n, n);
	for (size_t i = 0, first = 0; i < n; i++) {
		rows[i] = copy[sorted[i].item];
		if (i + 1 == n || sorted[i + 1].key != sorted[i].key) {
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

/* Sorts numbers by their digits. */
#include "base/number_sort.h"

#include "base/mem.h"

enum { DIGIT_BITS = 11, N_DIGITS = 3, N_BUCKETS = 1 << DIGIT_BITS, FEW = 64 };

static size_t digit_of(uint32_t key, unsigned digit)
{
	return key >> (digit * DIGIT_BITS) & (N_BUCKETS - 1);
}

/* Stable distributions by one digit after the other; digits that all keys share are passed over. */
struct lode_keyed *lode_keyed_sort(struct lode_keyed *items, struct lode_keyed *spare, size_t n)
{
	uint32_t starts[N_DIGITS][N_BUCKETS] = {{0}};

	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < N_DIGITS; d++)
			starts[d][digit_of(items[i].key, d)]++;
	for (unsigned d = 0; d < N_DIGITS && n; d++) {
		struct lode_keyed *from = items;
		uint32_t at = 0;

		if (starts[d][digit_of(from[0].key, d)] == n)
			continue;
		for (size_t b = 0; b < N_BUCKETS; b++) {
			uint32_t count = starts[d][b];

			starts[d][b] = at;
			at += count;
		}
		for (size_t i = 0; i < n; i++)
			spare[starts[d][digit_of(from[i].key, d)]++] = from[i];
		items = spare;
		spare = from;
	}
	return items;
}

/* ---- Rows ---- */

/* A number whose unsigned order is that of the value. */
static uint64_t key_of_value(double value)
{
	uint64_t bits;

	value += 0.0; /* -0 becomes 0 */
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Few rows: buckets would cost more. */
static void insert_rows(uint32_t *rows, size_t n, const double *column)
{
	for (size_t i = 1; i < n; i++) {
		uint32_t row = rows[i];
		size_t j = i;

		for (; j && column[rows[j - 1]] > column[row]; j--)
			rows[j] = rows[j - 1];
		rows[j] = row;
	}
}

/* Rows with equal keys may have values that differ in the bits that the key has no room for. */
static void sort_equal(uint32_t *rows, const struct lode_keyed *sorted, size_t n,
		       const double *column)
{
	for (size_t start = 0, end; start < n; start = end) {
		for (end = start + 1; end < n && sorted[end].key == sorted[start].key; end++)
			;
		for (size_t i = start + 1; i < end; i++) {
			if (column[rows[i]] < column[rows[i - 1]]) {
				lode_sort_rows(rows + start, end - start, column);
				break;
			}
		}
	}
}

/* Each round settles 32 bits of the values' range: at most two follow, on what is left equal. */
void lode_sort_rows(uint32_t *rows, size_t n, const double *column)
{
	uint64_t low = UINT64_MAX, high = 0;
	const struct lode_keyed *sorted;
	struct lode_keyed *keyed;
	unsigned shift = 0;

	if (n <= FEW) {
		insert_rows(rows, n, column);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t key = key_of_value(column[rows[i]]);

		low = key < low ? key : low;
		high = key > high ? key : high;
	}
	while ((high - low) >> shift > UINT32_MAX)
		shift++;
	keyed = lode_alloc(2 * n * sizeof(*keyed));
	for (size_t i = 0; i < n; i++)
		keyed[i] = (struct lode_keyed){
			(uint32_t)((key_of_value(column[rows[i]]) - low) >> shift), rows[i]};
	sorted = lode_keyed_sort(keyed, keyed + n, n);
	for (size_t i = 0; i < n; i++)
		rows[i] = sorted[i].item;
	if (shift)
		sort_equal(rows, sorted, n, column);
	free(keyed);
}

/* ---- Values ---- */

void lode_sort_doubles(double *values, size_t n)
{
	double *column = lode_alloc(n * sizeof(*column));
	uint32_t *rows = lode_alloc(n * sizeof(*rows));

	for (size_t i = 0; i < n; i++) {
		column[i] = values[i] + 0.0; /* -0 becomes 0 */
		rows[i] = (uint32_t)i;
	}
	lode_sort_rows(rows, n, column);
	for (size_t i = 0; i < n; i++)
		values[i] = column[rows[i]];
	free(rows);
	free(column);
}

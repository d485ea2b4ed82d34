/* Sorts rows by the values of a column. */
#include "engine/ripper/sorting.h"

#include "base/mem.h"

enum { DIGIT_BITS = 11, N_DIGITS = 6, N_BUCKETS = 1 << DIGIT_BITS };

/* A number whose unsigned order is that of the value. */
static uint64_t key_of_sorting(double value)
{
	uint64_t bits;

	value += 0.0; /* -0 becomes 0 */
	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

static size_t digit_of(uint64_t key, unsigned digit)
{
	return key >> (digit * DIGIT_BITS) & (N_BUCKETS - 1);
}

/* ---- Rows ---- */

/* A row, and where its value lies between the smallest and the largest: 32 bits of that. */
struct keyed {
	uint32_t key, row;
};

enum { KEY_DIGITS = 3, FEW = 64 };

static size_t key_digit(uint32_t key, unsigned digit)
{
	return key >> (digit * DIGIT_BITS) & (N_BUCKETS - 1);
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

/* Stable distributions by one digit after the other; digits that all keys share are passed over.
   Gives the one of the two that is sorted. */
static const struct keyed *distribute(struct keyed *from, struct keyed *to, size_t n)
{
	uint32_t starts[KEY_DIGITS][N_BUCKETS] = {{0}};

	for (size_t i = 0; i < n; i++)
		for (unsigned d = 0; d < KEY_DIGITS; d++)
			starts[d][key_digit(from[i].key, d)]++;
	for (unsigned d = 0; d < KEY_DIGITS; d++) {
		struct keyed *swapped = from;
		uint32_t at = 0;

		if (starts[d][key_digit(from[0].key, d)] == n)
			continue;
		for (size_t b = 0; b < N_BUCKETS; b++) {
			uint32_t count = starts[d][b];

			starts[d][b] = at;
			at += count;
		}
		for (size_t i = 0; i < n; i++)
			to[starts[d][key_digit(from[i].key, d)]++] = from[i];
		from = to;
		to = swapped;
	}
	return from;
}

/* Rows with equal keys may have values that differ in the bits that the key has no room for. */
static void sort_equal(uint32_t *rows, const struct keyed *sorted, size_t n, const double *column)
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
	const struct keyed *sorted;
	struct keyed *keyed;
	unsigned shift = 0;

	if (n <= FEW) {
		insert_rows(rows, n, column);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t key = key_of_sorting(column[rows[i]]);

		low = key < low ? key : low;
		high = key > high ? key : high;
	}
	while ((high - low) >> shift > UINT32_MAX)
		shift++;
	keyed = lode_alloc(2 * n * sizeof(*keyed));
	for (size_t i = 0; i < n; i++)
		keyed[i] =
			(struct keyed){(uint32_t)((key_of_sorting(column[rows[i]]) - low) >> shift),
				       rows[i]};
	sorted = distribute(keyed, keyed + n, n);
	for (size_t i = 0; i < n; i++)
		rows[i] = sorted[i].row;
	if (shift)
		sort_equal(rows, sorted, n, column);
	free(keyed);
}

/* ---- Values ---- */

static double value_of_sorting(uint64_t key)
{
	uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

void lode_sort_doubles(double *values, size_t n)
{
	uint64_t *keys = lode_alloc((2 * n + 1) * sizeof(*keys)), *from = keys, *to = keys + n;

	for (size_t i = 0; i < n; i++)
		from[i] = key_of_sorting(values[i]);
	for (unsigned digit = 0; digit < N_DIGITS && n > 1; digit++) {
		uint32_t starts[N_BUCKETS] = {0};
		uint32_t at = 0;
		uint64_t *swapped = from;

		for (size_t i = 0; i < n; i++)
			starts[digit_of(from[i], digit)]++;
		if (starts[digit_of(from[0], digit)] == n)
			continue;
		for (size_t b = 0; b < N_BUCKETS; b++) {
			uint32_t count = starts[b];

			starts[b] = at;
			at += count;
		}
		for (size_t i = 0; i < n; i++)
			to[starts[digit_of(from[i], digit)]++] = from[i];
		from = to;
		to = swapped;
	}
	for (size_t i = 0; i < n; i++)
		values[i] = value_of_sorting(from[i]);
	free(keys);
}

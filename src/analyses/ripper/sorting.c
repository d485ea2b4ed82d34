#include "analyses/ripper/sorting.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { DIGIT_BITS = 11, N_DIGITS = 6, N_BUCKETS = 1 << DIGIT_BITS };

struct keyed {
	uint64_t key;
	uint32_t row;
};

/* A number whose unsigned order is that of the value. */
static uint64_t key_of(double value)
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

/* One stable distribution by a digit; false when all keys have the same and nothing was done. */
static int distribute(struct keyed *to, const struct keyed *from, size_t n, unsigned digit)
{
	uint32_t starts[N_BUCKETS] = {0};
	uint32_t at = 0;

	for (size_t i = 0; i < n; i++)
		starts[digit_of(from[i].key, digit)]++;
	if (starts[digit_of(from[0].key, digit)] == n)
		return 0;
	for (size_t b = 0; b < N_BUCKETS; b++) {
		uint32_t count = starts[b];

		starts[b] = at;
		at += count;
	}
	for (size_t i = 0; i < n; i++)
		to[starts[digit_of(from[i].key, digit)]++] = from[i];
	return 1;
}

/* Few rows: the buckets would cost more. */
static void insert_sort(struct keyed *at, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct keyed item = at[i];
		size_t j = i;

		for (; j && at[j - 1].key > item.key; j--)
			at[j] = at[j - 1];
		at[j] = item;
	}
}

void lode_sort_rows(uint32_t *rows, size_t n, const double *column)
{
	struct keyed *keyed, *from, *to;

	if (n < 2)
		return;
	keyed = lode_alloc(2 * n * sizeof(*keyed));
	from = keyed;
	to = keyed + n;
	for (size_t i = 0; i < n; i++)
		from[i] = (struct keyed){key_of(column[rows[i]]), rows[i]};
	if (n <= 64) {
		insert_sort(from, n);
	} else {
		for (unsigned digit = 0; digit < N_DIGITS; digit++) {
			if (distribute(to, from, n, digit)) {
				struct keyed *swapped = from;

				from = to;
				to = swapped;
			}
		}
	}
	for (size_t i = 0; i < n; i++)
		rows[i] = from[i].row;
	free(keyed);
}

static double value_of(uint64_t key)
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
		from[i] = key_of(values[i]);
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
		values[i] = value_of(from[i]);
	free(keys);
}

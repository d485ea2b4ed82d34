/* Decides by a file's dates with slashes whether day or month is first. */
#include "base/date_order.h"

#include "base/ascii.h"
#include "base/mem.h"

enum { BLOCK_BYTES = 1 << 16, DATE_BYTES = 10 };

static int digits_of(const char *text, size_t len, size_t *n)
{
	int value = 0;

	for (*n = 0; *n < len && lode_is_digit(text[*n]); (*n)++)
		value = value < 10000 ? value * 10 + (text[*n] - '0') : value;
	return value;
}

size_t lode_date_slashed(int *first, int *second, const char *text, size_t len)
{
	size_t n, m, digits;
	int year;

	*first = digits_of(text, len, &n);
	if (!n || n > 2 || n >= len || text[n++] != '/')
		return 0;
	*second = digits_of(text + n, len - n, &m);
	n += m;
	if (!m || m > 2 || n >= len || text[n++] != '/')
		return 0;
	year = digits_of(text + n, len - n, &digits);
	return digits == 4 && year >= 1970 && *first >= 1 && *second >= 1 && *first <= 31 &&
			       *second <= 31 && (*first <= 12 || *second <= 12)
		       ? n
		       : 0;
}

/* What was seen: bit LODE_DATE_UNKNOWN for a date that leaves it open, and so on. `is_once`: up to
   the first date that decides. */
static unsigned look_at_dates(const char *text, size_t len, bool is_once)
{
	const char *end = text + len, *slash = text;
	unsigned seen = 0;
	int first, second;

	for (; (slash = memchr(slash, '/', (size_t)(end - slash))) != NULL; slash++) {
		const char *at = slash;

		while (at > text && slash - at < 2 && lode_is_digit(at[-1]))
			at--;
		/* A path such as /2026/11/28/2026 has no date. */
		if ((at > text && (lode_is_word(at[-1]) || at[-1] == '/')) ||
		    !lode_date_slashed(&first, &second, at, (size_t)(end - at)))
			continue;
		seen |= 1u << (first == second ? LODE_DATE_UNKNOWN
					       : lode_date_order_of(first, second));
		if (is_once && seen > 1u << LODE_DATE_UNKNOWN)
			break;
	}
	return seen;
}

static enum lode_date_order decide(unsigned seen)
{
	bool is_day = seen & 1u << LODE_DATE_DAY_FIRST,
	     is_month = seen & 1u << LODE_DATE_MONTH_FIRST;

	return is_day == is_month ? LODE_DATE_UNKNOWN
	       : is_day		  ? LODE_DATE_DAY_FIRST
				  : LODE_DATE_MONTH_FIRST;
}

enum lode_date_order lode_date_order_find(struct lode_input *input, const char *head, size_t size)
{
	unsigned seen = look_at_dates(head, size, false);
	/* Blocks overlap, so that each date is whole in one. */
	const size_t overlap = 2 * DATE_BYTES;
	int64_t at = size > overlap ? (int64_t)(size - overlap) : 0;
	struct lode_error ignored;
	ssize_t n = BLOCK_BYTES;
	char *block;

	if (seen != 1u << LODE_DATE_UNKNOWN || !lode_input_is_seekable(input))
		return decide(seen);
	block = lode_alloc(BLOCK_BYTES);
	for (; n == BLOCK_BYTES && seen == 1u << LODE_DATE_UNKNOWN;
	     at += (int64_t)(BLOCK_BYTES - overlap)) {
		n = lode_input_read_at(input, block, BLOCK_BYTES, at, &ignored);
		if (n > 0)
			seen |= look_at_dates(block, (size_t)n, true);
	}
	free(block);
	return decide(seen);
}

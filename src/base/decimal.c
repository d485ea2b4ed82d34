/* Decimal numbers in texts: whole ones, and those with decimals. */
#include "base/decimal.h"

enum {
	SAFE_DIGITS = 18,    /* cannot be too many for int64_t */
	MAX_EXPONENT = 1000, /* what is written beyond is no number */
	N_POWERS = 20,
};

bool lode_int_parse(int64_t *out, const char *text, size_t len)
{
	bool is_negative = len && *text == '-';
	uint64_t value = 0, most = (uint64_t)INT64_MAX + is_negative;
	size_t i = is_negative, safe = len < i + SAFE_DIGITS ? len : i + SAFE_DIGITS;

	if (i == len)
		return false;
	for (; i < safe; i++) {
		unsigned digit = (unsigned char)text[i] - '0';

		if (digit > 9)
			return false;
		value = 10 * value + digit;
	}
	for (; i < len; i++) {
		unsigned digit = (unsigned char)text[i] - '0';

		if (digit > 9 || value > (most - digit) / 10)
			return false;
		value = 10 * value + digit;
	}
	*out = (int64_t)(is_negative ? -value : value);
	return true;
}

bool lode_int32_parse(int32_t *out, const char *text, size_t len)
{
	int64_t value;

	if (!lode_int_parse(&value, text, len) || value < INT32_MIN || value > INT32_MAX)
		return false;
	*out = (int32_t)value;
	return true;
}

/* "e-05" at `at`; gives where it ends, or `at` when it is none. Cold, as the next one: not inlined,
   they cost short numbers nothing. */
__attribute__((cold)) static const char *take_exponent(int *out, const char *at, const char *end)
{
	const char *p = at + 1;
	bool is_negative = p < end && *p == '-';
	int value = 0;

	p += p < end && (*p == '-' || *p == '+');
	if (p == end || !lode_is_digit(*p))
		return at;
	for (; p < end && lode_is_digit(*p); p++) {
		value = value * 10 + (*p - '0');
		if (value >= MAX_EXPONENT)
			return at;
	}
	*out = is_negative ? -value : value;
	return p;
}

/* As lode_decimal_take behind the sign, for numbers of any length. */
__attribute__((cold)) static const char *take_long(struct lode_decimal *out, const char *at,
						   const char *end, bool may_be_comma)
{
	static const uint64_t most = (UINT64_MAX - 9) / 10; /* to which a digit can be added */
	const char *first = at;

	out->digits = 0;
	for (; at < end && out->digits <= most && lode_is_digit(*at); at++)
		out->digits = out->digits * 10 + (uint64_t)(*at - '0');
	if (at == end || (*at != '.' && (*at != ',' || !may_be_comma)))
		return at < end && lode_is_digit(*at) ? first : at;
	for (first = ++at; at < end && out->digits <= most && lode_is_digit(*at); at++)
		out->digits = out->digits * 10 + (uint64_t)(*at - '0');
	out->exponent = (int)(first - at);
	for (; at < end && lode_is_digit(*at); at++)
		out->is_cut |= *at != '0';
	return at;
}

size_t lode_decimal_take(struct lode_decimal *out, const char *text, size_t len, bool may_be_comma)
{
	bool is_negative = len && *text == '-';
	const char *start = text + (is_negative || (len && *text == '+')), *at = start;
	const char *end = text + len, *safe = end - at > SAFE_DIGITS ? at + SAFE_DIGITS : end;
	const char *first = NULL; /* behind the point */
	uint64_t digits = 0;	  /* not in `out`, which would be written for each */
	int exponent = 0;
	unsigned digit;

	for (; at < safe && (digit = (unsigned)*at - '0') <= 9; at++)
		digits = digits * 10 + digit;
	if (at < safe && (*at == '.' || (*at == ',' && may_be_comma)))
		for (first = ++at; at < safe && (digit = (unsigned)*at - '0') <= 9; at++)
			digits = digits * 10 + digit;
	*out = (struct lode_decimal){digits, first ? (int)(first - at) : 0, is_negative, false,
				     false};
	if (at == safe && at < end)
		at = take_long(out, start, end, may_be_comma);
	if (at - start <= (first != NULL))
		return 0;
	if (at < end && (*at == 'e' || *at == 'E')) {
		const char *behind = take_exponent(&exponent, at, end);

		out->has_exponent = behind > at;
		out->exponent += exponent;
		at = behind;
	}
	return (size_t)(at - text);
}

/* clang-format off */
static const uint64_t power_of_ten[N_POWERS] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
	10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
	1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
	10000000000000000000U,
};
/* clang-format on */

bool lode_decimal_scale(int64_t *out, const struct lode_decimal *d, int scale, bool is_nearest)
{
	int exponent = d->exponent + scale;
	uint64_t value = d->digits;

	if (exponent >= 0 && exponent < N_POWERS) {
		if (__builtin_mul_overflow(value, power_of_ten[exponent], &value))
			return false;
	} else if (exponent > 0) {
		if (value)
			return false;
	} else if (exponent > -N_POWERS) {
		uint64_t power = power_of_ten[-exponent], rest = value % power;

		value = value / power + (is_nearest && rest >= power / 2);
	} else {
		value = 0;
	}
	if (value > INT64_MAX)
		return false;
	*out = d->is_negative ? -(int64_t)value : (int64_t)value;
	return true;
}

bool lode_decimal_parse(int64_t *out, const char *text, size_t len, int scale)
{
	struct lode_decimal d;

	return len && lode_decimal_take(&d, text, len, false) == len &&
	       lode_decimal_scale(out, &d, scale, true);
}

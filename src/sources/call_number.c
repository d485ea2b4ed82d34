#include "sources/call_number.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct decimal {
	uint64_t digits; /* value = digits * 10^exponent */
	int exponent;
	bool is_negative, is_cut; /* digits beyond 64 bits were left out */
};

static bool add_digit(struct decimal *d, char c)
{
	unsigned digit = (unsigned)(c - '0');

	if (d->digits > (UINT64_MAX - digit) / 10)
		return false;
	d->digits = d->digits * 10 + digit;
	return true;
}

static bool parse_decimal(struct decimal *d, const char *text, size_t len)
{
	const char *at = text, *end = text + len;
	bool has_digits = false;

	*d = (struct decimal){0};
	if (at < end && (*at == '-' || *at == '+'))
		d->is_negative = *at++ == '-';
	for (; at < end && is_digit(*at); at++, has_digits = true)
		if (!add_digit(d, *at))
			return false;
	if (at < end && *at == '.')
		for (at++; at < end && is_digit(*at); at++, has_digits = true) {
			d->is_cut = d->is_cut || !add_digit(d, *at); /* beyond 19 digits: noise */
			d->exponent -= !d->is_cut;
		}
	if (has_digits && at < end && (*at == 'e' || *at == 'E')) {
		bool is_negative;
		int exponent = 0;

		at++;
		is_negative = at < end && *at == '-';
		at += at < end && (*at == '-' || *at == '+');
		if (at == end)
			return false;
		for (; at < end && is_digit(*at) && exponent < 1000; at++)
			exponent = exponent * 10 + (*at - '0');
		d->exponent += is_negative ? -exponent : exponent;
	}
	return has_digits && at == end;
}

bool lode_call_decimal(const char *text, size_t len, int scale, int64_t *out)
{
	struct decimal d;
	uint64_t value, rest = 0;

	if (!parse_decimal(&d, text, len))
		return false;
	value = d.digits;
	for (d.exponent += scale; d.exponent > 0 && value; d.exponent--) {
		if (value > UINT64_MAX / 10)
			return false;
		value *= 10;
	}
	for (; d.exponent < 0 && (value || rest); d.exponent++) {
		rest = value % 10;
		value /= 10;
	}
	value += rest >= 5;
	if (value > INT64_MAX)
		return false;
	*out = d.is_negative ? -(int64_t)value : (int64_t)value;
	return true;
}

bool lode_call_id(const char *text, size_t len, int32_t *out)
{
	struct decimal d;

	if (!parse_decimal(&d, text, len) || d.exponent != 0 || d.digits > INT32_MAX)
		return false;
	*out = d.is_negative ? -(int32_t)d.digits : (int32_t)d.digits;
	return true;
}

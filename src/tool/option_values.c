/* Parses values of options. */
#include "tool/option_values.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/memory_bound.h"
#include "base/private_file.h"

static int fail_option_values(const struct lode_option *option, const char *text,
			      const char *wanted, struct lode_error *err)
{
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "--%s: '%.60s' is not %s", option->name, text,
			 wanted);
}

/*
 * A decimal number at the front of `text`; `*rest` is what follows. No sign, no hex, no inf. An
 * integer is exact to its last digit: times on a trace's clock go beyond what a double holds.
 */
static bool parse_number(const char *text, int64_t *whole, double *value, const char **rest)
{
	size_t n_digits = strspn(text, "0123456789.");
	char *end;

	if (n_digits == 0 || n_digits > 30)
		return false;
	errno = 0;
	*whole = strtoll(text, &end, 10);
	if (errno || (*end == '.' && end == text))
		return false;
	*value = strtod(text, &end);
	*rest = end;
	/* strtod would also eat an exponent; "1e9" is more often a slip than meant. */
	return end == text + n_digits && isfinite(*value);
}

struct unit {
	const char *name;
	int64_t factor;
};

static bool apply_unit(const char *text, const struct unit *units, int64_t *out)
{
	const char *rest;
	double value;
	int64_t whole;

	if (!parse_number(text, &whole, &value, &rest))
		return false;
	for (; units->name; units++) {
		if (strcmp(rest, units->name) != 0)
			continue;
		if (!memchr(text, '.', (size_t)(rest - text)))
			return !__builtin_mul_overflow(whole, units->factor, out);
		if (value * (double)units->factor > 9e18)
			return false;
		*out = llround(value * (double)units->factor);
		return true;
	}
	return false;
}

static bool parse_size(const char *text, size_t *bytes)
{
	static const struct unit units[] = {
		{"", 1},	  {"B", 1},	   {"K", 1 << 10},   {"KB", 1 << 10},
		{"KiB", 1 << 10}, {"M", 1 << 20},  {"MB", 1 << 20},  {"MiB", 1 << 20},
		{"G", 1 << 30},	  {"GB", 1 << 30}, {"GiB", 1 << 30}, {"T", INT64_C(1) << 40},
		{NULL},
	};
	int64_t value;

	if (!apply_unit(text, units, &value))
		return false;
	*bytes = (size_t)value;
	return true;
}

int lode_set_flag(const struct lode_option *option, void *field, const char *text,
		  struct lode_error *err)
{
	(void)option;
	(void)text;
	(void)err;
	*(bool *)field = true;
	return 0;
}

int lode_set_noted(const struct lode_option *option, void *field, const char *text,
		   struct lode_error *err)
{
	(void)option;
	(void)field;
	(void)text;
	(void)err;
	return 0;
}

static int fail_empty(const struct lode_option *option, struct lode_error *err)
{
	return lode_fail(err, LODE_ERR_ARG, NULL, -1, "--%s requires a value: --%s %s",
			 option->name, option->name, option->argument);
}

int lode_set_text(const struct lode_option *option, void *field, const char *text,
		  struct lode_error *err)
{
	if (!*text)
		return fail_empty(option, err);
	*(const char **)field = text;
	return 0;
}

int lode_set_list(const struct lode_option *option, void *field, const char *text,
		  struct lode_error *err)
{
	lode_text_list *list = field;

	if (!*text)
		return fail_empty(option, err);
	lode_vec_append(list, text);
	return 0;
}

static bool parse_whole(const char *text, int64_t least, int64_t most, int64_t *value)
{
	double ignored;
	const char *rest;

	return parse_number(text, value, &ignored, &rest) && !*rest && !strchr(text, '.') &&
	       *value >= least && *value <= most;
}

#define WHOLE_SETTER(setter, type, least, most, wanted)                             \
	int setter(const struct lode_option *option, void *field, const char *text, \
		   struct lode_error *err)                                          \
	{                                                                           \
		int64_t value;                                                      \
                                                                                    \
		if (!parse_whole(text, least, most, &value))                        \
			return fail_option_values(option, text, wanted, err);       \
		*(type *)field = (type)value;                                       \
		return 0;                                                           \
	}
WHOLE_SETTER(lode_set_count, size_t, 0, INT64_MAX, "a number of 0 or more")
WHOLE_SETTER(lode_set_positive, size_t, 1, INT64_MAX, "a number of 1 or more")
WHOLE_SETTER(lode_set_unsigned, unsigned, 1, INT32_MAX, "a number of 1 or more")
WHOLE_SETTER(lode_set_id, int32_t, 0, INT32_MAX, "a number of 0 or more")
WHOLE_SETTER(lode_set_pid, int32_t, 1, INT32_MAX, "a process id")

int lode_set_duration(const struct lode_option *option, void *field, const char *text,
		      struct lode_error *err)
{
	if (!lode_duration_parse(field, text))
		return fail_option_values(option, text, "a duration such as 300ms, 1.5s or 2m",
					  err);
	return 0;
}

int lode_set_slowness(const struct lode_option *option, void *field, const char *text,
		      struct lode_error *err)
{
	struct lode_slowness_value *value = field;
	char *end;

	*value = (struct lode_slowness_value){0};
	if (*text != 'p')
		return lode_set_duration(option, &value->least_ns, text, err);
	value->percentile = strtod(text + 1, &end);
	if (end == text + 1 || *end || !(value->percentile > 0 && value->percentile < 100))
		return fail_option_values(
			option, text, "a duration such as 300ms, or a percentile such as p99", err);
	return 0;
}

int lode_set_some_time(const struct lode_option *option, void *field, const char *text,
		       struct lode_error *err)
{
	int64_t ns;

	if (!lode_duration_parse(&ns, text) || ns <= 0)
		return fail_option_values(option, text, "a time above 0, such as 300ms, 1.5s or 2m",
					  err);
	*(int64_t *)field = ns;
	return 0;
}

int lode_set_long_time(const struct lode_option *option, void *field, const char *text,
		       struct lode_error *err)
{
	enum { LEAST_NS = 1000000 };
	int64_t ns = 0;
	int rc = lode_set_some_time(option, &ns, text, err);

	if (rc < 0)
		return rc;
	if (ns < LEAST_NS)
		return lode_fail(err, LODE_ERR_ARG, NULL, -1,
				 "--%s: '%.60s' is less than a millisecond: give %.*ss or %.*sms",
				 option->name, text, (int)strspn(text, "0123456789."), text,
				 (int)strspn(text, "0123456789."), text);
	*(int64_t *)field = ns;
	return 0;
}

/* "10%" or, when `bare` is allowed, "0.1". */
static bool parse_share(const char *text, bool bare, double *share)
{
	const char *rest;
	int64_t ignored;

	if (!parse_number(text, &ignored, share, &rest))
		return false;
	if (strcmp(rest, "%") == 0)
		*share /= 100;
	else if (*rest || !bare)
		return false;
	return *share <= 1;
}

int lode_set_cost(const struct lode_option *option, void *field, const char *text,
		  struct lode_error *err)
{
	struct lode_cost_value *cost = field;
	struct lode_cost_value value = {0};

	if (!parse_share(text, false, &value.share)) {
		value.share = 0;
		if (!lode_clock_time_parse(&value.amount, text))
			return fail_option_values(
				option, text, "a cost such as 30s, 0.2% or a plain number", err);
	}
	if (value.share <= 0 && value.amount <= 0)
		return fail_option_values(option, text, "a cost above 0", err);
	*cost = value;
	return 0;
}

int lode_set_percent(const struct lode_option *option, void *field, const char *text,
		     struct lode_error *err)
{
	if (!parse_share(text, true, field))
		return fail_option_values(option, text, "a share such as 10% or 0.1", err);
	return 0;
}

int lode_set_some_share(const struct lode_option *option, void *field, const char *text,
			struct lode_error *err)
{
	double share;

	if (!parse_share(text, true, &share) || share <= 0)
		return fail_option_values(option, text, "a share above 0, such as 10% or 0.1", err);
	*(double *)field = share;
	return 0;
}

int lode_set_ratio(const struct lode_option *option, void *field, const char *text,
		   struct lode_error *err)
{
	bool is_negative = *text == '-';
	double value;

	if (!parse_share(text + is_negative, true, &value))
		return fail_option_values(option, text, "a number from -1 to 1", err);
	*(double *)field = is_negative ? -value : value;
	return 0;
}

int lode_set_top(const struct lode_option *option, void *field, const char *text,
		 struct lode_error *err)
{
	struct lode_top_value value = {.is_given = true};
	int64_t n;

	if (!parse_share(text, false, &value.share)) {
		value.share = 0;
		if (!parse_whole(text, 0, INT64_MAX, &n))
			return fail_option_values(
				option, text, "a share such as 15% or a number such as 20", err);
		value.n = (size_t)n;
	}
	*(struct lode_top_value *)field = value;
	return 0;
}

int lode_set_size(const struct lode_option *option, void *field, const char *text,
		  struct lode_error *err)
{
	if (!parse_size(text, field) || *(size_t *)field == 0)
		return fail_option_values(option, text, "a size such as 512M or 4G", err);
	return 0;
}

int lode_set_memory(const struct lode_option *option, void *field, const char *text,
		    struct lode_error *err)
{
	int rc = lode_set_size(option, field, text, err);

	if (rc == 0)
		lode_memory_keep_to(*(size_t *)field);
	return rc;
}

int lode_set_readers(const struct lode_option *option, void *field, const char *text,
		     struct lode_error *err)
{
	(void)option;
	return lode_readers_set_group(field, text, err);
}

/* One end of a span: "" open, "+1.5s" from the start of the recording, "1871.5s" on its clock. */
static bool parse_end(const char *text, int64_t open, int64_t *ns, bool *is_offset)
{
	*is_offset = false;
	*ns = open;
	if (!*text)
		return true;
	*is_offset = *text == '+';
	return *is_offset ? lode_duration_parse(ns, text + 1) : lode_clock_time_parse(ns, text);
}

int lode_set_span(const struct lode_option *option, void *field, const char *text,
		  struct lode_error *err)
{
	struct lode_time_span *span = field;
	const char *comma = strchr(text, ',');
	char from[64];

	if (!comma || (size_t)(comma - text) >= sizeof(from))
		return fail_option_values(option, text, "a time range FROM,TO such as +1s,+2.5s",
					  err);
	memcpy(from, text, (size_t)(comma - text));
	from[comma - text] = '\0';
	if (!parse_end(from, INT64_MIN, &span->from_ns, &span->is_from_offset) ||
	    !parse_end(comma + 1, INT64_MAX, &span->to_ns, &span->is_to_offset))
		return fail_option_values(option, text, "a time range FROM,TO such as +1s,+2.5s",
					  err);
	if (span->is_from_offset == span->is_to_offset && span->from_ns >= span->to_ns)
		return fail_option_values(option, text, "a time range: it ends before it starts",
					  err);
	return 0;
}

int lode_set_choice(const struct lode_option *option, void *field, const char *text,
		    struct lode_error *err)
{
	(void)err;
	for (int i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], text) == 0)
			*(int *)field = i;
	}
	return 0;
}

int lode_set_bits(const struct lode_option *option, void *field, const char *text,
		  struct lode_error *err)
{
	struct lode_bits_value *value = field;
	char wanted[256] = "a list of ";

	while (true) {
		size_t len = strcspn(text, ",");
		unsigned i = 0;

		while (value->names[i] &&
		       (strlen(value->names[i]) != len || memcmp(value->names[i], text, len) != 0))
			i++;
		if (!value->names[i])
			break;
		value->bits |= 1U << i;
		if (!text[len])
			return 0;
		text += len + 1;
	}
	for (unsigned i = 0; value->names[i]; i++) {
		size_t used = strlen(wanted);

		snprintf(wanted + used, sizeof(wanted) - used, "%s%s", i ? "," : "",
			 value->names[i]);
	}
	return fail_option_values(option, text, wanted, err);
}

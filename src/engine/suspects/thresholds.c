/* Thresholds of slow executions for each metric (PASD §III-C1; design §4). */
#include "engine/suspects/thresholds.h"

#include "base/duration.h"
#include "base/glob.h"

struct lode_thresholds lode_thresholds_of(const struct lode_moments *moments)
{
	return (struct lode_thresholds){
		.prune = lode_moments_bound(moments, -2),
		.success = lode_moments_bound(moments, 1),
		.failed = lode_moments_bound(moments, 2),
	};
}

/* Rounds towards smaller numbers, into what an int64_t holds. */
static int64_t floor_divide(__int128 a, __int128 b)
{
	__int128 q = a / b - (a % b < 0);

	if (q > INT64_MAX)
		return INT64_MAX;
	return q < INT64_MIN ? INT64_MIN : (int64_t)q;
}

/* floor(median + k·scale) */
static int64_t robust_bound(const struct lode_robust *r, int k)
{
	__int128 n = (__int128)r->n;

	/* Values are below 2^63 and there are fewer than 2^40: nothing exceeds 2^126. */
	if (r->mad4)
		return floor_divide((__int128)r->median2 * 20000 +
					    (__int128)k * 14826 * (__int128)r->mad4,
				    40000);
	return floor_divide((__int128)r->median2 * 10000 * n +
				    (__int128)k * 12533 * (__int128)r->distances2,
			    20000 * n);
}

struct lode_thresholds lode_thresholds_robust(const struct lode_robust *robust)
{
	return (struct lode_thresholds){
		.prune = robust_bound(robust, -2),
		.success = robust_bound(robust, 1),
		.failed = robust_bound(robust, 2),
	};
}

/* ---- By hand ---- */

static int wrong_rule(struct lode_error *err, const char *text)
{
	return lode_fail(err, LODE_ERR_ARG, NULL, -1,
			 "thresholds '%.80s': expected [METRICS=][PRUNE,]SUCCESS,FAILED, "
			 "ascending, such as 20ms,50ms or 'block:*=0,5ms,20ms'",
			 text);
}

int lode_threshold_rule_parse(struct lode_threshold_rule *rule, const char *text,
			      struct lode_arena *arena, struct lode_error *err)
{
	const char *equals = strrchr(text, '='), *at = equals ? equals + 1 : text, *comma;
	int64_t bounds[3];
	size_t n = 0;
	char *part;

	for (; at; at = comma ? comma + 1 : NULL) {
		comma = strchr(at, ',');
		part = lode_arena_strndup(arena, at, comma ? (size_t)(comma - at) : strlen(at));
		if (n == 3 || !lode_duration_parse(&bounds[n], part) ||
		    (n > 0 && bounds[n] < bounds[n - 1]))
			return wrong_rule(err, text);
		n++;
	}
	if (n < 2 || equals == text)
		return wrong_rule(err, text);
	rule->glob = equals ? lode_arena_strndup(arena, text, (size_t)(equals - text)) : NULL;
	rule->thresholds = (struct lode_thresholds){
		.prune = n == 3 ? bounds[0] : INT64_MIN,
		.success = bounds[n - 2],
		.failed = bounds[n - 1],
	};
	return 0;
}

const struct lode_threshold_rule *lode_threshold_rule_find(const lode_threshold_rules *rules,
							   const char *metric)
{
	for (size_t i = rules->n; i > 0; i--) {
		if (!rules->at[i - 1].glob || lode_glob_match(rules->at[i - 1].glob, metric))
			return &rules->at[i - 1];
	}
	return NULL;
}

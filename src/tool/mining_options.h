/*
 * Options that say how digests are mined: λ, rounds, clusters. Commands that mine share them.
 */
#pragma once

#include "engine/mine/mine.h"
#include "tool/option_values.h"

struct lode_mining_values {
	struct lode_cost_value min_cost;
	double prevalence, similarity;
	int64_t delay_ns;
	size_t patterns, max_patterns;
	bool is_classic;
	int linkage, rank; /* rank: LODE_UNSET until settled */
};

/* Choices in the order of the enums that they stand for. */
extern const char *const lode_linkage_choices[];

void lode_mining_values_init(struct lode_mining_values *values);

/* Sets what was not given: --classic ranks by the average event. */
void lode_mining_values_settle(struct lode_mining_values *values);

/* NULL, or what is wrong with them. */
const char *lode_mining_values_misuse(const struct lode_mining_values *values);

/* Without progress; whether kinds of events are apart is the streams' to say. */
struct lode_mine_options lode_mining_values_options(const struct lode_mining_values *values,
						    unsigned n_threads);

/* How λ was chosen, in words. */
enum { LODE_LAMBDA_WORDS_BYTES = 128 };
const char *lode_lambda_words(const struct lode_mining_values *values, char *buffer, size_t size);

/* Entries of an option table that stand alone: of a `double`, and of an `int`. */
#define LODE_SIMILARITY_OPTION(at)                                                             \
	LODE_OPTION("similarity", "X", lode_set_percent, (at),                                 \
		    "cut clusters at this similarity only, 0 to 1, as in the paper (default: " \
		    "derived from the data)")
#define LODE_RANK_OPTION(at, what, ...)                                                      \
	LODE_OPTION("rank", "BY", lode_set_choice, (at), what, .choices = lode_rank_choices, \
		    __VA_ARGS__)

/* Entries of an option table; `at` is the offset of struct lode_mining_values in the values. */
#define LODE_MINING_OPTIONS(at)                                                                    \
	LODE_OPTION("min-cost", "COST", lode_set_cost,                                             \
		    (at) + offsetof(struct lode_mining_values, min_cost),                          \
		    "minimum cost λ of a pattern: 30s, a share of the area of interest (default " \
		    "0.2%), or a plain number in the unit of the input",                           \
		    .group = "Mining"),                                                            \
		LODE_OPTION("prevalence", "SHARE", lode_set_some_share,                            \
			    (at) + offsetof(struct lode_mining_values, prevalence),                \
			    "with --delay: the paper's rule of thumb, λ = prevalence x delay x "  \
			    "recordings"),                                                         \
		LODE_OPTION("delay", "TIME", lode_set_some_time,                                   \
			    (at) + offsetof(struct lode_mining_values, delay_ns),                  \
			    "see --prevalence"),                                                   \
		LODE_OPTION("patterns", "N", lode_set_positive,                                    \
			    (at) + offsetof(struct lode_mining_values, patterns),                  \
			    "choose the smallest λ with at most N patterns over all rounds"),      \
		LODE_OPTION("max-patterns", "N", lode_set_positive,                                \
			    (at) + offsetof(struct lode_mining_values, max_patterns),              \
			    "stop after N patterns and suggest a suitable λ (default 100000)"),    \
		LODE_FLAG("classic", (at) + offsetof(struct lode_mining_values, is_classic),       \
			  "exactly as in the paper: --scope graph, --stacks own, waiting and "     \
			  "running events mined separately, one round, ranked by average event"),  \
		LODE_OPTION(                                                                       \
			"linkage", "KIND", lode_set_choice,                                        \
			(at) + offsetof(struct lode_mining_values, linkage),                       \
			"similarity of clusters: average (default), complete or single linkage",   \
			.choices = lode_linkage_choices),                                          \
		LODE_SIMILARITY_OPTION((at) + offsetof(struct lode_mining_values, similarity))

/*
 * Options that say how digests are mined: λ, rounds, clusters. Commands that mine share them.
 */
#ifndef LODE_MINING_OPTIONS_H
#define LODE_MINING_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Sets what was not given: --classic ranks by average. */
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
#define LODE_SIMILARITY_OPTION(at)                                                            \
	{                                                                                     \
		.name = "similarity", .argument = "X",                                        \
		.help = "least similarity of clusters that are merged, 0 to 1 (default 0.5)", \
		.set = lode_set_percent, .offset = (at)                                       \
	}
#define LODE_RANK_OPTION(at, what, ...)                                                   \
	{                                                                                 \
		.name = "rank", .argument = "BY", .help = (what), .set = lode_set_choice, \
		.choices = lode_rank_choices, .offset = (at), __VA_ARGS__                 \
	}

/* Entries of an option table; `at` is the offset of struct lode_mining_values in the values. */
#define LODE_MINING_OPTIONS(at)                                                                   \
	{.name = "min-cost",                                                                      \
	 .argument = "COST",                                                                      \
	 .help = "the least cost λ of a pattern: 30s, a share such as 0.2% of the area of "      \
		 "interest (default), or a bare number in the input's own unit",                  \
	 .set = lode_set_cost,                                                                    \
	 .offset = (at) + offsetof(struct lode_mining_values, min_cost),                          \
	 .group = "Mining"},                                                                      \
		{.name = "prevalence",                                                            \
		 .argument = "SHARE",                                                             \
		 .help = "with --delay, the paper's rule of thumb: λ = prevalence x delay x "    \
			 "streams",                                                               \
		 .set = lode_set_some_share,                                                      \
		 .offset = (at) + offsetof(struct lode_mining_values, prevalence)},               \
		{.name = "delay",                                                                 \
		 .argument = "TIME",                                                              \
		 .help = "see --prevalence",                                                      \
		 .set = lode_set_some_time,                                                       \
		 .offset = (at) + offsetof(struct lode_mining_values, delay_ns)},                 \
		{.name = "patterns",                                                              \
		 .argument = "N",                                                                 \
		 .help = "the smallest λ that gives at most N patterns, those of all rounds "    \
			 "counted",                                                               \
		 .set = lode_set_positive,                                                        \
		 .offset = (at) + offsetof(struct lode_mining_values, patterns)},                 \
		{.name = "max-patterns",                                                          \
		 .argument = "N",                                                                 \
		 .help = "stop, and name a λ that fits, past N patterns (default 100000)",        \
		 .set = lode_set_positive,                                                        \
		 .offset = (at) + offsetof(struct lode_mining_values, max_patterns)},             \
		{.name = "classic",                                                               \
		 .help = "the paper to the letter: scope graph, own stacks, waiting and running " \
			 "events mined apart, one round, ranked by average",                      \
		 .set = lode_set_flag,                                                            \
		 .offset = (at) + offsetof(struct lode_mining_values, is_classic)},               \
		{.name = "linkage",                                                               \
		 .argument = "KIND",                                                              \
		 .help = "how alike clusters are: average (default), complete or single linkage", \
		 .set = lode_set_choice,                                                          \
		 .choices = lode_linkage_choices,                                                 \
		 .offset = (at) + offsetof(struct lode_mining_values, linkage)},                  \
		LODE_SIMILARITY_OPTION((at) + offsetof(struct lode_mining_values, similarity))

#endif

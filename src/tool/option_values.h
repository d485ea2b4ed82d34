/*
 * Values of options: what may stand behind `--name`, and how it is read.
 *
 * Each setter fits lode_option.set and fills a field of the type named beside it.
 */
#pragma once

#include "base/duration.h"
#include "tool/options.h"

/* A cost: an amount in the input's unit (ns for recordings), or a share of the whole. */
struct lode_cost_value {
	int64_t amount; /* 0: not given as an amount */
	double share;	/* 0: not given as a share; 0.002 is 0.2 % */
};

/* How much of a list: its first n, or a share of it; n = 0 and share = 0: all of it. */
struct lode_top_value {
	bool is_given;
	size_t n;
	double share;
};

lode_option_setter lode_set_flag;	/* bool */
lode_option_setter lode_set_noted;	/* nothing: the parser keeps it (--force) */
lode_option_setter lode_set_text;	/* const char * */
lode_option_setter lode_set_list;	/* lode_text_list */
lode_option_setter lode_set_count;	/* size_t, 0 and up */
lode_option_setter lode_set_positive;	/* size_t, 1 and up */
lode_option_setter lode_set_unsigned;	/* unsigned, 1 and up */
lode_option_setter lode_set_id;		/* int32_t, 0 and up: a CPU */
lode_option_setter lode_set_pid;	/* int32_t, 1 and up */
lode_option_setter lode_set_slowness;	/* struct lode_slowness_value: 300ms or p99 */
lode_option_setter lode_set_duration;	/* int64_t ns: 300ms, 1.5s, 2m; a bare number is seconds */
lode_option_setter lode_set_some_time;	/* int64_t ns, above 0 */
lode_option_setter lode_set_long_time;	/* int64_t ns, 1 ms and up */
lode_option_setter lode_set_cost;	/* struct lode_cost_value: 30s, 0.2%, 5000 */
lode_option_setter lode_set_percent;	/* double 0..1: 10%, or 0.1 */
lode_option_setter lode_set_some_share; /* double above 0, up to 1 */
lode_option_setter lode_set_ratio;	/* double -1..1 */
lode_option_setter lode_set_top;	/* struct lode_top_value: 15%, 20, 0 */
lode_option_setter lode_set_size;	/* size_t bytes: 4G, 512M, 100K */
lode_option_setter lode_set_memory;	/* the same, and the process keeps to it from then on */
lode_option_setter lode_set_readers;	/* struct lode_readers: a group */
lode_option_setter lode_set_span;	/* struct lode_time_span: FROM,TO */
lode_option_setter lode_set_choice;	/* int: index into the option's choices */
lode_option_setter lode_set_bits;	/* struct lode_bits_value: names joined by commas */

/*
 * For lode_set_bits, whose value is a list joined by commas: the option's choices cannot be checked
 * as one word, so they stand in the field beside the bits.
 */
struct lode_bits_value {
	const char *const *names; /* NULL-terminated; set before parsing */
	unsigned bits;		  /* bit i for names[i] */
};

/* For lode_set_slowness: one of the two. */
struct lode_slowness_value {
	int64_t least_ns;
	double percentile;
};

/* An entry without a value: sets a bool. */
#define LODE_FLAG(long_name, at, what, ...) \
	LODE_OPTION(long_name, NULL, lode_set_flag, at, what, __VA_ARGS__)

#define LODE_MEMORY_OPTION(place)                                                               \
	LODE_OPTION("memory", "SIZE", lode_set_memory, (place),                                 \
		    "memory limit, such as 4G; larger data goes to a temporary file (default: " \
		    "half of the memory available to this process)",                            \
		    .is_aside = true)

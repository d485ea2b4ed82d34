/*
 * What `lode pio` reads: request logs and counters, of one or several periods.
 *
 *   --log access.log --counters web=web.csv --counters db.csv --then --log ... --counters ...
 */
#ifndef LODE_PIO_INPUTS_H
#define LODE_PIO_INPUTS_H

#include "analyses/pio/model.h"
#include "analyses/pio/request_log.h"
#include "cli/command.h"
#include "cli/option_values.h"
#include "model/counters.h"
#include "sources/log/request_source.h"

enum pio_input_kind { PIO_LOG, PIO_COUNTERS, PIO_THEN };

struct pio_input {
	enum pio_input_kind kind;
	const char *text; /* borrowed from argv */
};
typedef LODE_VEC(struct pio_input) pio_input_list;

/* Fit --log, --counters and --then; the field is a pio_input_list. */
lode_option_setter pio_set_input;

struct pio_inputs {
	pio_input_list list;
	struct lode_log_options log;
	unsigned n_threads;
	size_t memory_bytes; /* 0: not given */
};

/* One period, read. */
struct pio_period {
	struct lode_request_log requests; /* has_log only */
	struct lode_counters counters;
	struct lode_counter_log *raw;
	bool has_log;
};

/* Number of periods that the list names. */
size_t pio_inputs_periods(const pio_input_list *list);

/*
 * Reads the counters of period `number` into period->raw. Gives an exit code: OK, INCOMPLETE when a
 * file was skipped (said), or another when nothing could be used.
 */
int pio_read_counters(const struct lode_command *self, const struct pio_inputs *inputs,
		      size_t number, struct pio_period *period);
/*
 * How large a grid of so many counters may be: what is beyond --memory goes to files, and eight
 * times as much in all is refused, with what it would take.
 */
struct lode_counter_bound pio_grid_bound(const struct pio_inputs *inputs, size_t n_counters);
/* Puts them on the grid, and lets the raw samples go. */
int pio_align(const struct lode_command *self, int64_t step_ns,
	      const struct lode_counter_bound *bound, struct pio_period *period);
/* Reads the logs of period `number`; the period's request log was set up by the caller. */
int pio_read_logs(const struct lode_command *self, const struct pio_inputs *inputs, size_t number,
		  struct pio_period *period, struct lode_request_names *names);
void pio_period_release(struct pio_period *period);
/* Says what could not be read of one input: a line per kind of loss. Gives an exit code. */
int pio_say_losses(const struct lode_command *self, const struct lode_losses *losses);
/* The worse of two exit codes. */
int pio_worse(int a, int b);

extern const char *const pio_order_choices[];

/* What commands with a trained model share; offsets of a `const char *`, a size_t and a bool. */
#define PIO_MODEL_OPTION(place)                                              \
	{                                                                    \
		.name = "model", .letter = 'm', .argument = "FILE",          \
		.help = "what `lode pio train` wrote", .set = lode_set_text, \
		.file = LODE_FILE_READ, .offset = (place), .group = "Model"  \
	}
#define PIO_TOP_OPTION(place, defaults)                                                         \
	{                                                                                       \
		.name = "top", .letter = 'n', .argument = "N", .help = "longest list" defaults, \
		.set = lode_set_count, .offset = (place)                                        \
	}
#define PIO_JSON_OPTION(place, what)                                                  \
	{                                                                             \
		.name = "json", .help = what " (docs/json.md)", .set = lode_set_flag, \
		.offset = (place)                                                     \
	}

#define PIO_INPUT_OPTIONS(at)                                                                     \
	{                                                                                         \
		.name = "log",                                                                    \
		.letter = 'l',                                                                    \
		.argument = "FILE",                                                               \
		.help = "a request log; may be repeated (rotated files)",                         \
		.set = pio_set_input,                                                             \
		.file = LODE_FILE_READ,                                                           \
		.offset = (at) + offsetof(struct pio_inputs, list),                               \
		.group = "What is read",                                                          \
	},                                                                                        \
		{                                                                                 \
			.name = "counters",                                                       \
			.letter = 'c',                                                            \
			.argument = "[SERVER=]FILE",                                              \
			.help = "counters of a server: a file, a folder of them, or "             \
				"prometheus:URL (docs/formats/counters.md); named by the "        \
				"file if SERVER is not given; may be repeated",                   \
			.set = pio_set_input,                                                     \
			.file = LODE_FILE_READ,                                                   \
			.offset = (at) + offsetof(struct pio_inputs, list),                       \
		},                                                                                \
		{                                                                                 \
			.name = "format",                                                         \
			.argument = "FORMAT",                                                     \
			.help = "the log's format: nginx's log_format or Apache's LogFormat "     \
				"text, or combined, haproxy, w3c, json, csv (default: told from " \
				"the first lines)",                                               \
			.set = lode_set_text,                                                     \
			.offset = (at) + offsetof(struct pio_inputs, log.format),                 \
		},                                                                                \
		{                                                                                 \
			.name = "fields",                                                         \
			.argument = "LIST",                                                       \
			.help = "which fields mean what: "                                        \
				"time=ts,response=took:ms,action=route,user=uid",                 \
			.set = lode_set_text,                                                     \
			.offset = (at) + offsetof(struct pio_inputs, log.fields),                 \
		},                                                                                \
		{                                                                                 \
			.name = "action",                                                         \
			.argument = "RULE",                                                       \
			.help = "URL to action: path, last, first or REGEX=>TEXT (default: the "  \
				"path, ids in it become *)",                                      \
			.set = lode_set_text,                                                     \
			.offset = (at) + offsetof(struct pio_inputs, log.action),                 \
		},                                                                                \
		{                                                                                 \
			.name = "threads",                                                        \
			.letter = 'j',                                                            \
			.argument = "N",                                                          \
			.help = "use N threads (default: all CPUs); the result is the same for "  \
				"any N",                                                          \
			.set = lode_set_unsigned,                                                 \
			.offset = (at) + offsetof(struct pio_inputs, n_threads),                  \
		},                                                                                \
		LODE_MEMORY_OPTION((at) + offsetof(struct pio_inputs, memory_bytes))

#endif

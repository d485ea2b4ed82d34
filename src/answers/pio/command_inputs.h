/*
 * Options that the parts of `lode pio` share, and what they say of their inputs.
 *
 *   --log access.log --counters web=web.csv --counters db.csv --then --log ... --counters ...
 */
#pragma once

#include "answers/pio/pio.h"
#include "tool/command.h"
#include "tool/option_values.h"

/* The parts: each is a command of its own behind that word. */
extern const struct lode_command lode_cmd_pio_train, lode_cmd_pio_analyse, lode_cmd_pio_show,
	lode_cmd_pio_compare, lode_cmd_pio_watch;

typedef LODE_VEC(struct lode_pio_input) lode_pio_input_list;

/* Fits --log, --counters and --then; the field is a lode_pio_input_list. */
lode_option_setter lode_set_pio_input;

struct lode_pio_input_values {
	lode_pio_input_list list; /* texts are borrowed from argv */
	struct lode_log_options log;
	const char *entity_label;
	unsigned n_threads;
	size_t memory_bytes; /* 0: not given */
};

/* What a request takes of them. */
struct lode_pio_inputs lode_pio_inputs_of(const struct lode_pio_input_values *values);
/*
 * What is wrong with the command line of any part: operands, the log's format, or a model that is
 * not given (`model` is what was; needed by all but training). Gives an exit code, and has said it.
 */
int lode_pio_misuse(const struct lode_command *self, const struct lode_pio_input_values *values,
		    const char *operand);
int lode_pio_model_misuse(const struct lode_command *self, const char *model);

/* "2026-11-28T05:00:15Z", or seconds since 1970. */
bool lode_pio_parse_time(int64_t *out, const char *text);

/* Says all notes. Gives the exit code that they stand for. */
int lode_pio_say_notes(const struct lode_command *self, const struct lode_pio_notes *notes);
/* The worse of two exit codes. */
int lode_pio_worse(int a, int b);

/* What commands with a trained model share; offsets of a `const char *`, a size_t and a bool. */
#define LODE_PIO_MODEL_OPTION(place)                                        \
	LODE_OPTION("model", "FILE", lode_set_text, (place),                \
		    "the model written by `lode pio train`", .letter = 'm', \
		    .file = LODE_FILE_READ, .group = "Model")
#define LODE_PIO_TOP_OPTION(place, defaults)                                                \
	LODE_OPTION("top", "N", lode_set_count, (place), "maximum number of rows" defaults, \
		    .letter = 'n', .is_aside = true)
#define LODE_PIO_JSON_OPTION(place, what) \
	LODE_FLAG("json", (place), what " (docs/json.md)", .is_aside = true)

#define LODE_PIO_INPUT_OPTIONS(at)                                                                 \
	LODE_OPTION("log", "FILE", lode_set_pio_input,                                             \
		    (at) + offsetof(struct lode_pio_input_values, list),                           \
		    "a request log; may be repeated (rotated files)", .letter = 'l',               \
		    .file = LODE_FILE_READ, .group = "Input"),                                     \
		LODE_OPTION("counters", "[SERVER=]FILE", lode_set_pio_input,                       \
			    (at) + offsetof(struct lode_pio_input_values, list),                   \
			    "counters of a server: a file, a folder of files, or prometheus:URL "  \
			    "(docs/formats/counters.md); SERVER defaults to the file name; may "   \
			    "be repeated",                                                         \
			    .letter = 'c', .file = LODE_FILE_READ),                                \
		LODE_OPTION("format", "FORMAT", lode_set_text,                                     \
			    (at) + offsetof(struct lode_pio_input_values, log.format),             \
			    "format of the log: nginx's log_format or Apache's LogFormat string, " \
			    "or combined, haproxy, w3c, json, csv (default: detected from the "    \
			    "first lines)"),                                                       \
		LODE_OPTION("fields", "LIST", lode_set_text,                                       \
			    (at) + offsetof(struct lode_pio_input_values, log.fields),             \
			    "names of the log's fields: "                                          \
			    "time=ts,response=took:ms,action=route,user=uid"),                     \
		LODE_OPTION("action", "RULE", lode_set_text,                                       \
			    (at) + offsetof(struct lode_pio_input_values, log.action),             \
			    "mapping from URL to action: path, last, first or REGEX=>TEXT "        \
			    "(default: the path, with ids replaced by *)"),                        \
		LODE_OPTION("threads", "N", lode_set_unsigned,                                     \
			    (at) + offsetof(struct lode_pio_input_values, n_threads),              \
			    "use N threads (default: all CPUs); the result does not depend on N",  \
			    .letter = 'j', .is_aside = true),                                      \
		LODE_MEMORY_OPTION((at) + offsetof(struct lode_pio_input_values, memory_bytes))

/* The command line of lode info. */
#include "answers/info/info.h"
#include "base/pool.h"
#include "tool/command.h"
#include "tool/terminal.h"
#include "tool/reading_options.h"
#include "tool/messages.h"
#include "tool/output_options.h"

struct info_values {
	struct lode_input_options input;
	size_t top;
	bool wants_json;
};

#define AT(field) offsetof(struct info_values, field)

static const struct lode_option options[] = {
	LODE_JSON_OPTION(AT(wants_json), "docs/json.md", .group = "Output"),
	LODE_TOP_OPTION(AT(top), "(default 8 on the page, 50 in JSON; 0: all)"),
	LODE_NARROW_OPTIONS(AT(input)),
	LODE_SYMBOL_OPTIONS(AT(input)),
	LODE_MACHINE_OPTIONS(AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Can this recording be trusted?", "lode info perf.data"},
	{"The same for every recording of a folder", "lode info recordings/"},
	{"How can the recording be improved?", "lode info --json perf.data | jq -r '.advice[]'"},
	{NULL},
};

/* What is said while inputs are read, and what it comes to. */
struct info_output {
	const struct lode_command *command;
	bool wants_json;
	size_t n_shown, n_bad;
	int exit_of_none; /* when no input can be read */
};

/* What makes the exit code 1 is said where messages go, as lode mine does. */
static void tell_info(void *context, const struct lode_info_news *news)
{
	struct info_output *o = context;
	struct lode_text_page page = lode_stdout_page();
	const struct lode_info_stream *stream = news->stream;

	lode_say_other_files(o->command, news->n_other);
	/* A file that cannot be opened is no failure of lode's. */
	if (news->skipped && lode_say_error(o->command, news->skipped) == LODE_EXIT_USAGE)
		o->exit_of_none = LODE_EXIT_USAGE;
	if (stream && !o->wants_json) {
		fputs(o->n_shown ? "\n" : "", stdout);
		lode_info_text(lode_paged_stdout(), stream, &page);
	}
	if (stream && stream->cut) {
		struct lode_skipped_input input = {(char *)stream->path, (char *)stream->cut};

		lode_say_incomplete(o->command, &input, 1);
	}
	o->n_shown += stream != NULL;
	o->n_bad += news->skipped || (stream && stream->cut);
}

static int info_command_answer(const struct lode_command *self, const struct info_values *v,
			       const struct lode_asked *asked, char **inputs, size_t n)
{
	struct info_output o = {
		.command = self,
		.wants_json = v->wants_json,
		.exit_of_none = LODE_EXIT_NOTHING,
	};
	struct lode_info_request request = {
		.inputs = inputs,
		.n_inputs = n,
		.source = {.narrow = lode_input_options_narrow(&v->input),
			   .n_threads = v->input.n_threads ? v->input.n_threads : lode_pool_cpus(),
			   .memory_bytes = v->input.memory_bytes,
			   .folded_kind = (enum lode_event_kind)v->input.folded_kind,
			   .unit = v->input.unit},
		.symbols = v->input.symbols,
		.top = v->top,
		.asked = asked,
		.tell = tell_info,
		.context = &o,
	};
	struct lode_info_answer *answer;
	struct lode_error err;
	int code;

	if (lode_info_run(&answer, &request, &err) < 0)
		code = lode_say_error(self, &err);
	else
		code = !o.n_shown ? o.exit_of_none : o.n_bad ? LODE_EXIT_INCOMPLETE : LODE_EXIT_OK;
	/* Nothing usable, nothing written. */
	if (v->wants_json && answer->n_streams)
		lode_document_put(stdout, &lode_info_document, answer, NULL);
	lode_info_free(answer);
	return code;
}

static int info_command_run(const struct lode_command *self, int argc, char **argv)
{
	struct info_values values = {.top = SIZE_MAX};
	struct lode_asked asked;
	int n, code;

	lode_input_options_init(&values.input);
	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n == 0)
		return lode_command_misused(self, "give a recording");
	values.top = lode_longest_list(values.top, false, values.wants_json, 8);
	lode_asked_make(&asked, self, argc, argv, n, &lode_cmd_mine);
	code = info_command_answer(self, &values, &asked, argv, (size_t)n);
	lode_asked_release(&asked);
	return code;
}

const struct lode_command lode_cmd_info = {
	.name = "info",
	.summary = "show what a recording contains and how reliable it is",
	.usage = "[OPTION]... RECORDING...",
	.description = "Shows what was recorded and where, what was lost, how much of the cost has "
		       "broken stacks, missing symbols or unknown wakers, which analyses the "
		       "recording supports, and how to record it better. Most wrong results of "
		       "tracing tools come from poor recordings.",
	.options = options,
	.examples = examples,
	.run = info_command_run,
};

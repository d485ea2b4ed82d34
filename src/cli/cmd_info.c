#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyses/quality/quality.h"
#include "base/pool.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/input_options.h"
#include "cli/messages.h"
#include "cli/output_options.h"
#include "reports/info_report.h"
#include "reports/json.h"
#include "reports/json_parts.h"
#include "sources/bundle_notes.h"
#include "store/digest_file.h"

struct info_values {
	struct lode_input_options input;
	size_t top;
	bool wants_json;
};

#define AT(field) .offset = offsetof(struct info_values, field)

static const struct lode_option options[] = {
	LODE_JSON_OPTION(offsetof(struct info_values, wants_json), "docs/json.md",
			 .group = "Output"),
	LODE_TOP_OPTION(offsetof(struct info_values, top),
			"(default 8 on the page, 50 in JSON; 0: no bound)"),
	LODE_NARROW_OPTIONS(offsetof(struct info_values, input)),
	LODE_SYMBOL_OPTIONS(offsetof(struct info_values, input)),
	LODE_MACHINE_OPTIONS(offsetof(struct info_values, input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Can this recording be trusted?", "lode info perf.data"},
	{"The same for every recording of a folder", "lode info recordings/"},
	{"What should be recorded better?", "lode info --json perf.data | jq -r '.advice[]'"},
	{NULL},
};

/* What one run comes to, and the document that it writes. */
struct output {
	const struct lode_command *command;
	const struct info_values *values;
	bool is_list;		/* more than one stream: the document has a list of them */
	struct lode_json *json; /* opened with the first stream: nothing usable, nothing written */
	size_t n_shown, n_bad;
	LODE_VEC(struct lode_skipped_input) skipped;
	struct lode_arena arena;
	int worst_exit; /* of what could not be read, when nothing could be */
};

/* What makes the exit code 1 is said where messages go, as lode mine does. */
static void say_incomplete(struct output *o, const struct lode_stream *stream)
{
	char *cut = lode_job_cut_text(&stream->losses);
	struct lode_skipped_input input = {.path = (char *)stream->path, .reason = cut};

	if (!cut)
		return;
	o->n_bad++;
	lode_say_incomplete(o->command, &input, 1);
	free(cut);
}

static void show_json(struct output *o, const struct lode_info_report *report)
{
	if (!o->json) {
		o->json = lode_json_open(stdout, "lode/info/1");
		if (o->is_list)
			lode_json_array(o->json, "streams");
	}
	if (o->is_list)
		lode_json_object(o->json, NULL);
	lode_info_report_json(o->json, report);
	if (o->is_list)
		lode_json_end_object(o->json);
}

static void show(struct output *o, const struct lode_stream *stream)
{
	char *lacks = lode_bundle_lacks_read(stream->path);
	struct lode_quality quality;
	struct lode_info_report report = {
		.stream = stream,
		.quality = &quality,
		.lacks = lacks,
		.top = o->values->top,
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
	};

	lode_quality_assess(&quality, stream);
	if (o->values->wants_json) {
		show_json(o, &report);
	} else {
		fputs(o->n_shown ? "\n" : "", stdout);
		lode_info_report_text(stdout, &report);
	}
	o->n_shown++;
	say_incomplete(o, stream);
	lode_quality_release(&quality);
	free(lacks);
}

/* A digest has no events left to judge; who asks about one wants to know what it is for. */
static bool is_digest(const char *path, struct lode_error *err)
{
	struct lode_digest_origin origin = {0};
	uint8_t head[LODE_PEEK_BYTES];
	struct lode_input *input;
	char recordings[64] = "";
	bool is_one;
	ssize_t n;

	if (strcmp(path, "-") == 0 || lode_input_open(&input, path, NULL) < 0)
		return false;
	n = lode_input_peek(input, head, sizeof(head), NULL);
	is_one = n > 0 && lode_digest_recognise(head, (size_t)n);
	if (is_one && lode_digest_read(NULL, &origin, input, err) == 0) {
		snprintf(recordings, sizeof(recordings), " of %llu recording%s",
			 (unsigned long long)origin.n_inputs, origin.n_inputs == 1 ? "" : "s");
		lode_fail(err, LODE_ERR_UNSUPPORTED, path, -1,
			  "this is no recording but a digest%s: mine it (lode mine), or merge it "
			  "with others (lode digest --merge)",
			  recordings);
	}
	lode_digest_origin_release(&origin);
	lode_input_close(input);
	return is_one;
}

/* Says why an input is not shown, and keeps it for the document. */
static int skip(struct output *o, const char *path, const struct lode_error *err)
{
	char *reason = lode_job_reason(path, err);
	struct lode_skipped_input skipped = {
		lode_arena_strndup(&o->arena, path, strlen(path)),
		lode_arena_strndup(&o->arena, reason, strlen(reason)),
	};

	free(reason);
	lode_vec_append(&o->skipped, skipped);
	o->n_bad++;
	return lode_say_error(o->command, err);
}

static void load_and_show(struct output *o, const struct lode_source_options *source,
			  const char *path)
{
	struct lode_stream *stream;
	struct lode_error err;

	if (!is_digest(path, &err) && lode_stream_load(&stream, path, source, &err) == 0) {
		show(o, stream);
		lode_stream_free(stream);
		return;
	}
	/* A file that cannot be opened is no failure of lode's. */
	if (skip(o, path, &err) == LODE_EXIT_USAGE)
		o->worst_exit = LODE_EXIT_USAGE;
}

static void finish(struct output *o)
{
	if (o->json && o->is_list)
		lode_json_end_array(o->json);
	if (o->json) {
		lode_json_inputs(o->json, "skipped", o->skipped.at, o->skipped.n);
		lode_json_close(o->json);
	}
	lode_vec_release(&o->skipped);
	lode_arena_release(&o->arena);
}

static int run_info(const struct lode_command *self, const struct info_values *v, char **arguments,
		    size_t n)
{
	struct lode_source_options source = {
		.narrow = lode_input_options_narrow(&v->input),
		.n_threads = v->input.n_threads ? v->input.n_threads : lode_pool_cpus(),
		.memory_bytes = v->input.memory_bytes,
		.folded_kind = (enum lode_event_kind)v->input.folded_kind,
		.unit = v->input.unit,
	};
	struct output o = {.command = self, .values = v, .worst_exit = LODE_EXIT_NOTHING};
	struct lode_inputs inputs = {0};
	struct lode_error err;

	if (lode_inputs_expand(&inputs, arguments, n, &err) < 0)
		return lode_say_error(self, &err);
	for (size_t i = 0; i < inputs.n_skipped; i++) {
		struct lode_error skipped;

		lode_fail(&skipped, LODE_ERR_IO, inputs.skipped[i].path, -1, "%.500s",
			  inputs.skipped[i].reason);
		skip(&o, inputs.skipped[i].path, &skipped);
	}
	lode_say_other_files(self, inputs.n_other);
	if (lode_symboliser_new(&source.symboliser, &v->input.symbols, &err) < 0) {
		finish(&o);
		lode_inputs_release(&inputs);
		return lode_say_error(self, &err);
	}
	o.is_list = inputs.paths.n > 1;
	for (size_t i = 0; i < inputs.paths.n; i++)
		load_and_show(&o, &source, inputs.paths.at[i]);
	finish(&o);
	lode_symboliser_free(source.symboliser);
	lode_inputs_release(&inputs);
	if (!o.n_shown)
		return o.worst_exit;
	return o.n_bad ? LODE_EXIT_INCOMPLETE : LODE_EXIT_OK;
}

static int run(const struct lode_command *self, int argc, char **argv)
{
	struct info_values values = {.top = SIZE_MAX};
	int n, code;

	lode_input_options_init(&values.input);
	if (!lode_command_start(self, &values, argc, argv, &n, &code))
		return code;
	if (n == 0)
		return lode_command_misused(self, "give a recording");
	if (values.top == SIZE_MAX)
		values.top = values.wants_json ? 50 : 8;
	return run_info(self, &values, argv, (size_t)n);
}

const struct lode_command lode_cmd_info = {
	.name = "info",
	.summary = "say what a recording holds and whether it can be trusted",
	.usage = "[OPTION]... STREAM...",
	.description =
		"Most wrong answers of tracing tools begin at recording. This page tells what was "
		"recorded and where, what was lost, how much of the cost stands on broken stacks, "
		"on frames without a symbol and on waits without a waker, which analyses the "
		"recording can serve, and how to record it better.",
	.options = options,
	.examples = examples,
	.run = run,
};

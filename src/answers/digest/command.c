/* The command line of lode digest. */
#include "answers/digest/digest.h"
#include "base/private_file.h"
#include "tool/reading_options.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/terminal.h"

struct digest_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	const char *output, *merge;
	struct lode_readers readers;
	size_t top;
	bool again, wants_json;
};

#define AT(field) offsetof(struct digest_values, field)

static const struct lode_option options[] = {
	LODE_OPTION("output", "DIR", lode_set_text, AT(output),
		    "write a digest of each recording to this folder, which is created if needed",
		    .letter = 'o', .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_FOLDER,
		    .group = "Output"),
	LODE_OPTION("merge", "FILE", lode_set_text, AT(merge),
		    "merge everything, including digests among the inputs, into one digest",
		    .file = LODE_FILE_WRITTEN, .kind = LODE_KIND_DIGEST),
	LODE_GROUP_OPTION(AT(readers), "the folder and the digests"),
	LODE_FORCE_OPTION,
	LODE_FLAG("again", AT(again),
		  "rebuild digests even if up to date, such as after symbol files have changed"),
	LODE_JSON_OPTION(AT(wants_json), "docs/digest.md"),
	LODE_TOP_OPTION(AT(top), "in JSON (default 50; 0: all)"),
	LODE_READING_OPTIONS(AT(aoi), AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Read each recording once, then mine as often as you like",
	 "lode digest -o digests/ recordings/ && lode mine digests/"},
	{"After new recordings or an interruption: only missing digests are made",
	 "lode digest -o digests/ recordings/"},
	{"Digest on many machines, mine on one",
	 "lode digest --merge $HOSTNAME.digest /var/recordings/ ... && lode mine *.digest"},
	{NULL},
};

static int digest_command_check(const struct lode_command *self, const struct digest_values *v,
				int n_operands)
{
	if (n_operands == 0)
		return lode_command_misused(self, "give recordings or folders of recordings");
	if (!v->output && !v->merge)
		return lode_command_misused(self, "give the output: -o DIR, --merge FILE, or both");
	if (v->again && !v->output)
		return lode_command_misused(self, "--again requires -o DIR");
	if (lode_aoi_values_check(self, &v->aoi) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	return 0;
}

/* Until then only their owner may read them. */
static int share_digests(const struct lode_command *self, const struct digest_values *v)
{
	const char *const paths[] = {v->output, v->merge};
	struct lode_error err;

	for (size_t i = 0; i < 2; i++)
		if (paths[i] && lode_private_share(paths[i], &v->readers, &err) < 0)
			return lode_say_error(self, &err);
	return LODE_EXIT_OK;
}

static int digest_command_answer(const struct lode_command *self, const struct digest_values *v,
				 char **inputs, size_t n_inputs)
{
	struct lode_progress progress;
	struct lode_digest_request request = {
		.inputs = inputs,
		.n_inputs = n_inputs,
		.job = lode_reading_options(&v->input, &v->aoi, &progress),
		.merged = v->merge,
		.top = v->top,
	};
	struct lode_digest_answer *answer;
	struct lode_error err;
	struct lode_text_page page = lode_stdout_page();
	int code;

	request.job.digest_dir = v->output;
	request.job.again = v->again;
	request.job.no_merge = !v->merge;
	request.job.is_canonical = v->merge != NULL;
	lode_progress_start(&progress);
	code = lode_digest_run(&answer, &request, &err);
	lode_progress_end(&progress);
	lode_say_skipped(self, answer->job);
	if (code < 0)
		code = lode_say_error(self, &err);
	else if (v->wants_json)
		lode_document_put(stdout, &lode_digest_document, answer, NULL);
	else
		lode_opening_put(stdout, &answer->opening, &page);
	if (code == LODE_EXIT_OK)
		code = share_digests(self, v);
	code = lode_job_exit(answer->job, code);
	lode_digest_answer_free(answer);
	return code;
}

static int digest_command_run(const struct lode_command *self, int argc, char **argv)
{
	struct digest_values values = {.top = 50};
	int n, code = LODE_EXIT_OK;

	lode_input_options_init(&values.input);
	lode_aoi_values_init(&values.aoi);
	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		lode_aoi_values_settle(&values.aoi, false);
		code = digest_command_check(self, &values, n);
		if (code == 0)
			code = digest_command_answer(self, &values, argv, (size_t)n);
	}
	lode_aoi_values_release(&values.aoi);
	return code;
}

const struct lode_command lode_cmd_digest = {
	.name = "digest",
	.summary = "reduce recordings to small, mergeable files for mining",
	.usage = "[OPTION]... -o DIR INPUT...",
	.description =
		"Reads recordings as `lode mine` does, but instead of mining writes one small file "
		"for each. `lode mine` accepts digests in place of recordings, reads them in "
		"seconds, and gives the same result. Digests of many machines can be collected, "
		"mixed with recordings, and merged in any order.\n\n"
		"A digest that is up to date with its recording and was made with the same options "
		"is kept, so an interrupted run resumes where it stopped. A recording that cannot "
		"be read does not stop the others; its digest records the reason.\n\n"
		"Symptoms and area of interest are fixed when a digest is made; digests made with "
		"different ones cannot be mined together. Content filters (--include, --exclude "
		"and so on) can also be given later, to `lode mine`.",
	.options = options,
	.examples = examples,
	.run = digest_command_run,
};

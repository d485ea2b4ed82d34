#include <stdio.h>
#include <string.h>

#include "tool/aoi_options.h"
#include "tool/command.h"
#include "tool/input_options.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/progress.h"
#include "tool/repo_options.h"
#include "tool/stream_reading.h"
#include "answers/import/import_job.h"
#include "answers/repo/repo_report.h"

struct import_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	const char *repo;
	lode_text_list labels;
	size_t top;
	bool again, is_verbose, wants_json;
};

#define AT(field) offsetof(struct import_values, field)

static const struct lode_option options[] = {
	LODE_REPO_OPTION(AT(repo),
			 "the repository, which is made if it is not there (default: $LODE_REPO)",
			 .group = "Repository"),
	LODE_OPTION("label", "KEY=VALUE", lode_set_list, AT(labels),
		    "label all of these streams: release=2.1; may be repeated", .letter = 'l'),
	LODE_FLAG("again", AT(again),
		  "read also what is there, and put the new digest in place of the old"),
	LODE_FLAG("verbose", AT(is_verbose),
		  "one line for each input, as soon as it is safe on the disk", .letter = 'v',
		  .group = "Output"),
	LODE_JSON_OPTION(AT(wants_json), "docs/repo.md"),
	LODE_TOP_OPTION(AT(top), "in JSON (default 50; 0: no bound)"),
	LODE_READING_OPTIONS(AT(aoi), AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"A day's recordings, of one release",
	 "lode import --repo startup.lode --label release=2.1 recordings/"},
	{"Every hour, by cron: what is there already is not read again",
	 "LODE_REPO=/var/lib/startup.lode lode import /var/recordings/"},
	{"Digests that were made on other machines", "lode import --repo startup.lode *.digest"},
	{NULL},
};

static void init_import(struct import_values *v)
{
	memset(v, 0, sizeof(*v));
	lode_input_options_init(&v->input);
	lode_aoi_values_init(&v->aoi);
	v->top = 50;
}

static void release_import(struct import_values *v)
{
	lode_aoi_values_release(&v->aoi);
	lode_vec_release(&v->labels);
}

/* ---- Labels ---- */

typedef LODE_VEC(struct lode_repo_label) label_list;

/* "release=2.1": parted in `arena`. */
static int read_labels(const struct lode_command *self, label_list *labels,
		       const lode_text_list *texts, struct lode_arena *arena)
{
	for (size_t i = 0; i < texts->n; i++) {
		struct lode_repo_label label;
		int code = lode_repo_option_label(self, &label, texts->at[i], arena);

		if (code != LODE_EXIT_OK)
			return code;
		lode_vec_append(labels, label);
	}
	return LODE_EXIT_OK;
}

/* ---- Running ---- */

static void say_one(void *context, const char *path, enum lode_repo_added added, size_t n_streams)
{
	(void)context;
	lode_import_report_line(stdout, path, added, n_streams);
	(void)fflush(stdout);
}

static int finish_import(const struct lode_command *self, const struct import_values *v,
			 struct lode_repo *repo, const struct lode_import *import)
{
	struct lode_import_report report = {.import = import, .repo = repo, .top = v->top};
	struct lode_error err;

	if (lode_repo_sums(&report.sums, repo, &err) < 0)
		return lode_say_error(self, &err);
	if (v->wants_json)
		lode_import_report_json(stdout, &report);
	else
		lode_import_report_text(stdout, &report);
	if (!import->inputs.n)
		return LODE_EXIT_NOTHING;
	return lode_job_exit(&import->job, LODE_EXIT_OK);
}

static int import(const struct lode_command *self, const struct import_values *v,
		  struct lode_repo *repo, char *const *inputs, size_t n_inputs,
		  const label_list *labels)
{
	struct lode_progress progress;
	struct lode_import_options with = {
		.job = lode_reading_options(&v->input, &v->aoi, &progress),
		.labels = labels->at,
		.n_labels = labels->n,
		.again = v->again,
		.told = v->is_verbose && !v->wants_json ? say_one : NULL,
	};
	struct lode_import import;
	struct lode_error err;
	int code;

	lode_progress_start(&progress);
	code = lode_import_run(&import, repo, inputs, n_inputs, &with, &err);
	lode_progress_end(&progress);
	lode_say_skipped(self, &import.job);
	if (code < 0)
		code = lode_say_error(self, &err);
	else
		code = finish_import(self, v, repo, &import);
	lode_import_release(&import);
	return code;
}

static int check_import(const struct lode_command *self, struct import_values *v, int n_operands)
{
	if (n_operands == 0)
		return lode_command_misused(self, "give recordings or digests, or folders of them");
	lode_aoi_values_settle(&v->aoi, false);
	if (lode_aoi_values_misuse(&v->aoi))
		return lode_command_misused(self, "%s", lode_aoi_values_misuse(&v->aoi));
	return LODE_EXIT_OK;
}

/* Opens the repository, takes its options, imports. */
static int run_with(const struct lode_command *self, struct import_values *v,
		    const lode_text_list *given, char **inputs, int n)
{
	struct lode_repo_words words = {.shape = NULL};
	struct lode_repo *repo = NULL;
	struct lode_arena arena = {0};
	label_list labels = {0};
	int code = n ? LODE_EXIT_OK : check_import(self, v, n);

	if (code == LODE_EXIT_OK)
		code = read_labels(self, &labels, &v->labels, &arena);
	if (code == LODE_EXIT_OK)
		code = lode_repo_option_open(self, &repo, v->repo, LODE_REPO_CREATE);
	if (code == LODE_EXIT_OK && lode_repo_shape(repo)) {
		/* What is said differently is seen by the import. */
		release_import(v);
		init_import(v);
		code = lode_repo_words_parse(&words, self, v, lode_repo_shape(repo), given, true,
					     &n);
		inputs = (char **)(uintptr_t)words.list.at;
	}
	if (code == LODE_EXIT_OK)
		code = check_import(self, v, n);
	if (code == LODE_EXIT_OK)
		code = import(self, v, repo, inputs, (size_t)n, &labels);
	lode_repo_close(repo);
	lode_repo_words_release(&words);
	lode_vec_release(&labels);
	lode_arena_release(&arena);
	return code;
}

static int run_import(const struct lode_command *self, int argc, char **argv)
{
	struct import_values values;
	lode_text_list given = {0};
	int n, code = LODE_EXIT_OK;

	for (int i = 0; i < argc; i++)
		lode_vec_append(&given, argv[i]);
	init_import(&values);
	if (lode_command_start(self, &values, argc, argv, &n, &code))
		code = run_with(self, &values, &given, argv, n);
	release_import(&values);
	lode_vec_release(&given);
	return code;
}

const struct lode_command lode_cmd_import = {
	.name = "import",
	.summary = "add recordings to a repository, day after day",
	.usage = "[OPTION]... --repo FILE INPUT...",
	.description =
		"Makes a digest of each recording, as `lode digest` does, and stores it in a "
		"repository: one file that `lode mine --repo`, `lode diff`, `lode triage` and "
		"their "
		"like read, and that `lode repo` looks after. Digests may be given as well.\n\n"
		"With each stream are kept its host, kernel, time, symptoms, and the labels given "
		"here, so that it can be asked for: --where 'release=2.1 and host~web*'.\n\n"
		"What is there already is left as it is, and a file that has not changed since it "
		"was imported is not even read. Each stream is safe on the disk before the next "
		"ones are told of (-v): an import that is interrupted at any moment loses nothing "
		"of that, and goes on where it was. Several may import at once.\n\n"
		"All digests of a repository are made with the same options, those of the first "
		"import, which need not be given again.",
	.options = options,
	.examples = examples,
	.run = run_import,
};

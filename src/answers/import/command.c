/* The command line of lode import. */
#include "answers/import/import.h"
#include "base/escape.h"
#include "base/private_file.h"
#include "store/confinement.h"
#include "tool/reading_options.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/terminal.h"
#include "tool/repo_options.h"

struct import_values {
	struct lode_input_options input;
	struct lode_aoi_values aoi;
	const char *repo;
	lode_text_list labels;
	struct lode_readers readers;
	size_t top;
	bool again, defer, is_verbose, wants_json;
};

#define AT(field) offsetof(struct import_values, field)

static const struct lode_option options[] = {
	LODE_REPO_OPTION(AT(repo), "the repository, created if needed (default $LODE_REPO)",
			 .group = "Repository"),
	LODE_GROUP_OPTION(AT(readers), "the repository"),
	LODE_OPTION("label", "KEY=VALUE", lode_set_list, AT(labels),
		    "label these recordings: release=2.1; may be repeated", .letter = 'l'),
	LODE_FLAG("again", AT(again),
		  "also read recordings already imported, and replace their digests"),
	LODE_FLAG("defer", AT(defer),
		  "store only, for bulk imports; run 'lode repo compact' afterwards for fast "
		  "queries"),
	LODE_FLAG("verbose", AT(is_verbose), "report each input as soon as it is safely on disk",
		  .letter = 'v', .group = "Output"),
	LODE_JSON_OPTION(AT(wants_json), "docs/repo.md"),
	LODE_TOP_OPTION(AT(top), "in JSON (default 50; 0: all)"),
	LODE_READING_OPTIONS(AT(aoi), AT(input)),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"Recordings of one release",
	 "lode import --repo startup.lode --label release=2.1 recordings/"},
	{"Hourly by cron: known recordings are not read again",
	 "LODE_REPO=/var/lib/startup.lode lode import /var/recordings/"},
	{"Digests made on other machines", "lode import --repo startup.lode *.digest"},
	{NULL},
};

static void import_values_init(struct import_values *v)
{
	memset(v, 0, sizeof(*v));
	lode_input_options_init(&v->input);
	lode_aoi_values_init(&v->aoi);
	v->top = 50;
}

static void import_values_release(struct import_values *v)
{
	lode_aoi_values_release(&v->aoi);
	lode_vec_release(&v->labels);
}

/* "added  a.data", as each is stored. */
static void say_imported(void *context, const char *path, enum lode_repo_added added,
			 size_t n_streams)
{
	char safe[8192];

	(void)context;
	printf("%s  %s", lode_repo_added_names[added], lode_escape(safe, sizeof(safe), path));
	if (n_streams > 1)
		printf(" (%zu recordings)", n_streams);
	putchar('\n');
	(void)fflush(stdout);
}

static int import_command_answer(const struct lode_command *self, const struct import_values *v,
				 struct lode_import_request *request)
{
	struct lode_import_answer *answer;
	struct lode_progress progress;
	struct lode_error err;
	struct lode_text_page page = lode_stdout_page();
	int code;

	request->reading = lode_reading_options(&v->input, &v->aoi, &progress);
	request->again = v->again;
	request->defer = v->defer;
	request->top = v->top;
	request->told = v->is_verbose && !v->wants_json ? say_imported : NULL;
	lode_progress_start(&progress);
	code = lode_import_run(&answer, request, &err);
	lode_progress_end(&progress);
	lode_say_skipped(self, answer->job);
	if (code < 0)
		code = lode_say_error(self, &err);
	else if (v->wants_json)
		lode_document_put(stdout, &lode_import_document, answer, NULL);
	else
		lode_opening_put(stdout, &answer->opening, &page);
	if (code == LODE_EXIT_OK)
		code = answer->n_inputs ? lode_job_exit(answer->job, code) : LODE_EXIT_NOTHING;
	lode_import_free(answer);
	return code;
}

static int import_command_check(const struct lode_command *self, struct import_values *v,
				int n_operands)
{
	if (n_operands == 0)
		return lode_command_misused(self, "give recordings, digests, or folders of them");
	lode_aoi_values_settle(&v->aoi, false);
	if (lode_aoi_values_check(self, &v->aoi) != LODE_EXIT_OK)
		return LODE_EXIT_USAGE;
	return LODE_EXIT_OK;
}

/* Before it is opened: SQLite's files beside it take its permissions. */
static int share_repository(const struct lode_command *self, const struct import_values *v)
{
	const char *path = lode_repo_option_path(v->repo);
	struct lode_error err;

	if (!path || !v->readers.has_group)
		return LODE_EXIT_OK;
	if (lode_private_create(path, &err) < 0 || lode_private_share(path, &v->readers, &err) < 0)
		return lode_say_error(self, &err);
	return LODE_EXIT_OK;
}

/* What is read from here on was made by others. */
static void confine(const struct import_values *v, bool is_repo_open)
{
	(void)lode_command_confine(&(struct lode_command_rights){
		.repo = lode_repo_option_path(v->repo),
		.is_repo_open = is_repo_open,
		.is_online = v->input.symbols.debuginfod_ns != 0,
	});
}

/* Opens the repository, takes its options, imports. */
static int import_command_open(const struct lode_command *self, struct import_values *v,
			       const lode_text_list *given, char **inputs, int n)
{
	struct lode_import_request request = {.n_labels = v->labels.n};
	struct lode_repo_words words = {.shape = NULL};
	struct lode_repo_label *labels;
	struct lode_arena arena = {0};
	int code = n ? LODE_EXIT_OK : import_command_check(self, v, n);

	if (code == LODE_EXIT_OK)
		code = lode_repo_option_labels(self, &labels, v->labels.at, v->labels.n, false,
					       &arena);
	if (code == LODE_EXIT_OK)
		code = share_repository(self, v);
	if (code == LODE_EXIT_OK) {
		confine(v, false);
		code = lode_repo_option_open(self, &request.repo, v->repo, LODE_REPO_CREATE);
	}
	if (code == LODE_EXIT_OK && lode_repo_shape(request.repo)) {
		/* What is said differently is seen by the import. */
		import_values_release(v);
		import_values_init(v);
		code = lode_repo_words_parse(&words, self, v, request.repo, given, true, &n);
		inputs = (char **)(uintptr_t)words.list.at;
	}
	if (code == LODE_EXIT_OK)
		code = import_command_check(self, v, n);
	if (code == LODE_EXIT_OK) {
		request.labels = labels;
		request.inputs = inputs;
		request.n_inputs = (size_t)n;
		confine(v, true);
		code = import_command_answer(self, v, &request);
	}
	lode_repo_close(request.repo);
	lode_repo_words_release(&words);
	lode_arena_release(&arena);
	return code;
}

static int import_command_run(const struct lode_command *self, int argc, char **argv)
{
	struct import_values values;
	lode_text_list given = {0};
	int n, code = LODE_EXIT_OK;

	lode_vec_append_all(&given, argv, (size_t)argc);
	import_values_init(&values);
	if (lode_command_start(self, &values, argc, argv, &n, &code))
		code = import_command_open(self, &values, &given, argv, n);
	import_values_release(&values);
	lode_vec_release(&given);
	return code;
}

const struct lode_command lode_cmd_import = {
	.name = "import",
	.summary = "add recordings to a repository",
	.usage = "[OPTION]... --repo FILE INPUT...",
	.description =
		"Makes a digest of each recording, as `lode digest` does, and stores it in a "
		"repository: one file that `lode mine --repo`, `lode diff`, `lode triage` and "
		"others read, and that `lode repo` maintains. Inputs may also be digests.\n\n"
		"The repository keeps host, kernel, time, symptoms and labels of each recording "
		"for queries: --where 'release=2.1 and host~web*'.\n\n"
		"Recordings already imported are skipped; unchanged files are not even read. A "
		"recording is reported (-v) only once it is safely on disk, so an interrupted "
		"import loses none of those and can be resumed. Several imports may run at "
		"once.\n\n"
		"All digests of a repository use the options of its first import; later imports "
		"need not repeat them.",
	.options = options,
	.examples = examples,
	.run = import_command_run,
};

/* The command line of lode repo. */
#include "answers/repo/repo.h"
#include "store/file_kind.h"
#include "store/repo_query.h"
#include "base/escape.h"
#include "tool/terminal.h"
#include "tool/messages.h"
#include "tool/output_options.h"
#include "tool/repo_options.h"
#include "tool/reading_options.h"

struct repo_values {
	struct lode_repo_request request;
	const char *max_age;
	size_t max_size, memory_bytes;
	bool wants_json;
};

#define AT(field) offsetof(struct repo_values, field)

static const struct lode_option options[] = {
	LODE_REPO_OPTION(AT(request.repo), "the repository (default: $LODE_REPO)",
			 .group = "Repository"),
	LODE_WHERE_OPTION(AT(request.where), NULL),
	LODE_FLAG("yes", AT(request.may_forget), "with forget: actually delete (default: dry run)",
		  .letter = 'y', .group = "Actions"),
	LODE_OPTION("max-age", "AGE", lode_set_text, AT(max_age),
		    "with prune: remove recordings older than this: 90d, 12w"),
	LODE_OPTION(
		"max-size", "SIZE", lode_set_size, AT(max_size),
		"with prune: remove the oldest recordings until at most this much is in use: 20G"),
	LODE_FLAG("dry-run", AT(request.limits.is_dry), "with prune: list what would be removed"),
	LODE_FLAG("rebuild", AT(request.rebuild),
		  "with compact: rebuild every segment from the digests"),
	LODE_MEMORY_OPTION(AT(memory_bytes)),
	LODE_JSON_OPTION(AT(wants_json), "docs/repo.md", .group = "Output"),
	LODE_TOP_OPTION(AT(request.top), "(default 50, the newest; 0: all)"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"The recordings of one release", "lode repo list --repo startup.lode --where release=2.1"},
	{"Details of one of them", "lode repo show 3f2a77c0"},
	{"All labels", "lode repo labels"},
	{"Add a label after the import",
	 "lode repo label release=2.1 --where 'time>=2026-11-01 and host~web*'"},
	{"List what is older than a year, then remove it",
	 "lode repo forget --where 'age>365d' && lode repo forget --where 'age>365d' --yes"},
	{"Nightly by cron: keep 90 days, at most 20 GB, and the whole baseline",
	 "lode repo prune --max-age 90d --max-size 20G --where 'not baseline=yes'"},
	{"Weekly maintenance", "lode repo check && lode repo compact"},
	{NULL},
};

static const struct repo_word {
	const char *name;
	const struct lode_document *document; /* NULL: it has none */
	bool takes_operands;
} words[LODE_N_REPO_WORDS] = {
	[LODE_REPO_LIST] = {"list", &lode_repo_document, false},
	[LODE_REPO_SHOW] = {"show", &lode_repo_document, true},
	[LODE_REPO_LABELS] = {"labels", &lode_repo_labels_document, false},
	[LODE_REPO_LABEL] = {"label", NULL, true},
	[LODE_REPO_FORGET] = {"forget", NULL, true},
	[LODE_REPO_PRUNE] = {"prune", &lode_repo_prune_document, false},
	[LODE_REPO_CHECK] = {"check", &lode_repo_check_document, false},
	[LODE_REPO_COMPACT] = {"compact", NULL, false},
};

/* The repository, given as what it is not: without its option. */
static int repo_command_lacks_option(const struct lode_command *self, const char *word,
				     const char *path)
{
	char safe[1024];

	return lode_command_misused(self, "%s is a repository: 'lode repo %s --repo %s'",
				    lode_escape(safe, sizeof(safe), path), word, safe);
}

static int repo_command_ids(const struct lode_command *self, char *const *ids, size_t n)
{
	char safe[200];

	for (size_t i = 0; i < n; i++)
		if (!*ids[i] || strlen(ids[i]) > 16 ||
		    strspn(ids[i], "0123456789abcdefABCDEF") != strlen(ids[i]))
			return lode_command_misused(self,
						    "'%s' is not a recording id: 'lode repo list' "
						    "shows them",
						    lode_escape(safe, sizeof(safe), ids[i]));
	return LODE_EXIT_OK;
}

static int repo_command_limits(const struct lode_command *self, struct repo_values *values)
{
	struct lode_repo_limits *limits = &values->request.limits;
	bool is_prune = values->request.word == LODE_REPO_PRUNE;
	char safe[200];
	int64_t age_ns;

	if (is_prune != (values->max_age || values->max_size))
		return lode_command_misused(
			self, is_prune ? "give a limit: --max-age AGE, --max-size SIZE, or both"
				       : "--max-age and --max-size apply only to lode repo prune");
	if (limits->is_dry && !is_prune)
		return lode_command_misused(self, "--dry-run applies only to lode repo prune");
	limits->max_bytes = (int64_t)values->max_size;
	limits->oldest_ns = INT64_MIN;
	if (!values->max_age)
		return LODE_EXIT_OK;
	if (!lode_repo_query_age(&age_ns, values->max_age))
		return lode_command_misused(self,
					    "--max-age: '%s' is not an age such as 12h, 7d or 2w",
					    lode_escape(safe, sizeof(safe), values->max_age));
	if (__builtin_sub_overflow(values->request.now_ns, age_ns, &limits->oldest_ns))
		limits->oldest_ns = INT64_MIN;
	return LODE_EXIT_OK;
}

static int repo_command_lacks_word(const struct lode_command *self, const char *word)
{
	const char *names[LODE_N_REPO_WORDS + 1] = {NULL};

	for (size_t i = 0; i < LODE_N_REPO_WORDS; i++)
		names[i] = words[i].name;
	return lode_command_lacks_word(self, word, names);
}

/* The word, and what stands behind it; labels are parted in `arena`. */
static int repo_command_settle(const struct lode_command *self, struct repo_values *values,
			       char **argv, size_t n, struct lode_arena *arena)
{
	struct lode_repo_request *request = &values->request;
	enum lode_repo_word word = LODE_REPO_LIST;
	struct lode_repo_label *labels;
	int code;

	while (n && word < LODE_N_REPO_WORDS && strcmp(words[word].name, argv[0]) != 0)
		word++;
	if (!n || word == LODE_N_REPO_WORDS)
		return repo_command_lacks_word(self, n ? argv[0] : NULL);
	argv++, n--;
	request->word = word;
	if (word == LODE_REPO_SHOW)
		request->top = 0;
	for (size_t i = 0; i < n; i++)
		if (lode_file_kind_read(argv[i]) == LODE_KIND_REPOSITORY)
			return repo_command_lacks_option(self, words[word].name, argv[i]);
	if (n && !words[word].takes_operands)
		return lode_command_misused(self, "lode repo %s takes no arguments",
					    words[word].name);
	code = repo_command_limits(self, values);
	if (code != LODE_EXIT_OK)
		return code;
	if (!request->repo)
		return lode_command_misused(self, "give a repository: --repo FILE or $LODE_REPO");
	if (word == LODE_REPO_LABEL && (!n || !request->where))
		return lode_command_misused(
			self,
			"give labels and recordings: lode repo label release=2.1 --where ...");
	if (word == LODE_REPO_FORGET && !n == !request->where)
		return lode_command_misused(self, "give recordings: their ids, or --where QUERY");
	if (word != LODE_REPO_LABEL) {
		request->ids = argv;
		request->n_ids = n;
		return repo_command_ids(self, argv, n);
	}
	code = lode_repo_option_labels(self, &labels, (const char *const *)argv, n, true, arena);
	request->labels = labels;
	request->n_labels = n;
	return code;
}

static int repo_command_put(const struct lode_command *self, const struct lode_repo_answer *answer,
			    const char *path, bool wants_json)
{
	const struct lode_document *document = words[answer->word].document;
	struct lode_text_page page = lode_stdout_page();
	char safe[1024];

	if (wants_json && document)
		lode_document_put(stdout, document, answer, NULL);
	else
		lode_repo_text(lode_paged_stdout(), answer, &page);
	if (answer->word == LODE_REPO_CHECK && !answer->is_sound)
		return LODE_EXIT_INCOMPLETE;
	if (answer->pruned && answer->pruned->is_over)
		return LODE_EXIT_INCOMPLETE;
	if (!answer->is_of_streams || answer->n_picked)
		return LODE_EXIT_OK;
	if (answer->word == LODE_REPO_SHOW || answer->word == LODE_REPO_FORGET)
		lode_say(self, "%s: no recording matches%s", lode_escape(safe, sizeof(safe), path),
			 answer->word == LODE_REPO_FORGET ? ": nothing to forget" : "");
	return LODE_EXIT_NOTHING;
}

static int repo_command_answer(const struct lode_command *self,
			       const struct lode_repo_request *request, bool wants_json)
{
	struct lode_repo_answer *answer;
	struct lode_error err;
	int code = lode_repo_run(&answer, request, &err);

	code = code < 0 ? lode_say_error(self, &err)
			: repo_command_put(self, answer, request->repo, wants_json);
	lode_repo_answer_free(answer);
	return code;
}

static int repo_command_run(const struct lode_command *self, int argc, char **argv)
{
	struct repo_values values = {.request = {.top = 50, .now_ns = lode_query_now_ns()}};
	struct lode_repo_request *request = &values.request;
	struct lode_arena arena = {0};
	int n, code = LODE_EXIT_OK;

	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		request->repo = lode_repo_option_path(request->repo);
		code = repo_command_settle(self, &values, argv, (size_t)n, &arena);
		if (code == LODE_EXIT_OK)
			code = repo_command_answer(self, request, values.wants_json);
	}
	lode_arena_release(&arena);
	return code;
}

const struct lode_command lode_cmd_repo = {
	.name = "repo",
	.summary = "list, label, check, compact and remove recordings of a repository",
	.usage = "list|show|labels|label|forget|prune|check|compact [OPTION]... [ID|KEY=VALUE]...",
	.description = "Maintains a repository filled by `lode import`.\n\n"
		       "list: lists all recordings, or those that match --where. show: shows one "
		       "recording, given by the beginning of its id, or without an id the "
		       "repository as a whole. labels: lists all labels. label KEY=VALUE: sets a "
		       "label of existing recordings ('KEY=' removes it). forget: removes "
		       "recordings and their part of the name statistics; without --yes it only "
		       "lists them. prune: removes recordings older than --max-age, then the "
		       "oldest until at most --max-size is in use; with --where only matching "
		       "ones, and never the last one. Signatures are kept. check: reads everything "
		       "and reports damage. compact: merges digests and frees unused space.",
	.options = options,
	.examples = examples,
	.takes_words = true,
	.run = repo_command_run,
};

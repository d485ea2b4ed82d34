#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "tool/command.h"
#include "tool/help.h"
#include "tool/messages.h"
#include "tool/option_values.h"
#include "tool/output_options.h"
#include "tool/repo_options.h"
#include "tool/stream_reading.h"
#include "answers/repo/repo_report.h"
#include "document/units.h"
#include "store/repo_query.h"

struct repo_values {
	const char *repo, *where;
	size_t top;
	bool yes, rebuild, wants_json;
};

#define AT(field) offsetof(struct repo_values, field)

static const struct lode_option options[] = {
	LODE_REPO_OPTION(AT(repo), "the repository (default: $LODE_REPO)", .group = "Repository"),
	LODE_WHERE_OPTION(AT(where),
			  "only such streams: 'release=2.1 and host~web*', 'age<7d' (docs/repo.md)",
			  .letter = 'w'),
	LODE_FLAG("yes", AT(yes), "forget: do it, rather than say what would be forgotten",
		  .letter = 'y', .group = "What is done"),
	LODE_FLAG("rebuild", AT(rebuild),
		  "compact: make all segments anew from the digests, whatever they held"),
	LODE_JSON_OPTION(AT(wants_json), "docs/repo.md", .group = "Output"),
	LODE_TOP_OPTION(AT(top), "(default 50, the newest; 0: no bound)"),
	LODE_OPTIONS_END,
};

static const struct lode_example examples[] = {
	{"The streams of one release", "lode repo list --repo startup.lode --where release=2.1"},
	{"What is known of one of them", "lode repo show 3f2a77c0"},
	{"Which labels there are", "lode repo labels"},
	{"A label that was forgotten at the import",
	 "lode repo label release=2.1 --where 'time>=2026-11-01 and host~web*'"},
	{"What is older than a year: what would go, then let it go",
	 "lode repo forget --where 'age>365d' && lode repo forget --where 'age>365d' --yes"},
	{"By cron, each night", "lode repo check && lode repo compact"},
	{NULL},
};

/* ---- Which streams ---- */

/* Ids given as operands, as a query; NULL: one is none (said). To be freed. */
static char *query_of_ids(const struct lode_command *self, char *const *ids, size_t n)
{
	char *text = NULL, safe[200];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		lode_oom(0);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%sid=%.16s", i ? " or " : "", ids[i]);
	if (fclose(out) != 0)
		lode_oom(size);
	for (size_t i = 0; i < n; i++)
		if (!*ids[i] || strlen(ids[i]) > 16 ||
		    strspn(ids[i], "0123456789abcdefABCDEF") != strlen(ids[i])) {
			lode_command_misused(self,
					     "'%s' is no id of a stream: 'lode repo list' "
					     "shows them",
					     lode_escape(safe, sizeof(safe), ids[i]));
			free(text);
			return NULL;
		}
	return text;
}

/* Those of --where, or of ids, or all. Gives an exit code. */
static int find_repo(const struct lode_command *self, const struct repo_values *v,
		     struct lode_repo *repo, char *const *ids, size_t n_ids,
		     struct lode_repo_streams *out)
{
	struct lode_repo_query *query = NULL;
	struct lode_error err;
	char *text = NULL;
	int rc = 0;

	if (n_ids) {
		text = query_of_ids(self, ids, n_ids);
		if (!text)
			return LODE_EXIT_USAGE;
	}
	if (text || v->where)
		rc = lode_repo_query_parse(&query, text ? text : v->where, lode_query_now_ns(),
					   &err);
	free(text);
	if (rc == 0)
		rc = lode_repo_find(out, repo, query, &err);
	lode_repo_query_free(query);
	return rc < 0 ? lode_say_error(self, &err) : LODE_EXIT_OK;
}

/* ---- The words ---- */

struct repo_call {
	const struct lode_command *self;
	const struct repo_values *v;
	struct lode_repo *repo;
	char *const *operands; /* behind the word */
	size_t n;
};

/* A list of those; its sums are still to be had. */
static struct lode_repo_report report_of(const struct repo_call *call,
					 const struct lode_repo_streams *streams)
{
	return (struct lode_repo_report){
		.repo = call->repo,
		.streams = streams,
		.where = call->v->where,
		.top = call->v->top,
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
	};
}

static int list(const struct repo_call *call)
{
	struct lode_repo_streams streams = {0};
	struct lode_repo_report report = report_of(call, &streams);
	struct lode_error err;
	int code;

	if (lode_repo_sums(&report.sums, call->repo, &err) < 0)
		return lode_say_error(call->self, &err);
	code = find_repo(call->self, call->v, call->repo, call->operands, call->n, &streams);
	if (code == LODE_EXIT_OK && call->v->wants_json)
		lode_repo_report_list_json(stdout, &report);
	else if (code == LODE_EXIT_OK)
		lode_repo_report_list(stdout, &report);
	if (code == LODE_EXIT_OK && !streams.list.n)
		code = LODE_EXIT_NOTHING;
	lode_repo_streams_release(&streams);
	return code;
}

static int show_repo(const struct repo_call *call)
{
	struct lode_repo_streams streams = {0};
	struct lode_repo_report report = {.repo = call->repo, .streams = &streams};
	struct lode_error err;
	int code = LODE_EXIT_OK;

	if (call->n || call->v->where)
		code = find_repo(call->self, call->v, call->repo, call->operands, call->n,
				 &streams);
	if (code == LODE_EXIT_OK && lode_repo_sums(&report.sums, call->repo, &err) < 0)
		code = lode_say_error(call->self, &err);
	if (code == LODE_EXIT_OK && call->v->wants_json)
		lode_repo_report_list_json(stdout, &report);
	else if (code == LODE_EXIT_OK && !call->n && !call->v->where)
		lode_repo_report_sums(stdout, &report);
	else
		for (size_t i = 0; code == LODE_EXIT_OK && i < streams.list.n; i++)
			lode_repo_report_stream(stdout, &streams.list.at[i]);
	if (code == LODE_EXIT_OK && (call->n || call->v->where) && !streams.list.n) {
		lode_say(call->self, "there is no such stream");
		code = LODE_EXIT_NOTHING;
	}
	lode_repo_streams_release(&streams);
	return code;
}

static int labels(const struct repo_call *call)
{
	struct lode_repo_label_counts counts = {0};
	struct lode_error err;
	int code = LODE_EXIT_OK;

	if (lode_repo_label_counts(&counts, call->repo, &err) < 0)
		code = lode_say_error(call->self, &err);
	else if (call->v->wants_json)
		lode_repo_report_labels_json(stdout, &counts);
	else
		lode_repo_report_labels(stdout, &counts);
	lode_repo_label_counts_release(&counts);
	return code;
}

static int set_labels(const struct repo_call *call, const struct lode_repo_streams *streams,
		      struct lode_arena *arena)
{
	struct lode_repo_label label;
	struct lode_error err;
	int code = LODE_EXIT_OK;

	for (size_t i = 0; code == LODE_EXIT_OK && i < call->n; i++) {
		const char *text = call->operands[i];
		size_t len = strlen(text);

		/* "release=" takes it away. */
		if (len > 1 && text[len - 1] == '=' && lode_repo_label_is_key(text, len - 1))
			label = (struct lode_repo_label){lode_arena_strndup(arena, text, len - 1),
							 NULL};
		else
			code = lode_repo_option_label(call->self, &label, text, arena);
		if (code == LODE_EXIT_OK &&
		    lode_repo_set_label(call->repo, streams, label.key, label.value, &err) < 0)
			code = lode_say_error(call->self, &err);
	}
	return code;
}

static int label(const struct repo_call *call)
{
	struct lode_repo_streams streams = {0};
	struct lode_arena arena = {0};
	char n[LODE_UNITS_BUFFER];
	int code;

	if (!call->n || !call->v->where)
		return lode_command_misused(call->self, "say which labels, and of which streams: "
							"lode repo label release=2.1 --where ...");
	code = find_repo(call->self, call->v, call->repo, NULL, 0, &streams);
	if (code == LODE_EXIT_OK)
		code = set_labels(call, &streams, &arena);
	if (code == LODE_EXIT_OK)
		printf("%s labelled\n", lode_format_plural(n, streams.list.n, "stream"));
	if (code == LODE_EXIT_OK && !streams.list.n)
		code = LODE_EXIT_NOTHING;
	lode_repo_streams_release(&streams);
	lode_arena_release(&arena);
	return code;
}

static int forget(const struct repo_call *call)
{
	struct lode_repo_streams streams = {0};
	struct lode_repo_report report = report_of(call, &streams);
	char n[LODE_UNITS_BUFFER];
	struct lode_error err;
	int code;

	if (!call->n == !call->v->where)
		return lode_command_misused(call->self,
					    "say which streams: their ids, or --where QUERY");
	code = find_repo(call->self, call->v, call->repo, call->operands, call->n, &streams);
	if (code != LODE_EXIT_OK)
		goto out;
	if (!streams.list.n) {
		lode_say(call->self, "there is no such stream: nothing to forget");
		code = LODE_EXIT_NOTHING;
	} else if (!call->v->yes) {
		if (lode_repo_sums(&report.sums, call->repo, &err) < 0) {
			code = lode_say_error(call->self, &err);
			goto out;
		}
		lode_repo_report_list(stdout, &report);
		printf("would be forgotten; --yes does it\n");
	} else if (lode_repo_forget(call->repo, &streams, &err) < 0) {
		code = lode_say_error(call->self, &err);
	} else {
		printf("%s forgotten; 'lode repo compact' gives their space back\n",
		       lode_format_plural(n, streams.list.n, "stream"));
	}
out:
	lode_repo_streams_release(&streams);
	return code;
}

static int check_repo(const struct repo_call *call)
{
	struct lode_repo_check found;
	struct lode_error err;
	int code = LODE_EXIT_OK;

	if (lode_repo_check(&found, call->repo, &err) < 0)
		code = lode_say_error(call->self, &err);
	else if (call->v->wants_json)
		lode_repo_report_check_json(stdout, &found);
	else
		lode_repo_report_check(stdout, &found);
	if (code == LODE_EXIT_OK && found.n_faults)
		code = LODE_EXIT_INCOMPLETE;
	lode_repo_check_release(&found);
	return code;
}

static int compact(const struct repo_call *call)
{
	struct lode_repo_sums before, after;
	char a[LODE_UNITS_BUFFER], b[LODE_UNITS_BUFFER];
	struct lode_error err;

	if (lode_repo_sums(&before, call->repo, &err) < 0 ||
	    lode_repo_compact(call->repo, call->v->rebuild, &err) < 0 ||
	    lode_repo_sums(&after, call->repo, &err) < 0)
		return lode_say_error(call->self, &err);
	printf("%s, was %s\n", lode_format_bytes(a, after.file_bytes),
	       lode_format_bytes(b, before.file_bytes));
	return LODE_EXIT_OK;
}

static const struct word {
	const char *name;
	enum lode_repo_mode mode;
	bool takes_operands;
	int (*run)(const struct repo_call *call);
} words[] = {
	{"list", LODE_REPO_READ, false, list},	      {"show", LODE_REPO_READ, true, show_repo},
	{"labels", LODE_REPO_READ, false, labels},    {"label", LODE_REPO_WRITE, true, label},
	{"forget", LODE_REPO_WRITE, true, forget},    {"check", LODE_REPO_READ, false, check_repo},
	{"compact", LODE_REPO_WRITE, false, compact},
};

static const struct word *find_word(const char *name)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i].name, name) == 0)
			return &words[i];
	return NULL;
}

static int run_word(const struct lode_command *self, const struct repo_values *v, char **argv,
		    int n)
{
	const struct word *word = n ? find_word(argv[0]) : NULL;
	struct repo_call call = {.self = self, .v = v, .operands = argv + 1};
	int code;

	if (!word)
		return lode_command_misused(
			self, "say list, show, labels, label, forget, check or compact");
	call.n = (size_t)n - 1;
	if (call.n && !word->takes_operands)
		return lode_command_misused(self, "lode repo %s takes no operands", word->name);
	/* A dry run changes nothing. */
	code = lode_repo_option_open(self, &call.repo, v->repo,
				     word->run == forget && !v->yes ? LODE_REPO_READ : word->mode);
	if (code == LODE_EXIT_OK)
		code = word->run(&call);
	lode_repo_close(call.repo);
	return code;
}

static int run_repo(const struct lode_command *self, int argc, char **argv)
{
	struct repo_values values = {.top = 50};
	int n, code = LODE_EXIT_OK;

	if (lode_command_start(self, &values, argc, argv, &n, &code))
		code = run_word(self, &values, argv, n);
	return code;
}

const struct lode_command lode_cmd_repo = {
	.name = "repo",
	.summary = "list, label, check, compact and forget what is in a repository",
	.usage = "list|show|labels|label|forget|check|compact [OPTION]... [ID|KEY=VALUE]...",
	.description =
		"Looks after a repository of streams that `lode import` has filled.\n\n"
		"list: its streams, or those of --where. show: one stream by the beginning of its "
		"id; without one, the repository as a whole. labels: which labels there are. "
		"label KEY=VALUE: sets a label of streams that are there ('KEY=' takes it away). "
		"forget: takes streams out, with all that they added to name statistics; shows "
		"what would go unless --yes is given. check: reads everything and says what is "
		"damaged. compact: merges what can be merged, and gives unused space back.",
	.options = options,
	.examples = examples,
	.takes_words = true,
	.run = run_repo,
};

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/escape.h"
#include "tool/command.h"
#include "tool/help.h"
#include "tool/messages.h"
#include "tool/repo_options.h"
#include "answers/sign/command_options.h"
#include "answers/clusters/cluster_choice.h"
#include "answers/sign/signature_change.h"
#include "answers/sign/signature_store.h"
#include "answers/sign/signature_report.h"
#include "document/units.h"

static const struct lode_example examples[] = {
	{"The third cluster that mining the repository showed",
	 "lode sign --repo perf.lode --cluster 3 --name slow-path-lookup --bug "
	 "https://bugs.example.org/4711"},
	{"The same without a repository",
	 "lode mine --json runs/ >m.json && lode sign -s ours.txt --from m.json -c 3 --name "
	 "slow-path"},
	{"A typed pattern: GetHashCode somewhere below InitComponents",
	 "lode sign --repo perf.lode --name slow-init 'InitComponents;*;GetHashCode'"},
	{"Only waits for the disk, in any function of a module",
	 "lode sign --repo perf.lode --name cold-icons --reason disk 'theme_load;libicon*!*'"},
	{"Signatures in version control",
	 "lode sign --repo perf.lode --export signatures.txt; lode sign --repo perf.lode --import "
	 "signatures.txt"},
	{NULL},
};

/* ---- What is asked for ---- */

struct action {
	const char *done;	/* "signed", for output */
	const char *given;	/* the option's value, NULL: not asked for */
	bool is_reading;	/* changes nothing */
	bool takes_description; /* --bug and its like, patterns */
};

enum { SIGN, LIST, SHOW, EDIT, RETIRE, ACTIVATE, DELETE, EXPORT, IMPORT, N_ACTIONS };

static void list_actions(struct action actions[N_ACTIONS], const struct lode_sign_values *v)
{
	actions[SIGN] = (struct action){"signed", v->name, false, true};
	actions[LIST] = (struct action){"listed", v->list ? "" : NULL, true, false};
	actions[SHOW] = (struct action){"listed", v->show, true, false};
	actions[EDIT] = (struct action){"changed", v->edit, false, true};
	actions[RETIRE] = (struct action){"retired", v->retire, false, false};
	actions[ACTIVATE] = (struct action){"activated", v->activate, false, false};
	actions[DELETE] = (struct action){"deleted", v->delete, false, false};
	actions[EXPORT] = (struct action){"exported", v->export, true, false};
	actions[IMPORT] = (struct action){"imported", v->import, false, false};
}

/* A run: one action on one store. */
struct sign_run {
	const struct lode_command *self;
	const struct lode_sign_values *v;
	struct action action;
	int what; /* of the actions */
	char **patterns;
	size_t n_patterns;
	int64_t now_s;
	/* What other files say, read before the store is anybody's. */
	struct lode_cluster_choice choice; /* of --cluster with --from; then of --cluster */
	struct lode_signatures imported;
	struct lode_repo *repo;
	struct lode_signature_store store;
	struct lode_error err;
};

static int check_sign(struct sign_run *run)
{
	const struct lode_sign_values *v = run->v;
	const struct lode_command *self = run->self;
	struct action actions[N_ACTIONS];
	int n = 0;

	list_actions(actions, v);
	run->what = LIST;
	for (int a = 0; a < N_ACTIONS; a++)
		if (actions[a].given) {
			run->what = a;
			n++;
		}
	run->action = actions[run->what];
	if (!v->repo == !v->signatures)
		return lode_command_misused(self, "say where the signatures are: --repo FILE or "
						  "--signatures FILE");
	if (n > 1)
		return lode_command_misused(self,
					    "one thing at a time: --name, --list, --show, "
					    "--edit, --retire, --activate, --delete, --export "
					    "and --import exclude each other");
	if (n == 0 && (v->cluster || run->n_patterns))
		return lode_command_misused(self, "a signature needs a name: --name NAME");
	if (!run->action.takes_description && (v->bug || v->owner || v->note || v->kind ||
					       v->reason || v->cluster || run->n_patterns))
		return lode_command_misused(self, "what is said of a signature, and patterns, go "
						  "with --name or --edit");
	if (v->from && !v->cluster)
		return lode_command_misused(self, "--from names a document: say which of its "
						  "clusters, --cluster N");
	if (v->cluster && !v->from && !v->repo)
		return lode_command_misused(self, "--cluster N needs what mining showed: --repo "
						  "FILE, or --from a document of lode mine --json");
	if ((v->rename || v->drop.n) && !v->edit)
		return lode_command_misused(self, "--rename and --drop go with --edit NAME");
	if (v->name && !v->cluster && !run->n_patterns)
		return lode_command_misused(self, "what is it? Give --cluster N, or patterns such "
						  "as 'InitComponents;*;GetHashCode'");
	return 0;
}

/* ---- Output ---- */

static int report(struct sign_run *run, const struct lode_signature *const *list, size_t n)
{
	struct lode_signature_report r = {
		.signatures = list,
		.n = n,
		.path = run->store.path,
		.action = run->action.done,
		.columns = lode_columns(stdout, 100),
		.is_terminal = lode_columns(stdout, 0) > 0,
	};

	if (run->v->wants_json)
		lode_signature_report_json(stdout, &r);
	else
		lode_signature_report_table(stdout, &r);
	return LODE_EXIT_OK;
}

static int report_all(struct sign_run *run)
{
	size_t n = run->store.signatures.list.n;
	const struct lode_signature **list = lode_alloc(n * sizeof(*list));
	int code;

	for (size_t i = 0; i < n; i++)
		list[i] = &run->store.signatures.list.at[i];
	code = report(run, list, n);
	free(list);
	return code;
}

static int fail_sign(struct sign_run *run)
{
	return lode_say_error(run->self, &run->err);
}

/* Writes the store, then says what was done, `extra` in words behind it. */
static int finish_sign(struct sign_run *run, const char *name, const char *extra)
{
	const struct lode_signature *s = lode_signatures_find(&run->store.signatures, name);
	char safe[1024];

	if (lode_signature_store_save(&run->store, &run->err) < 0)
		return fail_sign(run);
	if (run->v->wants_json)
		return report(run, &s, s != NULL);
	printf("%s %s%s\n", run->action.done, lode_escape(safe, sizeof(safe), name), extra);
	return LODE_EXIT_OK;
}

/* ---- Actions ---- */

/* What the options say of a signature. */
static struct lode_signature_words words_of(const struct sign_run *run)
{
	const struct lode_sign_values *v = run->v;

	return (struct lode_signature_words){
		.bug = v->bug,
		.owner = v->owner,
		.note = v->note,
		.kind = v->kind,
		.reason = v->reason,
		.cluster = v->cluster ? &run->choice : NULL,
		.patterns = (const char *const *)run->patterns,
		.n_patterns = run->n_patterns,
	};
}

/* The clusters that --cluster means without a document are the repository's. */
static int choose_cluster(struct sign_run *run)
{
	const struct lode_sign_values *v = run->v;

	if (!v->cluster || v->from)
		return 0;
	return lode_cluster_choice_of_run(&run->choice, run->repo, v->cluster, &run->err);
}

static int sign(struct sign_run *run)
{
	const struct lode_cluster_choice *choice = &run->choice;
	char extra[128] = "", cost[LODE_UNITS_BUFFER], count[LODE_UNITS_BUFFER];
	struct lode_signature_words words;
	int rc = choose_cluster(run);

	words = words_of(run);
	if (rc == 0)
		rc = lode_signature_sign(&run->store.signatures, run->v->name, &words, run->now_s,
					 &run->err);
	if (rc < 0)
		return fail_sign(run);
	lode_format_plural(count, choice->n_patterns + run->n_patterns, "pattern");
	if (choice->unit)
		snprintf(extra, sizeof(extra), ": %s, cluster %u of %s in total", count,
			 choice->rank, lode_format_cost_long(cost, choice->total_ns, choice->unit));
	else if (run->v->cluster)
		snprintf(extra, sizeof(extra), ": %s, cluster %u", count, choice->rank);
	else
		snprintf(extra, sizeof(extra), ": %s", count);
	return finish_sign(run, run->v->name, extra);
}

static int edit(struct sign_run *run)
{
	const struct lode_sign_values *v = run->v;
	struct lode_signature_edit edit = {
		.rename = v->rename,
		.drop = v->drop.at,
		.n_drop = v->drop.n,
	};
	int rc = choose_cluster(run);

	edit.words = words_of(run);
	if (rc == 0)
		rc = lode_signature_edit(&run->store.signatures, v->edit, &edit, run->now_s,
					 &run->err);
	return rc < 0 ? fail_sign(run) : finish_sign(run, v->rename ? v->rename : v->edit, "");
}

static int set_state(struct sign_run *run, bool is_retired)
{
	if (lode_signature_set_retired(&run->store.signatures, run->action.given, is_retired,
				       run->now_s, &run->err) < 0)
		return fail_sign(run);
	return finish_sign(run, run->action.given, "");
}

static int delete_one(struct sign_run *run)
{
	if (lode_signature_delete(&run->store.signatures, run->v->delete, &run->err) < 0)
		return fail_sign(run);
	return finish_sign(run, run->v->delete, "");
}

static int show_sign(struct sign_run *run)
{
	const struct lode_signature *s =
		lode_signature_named(&run->store.signatures, run->v->show, &run->err);
	size_t size;
	char *text;

	if (!s)
		return fail_sign(run);
	if (run->v->wants_json)
		return report(run, &s, 1);
	text = lode_signature_format(s, &size);
	fwrite(text, 1, size, stdout);
	free(text);
	return LODE_EXIT_OK;
}

static int export_all(struct sign_run *run)
{
	struct lode_signature_store to = {.signatures = run->store.signatures,
					  .path = run->v->export};
	size_t size;
	char *text, safe[4096];

	if (strcmp(run->v->export, "-") == 0) {
		text = lode_signatures_format(&run->store.signatures, &size);
		fwrite(text, 1, size, stdout);
		free(text);
		return LODE_EXIT_OK;
	}
	if (lode_signature_store_save(&to, &run->err) < 0)
		return fail_sign(run);
	if (run->v->wants_json)
		return report_all(run);
	printf("exported %zu signature%s to %s\n", run->store.signatures.list.n,
	       run->store.signatures.list.n == 1 ? "" : "s",
	       lode_escape(safe, sizeof(safe), run->v->export));
	return LODE_EXIT_OK;
}

static int import_all(struct sign_run *run)
{
	struct lode_signature_merge merge;
	int rc = lode_signature_merge(&merge, &run->store.signatures, &run->imported, run->now_s,
				      &run->err);

	if (rc == 0)
		rc = lode_signature_store_save(&run->store, &run->err);
	if (rc < 0)
		return fail_sign(run);
	if (run->v->wants_json)
		return report_all(run);
	printf("imported: %zu new, %zu changed, %zu as they were\n", merge.n_new, merge.n_changed,
	       merge.n_same);
	return LODE_EXIT_OK;
}

static int act(struct sign_run *run)
{
	switch (run->what) {
	case SIGN:
		return sign(run);
	case SHOW:
		return show_sign(run);
	case EDIT:
		return edit(run);
	case RETIRE:
	case ACTIVATE:
		return set_state(run, run->what == RETIRE);
	case DELETE:
		return delete_one(run);
	case EXPORT:
		return export_all(run);
	case IMPORT:
		return import_all(run);
	case LIST:
	default:
		return report_all(run);
	}
}

/* ---- Running ---- */

/* Other files are read first: who holds a repository must not wait for standard input. */
static int read_files(struct sign_run *run)
{
	const struct lode_sign_values *v = run->v;

	if (run->what == IMPORT)
		return lode_signatures_read(&run->imported, v->import, &run->err);
	if (v->cluster && v->from)
		return lode_cluster_choice_of_json(&run->choice, v->from, v->cluster, &run->err);
	return 0;
}

static int open_store(struct sign_run *run)
{
	const struct lode_sign_values *v = run->v;
	const char *path = v->repo ? v->repo : v->signatures;
	bool may_be_new = run->what == SIGN || run->what == IMPORT;
	bool is_reading = run->action.is_reading;
	int rc = 0;

	if (v->repo)
		rc = lode_repo_open(&run->repo, path, is_reading ? LODE_REPO_READ : LODE_REPO_WRITE,
				    &run->err);
	if (rc < 0)
		return rc;
	return is_reading ? lode_signature_store_open(&run->store, run->repo, path, may_be_new,
						      &run->err)
			  : lode_signature_store_begin(&run->store, run->repo, path, may_be_new,
						       &run->err);
}

static int run_on_store(struct sign_run *run)
{
	int code, rc = read_files(run);

	if (rc == 0)
		rc = open_store(run);
	code = rc < 0 ? fail_sign(run) : act(run);
	lode_signature_store_release(&run->store);
	lode_repo_close(run->repo);
	lode_cluster_choice_release(&run->choice);
	lode_signatures_release(&run->imported);
	return code;
}

static int run_sign(const struct lode_command *self, int argc, char **argv)
{
	struct lode_sign_values values = {0};
	struct sign_run run = {.self = self, .v = &values, .patterns = argv, .now_s = time(NULL)};
	int n, code = LODE_EXIT_OK;

	if (lode_command_start(self, &values, argc, argv, &n, &code)) {
		if (!values.signatures)
			values.repo = lode_repo_option_path(values.repo);
		run.n_patterns = (size_t)n;
		code = check_sign(&run);
		if (code == 0)
			code = run_on_store(&run);
	}
	lode_vec_release(&values.drop);
	return code;
}

const struct lode_command lode_cmd_sign = {
	.name = "sign",
	.summary = "give problems names: signatures from clusters or typed patterns",
	.usage = "[OPTION]... {--repo FILE | --signatures FILE} [PATTERN]...",
	.description =
		"A signature is a problem that has a name: patterns of call stacks, perhaps the "
		"kind "
		"of events and what was waited for, and what people know of it - bug, owner, "
		"notes. "
		"`lode coverage` tells how much of the waiting signatures explain, `lode triage` "
		"what "
		"of a new recording is known already.\n\n"
		"A pattern is functions parted by ';' that stand in this order in a stack, with "
		"anything between them: 'InitComponents;GetHashCode', or with a '*' for the gap, "
		"'InitComponents;*;GetHashCode'. Functions are globs on a name or on module!name: "
		"'libssl*!*', '[kernel]!vfs_read'. '>read' is read called by the function before "
		"it, "
		"and as the first one the stack's root; '?*' is any one function; '-> nginx' is "
		"the "
		"step to the thread that was waited for. A signature matches an event if one of "
		"its "
		"patterns does.\n\n"
		"Signing a cluster takes all of its patterns, and its common part where that is "
		"what "
		"some of its stacks have, so that the signature matches what the cluster costs in "
		"total. A cluster's number is that of the last `lode mine --repo`; its id stays "
		"the "
		"same as long as its patterns do.",
	.options = lode_sign_options,
	.examples = examples,
	.takes_words = true,
	.run = run_sign,
};
